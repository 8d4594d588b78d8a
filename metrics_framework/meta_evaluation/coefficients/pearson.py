"""Pearson's correlation coefficient."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.choices import CoefficientOptions
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, Ends, GroupCoefficient, fisher_ends
from metrics_framework.meta_evaluation.groups.moments import (
    CANCELLATION,
    pearson_of_rows,
)
from metrics_framework.meta_evaluation.groups.swaps import (
    BLOCK_CELLS,
    Swaps,
    around_mean,
    once,
    once_per_draw,
    shifted_metrics,
    standardized,
)
from metrics_framework.meta_evaluation.groups.weighted_groups import WeightedGroups

NUMBERS_PER_GROUP = 64
"""The number of numbers in memory for each group of a permutation, so that a block fits in the cache."""


@Coefficient.register("pearson")
class Pearson(GroupCoefficient):
    """Pearson's r = Σ(x−x̄)(z−z̄) / √(Σ(x−x̄)² Σ(z−z̄)²); undefined if a score is constant."""

    title = "Pearson r"
    citation = "pearson-1895-note"
    interval_over_systems = "fisher"
    has_reliability = True
    sacrerouge_name = ("pearson", "r")

    @overrides
    def of_groups(self, groups: WeightedGroups, options: CoefficientOptions) -> Floats:
        return groups.pearson()

    @overrides
    def swapped_differences(self, swaps: Swaps, first: str, second: str) -> Floats | None:
        groups = swaps.human.shape[1] if swaps.level == "input" else 1
        return swaps.of_all_pairs(NUMBERS_PER_GROUP * groups, _differences, first, second)

    @overrides
    def p_value(self, human: Floats, metric: Floats) -> float | None:
        r = pearson_of_rows(human[None], metric[None], np.ones((1, len(human))))
        return pearson_p(float(r[0]), len(human))

    @overrides
    def fisher_interval(self, value: float, points: int, tail: float) -> Ends | None:
        return fisher_ends(value, 1 / math.sqrt(points - 3) if points > 3 else math.nan, tail)


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


def _differences(swaps: Swaps, first: str, second: str) -> Floats:
    """Computes the mean over groups of Pearson's r of the first metric, minus that of the second, after swaps.

    Args:
        swaps: The metrics and the permutations, at the level ``input`` or ``global``.
        first: The name of the first metric.
        second: The name of the second.

    Returns:
        Shape (permutations,); NaN where undefined.
    """
    has_differences = _shifted(swaps).has_differences
    means = []
    for names in ((first, second), (second, first)):
        one, other = (_kept_sums(swaps, name) for name in names)
        variance = one.stay[0] + other.swap[0]
        np.square(variance, out=variance)
        squares = one.stay[1] + other.swap[1]
        np.subtract(squares, variance, out=variance)
        squares *= CANCELLATION
        imprecise = variance <= squares  # also where the metric is constant
        wanted = np.argwhere(imprecise) if imprecise.any() else np.empty((0, 2), dtype=np.intp)
        variance[tuple(wanted.T)] = 1
        r = np.add(one.stay[2], other.swap[2], out=squares)
        r /= np.sqrt(variance, out=variance)
        totals = r @ has_differences
        counts = np.full(len(totals), float(has_differences.sum()))
        for block, values in _recomputed(swaps, names, wanted[has_differences[wanted[:, 1]]]):
            known, permutations = ~np.isnan(values), block[:, 0]
            np.add.at(totals, permutations, np.where(known, values, 0) - r[tuple(block.T)])
            np.subtract.at(counts, permutations, ~known)
        means.append(np.where(counts > 0, totals / np.maximum(counts, 1), np.nan))
    return np.asarray(means[0] - means[1])


class _Shifted(NamedTuple):
    """Human scores and metrics, shifted to a common mean of each group; 0 where missing.

    Attributes:
        human: The human scores around the mean of their group, divided by their norm; 0 in groups without differences.
        metrics: Metric to its scores on the common scale, around the mean of all metrics.
        counts: The number of outputs of each group, shape (groups,).
        has_differences: Whether the human scores of a group differ.
    """

    human: Floats
    metrics: dict[str, Floats]
    counts: Floats
    has_differences: Bools


@once
def _shifted(swaps: Swaps) -> _Shifted:
    """Shifts scores so that sums over groups keep their precision; groups are columns, or all cells (``global``)."""
    axis, present = 0 if swaps.level == "input" else None, swaps.present
    people = around_mean(standardized(swaps.human), axis)
    norms = np.sqrt((people**2).sum(axis=axis))
    largest = np.max(swaps.human, axis=axis, initial=-np.inf, where=present)
    distinct = np.asarray(largest > np.min(swaps.human, axis=axis, initial=np.inf, where=present))
    divided = np.where(distinct, people / np.where(norms > 0, norms, 1), 0)
    counts = np.atleast_1d(np.maximum(present.sum(axis=axis), 1))
    return _Shifted(divided, shifted_metrics(swaps, axis), counts, np.atleast_1d(distinct))


class _Kept(NamedTuple):
    """The sums of a metric over the cells that stay in each permutation, and over those that swap.

    Attributes:
        stay: Sums of m/√n, m² and h·m over the n cells of a group that stay, shape (3, permutations, groups).
        swap: The same over the cells that swap.
    """

    stay: Floats
    swap: Floats


@once_per_draw
def _kept_sums(swaps: Swaps, name: str) -> _Kept:
    """Sums a metric over the cells that stay and those that swap, once for all its pairs."""
    scores = _shifted(swaps)
    metric = scores.metrics[name]
    each = np.stack([metric / np.sqrt(scores.counts), metric**2, scores.human * metric])
    if swaps.level == "input":
        totals = each.sum(axis=1)[:, None]
        changes = np.stack([swaps.permutations.by_column(one) for one in each])
    else:
        totals = each.sum(axis=(1, 2))[:, None, None]
        changes = swaps.permutations.totals(each)[:, :, None]
    return _Kept((totals + changes) / 2, (totals - changes) / 2)


def _recomputed(swaps: Swaps, names: tuple[str, str], wanted: Indices) -> Iterator[tuple[Indices, Floats]]:
    """Computes Pearson's r of single groups from the scores after swaps.

    Args:
        swaps: The metrics and the permutations.
        names: The metric that keeps its scores where the sign is 1, and the other.
        wanted: Pairs of a permutation and a group, shape (k, 2).

    Yields:
        Blocks of the pairs, and their coefficients, NaN where undefined.
    """
    human, kept, swapped = map(swaps.as_columns, (swaps.human, swaps.common[names[0]], swaps.common[names[1]]))
    step = max(1, BLOCK_CELLS // max(1, len(human)))
    for start in range(0, len(wanted), step):
        block = wanted[start : start + step]
        signs = swaps.permutations.of_groups(block, swaps.human.shape, flat=swaps.level == "global")
        groups = block[:, 1]
        people = human[:, groups].T
        metric = np.where(signs > 0, kept[:, groups].T, swapped[:, groups].T)
        yield block, pearson_of_rows(people, metric, (~np.isnan(people)).astype(np.float64))
