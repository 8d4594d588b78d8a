"""Spearman's rank correlation coefficient."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.data.sums import plain_sum
from metrics_framework.meta_evaluation.choices import CoefficientOptions
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, Ends, GroupCoefficient, fisher_ends
from metrics_framework.meta_evaluation.coefficients.rank_swaps import linear_differences
from metrics_framework.meta_evaluation.groups.moments import pearson_of_rows, row_ranks
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair
from metrics_framework.meta_evaluation.groups.swaps import Swaps
from metrics_framework.meta_evaluation.groups.weighted_groups import WeightedGroups

Counts: TypeAlias = "npt.NDArray[np.int64]"

MAX_EXACT = 10
"""For up to this many points, the p-value of Spearman's ρ is exact: 10 ms, three times as much for each more."""


@Coefficient.register("spearman")
class Spearman(GroupCoefficient):
    """Spearman's ρ, Pearson's r of the mid-ranks; undefined if a score is constant."""

    title = "Spearman ρ"
    citation = "spearman-1904-proof"
    interval_over_systems = "fisher-shrunken"
    has_reliability = True
    sacrerouge_name = ("spearman", "rho")

    @overrides
    def of_groups(self, groups: WeightedGroups, options: CoefficientOptions) -> Floats:
        return groups.spearman()

    @overrides
    def swapped_differences(self, swaps: Swaps, first: str, second: str) -> Floats | None:
        return linear_differences(self, swaps, first, second, of_ranks=True)

    @overrides
    def p_value(self, human: Floats, metric: Floats) -> float | None:
        x, z = row_ranks(human[None]), row_ranks(metric[None])
        rho, n = float(pearson_of_rows(x, z, np.ones(x.shape))[0]), len(human)
        if math.isnan(rho):
            return math.nan
        if n <= MAX_EXACT:
            return exact_spearman_p(x[0], z[0])
        if abs(rho) == 1:
            return _perfect_order_p(x[0], z[0])
        return max(spearman_t_p(rho, n), 2 * math.exp(-math.lgamma(n + 1)))  # not below that of a perfect order

    @overrides
    def fisher_interval(self, value: float, points: int, tail: float) -> Ends | None:
        return fisher_ends(value, bonett_wright_error(value, points), tail)

    @overrides
    def shrunken_interval(self, scores: ScorePair, value: float, tail: float) -> Ends | None:
        """Returns Bonett and Wright's interval of k = ρ·m/(m + 4), m = S(S² − 1)/3, for few systems S.

        >>> six = ScorePair([[n] for n in range(6)], [[n] for n in range(6)])
        >>> [round(end, 6) for end in Spearman().shrunken_interval(six, 1.0, 0.025)]
        [0.405629, 0.996357]
        """
        systems = scores.points("system")
        m = systems * (systems**2 - 1) / 3
        k = value * m / (m + 4)
        return fisher_ends(k, bonett_wright_error(k, systems), tail)


def spearman_t_p(rho: float, n: int) -> float:
    """Computes the p-value of ρ from t = ρ√((n−2)/(1−ρ²)), n−2 degrees of freedom, as SciPy and SacreROUGE do.

    It is 0 for ρ = ±1, and NaN for two points.
    """
    from scipy.special import stdtr

    if math.isnan(rho) or n < 3:
        return math.nan
    if abs(rho) == 1:
        return 0.0
    t = abs(rho) * math.sqrt((n - 2) / ((1 + rho) * (1 - rho)))
    return min(1.0, 2 * float(stdtr(n - 2, -t)))


def _perfect_order_p(x: Floats, z: Floats) -> float:
    """Returns the proportion of pairings in the same or the reverse order, of two rankings that have ρ = ±1."""
    sizes = np.unique(x, return_counts=True)[1].tolist()
    both_orders = 2 if sizes == sizes[::-1] else 1
    return both_orders * math.exp(plain_sum(math.lgamma(size + 1) for size in sizes) - math.lgamma(len(x) + 1))


def exact_spearman_p(x: Floats, z: Floats) -> float:
    """Computes the proportion of the n! pairings of two rankings whose ρ is at least as far from 0.

    ρ is proportional to s = Σ a_i·b_π(i), where a and b are twice the mid-ranks minus n + 1: integers, so that equal
    values of s are equal exactly, also with ties. The distribution of s over all pairings of the first ranks with a
    subset of the second follows from those of the subsets with one element less, O(n·2ⁿ) instead of O(n!).

    Args:
        x: The mid-ranks of the first variable, shape (n,), n ≤ 20.
        z: Those of the second, of the same shape.

    >>> exact_spearman_p(np.array([1.0, 2, 3]), np.array([1.0, 2, 3]))  # 2 of 6 orders: the same and the reverse
    0.3333333333333333
    """
    n = len(x)
    a, b = (np.rint(2 * ranks - (n + 1)).astype(int).tolist() for ranks in (x, z))
    largest = sum(first * second for first, second in zip(sorted(map(abs, a)), sorted(map(abs, b)), strict=True))
    counts = _distribution(a, b, largest)
    observed = abs(sum(first * second for first, second in zip(a, b, strict=True)))
    sums = np.abs(np.arange(-largest, largest + 1))
    return float(counts[sums >= observed].sum() / counts.sum())


def _distribution(a: Sequence[int], b: Sequence[int], largest: int) -> Counts:
    """Counts the pairings by their sum of products, from −largest to largest."""
    subsets = np.arange(2 ** len(b))
    sizes = sum((subsets >> element) & 1 for element in range(len(b)))
    counts = np.zeros((len(subsets), 2 * largest + 1), dtype=np.int64)  # of each subset of b, paired with the first a
    counts[0, largest] = 1
    for size, factor in enumerate(a, start=1):
        for element, other in enumerate(b):
            paired = subsets[(sizes == size) & (subsets >> element & 1 == 1)]
            counts[paired] += np.roll(counts[paired - 2**element], factor * other, axis=1)  # no sum leaves the range
    every_element: Counts = counts[-1]
    return every_element


def bonett_wright_error(rho: float, points: int) -> float:
    """Returns the standard error √((1 + ρ²/2)/(n − 3)) of artanh ρ; NaN for fewer than four points.

    Source: Bonett and Wright (Psychometrika, 2000).
    """
    return math.sqrt((1 + rho**2 / 2) / (points - 3)) if points > 3 else math.nan
