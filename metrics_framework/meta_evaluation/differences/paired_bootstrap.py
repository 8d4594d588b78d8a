"""The paired bootstrap test of the difference between two metrics."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from metrics_framework.meta_evaluation.differences.paired_scores import PairedScores
from metrics_framework.meta_evaluation.intervals.populations import Population, bootstrap_weights
from metrics_framework.meta_evaluation.intervals.resampled import ResampledScores
from metrics_framework.meta_evaluation.names import Coefficient, Level
from metrics_framework.significance.arrays import Floats


def bootstrap_differences(
    scores: PairedScores,
    name: Coefficient,
    level: Level,
    population: Population,
    resamples: int,
    seed: int,
    clusters: Sequence[Hashable] | None = None,
) -> Floats:
    """Computes the difference between the coefficients of two metrics in bootstrap resamples, the same for both.

    Args:
        scores: The scores, with the ε of each metric.
        name: The coefficient.
        level: The level.
        population: What is drawn with replacement.
        resamples: The number of resamples.
        seed: The seed.
        clusters: The cluster of each input.

    Returns:
        Shape (resamples,); NaN where a coefficient is undefined.
    """
    sides = [
        ResampledScores(scores.human, metric, {name: epsilon})
        for metric, epsilon in zip((scores.first, scores.second), scores.epsilons, strict=True)
    ]
    parts = []
    for rows, columns in bootstrap_weights(population, scores.shape, resamples, seed, clusters):
        values = [side.values(level, [name], rows, columns)[name] for side in sides]
        parts.append(values[0] - values[1])
    return np.concatenate(parts)


def bootstrap_p_values(differences: Floats, rounding: float) -> tuple[float, float, float]:
    """Returns the two-sided p-value and those of the alternatives that the first or the second metric is better.

    The one-sided p-values are (count + 1) / (B + 1), where count is the number of defined resamples, of B, in which
    the difference is 0 or has the opposite sign; the two-sided one is twice the smaller of the two, at most 1.

    Args:
        differences: Shape (resamples,); NaN where undefined.
        rounding: The largest distance from 0 that is rounding.
    """
    defined = differences[~np.isnan(differences)]
    if not len(defined):
        return np.nan, np.nan, np.nan
    greater, less = ((int(np.count_nonzero(side * defined <= rounding)) + 1) / (len(defined) + 1) for side in (1, -1))
    return min(1.0, 2 * min(greater, less)), greater, less
