"""The base class of readers of files with one output per row."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar

from metrics_framework.common.definitions import defined_at
from metrics_framework.common.errors import DataError, PluginError, Problems, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import EvalInstance, OutputColumns
from metrics_framework.data.texts import shown
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.files_of_outputs import path_names
from metrics_framework.inputs.output_columns import (
    ROWS_AT_A_TIME,
    ColumnReader,
    Row,
    columns_of_rows,
    in_batches,
    json_columns,
    pieces_of_row_groups,
)
from metrics_framework.inputs.row_view import Condition, RowView
from metrics_framework.inputs.rows import RowNumbers, identity, prepared, read_rows
from metrics_framework.inputs.tables import is_table
from metrics_framework.io.jsonl import JsonLines, is_json_lines
from metrics_framework.io.locations import is_remote
from metrics_framework.io.parquet import ParquetInput, is_parquet, rows_of
from metrics_framework.io.reading import STANDARD, Piece, is_read_once, number_of_rows, pieces_of_lines
from metrics_framework.kernels.dispatch import native_json_columns


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
    def row_view(self, columns: Mapping[str, Sequence[str]] | None = None, where: Sequence[Condition] = ()) -> RowView:
        view = super().row_view(columns, where)
        view.keeps_names = not self.fields_are_columns
        return view

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

    @overrides
    def instances_of(self, piece: Piece, problems: Problems) -> Iterator[EvalInstance]:
        rows = read_rows(piece.path, problems, piece, RowNumbers(piece, self.row_counts()), self.row_view())
        return self._instances(rows, piece, problems)

    def _instances(
        self, rows: Iterable[tuple[int, dict[str, Any]]], piece: Piece, problems: Problems
    ) -> Iterator[EvalInstance]:
        """Yields the valid outputs among rows; a problem that ends the reading is collected, too."""
        try:
            for line, row in rows:
                try:
                    yield self.instance(row, piece.path, line, piece.name)
                except DataError as problem:
                    problems.add(problem if problem.path else DataError(problem.message, piece.path, line))
        except DataError as problem:
            piece.stopped = True
            problems.add(problem)

    @overrides
    def columns_of(
        self, piece: Piece, problems: Problems, fields: Collection[str] | None, size: int
    ) -> Iterator[OutputColumns | list[EvalInstance]] | None:
        own = ["instances", "instances_of", "instance", "fields"]
        if not self.fields_are_columns or not _is_defined_with(type(self), "fields_are_columns", own):
            return None
        if self.view is not None and self.view.where:
            return None  # read as rows
        if is_parquet(piece.path):
            return self._columns(piece, problems, fields, size)
        if is_table(piece.path) or self.provides() is not None or not is_json_lines(piece.path):
            return None
        return in_batches(self._json_columns(piece, problems, size), size)

    def _json_columns(
        self, piece: Piece, problems: Problems, size: int
    ) -> Iterator[OutputColumns | list[EvalInstance]]:
        """Yields the outputs of JSON lines in parts: as columns, unless a row is unusual."""
        numbers, view, found = RowNumbers(piece, self.row_counts()), self.row_view(), Problems()
        lines, decode = JsonLines(piece.path, found, piece), native_json_columns()
        rows = prepared(lines.rows(), piece.path, found, numbers, view)
        room, is_at_end = size, False
        while not is_at_end:
            columns, ahead = None, list[Row]()
            try:
                decoded = None if decode is None else lines.decoded(decode, room)
                if decoded is not None:
                    columns = columns_of_rows(decoded.names, decoded.columns, lines.number + 1, piece, view, numbers)
                if decoded is not None and columns is not None:
                    lines.skip(decoded)
                    numbers.count += len(columns.ids)
                else:
                    ahead.extend(islice(rows, min(room, ROWS_AT_A_TIME)))
                    is_at_end = not ahead
                    columns = json_columns(ahead, piece) if ahead else None
            except DataError as problem:
                piece.stopped = is_at_end = True
                found.add(problem)
            part = list(self._instances(ahead, piece, found)) if columns is None else columns
            found.move_to(problems)
            room = room - len(part) or size
            yield part

    def _columns(
        self, piece: Piece, problems: Problems, fields: Collection[str] | None, size: int
    ) -> Iterator[OutputColumns | list[EvalInstance]]:
        numbers, view = RowNumbers(piece, self.row_counts()), self.row_view()
        try:
            with ParquetInput(piece.path) as file:
                wanted = fields if self.provides() is None else self.provides()
                reader = ColumnReader(file, wanted, numbers, view)
                for first, count, batch in reader.batches(piece, size):
                    piece.lines = first + count - 1
                    numbers.count = piece.rows_before + first - 1
                    if isinstance(batch, OutputColumns):
                        yield batch
                        continue
                    rows = prepared(rows_of(batch, first, piece.path, problems), piece.path, problems, numbers, view)
                    yield list(self._instances(rows, piece, problems))
        except DataError as problem:
            piece.stopped = True
            problems.add(problem)

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
    columns = None if view is None else RowView(view.columns, own=view.own, keeps_names=view.keeps_names)
    first_row: Mapping[str, Any] | None = None
    for path in files:
        if is_read_once(path):
            if len(files) > 1:
                return None
        else:
            first_row = _first_row(path, columns)
        if first_row is not None:
            break
    is_numbered = None if first_row is None else "instance_id" not in first_row
    pieces = []
    for path, name in zip(files, path_names(files), strict=True):
        for piece in _pieces(path, name, size, columns, is_numbered=bool(is_numbered)):
            piece.is_numbered = is_numbered
            pieces.append(piece)
    return pieces


def _pieces(path: str, name: str, size: int, view: RowView | None, *, is_numbered: bool) -> list[Piece]:
    """Splits a file; if rows are numbered, its pieces have the number of rows before them and the system of all."""
    if is_parquet(path):
        pieces = pieces_of_row_groups(path, name, size)
    elif path == STANDARD or is_table(path) or (is_numbered and is_remote(path)) or not is_json_lines(path):
        return [Piece(path, name)]
    else:
        pieces = pieces_of_lines(path, name, size)
    if is_numbered and len(pieces) > 1:
        row = _first_row(path, view) or {}
        before = 0
        for piece in pieces:
            piece.system = str(row.get("summarizer_id", name))
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
