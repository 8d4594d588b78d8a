"""Coefficients of many pairs of vectors, computed from the values themselves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metrics_framework.meta_evaluation.coefficients.groups import group_values
from metrics_framework.meta_evaluation.differences.paired_scores import PairedScores
from metrics_framework.meta_evaluation.differences.spins import BLOCK_CELLS, Spins
from metrics_framework.meta_evaluation.names import Coefficient
from metrics_framework.significance.arrays import Floats, Indices


def explicit_columns(
    scores: PairedScores, name: Coefficient, spins: Spins, sign: int, wanted: Indices
) -> Iterator[tuple[Indices, Floats]]:
    """Computes the coefficient of columns of one metric from the scores after swaps.

    Args:
        scores: The scores.
        name: The coefficient.
        spins: The arrangements.
        sign: 1 for the first metric, −1 for the second.
        wanted: Pairs of an arrangement and a column, shape (k, 2).

    Yields:
        Blocks of the pairs, and their coefficients, NaN where undefined.
    """
    first, second = scores.first_z, scores.second_z
    step = max(1, BLOCK_CELLS // max(1, len(first)))
    for start in range(0, len(wanted), step):
        block = wanted[start : start + step]
        arrangements, columns = block.T
        kept = spins.of_columns(arrangements, columns, len(first)) == sign
        metric = np.where(kept, first[:, columns], second[:, columns])
        yield block, group_values(scores.human[:, columns], metric, name, level="input")
