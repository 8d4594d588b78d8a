"""The names of coefficients, levels, interval methods and tests: one list of each."""

from __future__ import annotations

from typing import Literal, get_args

Coefficient = Literal[
    "pearson",
    "spearman",
    "kendall-a",
    "kendall-b",
    "kendall-c",
    "tau-23",
    "acc-23",
    "acc-eq",
    "kendall-like",
    "pairwise-accuracy",
    "spa",
    "spa:normal",
    "pdp",
]
Level = Literal["input", "system", "global", "within-system"]
IntervalMethod = Literal[
    "fisher",
    "bootstrap-inputs",
    "bootstrap-systems",
    "bootstrap-both",
    "bca-inputs",
    "bca-systems",
    "jackknife-inputs",
    "jackknife-systems",
]
Test = Literal[
    "inputs",
    "systems",
    "both",
    "cells",
    "rows-cols",
    "pairs",
    "williams",
    "bootstrap-inputs",
    "bootstrap-systems",
    "bootstrap-both",
]

Stream = Literal["default", "mt-metrics-eval"]

COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
LEVELS: tuple[Level, ...] = get_args(Level)
INTERVAL_METHODS: tuple[IntervalMethod, ...] = get_args(IntervalMethod)
TESTS: tuple[Test, ...] = get_args(Test)
STREAMS: tuple[Stream, ...] = get_args(Stream)
"""How the sign flips of SPA are drawn; ``mt-metrics-eval`` repeats the draws and the sums of that program."""

SINGLE_LEVEL: dict[Coefficient, Level] = {
    "pairwise-accuracy": "system",
    "spa": "system",
    "spa:normal": "system",
    "pdp": "input",
}
"""Coefficients that are defined at one level only."""

ACCURACIES: frozenset[Coefficient] = frozenset({"acc-23", "acc-eq", "pairwise-accuracy", "spa", "spa:normal"})
"""Coefficients with values from 0 to 1; all others are from −1 to 1."""
