"""The names of scorings, of kinds of raters and of sentinels."""

from __future__ import annotations

from typing import Literal, get_args

Scoring = Literal["accuracy", "neg_rmse", "ranks"]
SCORINGS: tuple[Scoring, ...] = get_args(Scoring)
EPSILONS = {"experts": 0.2, "skilled": 0.15, "crowd": 0.1}
"""How much worse than a rater a judge may be, by the kind of raters (Calderon et al. 2025)."""
CONSTANT = "constant"
MEDIAN = "median"
CONSTANTS = (CONSTANT, MEDIAN)
LENGTH = "length"
SHUFFLED = "shuffled"
FEWEST_UNITS = 30
"""Below this many units, the signed-rank test replaces the t-test."""
