"""The differences of all pairs of outputs, in blocks that fit in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metrics_framework.common.arrays import Floats

BLOCK_PAIRS = 1 << 21
"""The number of pairs compared in one block."""


def pair_blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    """Yields blocks of groups, shape (groups, outputs), that are small enough to compare all pairs of outputs."""
    groups, outputs = shape
    step = max(1, BLOCK_PAIRS // max(1, outputs * (outputs - 1) // 2))
    for start in range(0, groups, step):
        yield slice(start, min(start + step, groups))


def pair_differences(values: Floats) -> Floats:
    """Subtracts the scores of each pair of outputs, shape (groups, pairs); NaN where one is missing.

    Args:
        values: Shape (groups, outputs).
    """
    first, second = np.triu_indices(values.shape[1], 1)
    with np.errstate(over="ignore"):  # an infinite difference is no tie, and has the right sign
        differences: Floats = values[:, first] - values[:, second]
    return differences
