"""Percentile bootstrap intervals of the scores of systems.

Source: Koehn (EMNLP 2004); the ends of an interval follow sacreBLEU 2.6.0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from metrics_framework.significance.arrays import Floats
from metrics_framework.significance.multiple_testing import ROUNDING
from metrics_framework.significance.resampling import (
    DEFAULT_RESAMPLING,
    Resampling,
    bootstrap_weights,
    grouped_by_size,
    per_number,
    weighted_sums,
)
from metrics_framework.significance.score_vectors import ScoreVectors


class Interval(NamedTuple):
    """A percentile bootstrap interval.

    Attributes:
        low: Its lower end.
        high: Its upper end.
        undefined: The number of resamples in which the score is undefined; they are excluded.
        mean: The mean of the score over the resamples.
    """

    low: float
    high: float
    undefined: int = 0
    mean: float = math.nan

    @property
    def half_width(self) -> float:
        """Half the width of the interval: the number after ±."""
        return 0.5 * (self.high - self.low)


def bootstrap_intervals(
    systems: Sequence[ScoreVectors], resampling: Resampling = DEFAULT_RESAMPLING
) -> list[dict[str, Interval | list[Interval]]]:
    """Computes percentile bootstrap intervals of the scores of systems.

    A resample draws as many inputs as the system has, with replacement. From the sorted scores of the resamples the
    ⌊resamples · (1 − level) / 2⌋ lowest and as many of the highest are removed; the interval spans the rest, as in
    sacreBLEU. Systems with the same number of inputs share the same draws.

    Args:
        systems: The outputs of each system; a system scored by several metrics appears once per metric.
        resampling: How to resample.

    Returns:
        For each system, score name to interval; a list of intervals for a list-valued score. An interval is NaN if the
        score is undefined in every resample.
    """
    results: list[dict[str, Interval | list[Interval]]] = [{} for _ in systems]
    for indices in grouped_by_size([len(system.inputs) for system in systems]):
        matrices = [systems[index].vectors for index in indices]
        weights = bootstrap_weights(len(matrices[0]), resampling)
        for index, sums in zip(indices, weighted_sums(weights, matrices, resampling.resamples), strict=True):
            for name, scores in systems[index].scores_of(sums).items():
                results[index][name] = per_number(lambda values: _interval(values, resampling.tail), scores)
    return results


def _interval(values: Floats, tail: float) -> Interval:
    import numpy as np

    defined = np.sort(values[~np.isnan(values)])
    if not len(defined):
        return Interval(math.nan, math.nan, len(values))
    outside = math.floor(len(defined) * tail + ROUNDING)
    low, high = float(defined[outside]), float(defined[-1 - outside])
    return Interval(low, high, len(values) - len(defined), float(defined.mean()))
