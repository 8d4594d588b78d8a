"""The base class of readers of files with one output per row."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, ClassVar

from metrics_framework.common.definitions import defined_at
from metrics_framework.common.errors import DataError, PluginError, Problems, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import EvalInstance, OutputColumns
from metrics_framework.data.fields import IDENTITY_FIELDS, SUMMARIZER_TYPES, with_standard_names
from metrics_framework.data.texts import shown
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.files_of_outputs import path_names
from metrics_framework.dataset_readers.row_view import (
    LISTS_OF_TEXTS,
    SINGLE_TEXTS,
    is_numbered_reference,
    with_references,
)
from metrics_framework.dataset_readers.rows import ID_NAMES, SYSTEM_NAMES, RowNumbers, identity, prepared, read_rows
from metrics_framework.io.jsonl import DecodedColumns, JsonLines
from metrics_framework.io.locations import is_remote
from metrics_framework.io.parquet import ParquetInput, is_parquet, rows_of
from metrics_framework.io.reading import STANDARD, Piece, is_read_once, number_of_rows, pieces_of_lines
from metrics_framework.io.tables import is_table
from metrics_framework.kernels.dispatch import native_json_columns

if TYPE_CHECKING:
    from metrics_framework.dataset_readers.row_view import Condition, RowView


class RowReader(DatasetReader):
    """Reads files with one output per row: JSONL, or by their ending CSV, TSV or Parquet. A subclass defines `fields`.

    Columns are renamed and rows left out as `view` describes; rows without ids are numbered in files of one system.

    Attributes:
        fields_are_columns: Whether `fields` takes texts and lists of texts unchanged, so that Parquet files and, unless
            `provides` names fields, JSON lines can be read as columns.
    """

    fields_are_columns: ClassVar[bool] = False
    row_fields: ClassVar[Sequence[str] | None] = ()

    @overrides
    def set_view(self, columns: Mapping[str, Sequence[str]], where: Sequence[Condition]) -> None:
        if not _is_defined_with(type(self), "instances_of", ["instances"]):
            raise UsageError(f"--columns and --where have no effect on the dataset reader '{self.registered_name}'")
        super().set_view(columns, where)

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        is_numbered: bool | None = None
        for path, name in zip(input_files, path_names(input_files), strict=True):
            piece = Piece(path, name, is_numbered=is_numbered)
            yield from self.instances_of(piece, problems)
            is_numbered = piece.is_numbered

    @overrides
    def pieces(self, input_files: Sequence[str], size: int) -> list[Piece] | None:
        if not _is_defined_with(type(self), "instances_of", ["instances"]):  # a subclass changes only `instances`
            return None
        return row_pieces(self.checked_files(input_files), size, self.view)

    def _numbers(self, piece: Piece) -> RowNumbers:
        return RowNumbers(piece, self.row_counts())

    @overrides
    def instances_of(self, piece: Piece, problems: Problems) -> Iterator[EvalInstance]:
        try:
            rows = read_rows(piece.path, problems, piece, self._numbers(piece), self.view)
            yield from self._instances(rows, piece, problems)
        except DataError as problem:
            piece.stopped = True
            problems.add(problem)

    def _instances(
        self, rows: Iterable[tuple[int, dict[str, Any]]], piece: Piece, problems: Problems
    ) -> Iterator[EvalInstance]:
        """Yields the valid outputs among rows."""
        for line, row in rows:
            try:
                yield self.instance(with_standard_names(row), piece.path, line, piece.name)
            except DataError as problem:
                problems.add(problem if problem.path else DataError(problem.message, piece.path, line))

    @overrides
    def columns_of(
        self, piece: Piece, problems: Problems, fields: Collection[str] | None, size: int
    ) -> Iterator[OutputColumns | list[EvalInstance]] | None:
        own = ["instances", "instances_of", "instance", "fields"]
        if not self.fields_are_columns or not _is_defined_with(type(self), "fields_are_columns", own):
            return None
        if self.view is not None and (self.view.where or is_parquet(piece.path)):
            return None  # read as rows
        if is_parquet(piece.path):
            return self._columns(piece, problems, fields, size)
        return (
            None if is_table(piece.path) or self.provides() is not None else self._json_columns(piece, problems, size)
        )

    def _json_columns(
        self, piece: Piece, problems: Problems, size: int
    ) -> Iterator[OutputColumns | list[EvalInstance]]:
        """Yields the outputs of JSON lines; after the first problem, all are read one by one."""
        later = LaterProblems(problems)
        rows = RowsAhead(piece, later, self._numbers(piece), self.view)
        while True:
            columns, ahead = columns_ahead(rows, piece, later, size)
            if columns is not None and not ahead and not later.held:
                yield columns
                continue
            instances = [] if columns is None else columns.instances()
            ahead += islice(rows, size - len(instances) - len(ahead))
            if later.held or not ahead:
                break
            found = list(self._instances(with_references(iter(ahead), piece.path, later), piece, later))
            if later.held:
                later.held.clear()  # found again below, in the order of lines
                break
            yield instances + found
        in_order = with_references(later.in_order(ahead, rows), piece.path, problems)
        others = chain(instances, self._instances(in_order, piece, problems))
        while batch := list(islice(others, size)):
            yield batch

    def _columns(
        self, piece: Piece, problems: Problems, fields: Collection[str] | None, size: int
    ) -> Iterator[OutputColumns | list[EvalInstance]]:
        from metrics_framework.dataset_readers.parquet_columns import ColumnReader

        numbers = self._numbers(piece)
        try:
            with ParquetInput(piece.path) as file:
                reader = ColumnReader(file, fields if self.provides() is None else self.provides(), numbers)
                for first, rows, batch in reader.batches(piece, size):
                    piece.lines = first + rows - 1
                    numbers.count = piece.rows_before + first - 1
                    yield (
                        batch
                        if isinstance(batch, OutputColumns)
                        else self._rows(batch, first, piece, numbers, problems)
                    )
        except DataError as problem:
            piece.stopped = True
            problems.add(problem)

    def _rows(
        self, batch: Any, first: int, piece: Piece, numbers: RowNumbers, problems: Problems
    ) -> list[EvalInstance]:
        """Returns the valid outputs of a batch of Arrow."""
        path, instances = piece.path, []
        rows = prepared(rows_of(batch, first, path, problems), path, problems, numbers, None)
        for line, row in with_references(rows, path, problems):
            try:
                instances.append(self.instance(with_standard_names(row), path, line, piece.name))
            except DataError as problem:
                problems.add(DataError(problem.message, path, line))
        return instances

    def instance(self, row: Mapping[str, Any], path: str, line: int, default_summarizer: str) -> EvalInstance:
        """Creates an instance from a row.

        Raises:
            DataError: if a field is missing or invalid.
            PluginError: if `fields` returns no dictionary.
        """
        instance_id, summarizer_id, summarizer_type = identity(row, default_summarizer)
        fields = self.fields(row)
        if not isinstance(fields, Mapping):
            raise PluginError(
                f"{defined_at(type(self).fields)}: fields of the dataset reader '{self.registered_name}' must return a "
                f"dictionary of fields, got {shown(fields)}"
            )
        return EvalInstance(instance_id, summarizer_id, summarizer_type, fields, path, line)

    @abstractmethod
    def fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the fields of a row.

        Raises:
            DataError: if a field is missing or invalid.
        """


def _is_defined_with(reader: type[DatasetReader], name: str, others: Sequence[str]) -> bool:
    """Returns whether no class changes other attributes of a reader without defining this one, too."""

    def level(attribute: str) -> int:
        return next(index for index, base in enumerate(reader.__mro__) if attribute in vars(base))

    return all(level(name) <= level(other) for other in others)


def row_pieces(files: Sequence[str], size: int, view: RowView | None) -> list[Piece] | None:
    """Splits files of rows into pieces.

    Args:
        files: The files.
        size: The greatest number of bytes of a piece of a file that can be split.
        view: From which columns fields are read; `None` for rows as they are.

    Returns:
        The pieces; `None` if it is unknown whether rows are numbered, because the first row is in a pipe.
    """
    columns = None if view is None else view.without_conditions()
    first_row: Mapping[str, Any] | None = None
    for path in files:
        if is_read_once(path):
            if len(files) > 1:
                return None
        else:
            first_row = _first_row(path, columns)
        if first_row is not None:
            break
    is_numbered = None if first_row is None else ID_NAMES.isdisjoint(first_row)
    pieces = []
    for path, name in zip(files, path_names(files), strict=True):
        for piece in _pieces(path, name, size, columns, is_numbered=bool(is_numbered)):
            piece.is_numbered = is_numbered
            pieces.append(piece)
    return pieces


def _pieces(path: str, name: str, size: int, view: RowView | None, *, is_numbered: bool) -> list[Piece]:
    """Splits a file; if rows are numbered, its pieces have the number of rows before them and the system of all."""
    if is_parquet(path):
        from metrics_framework.dataset_readers.parquet_columns import pieces_of_row_groups

        pieces = pieces_of_row_groups(path, name, size)
    elif path == STANDARD or is_table(path) or (is_numbered and is_remote(path)):
        return [Piece(path, name)]
    else:
        pieces = pieces_of_lines(path, name, size)
    if is_numbered and len(pieces) > 1:
        row = _first_row(path, view) or {}
        before = 0
        for piece in pieces:
            piece.system = str(next((row[field] for field in SYSTEM_NAMES if field in row), name))
            if not is_parquet(path):
                piece.rows_before = before
                before += number_of_rows(piece)
    return pieces


def _first_row(path: str, view: RowView | None) -> dict[str, Any] | None:
    """Returns the first valid row of a file; `None` if there is none, or the file cannot be read."""
    try:
        return next((row for _, row in read_rows(path, Problems(), view=view)), None)
    except DataError:
        return None


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
