"""Soft pairwise accuracy of two metrics after swaps."""

from __future__ import annotations

import numpy as np

from metrics_framework.meta_evaluation.coefficients.soft_pairwise import soft_pairwise_accuracy
from metrics_framework.meta_evaluation.differences.paired_scores import PairedScores
from metrics_framework.meta_evaluation.differences.spins import Spins
from metrics_framework.significance.arrays import Floats


def soft_differences(scores: PairedScores, spins: Spins, seed: int, *, normal: bool) -> Floats:
    """Computes the difference between the accuracies of both metrics in every arrangement.

    If whole systems swap, there are four comparisons of each pair of systems, one for each choice of metrics, and the
    difference is linear in the spins (see `linear_parts`). Otherwise each arrangement is computed from its scores.

    Args:
        scores: The scores.
        spins: The arrangements.
        seed: The seed of the sign flips.
        normal: Whether p-values come from the normal distribution instead of sign flips.

    Returns:
        Shape (arrangements,), NaN if undefined.
    """
    if spins.rows is not None and spins.columns is None and spins.cells is None:
        return spins.rows @ _linear_part(scores, seed, normal=normal)
    first, second = scores.first_z, scores.second_z
    results = np.empty(spins.count)
    for block, part in spins.blocks(first.size):
        kept = part.dense(scores.shape) > 0
        results[block] = [
            _accuracy(scores.human, np.where(mask, first, second), seed, normal=normal)
            - _accuracy(scores.human, np.where(mask, second, first), seed, normal=normal)
            for mask in kept
        ]
    return results


def _accuracy(human: Floats, metric: Floats, seed: int, *, normal: bool) -> float:
    return soft_pairwise_accuracy(human, metric, seed=seed, normal=normal).value


def _linear_part(scores: PairedScores, seed: int, *, normal: bool) -> Floats:
    """Returns 2L / number of pairs, shape (systems,), where each pair scores 1 − |p_h − p_m|."""
    systems = scores.shape[0]
    first, second = scores.first_z, scores.second_z
    # The p-value of a pair depends on its order, so the first metric appears before and after the second.
    stacked = np.concatenate([first, second, first])
    found = soft_pairwise_accuracy(np.tile(scores.human, (3, 1)), stacked, seed=seed, normal=normal)
    if not len(found.human_p):
        return np.full(systems, np.nan)
    table = np.zeros((3 * systems, 3 * systems))
    table[np.triu_indices(3 * systems, 1)] = 1 - np.abs(found.human_p - found.metric_p)
    table += table.T
    before, after = slice(0, systems), slice(2 * systems, None)
    middle = slice(systems, 2 * systems)
    upper = np.triu(np.ones((systems, systems)), 1)
    # Entry (a, b) with a < b compares the first metric's score of a with the second's of b, and the other way round.
    one_two, two_one = table[before, middle] * upper, table[middle, after] * upper
    same_first, same_second = table[before, before], table[middle, middle]
    first_with_second = one_two + two_one.T
    second_with_first = two_one + one_two.T
    linear = (same_first + first_with_second - second_with_first - same_second).sum(axis=1) / 4
    return np.asarray(2 * linear / (systems * (systems - 1) / 2))
