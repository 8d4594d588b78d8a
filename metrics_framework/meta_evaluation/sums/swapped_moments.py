"""Means of systems and sums of products after swaps, from sums of each metric that all its pairs share.

In a permutation with signs s, a metric keeps the cells with s = 1 and gets those of the other metric with s = −1. So a
sum over its cells is that of the one metric over the cells that stay, plus that of the other over the cells that swap.
For products, scores of one group are shifted by a constant first, the same for all metrics, which preserves precision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.meta_evaluation.sums.moments import CANCELLATION
from metrics_framework.meta_evaluation.sums.swaps import Swaps, standardized
from metrics_framework.meta_evaluation.sums.system_means import EPSILON, without_rounding


@dataclass(frozen=True)
class Shifted:
    """Human scores and metrics, shifted to a common mean of each group; 0 where missing.

    Args:
        human: The human scores around the mean of their group, divided by their norm; 0 in groups without differences.
        metrics: Metric to its scores on the common scale, around the mean of all metrics.
        counts: The number of outputs of each group, shape (groups,).
        has_differences: Whether the human scores of a group differ.
    """

    human: Floats
    metrics: dict[str, Floats]
    counts: Floats
    has_differences: Bools


def shifted(swaps: Swaps) -> Shifted:
    """Shifts scores so that sums over groups keep their precision; groups are columns, or all cells (``global``)."""
    axis = 0 if swaps.level == "input" else None
    people = around_mean(standardized(swaps.human), axis)
    norms = np.sqrt((people**2).sum(axis=axis))
    distinct = _distinct(swaps.human, axis)
    divided = np.where(distinct, people / np.where(norms > 0, norms, 1), 0)
    counts = np.atleast_1d(np.maximum(swaps.present.sum(axis=axis), 1))
    return Shifted(divided, shifted_metrics(swaps, axis), counts, np.atleast_1d(distinct))


def around_mean(values: Floats, axis: int | None) -> Floats:
    """Subtracts the mean along an axis, or of all values; 0 where missing."""
    present = ~np.isnan(values)
    filled = np.where(present, values, 0)
    return np.where(present, filled - filled.sum(axis=axis) / np.maximum(present.sum(axis=axis), 1), 0)


def shifted_metrics(swaps: Swaps, axis: int | None) -> dict[str, Floats]:
    """Subtracts the mean of all metrics along an axis, or over all cells, from each; 0 where missing."""
    present = swaps.present
    every = {name: np.where(present, swaps.common(name), 0) for name in swaps.metrics}
    numbers = np.maximum(present.sum(axis=axis), 1) * max(1, len(every))
    shift = np.stack([*every.values()]).sum(axis=0).sum(axis=axis) / numbers
    return {name: np.where(present, one - shift, 0) for name, one in every.items()}


def _distinct(values: Floats, axis: int | None) -> Bools:
    """Returns which groups have two or more different values."""
    present = ~np.isnan(values)
    largest = np.max(values, axis=axis, initial=-np.inf, where=present)
    return np.asarray(largest > np.min(values, axis=axis, initial=np.inf, where=present))


class Kept(NamedTuple):
    """The sums of a metric over the cells that stay in each permutation, and over those that swap.

    Attributes:
        stay: Sums of m/√n, m² and h·m over the n cells of a group that stay, shape (3, permutations, groups).
        swap: The same over the cells that swap.
    """

    stay: Floats
    swap: Floats


def kept_sums(swaps: Swaps, scores: Shifted, name: str) -> Kept:
    """Sums a metric over the cells that stay and those that swap, once for all its pairs."""

    def compute() -> Kept:
        metric = scores.metrics[name]
        each = np.stack([metric / np.sqrt(scores.counts), metric**2, scores.human * metric])
        if swaps.level == "input":
            totals = each.sum(axis=1)[:, None]
            changes = np.stack([swaps.permutations.by_column(one) for one in each])
        else:
            totals = each.sum(axis=(1, 2))[:, None, None]
            changes = swaps.permutations.totals(each)[:, :, None]
        return Kept((totals + changes) / 2, (totals - changes) / 2)

    return swaps.once_per_draw(("kept", name), compute)


class Side(NamedTuple):
    """Pearson's r of one of two metrics after swaps, shapes (permutations, groups).

    Attributes:
        r: The coefficients; any number where undefined or imprecise.
        imprecise: Where the variance of the metric has lost digits, as that of a constant metric has: pairs of a
            permutation and a group, shape (k, 2).
    """

    r: Floats
    imprecise: Indices


def pearson_sides(swaps: Swaps, scores: Shifted, first: str, second: str) -> Iterator[Side]:
    """Yields Pearson's r of both metrics of a pair after swaps, for each group.

    Args:
        swaps: The metrics and the permutations.
        scores: The shifted scores.
        first: The name of the first metric.
        second: The name of the second.
    """
    sums = [kept_sums(swaps, scores, name) for name in (first, second)]
    for one, other in (sums, sums[::-1]):
        variance = one.stay[0] + other.swap[0]
        np.square(variance, out=variance)
        squares = one.stay[1] + other.swap[1]
        np.subtract(squares, variance, out=variance)
        squares *= CANCELLATION
        imprecise = variance <= squares
        wanted = np.argwhere(imprecise) if imprecise.any() else np.empty((0, 2), dtype=np.intp)
        variance[tuple(wanted.T)] = 1
        r = np.add(one.stay[2], other.swap[2], out=squares)
        r /= np.sqrt(variance, out=variance)
        yield Side(r, wanted)


class _MetricMeans(NamedTuple):
    """What a metric adds to means of systems.

    Attributes:
        kept: Half of its mean and of the part of it that follows the signs, shape (permutations, systems): the part of
            the mean from cells that keep their scores.
        swapped: The part of the mean from cells that swap.
        size: The mean absolute score of each system.
    """

    kept: Floats
    swapped: Floats
    size: Floats


def swapped_means(swaps: Swaps, first: str, second: str) -> tuple[Floats, Floats]:
    """Averages the scores of each system after swaps; means that differ only by rounding become equal.

    Args:
        swaps: The metrics and the permutations.
        first: The name of the first metric.
        second: The name of the second.

    Returns:
        The means of both metrics, shapes (permutations, systems); NaN for a system without scores.
    """
    one, other = (_metric_means(swaps, name) for name in (first, second))
    counts = swaps.present.sum(axis=1)
    rounding = EPSILON * (4 + np.sqrt(counts)) * (one.size + other.size)
    sides = (one.kept + other.swapped, other.kept + one.swapped)
    merged = [without_rounding(means, np.broadcast_to(rounding, means.shape)) for means in sides]
    return merged[0], merged[1]


def _metric_means(swaps: Swaps, name: str) -> _MetricMeans:
    def compute() -> _MetricMeans:
        counts = swaps.present.sum(axis=1)
        divisors = np.where(counts > 0, counts, np.nan)
        scores = np.nan_to_num(swaps.common(name))
        means, changes = scores.sum(axis=1) / divisors, swaps.permutations.by_row(scores) / divisors
        return _MetricMeans((means + changes) / 2, (means - changes) / 2, np.abs(scores).sum(axis=1) / divisors)

    return swaps.once_per_draw(("means", name), compute)
