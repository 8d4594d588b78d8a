"""Swaps of whole systems or inputs as weights: each arrangement has one half of the stacked scores of both metrics."""

from __future__ import annotations

import numpy as np

from metrics_framework.meta_evaluation.differences.paired_scores import PairedScores
from metrics_framework.meta_evaluation.differences.spins import Spins
from metrics_framework.meta_evaluation.intervals.resampled import ResampledScores
from metrics_framework.meta_evaluation.names import Coefficient
from metrics_framework.significance.arrays import Floats


def by_weights(spins: Spins, level: str) -> bool:
    """Returns whether arrangements are weights of systems, or of inputs at the global level."""
    if spins.cells is not None:
        return False
    return spins.columns is None or (spins.rows is None and level == "global")


def weighted_differences(scores: PairedScores, name: Coefficient, level: str, spins: Spins) -> Floats:
    """Computes the difference between the coefficients of both metrics in every arrangement.

    Args:
        scores: The scores.
        name: The coefficient.
        level: ``global``, or ``input`` if systems swap.
        spins: The arrangements, of systems or of inputs.

    Returns:
        Shape (arrangements,); NaN where undefined.
    """
    swaps_systems = spins.columns is None
    axis = 0 if swaps_systems else 1
    factor = spins.rows if swaps_systems else spins.columns
    if factor is None:
        factor = np.ones((spins.count, scores.shape[0]))
    stacked = ResampledScores(
        np.concatenate([scores.human, scores.human], axis=axis),
        np.concatenate([scores.first_z, scores.second_z], axis=axis),
    )
    kept, swapped = (1 + factor) / 2, (1 - factor) / 2
    sides = []
    for halves in ((kept, swapped), (swapped, kept)):
        weights = np.concatenate(halves, axis=1)
        rows, columns = (weights, None) if swaps_systems else (None, weights)
        sides.append(stacked.values(level, [name], rows, columns)[name])
    return np.asarray(sides[0] - sides[1])
