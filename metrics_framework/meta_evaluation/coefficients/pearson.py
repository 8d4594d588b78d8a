"""Pearson's correlation coefficient."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, GroupCoefficient
from metrics_framework.meta_evaluation.coefficients.fisher import Ends, fisher_ends
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.groups import WeightedGroups
from metrics_framework.meta_evaluation.sums.linear_swaps import as_columns
from metrics_framework.meta_evaluation.sums.moments import pearson_of_rows
from metrics_framework.meta_evaluation.sums.permutations import BLOCK_CELLS
from metrics_framework.meta_evaluation.sums.swaps import Swaps, pearson_sides, shifted


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


NUMBERS_PER_GROUP = 64
"""The number of numbers in memory for each group of a permutation, so that a block fits in the cache."""


def pearson_differences(swaps: Swaps, first: str, second: str) -> Floats:
    """Computes the mean over groups of Pearson's r of the first metric, minus that of the second, after swaps.

    All pairs of metrics are computed at once, block by block of permutations.

    Args:
        swaps: The metrics and the permutations, at the level ``input`` or ``global``.
        first: The name of the first metric.
        second: The name of the second.

    Returns:
        Shape (permutations,); NaN where undefined.
    """
    groups = swaps.shape[1] if swaps.level == "input" else 1
    return swaps.of_all_pairs("pearson", NUMBERS_PER_GROUP * groups, _differences, first, second)


def _differences(swaps: Swaps, first: str, second: str) -> Floats:
    scores = swaps.once("shifted", lambda: shifted(swaps))
    means = []
    for names, side in zip(
        ((first, second), (second, first)), pearson_sides(swaps, scores, first, second), strict=True
    ):
        sums, count = side.r @ scores.has_differences, float(scores.has_differences.sum())
        counts = np.full(len(sums), count)
        of_defined = side.imprecise[scores.has_differences[side.imprecise[:, 1]]]
        for block, values in _recomputed(swaps, names, of_defined):
            known, permutations = ~np.isnan(values), block[:, 0]
            np.add.at(sums, permutations, np.where(known, values, 0) - side.r[tuple(block.T)])
            np.subtract.at(counts, permutations, ~known)
        means.append(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))
    return np.asarray(means[0] - means[1])


def _recomputed(swaps: Swaps, names: tuple[str, str], wanted: Indices) -> Iterator[tuple[Indices, Floats]]:
    """Computes Pearson's r of single groups from the scores after swaps.

    Args:
        swaps: The metrics and the permutations.
        names: The metric that keeps its scores where the sign is 1, and the other.
        wanted: Pairs of a permutation and a group, shape (k, 2).

    Yields:
        Blocks of the pairs, and their coefficients, NaN where undefined.
    """
    kept, swapped = (as_columns(swaps.common(name), swaps) for name in names)
    human = as_columns(swaps.human, swaps)
    step = max(1, BLOCK_CELLS // max(1, len(human)))
    for start in range(0, len(wanted), step):
        block = wanted[start : start + step]
        signs = swaps.permutations.of_groups(block, swaps.shape, flat=swaps.level == "global")
        groups = block[:, 1]
        people = human[:, groups].T
        metric = np.where(signs > 0, kept[:, groups].T, swapped[:, groups].T)
        yield block, pearson_of_rows(people, metric, (~np.isnan(people)).astype(np.float64))
