"""Confidence intervals of the scores of systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeAlias

from metrics_framework.common.arrays import Floats
from metrics_framework.common.logs import long_work
from metrics_framework.significance.interval_methods import (
    Interval,
    bca_interval,
    jackknife_interval,
    percentile_interval,
    studentized_interval,
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
    one input at a time; ``studentized`` takes percentiles of the scores of the resamples divided by their standard
    errors; see `interval_methods`. Systems with the same number of inputs share the same draws.

    Args:
        systems: The outputs of each system; a system scored by several metrics appears once per metric.
        resampling: How to resample, with the method.

    Returns:
        For each system, score name to interval. An interval is NaN if the score is undefined in every resample, or the
        method is undefined for it.
    """
    if resampling.method == "jackknife":
        return [_jackknife_intervals(system, resampling.tail) for system in systems]
    intervals = _METHODS[resampling.method]
    results: list[Intervals] = [{} for _ in systems]
    for indices in grouped_by_size([len(system.inputs) for system in systems]):
        matrices = [systems[index].vectors for index in indices]
        weights = bootstrap_weights(len(matrices[0]), resampling)
        sums_of_systems = weighted_sums(weights, matrices, resampling.resamples)
        what = f"computing the intervals of {len(indices):,} rows of scores"
        with long_work(what, len(indices), "percentile intervals take less", "computed", "rows of intervals") as work:
            for index, sums in zip(indices, sums_of_systems, strict=True):
                results[index] = intervals(systems[index], systems[index].scores_of(sums), resampling)
                work.advance()
    return results


def standard_errors(left_out: Sequence[Floats], resampling: Resampling) -> list[Floats]:
    """Computes the standard errors of scores in each resample, √(Σ w (p − p̄*)²) / n for weights w with the mean p̄*.

    p are the pseudo-values n·θ − (n − 1)·θ₍ᵢ₎ of the inputs. For a mean, they are its terms, and the standard errors
    are those of the resampled terms; for other scores, they are linear approximations.

    Args:
        left_out: For each score, its values without each of the n inputs, shape (n,).
        resampling: How to resample; the draws are those of `bootstrap_intervals`.

    Returns:
        For each score its standard errors, shape (resamples,).
    """
    import numpy as np

    if not left_out:
        return []
    n = len(left_out[0])
    terms = (n - 1) * np.stack([values - values.mean() for values in left_out], axis=1)
    moments = np.concatenate([terms, terms**2], axis=1)
    (sums,) = weighted_sums(bootstrap_weights(n, resampling), [moments], resampling.resamples)
    means, squares = np.split(sums / n, 2, axis=1)
    return list(np.sqrt(np.maximum(squares - means**2, 0.0) / n).T)


def _percentile_intervals(system: ScoreVectors, drawn: Mapping[str, Floats], resampling: Resampling) -> Intervals:
    interval = partial(percentile_interval, tail=resampling.tail)
    return {name: per_number(interval, values) for name, values in drawn.items()}


def _bca_intervals(system: ScoreVectors, drawn: Mapping[str, Floats], resampling: Resampling) -> Intervals:
    scores, left_out = system.score(), system.without_each_input()
    interval = partial(bca_interval, tail=resampling.tail)
    return {name: per_number(interval, values, scores[name], left_out[name]) for name, values in drawn.items()}


def _studentized_intervals(system: ScoreVectors, drawn: Mapping[str, Floats], resampling: Resampling) -> Intervals:
    scores, left_out = system.score(), system.without_each_input()

    def interval(values: Floats, score: Floats, without: Floats) -> Interval:
        (errors,) = standard_errors([without], resampling)
        return studentized_interval(values, score, without, errors, resampling.tail)

    return {name: per_number(interval, values, scores[name], left_out[name]) for name, values in drawn.items()}


_METHODS = {"percentile": _percentile_intervals, "bca": _bca_intervals, "studentized": _studentized_intervals}


def _jackknife_intervals(system: ScoreVectors, tail: float) -> Intervals:
    left_out = system.without_each_input()
    interval = partial(jackknife_interval, tail=tail)
    return {name: per_number(interval, score, left_out[name]) for name, score in system.score().items()}
