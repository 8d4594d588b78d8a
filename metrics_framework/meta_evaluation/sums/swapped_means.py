"""The means of systems after swaps, from sums of each metric that all its pairs share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.sums.swaps import Swaps
from metrics_framework.meta_evaluation.sums.system_means import EPSILON, without_rounding


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
