"""Sums of the columns of vectors of numbers."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence


def column_sums(vectors: Sequence[Sequence[float]]) -> list[float]:
    """Returns the sum of each column of vectors of equal length, added from left to right (decision 0013).

    >>> column_sums([[0.1, 1], [0.2, 2], [0.3, 3]])
    [0.6000000000000001, 6]
    """
    return [functools.reduce(operator.add, column) for column in zip(*vectors, strict=True)]
