"""The methods for confidence intervals of coefficients."""

from __future__ import annotations

from typing import Literal, get_args

IntervalMethod = Literal[
    "fisher",
    "fisher-shrunken",
    "bootstrap-inputs",
    "bootstrap-systems",
    "bootstrap-both",
    "bca-inputs",
    "bca-systems",
    "jackknife-inputs",
    "jackknife-systems",
]
INTERVAL_METHODS: tuple[IntervalMethod, ...] = get_args(IntervalMethod)
FORMULAS = ("fisher", "fisher-shrunken")
"""Methods that need no resamples."""
