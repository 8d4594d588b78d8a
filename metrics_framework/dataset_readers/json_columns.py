"""Takes the fields of consecutive rows of JSON lines as columns, if the rows have the same usual form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import OutputColumns
from metrics_framework.data.fields import IDENTITY_FIELDS, SUMMARIZER_TYPES, with_standard_names
from metrics_framework.dataset_readers.numbered_references import is_numbered_reference
from metrics_framework.dataset_readers.row_numbers import SYSTEM_NAMES, RowNumbers, prepared
from metrics_framework.dataset_readers.rows import LISTS_OF_TEXTS, SINGLE_TEXTS
from metrics_framework.io.jsonl import DecodedColumns, JsonLines
from metrics_framework.io.reading import Piece
from metrics_framework.kernels.dispatch import native_json_columns

if TYPE_CHECKING:
    from metrics_framework.dataset_readers.row_view import RowView

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


class RowsAhead:
    """The rows of a piece of JSON lines; a problem that ends the reading is collected, too.

    Args:
        piece: The piece.
        problems: Collects the problems of lines.
        numbers: Numbers rows without ids.
        view: From which columns fields are read; `None` for rows as they are.
    """

    def __init__(self, piece: Piece, problems: Problems, numbers: RowNumbers, view: RowView | None = None) -> None:
        self._piece, self._problems = piece, problems
        self._numbers, self._view = numbers, view
        self._lines = JsonLines(piece.path, problems, piece)
        self._rows: Iterator[Row] = prepared(self._lines.rows(), piece.path, problems, numbers, view)
        self._decode = native_json_columns()

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        try:
            return next(self._rows)
        except DataError as problem:
            self._stop(problem)
        raise StopIteration

    def _stop(self, problem: DataError) -> None:
        self._piece.stopped = True
        self._problems.add(problem)
        self._rows, self._decode = iter(()), None

    def decoded(self, size: int) -> DecodedColumns | None:
        """Decodes the next rows with the native decoder, but does not move past them; `None` if it cannot.

        Args:
            size: The greatest number of rows.
        """
        try:
            return None if self._decode is None else self._lines.decoded(self._decode, size)
        except DataError as problem:
            self._stop(problem)
            return None

    def columns(self, decoded: DecodedColumns) -> OutputColumns | None:
        """Returns decoded rows as columns; `None` if a row must be checked on its own."""
        names, values = decoded.names, decoded.columns
        if self._view is not None and names:
            renamed = self._view.named_columns(dict(zip(names, values, strict=True)))
            if renamed is None:
                return None
            names, values = tuple(renamed), tuple(renamed.values())
        try:
            if names and not self._numbers.have_ids(names):
                names, values = (*names, "instance_id"), (*values, self._ids(names, values))
        except DataError:
            return None
        return output_columns(names, values, self._lines.number + 1, self._piece)

    def _ids(self, names: Sequence[str], values: Sequence[list[Any]]) -> list[str]:
        """Returns the numbers of the next rows.

        Raises:
            DataError: if they are of several systems.
        """
        named = next((name for name in SYSTEM_NAMES if name in names), None)
        systems = [self._piece.name] * len(values[0]) if named is None else values[names.index(named)]
        return self._numbers.ids(systems, names)

    def skip(self, decoded: DecodedColumns) -> None:
        """Moves past decoded rows."""
        self._lines.skip(decoded)
        self._numbers.count += len(decoded.columns[0])


def columns_ahead(
    rows: RowsAhead, piece: Piece, later: LaterProblems, size: int
) -> tuple[OutputColumns | None, list[Row]]:
    """Reads rows as columns: those of a block of the file that the native decoder reads, else `ROWS_AT_A_TIME`.

    Args:
        rows: The rows.
        piece: Where they are from.
        later: Holds the problems found by reading.
        size: The greatest number of rows.

    Returns:
        The columns, `None` if there are none; and rows read after them that are not among the columns.
    """
    joined: OutputColumns | None = None
    while (room := size - (len(joined.ids) if joined else 0)) > 0:
        decoded = rows.decoded(room)
        columns = None if decoded is None else rows.columns(decoded)
        if decoded is not None and columns is not None and _can_join(joined, columns):
            rows.skip(decoded)
        else:
            ahead = list(islice(rows, min(room, ROWS_AT_A_TIME)))
            columns = json_columns(ahead, piece) if ahead and not later.held else None
            if columns is None or not _can_join(joined, columns):
                return joined, ahead
        joined = columns if joined is None else _joined(joined, columns)
    return joined, []


def _can_join(joined: OutputColumns | None, columns: OutputColumns) -> bool:
    """Returns whether columns have the fields of earlier ones, and follow them."""
    return joined is None or (
        list(joined.fields) == list(columns.fields) and joined.first + len(joined.ids) == columns.first
    )


def _joined(joined: OutputColumns, columns: OutputColumns) -> OutputColumns:
    """Adds columns to earlier ones."""
    joined.ids += columns.ids
    joined.systems += columns.systems
    joined.types += columns.types
    for name, values in columns.fields.items():
        joined.fields[name] += values
    return joined


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
    values = tuple(map(list, zip(*map(dict.values, dictionaries), strict=True)))
    return output_columns(names, values, first, piece)


def output_columns(names: Sequence[str], values: Sequence[list[Any]], first: int, piece: Piece) -> OutputColumns | None:
    """Returns the values of consecutive rows as columns; `None` if a row must be checked on its own.

    Args:
        names: The keys of all rows.
        values: The values of each key.
        first: The line of the first row.
        piece: Where the rows are from.
    """
    if not names or any(map(is_numbered_reference, names)):
        return None
    try:
        standard = with_standard_names({name: name for name in names})
    except DataError:
        return None
    given = dict(zip(names, values, strict=True))
    columns = {name: given[old] for name, old in standard.items()}
    ids = _identity(columns, len(values[0]), piece.name)
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
        is_list = name in LISTS_OF_TEXTS and name != single
        if (is_list and not _are_lists(values)) or (name in (single, *SINGLE_TEXTS) and not _are_all(str, values)):
            return None
        if name == single:
            values = [[text] for text in values]
        fields[plural] = values
    return fields


def _are_lists(values: list[Any]) -> bool:
    """Returns whether all values are lists of at least one string."""
    return _are_all(list, values) and all(values) and _are_all(str, chain.from_iterable(values))


def _are_all(kind: type, values: Any) -> bool:
    return set(map(type, values)) == {kind}
