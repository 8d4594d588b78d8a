"""Sums of the rows of a table of doubles."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable


def vector_sums(data: bytearray, width: int, rows: list[int] | None, start: list[float] | None) -> list[float]:
    """Returns the sum of each column, added from top to bottom (decision 0013).

    Args:
        data: The table, row after row.
        width: The number of columns.
        rows: The rows to add, in this order; `None` for all.
        start: The numbers to which they are added; `None` to add to the first row.

    Raises:
        ValueError: if a row does not exist, nothing is to be added, or an argument has a wrong size.
    """
    if width < 1 or len(data) % (8 * width) or (start is not None and len(start) != width):
        raise ValueError("'data' must be a table of doubles, and 'start' have a number for each column")
    numbers = memoryview(data).cast("d")
    height = len(numbers) // width
    chosen: Iterable[int] = range(height) if rows is None else rows
    if not all(0 <= row < height for row in chosen) or (start is None and not chosen):
        raise ValueError("there is no such row")
    before = [[float(number)] for number in start] if start is not None else [[] for _ in range(width)]
    return [
        functools.reduce(operator.add, [*first, *(numbers[row * width + column] for row in chosen)])
        for column, first in enumerate(before)
    ]
