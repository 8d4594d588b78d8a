"""`Vectors`: what is added up of the outputs of a batch as one table, without an object for each number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from metrics_framework.kernels.dispatch import native_module
from metrics_framework.kernels.python.vector_sums import vector_sums as python_vector_sums

vector_sums: Callable[[bytearray, int, list[int] | None, list[float] | None], list[float]]
vector_sums = getattr(native_module, "vector_sums", python_vector_sums)
_LARGEST = float(1 << 53)
"""Up to here, floats are exact sums of integers."""


@dataclass
class Vectors:
    """The statistics of the outputs of a batch, or their scores if the score of a system is their mean.

    Args:
        data: The numbers as bytes of doubles, row after row.
        width: The number of statistics or scores of an output.
        whole: How many of them, from the first on, are integers.
        paths: For each score the keys and indices that lead to it; `None` for statistics.
        rows: The row of each output; `None` for the order of the rows.
    """

    data: bytearray
    width: int
    whole: int
    paths: list[tuple[Any, ...]] | None = None
    rows: list[int] | None = None

    def row(self, output: int) -> list[float]:
        """Returns the statistics of an output."""
        row = output if self.rows is None else self.rows[output]
        numbers = memoryview(self.data)[8 * self.width * row : 8 * self.width * (row + 1)].cast("d").tolist()
        return [*map(int, numbers[: self.whole]), *numbers[self.whole :]]

    def column(self, number: int) -> Iterator[float]:
        """Yields one statistic of all outputs, as floats."""
        column = memoryview(self.data).cast("d")[number :: self.width].tolist()
        return iter(column) if self.rows is None else map(column.__getitem__, self.rows)

    def in_order(self, members: Sequence[Sequence[int]]) -> Vectors:
        """Returns the statistics in the order of the outputs, given the outputs of each group."""
        outputs = [output for group in members for output in group]
        return replace(self, rows=sorted(range(len(outputs)), key=outputs.__getitem__))

    def added_to(self, sums: Sequence[float] | None, outputs: Sequence[int] | None = None) -> list[float]:
        """Adds the statistics of outputs to sums, from left to right (decision 0013).

        Args:
            sums: The sum of each statistic; `None` for none.
            outputs: The outputs; `None` for all.
        """
        if not (self.data if outputs is None else outputs):
            return list(sums or ())
        rows = self.rows if outputs is None else list(outputs)
        if outputs is not None and self.rows is not None:
            rows = [self.rows[output] for output in outputs]
        start = None if sums is None else [0.0] * self.whole + list(sums[self.whole :])
        added = vector_sums(self.data, self.width, rows, start)
        whole = list(map(int, added[: self.whole]))
        if any(abs(number) > _LARGEST for number in added[: self.whole]):
            whole = self._exact_sums(rows)
        if sums is not None:
            whole = [int(before) + number for before, number in zip(sums, whole, strict=False)]
        return [*whole, *added[self.whole :]]

    def _exact_sums(self, rows: Sequence[int] | None) -> list[int]:
        """Returns the sums of the integers, of any size."""
        chosen = range(len(self.data) // (8 * self.width)) if rows is None else rows
        numbers = memoryview(self.data).cast("d")
        return [sum(int(numbers[row * self.width + column]) for row in chosen) for column in range(self.whole)]
