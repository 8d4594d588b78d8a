"""Differences between Pearson's r of two metrics after swaps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.meta_evaluation.sums.linear_swaps import as_columns
from metrics_framework.meta_evaluation.sums.moments import pearson_of_rows
from metrics_framework.meta_evaluation.sums.permutations import BLOCK_CELLS
from metrics_framework.meta_evaluation.sums.swapped_moments import pearson_sides, shifted
from metrics_framework.meta_evaluation.sums.swaps import Swaps

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
