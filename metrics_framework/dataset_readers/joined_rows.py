"""Reads two files of rows that are joined by their ids; rows without ids are numbered alike (decision 0021)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.overriding import overrides
from metrics_framework.dataset_readers.row_numbers import RowCounts, RowNumbers, View
from metrics_framework.dataset_readers.rows import read_rows
from metrics_framework.io.reading import Piece, listed_counts, stem

Rows = Iterator[tuple[int, dict[str, Any]]]


class JoinedRows:
    """Reads a file of inputs, such as documents, then a file of outputs.

    If neither has ids, the id of a row is its position in its file, and both must have the same number of rows.

    Args:
        files: The two files.
        problems: Collects the problems of both.
        counts: Records whether rows were numbered.
    """

    def __init__(self, files: Sequence[str], problems: Problems, counts: RowCounts) -> None:
        self._pieces = [Piece(path, stem(path)) for path in files]
        self._numbers = [_InputNumbers(self._pieces[0], counts), RowNumbers(self._pieces[1], counts)]
        self._problems = problems

    def inputs(self, view: View | None) -> Rows:
        """Yields the rows of the first file, with their line numbers."""
        return read_rows(self._pieces[0].path, self._problems, None, self._numbers[0], view)

    def outputs(self, view: View | None) -> Rows:
        """Yields the rows of the second file that can have an input, with their line numbers; `inputs` is read before.

        Args:
            view: From which columns fields are read, and which rows are read.
        """
        inputs, outputs = self._numbers
        for line, row in read_rows(self._pieces[1].path, self._problems, None, outputs, view):
            if self._has_ids_in_one():
                break
            if not self._is_numbered() or outputs.count <= inputs.count:
                yield line, row
        if self._has_ids_in_one():
            with_ids, without = sorted((piece for piece in self._pieces), key=lambda piece: bool(piece.is_numbered))
            message = (
                f"has no 'instance_id', but {with_ids.path} has it; rows are joined by 'instance_id', or by their "
                "positions if neither file has it"
            )
            self._problems.add(DataError(message, without.path))
        elif self._is_numbered() and inputs.count != outputs.count and not self._problems:
            listing = listed_counts([piece.path for piece in self._pieces], [inputs.count, outputs.count])
            message = f"both files must have the same number of rows to join rows without 'instance_id': {listing}"
            self._problems.add(DataError(message, self._pieces[1].path))

    def _is_numbered(self) -> bool:
        return any(piece.is_numbered for piece in self._pieces)

    def _has_ids_in_one(self) -> bool:
        return {piece.is_numbered for piece in self._pieces} >= {True, False}


class _InputNumbers(RowNumbers):
    """Numbers the rows of inputs, which are of no system."""

    @overrides
    def _check_systems(self, systems: Sequence[Any], names: Iterable[str]) -> None:
        """Accepts rows of all systems."""
