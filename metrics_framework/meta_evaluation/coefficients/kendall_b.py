"""Kendall's τ-b."""

from __future__ import annotations

import math

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, PairCoefficient
from metrics_framework.meta_evaluation.coefficients.kendall import Kendall
from metrics_framework.meta_evaluation.sums.pair_sums import EQUAL, PairSums, shares
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair

MAX_EXACT = 33
"""For up to this many points without ties, the p-value is exact."""


@Coefficient.register("kendall-b", "kendall")
class KendallB(Kendall, PairCoefficient):
    """Kendall's τ-b = (C − D)/√((T − T_h)(T − T_m)).

    C and D are concordant and discordant pairs, T all pairs, T_h and T_m those tied in the human scores and in the
    metric.
    """

    title = "Kendall τ-b"
    sacrerouge_name = ("kendall", "tau")

    @overrides
    def of_pairs(self, sums: PairSums) -> Floats:
        return shares(sums.surplus, np.sqrt(sums.untied_human * sums.untied_metric))

    @overrides
    def p_value(self, human: Floats, metric: Floats) -> float | None:
        return kendall_p(human, metric)


def kendall_p(x: Floats, z: Floats) -> float:
    """Computes the two-sided p-value of τ-b: exact for few points without ties, otherwise asymptotic.

    The choice between the two and the variance with ties follow SciPy's ``kendalltau`` (Kendall 1970).

    Args:
        x: The first variable, shape (n,).
        z: The second, of the same shape.

    >>> kendall_p(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 4, 3]))
    0.3333333333333333
    """
    n = len(x)
    groups = next(groups for _, groups in ScorePair(x[None], z[None]).groups("global", None, None))
    sums = groups.pair_sums(EQUAL)
    total, untied_x, untied_z, untied, surplus = (
        int(one[0, 0]) for one in (sums.total, sums.untied_human, sums.untied_metric, sums.untied, sums.surplus)
    )
    if not untied_x or not untied_z:
        return math.nan
    fewest = min((untied - surplus) // 2, total - (untied - surplus) // 2)
    if untied_x == untied_z == total and (n <= MAX_EXACT or fewest <= 1):
        return _exact_kendall_p(n, fewest)
    variance = _kendall_variance(n, _tie_sums(x), _tie_sums(z))
    return math.erfc(abs(surplus) / math.sqrt(variance) / math.sqrt(2))


def _exact_kendall_p(n: int, inversions: int) -> float:
    """Returns twice the fraction of the permutations of n that have at most this number of inversions."""
    if n > 170:  # n! exceeds the range of floats; such a p-value is 0
        return 0.0
    counts = [1] + [0] * inversions
    for size in range(2, n + 1):
        running, sums = 0, []
        for index, count in enumerate(counts):
            running += count - (counts[index - size] if index >= size else 0)
            sums.append(running)
        counts = sums
    return min(1.0, 2 * sum(counts) / math.factorial(n))


def _tie_sums(values: Floats) -> tuple[int, int, int]:
    counts = [int(count) for count in np.unique(values, return_counts=True)[1]]
    return (
        sum(c * (c - 1) // 2 for c in counts),
        sum(c * (c - 1) * (c - 2) for c in counts),
        sum(c * (c - 1) * (2 * c + 5) for c in counts),
    )


def _kendall_variance(n: int, x: tuple[int, int, int], z: tuple[int, int, int]) -> float:
    m = n * (n - 1)
    variance = (m * (2 * n + 5) - x[2] - z[2]) / 18 + 2 * x[0] * z[0] / m
    return variance + (x[1] * z[1] / (9 * m * (n - 2)) if n > 2 else 0)
