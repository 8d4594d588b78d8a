"""Confidence intervals of the scores of systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeAlias

from metrics_framework.significance.arrays import Floats
from metrics_framework.significance.interval_methods import (
    Interval,
    bca_interval,
    jackknife_interval,
    percentile_interval,
)
from metrics_framework.significance.resampling import (
    DEFAULT_RESAMPLING,
    Resampling,
    bootstrap_weights,
    grouped_by_size,
    per_number,
    weighted_sums,
)
from metrics_framework.significance.score_vectors import ScoreVectors

__all__ = ["Interval", "Intervals", "bootstrap_intervals"]

Intervals: TypeAlias = "dict[str, Interval | list[Interval]]"
"""Score name to interval; a list of intervals for a list-valued score."""


def bootstrap_intervals(
    systems: Sequence[ScoreVectors], resampling: Resampling = DEFAULT_RESAMPLING
) -> list[Intervals]:
    """Computes confidence intervals of the scores of systems.

    A bootstrap resample draws as many inputs as the system has, with replacement. For a ``percentile`` interval, the
    ⌊resamples · (1 − level) / 2⌋ lowest and as many of the highest scores of the resamples are removed, as in
    sacreBLEU. ``bca`` corrects the percentiles for bias and skewness, and ``jackknife`` draws nothing, but leaves out
    one input at a time; see `interval_methods`. Systems with the same number of inputs share the same draws.

    Args:
        systems: The outputs of each system; a system scored by several metrics appears once per metric.
        resampling: How to resample, with the method.

    Returns:
        For each system, score name to interval. An interval is NaN if the score is undefined in every resample, or the
        method is undefined for it.
    """
    if resampling.method == "jackknife":
        return [_jackknife_intervals(system, resampling.tail) for system in systems]
    intervals = _bca_intervals if resampling.method == "bca" else _percentile_intervals
    results: list[Intervals] = [{} for _ in systems]
    for indices in grouped_by_size([len(system.inputs) for system in systems]):
        matrices = [systems[index].vectors for index in indices]
        weights = bootstrap_weights(len(matrices[0]), resampling)
        for index, sums in zip(indices, weighted_sums(weights, matrices, resampling.resamples), strict=True):
            results[index] = intervals(systems[index], systems[index].scores_of(sums), resampling.tail)
    return results


def _percentile_intervals(system: ScoreVectors, drawn: Mapping[str, Floats], tail: float) -> Intervals:
    return {name: per_number(partial(percentile_interval, tail=tail), values) for name, values in drawn.items()}


def _bca_intervals(system: ScoreVectors, drawn: Mapping[str, Floats], tail: float) -> Intervals:
    scores, left_out = system.score(), system.without_each_input()
    interval = partial(bca_interval, tail=tail)
    return {name: per_number(interval, values, scores[name], left_out[name]) for name, values in drawn.items()}


def _jackknife_intervals(system: ScoreVectors, tail: float) -> Intervals:
    left_out = system.without_each_input()
    interval = partial(jackknife_interval, tail=tail)
    return {name: per_number(interval, score, left_out[name]) for name, score in system.score().items()}
