"""Pearson's correlation coefficient."""

from __future__ import annotations

import math

import numpy as np
from overrides import overrides

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, GroupCoefficient
from metrics_framework.meta_evaluation.coefficients.fisher import Ends, fisher_ends
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.coefficients.swapped_pearson import pearson_differences
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.groups import WeightedGroups
from metrics_framework.meta_evaluation.sums.moments import pearson_of_rows
from metrics_framework.meta_evaluation.sums.swaps import Swaps


@Coefficient.register("pearson")
class Pearson(GroupCoefficient):
    """Pearson's r = Σ(x−x̄)(z−z̄) / √(Σ(x−x̄)² Σ(z−z̄)²); undefined if a score is constant."""

    title = "Pearson r"
    has_reliability = True
    sacrerouge_name = ("pearson", "r")

    @overrides
    def of_groups(self, groups: WeightedGroups, options: CoefficientOptions) -> Floats:
        return groups.pearson()

    @overrides
    def swapped_differences(self, swaps: Swaps, first: str, second: str) -> Floats | None:
        return pearson_differences(swaps, first, second)

    @overrides
    def p_value(self, human: Floats, metric: Floats) -> float | None:
        r = pearson_of_rows(human[None], metric[None], np.ones((1, len(human))))
        return pearson_p(float(r[0]), len(human))

    @overrides
    def fisher_interval(self, value: float, points: int, tail: float) -> Ends | None:
        return fisher_ends(value, 1 / math.sqrt(points - 3) if points > 3 else math.nan, tail)

    @overrides
    def default_interval(self, level: Level) -> str:
        return "fisher" if level == "system" else super().default_interval(level)


def pearson_p(r: float, n: int) -> float:
    """Computes the two-sided p-value of r from its distribution for normal data, a beta distribution.

    >>> round(pearson_p(0.5, 10), 6)
    0.141113
    """
    from scipy.special import betainc

    if math.isnan(r):
        return math.nan
    if n == 2:
        return 1.0
    half = n / 2 - 1
    return min(1.0, 2 * float(betainc(half, half, (1 - abs(r)) / 2)))
