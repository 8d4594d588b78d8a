"""SacreROUGE's names of the hypothesis tests of two metrics, of levels and of coefficients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, get_args

from metrics_framework.meta_evaluation.levels import Level

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.intervals.populations import Population

Definition = Literal["corrected", "sacrerouge"]
DEFINITIONS: tuple[Definition, ...] = get_args(Definition)
"""How p-values of the bootstrap and of Williams' test are defined."""
PERMUTATIONS: Mapping[str, str] = {
    "permutation-both": "cells",
    "permutation-system": "systems",
    "permutation-input": "inputs",
}
"""SacreROUGE's names of permutation tests, and ours; its ``permutation-both`` swaps single cells."""

BOOTSTRAPS: Mapping[str, Population] = {
    "bootstrap-both": "both",
    "bootstrap-system": "systems",
    "bootstrap-input": "inputs",
}
"""SacreROUGE's names of bootstrap tests, and what they resample."""

WILLIAMS = "williams"
METHODS = (*PERMUTATIONS, *BOOTSTRAPS, WILLIAMS)
"""SacreROUGE's names of the tests."""

LEVELS: Mapping[str, Level] = {"summary_level": "input", "system_level": "system", "global": "global"}
COEFFICIENTS: Mapping[str, str] = {"pearson": "pearson", "spearman": "spearman", "kendall": "kendall-b"}
