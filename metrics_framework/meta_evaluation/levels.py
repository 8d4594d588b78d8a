"""The levels at which scores are correlated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

Level = Literal["input", "system", "global", "within-system"]

LEVELS: tuple[Level, ...] = get_args(Level)

GROUP_AXIS: Mapping[Level, int] = {"input": 0, "within-system": 1}
"""Level whose coefficients are averages over groups, to the axis of (systems, inputs) along which a group lies."""

AVERAGED: frozenset[str] = frozenset(GROUP_AXIS)
"""Levels whose coefficients are averages over groups of outputs."""
