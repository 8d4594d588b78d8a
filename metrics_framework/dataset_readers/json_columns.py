"""Takes the fields of consecutive rows of JSON lines as columns, if the rows have the same usual form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import SUMMARIZER_TYPES
from metrics_framework.data.field_names import with_standard_names
from metrics_framework.data.identity import IDENTITY_FIELDS
from metrics_framework.data.output_columns import OutputColumns
from metrics_framework.dataset_readers.numbered_references import is_numbered_reference
from metrics_framework.dataset_readers.rows import LISTS_OF_TEXTS, SINGLE_TEXTS
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.pieces import Piece

Row = tuple[int, dict[str, Any]]
"""A row and its line number."""


ROWS_AT_A_TIME = 128
"""So few that they stay in the cache of the processor until they are columns."""


class LaterProblems(Problems):
    """Holds the problems of lines that were read ahead, until the rows before them have been checked.

    Args:
        problems: Receives the problems.
    """

    def __init__(self, problems: Problems) -> None:
        super().__init__()
        self.held: list[DataError] = []
        self._problems = problems
        self._holds = True

    @overrides
    def add(self, problem: DataError) -> None:
        if self._holds:
            self.held.append(problem)
        else:
            self._problems.add(problem)

    def in_order(self, ahead: Sequence[Row], rest: Iterator[Row]) -> Iterator[Row]:
        """Yields rows, and hands on every problem after the rows of the lines before it.

        Args:
            ahead: The rows that were read ahead.
            rest: The rows after them, which are being read.
        """
        for line, row in ahead:
            while self.held and (self.held[0].line or line) < line:
                self._problems.add(self.held.pop(0))
            yield line, row
        for problem in self.held:
            self._problems.add(problem)
        self._holds = False
        yield from rest


def read_rows_ahead(piece: Piece, problems: Problems) -> Iterator[Row]:
    """Yields the rows of a piece of JSON lines; a problem that ends the reading is collected, too."""
    try:
        yield from read_jsonl(piece.path, problems, piece)
    except DataError as problem:
        piece.stopped = True
        problems.add(problem)


def columns_ahead(
    rows: Iterator[Row], piece: Piece, later: LaterProblems, size: int
) -> tuple[OutputColumns | None, list[Row]]:
    """Reads rows as columns, `ROWS_AT_A_TIME` in turn.

    Args:
        rows: The rows.
        piece: Where they are from.
        later: Holds the problems found by reading.
        size: The greatest number of rows.

    Returns:
        The columns, `None` if there are none; and rows read after them that are not among the columns.
    """
    joined: OutputColumns | None = None
    room = size
    while room:
        ahead = list(islice(rows, min(room, ROWS_AT_A_TIME)))
        columns = json_columns(ahead, piece) if ahead and not later.held else None
        if columns is None or not (joined is None or _is_joined(joined, columns)):
            return joined, ahead
        joined = columns if joined is None else joined
        room -= len(ahead)
    return joined, []


def _is_joined(joined: OutputColumns, columns: OutputColumns) -> bool:
    """Adds columns to earlier ones; returns false if they have other fields, or do not follow them."""
    if list(joined.fields) != list(columns.fields) or joined.first + len(joined.ids) != columns.first:
        return False
    joined.ids += columns.ids
    joined.systems += columns.systems
    joined.types += columns.types
    for name, values in columns.fields.items():
        joined.fields[name] += values
    return True


def json_columns(rows: Sequence[Row], piece: Piece) -> OutputColumns | None:
    """Returns consecutive rows as columns; `None` if a row must be checked on its own.

    Rows are taken as columns only if they have the same keys in the same order, no line between them is empty, all ids
    are strings or all are integers, and the known fields are strings or lists of strings.

    Args:
        rows: At least one row.
        piece: Where the rows are from.
    """
    first, names = rows[0][0], tuple(rows[0][1])
    dictionaries = [row for _, row in rows]
    if rows[-1][0] - first + 1 != len(rows) or len(set(map(tuple, dictionaries))) > 1:
        return None
    if any(map(is_numbered_reference, names)):
        return None
    try:
        standard = with_standard_names({name: name for name in names})
    except DataError:
        return None
    values = dict(zip(names, map(list, zip(*map(dict.values, dictionaries), strict=True)), strict=True))
    columns = {name: values[given] for name, given in standard.items()}
    ids = _identity(columns, len(rows), piece.name)
    fields = _fields(columns)
    return None if ids is None or fields is None else OutputColumns(*ids, fields, piece.path, first)


def _identity(
    columns: Mapping[str, list[Any]], count: int, system: str
) -> tuple[list[str], list[str], list[str]] | None:
    """Returns ids and types of outputs; `None` if one is missing or invalid."""
    ids = _ids(columns.get("instance_id", [None]))
    systems = _ids(columns.get("summarizer_id", [system] * count))
    types = columns.get("summarizer_type", ["peer"] * count)
    if ids is None or systems is None or not _are_all(str, types) or not set(types) <= set(SUMMARIZER_TYPES):
        return None
    return ids, systems, types


def _ids(values: list[Any]) -> list[str] | None:
    if _are_all(int, values):
        return list(map(str, values))
    return values if _are_all(str, values) and all(values) else None


def _fields(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]] | None:
    """Returns the fields of outputs under their standard names; `None` if a known field has an unusual value."""
    fields: dict[str, list[Any]] = {}
    for name, values in columns.items():
        if name in IDENTITY_FIELDS:
            continue
        plural, single = LISTS_OF_TEXTS.get(name, (name, None))
        if plural in fields:  # two forms of one field
            return None
        if name == single and _are_all(str, values):
            values = [[text] for text in values]
        if (single is not None and not _are_lists(values)) or (name in SINGLE_TEXTS and not _are_all(str, values)):
            return None
        fields[plural] = values
    return fields


def _are_lists(values: list[Any]) -> bool:
    """Returns whether all values are lists of at least one string."""
    return _are_all(list, values) and all(values) and _are_all(str, chain.from_iterable(values))


def _are_all(kind: type, values: Any) -> bool:
    return set(map(type, values)) == {kind}
