"""The levels at which scores are correlated."""

from __future__ import annotations

from typing import Literal, get_args

Level = Literal["input", "system", "global", "within-system"]

LEVELS: tuple[Level, ...] = get_args(Level)

AVERAGED: frozenset[str] = frozenset({"input", "within-system"})
"""Levels whose coefficients are averages over groups of outputs."""
