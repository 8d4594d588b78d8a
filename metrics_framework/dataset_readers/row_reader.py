"""The base class of readers of files with one output per row, which are read as columns where that is possible."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING, Any, ClassVar

from metrics_framework.common.definitions import defined_at
from metrics_framework.common.errors import DataError, PluginError, Problems, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import EvalInstance, OutputColumns
from metrics_framework.data.fields import IDENTITY_FIELDS, SUMMARIZER_TYPES, plain_ids
from metrics_framework.data.texts import shown
from metrics_framework.dataset_readers.dataset_reader import DatasetReader, until_problem
from metrics_framework.dataset_readers.files_of_outputs import path_names
from metrics_framework.inputs.row_view import LISTS_OF_TEXTS, SINGLE_TEXTS, Condition, RowView
from metrics_framework.inputs.rows import RowNumbers, identity, prepared, read_rows
from metrics_framework.inputs.tables import is_json_lines
from metrics_framework.io.jsonl import JsonLines
from metrics_framework.io.locations import is_remote
from metrics_framework.io.parquet import ParquetInput, is_parquet, rows_of
from metrics_framework.io.reading import STANDARD, Piece, consecutive, is_read_once, number_of_rows, pieces_of_lines
from metrics_framework.kernels.dispatch import native_function

if TYPE_CHECKING:
    import pyarrow as pa


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
        for line, row in until_problem(rows, piece, problems):
            try:
                yield self.instance(row, piece.path, line, piece.name)
            except DataError as problem:
                problems.add(problem if problem.path else DataError(problem.message, piece.path, line))

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
            return until_problem(self._columns(piece, problems, fields, size), piece, problems)
        if self.provides() is not None or not is_json_lines(piece.path):
            return None
        return in_batches(self._json_columns(piece, problems, size), size)

    def _json_columns(
        self, piece: Piece, problems: Problems, size: int
    ) -> Iterator[OutputColumns | list[EvalInstance]]:
        """Yields the outputs of JSON lines in parts: as columns, unless a row is unusual."""
        numbers, view, found = RowNumbers(piece, self.row_counts()), self.row_view(), Problems()
        lines, decode = JsonLines(piece.path, found, piece), native_function("json_columns")
        rows = prepared(lines.rows(), piece.path, found, numbers, view)
        room, is_at_end = size, False
        while not is_at_end:
            columns, ahead = None, list[Row]()
            try:
                decoded = lines.decoded(decode, room)
                if decoded is not None:
                    columns = columns_of_rows(*decoded[:2], lines.number + 1, piece, view, numbers)
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
        """Yields the outputs of row groups of Parquet in batches: as columns, unless a row is unusual."""
        numbers, view = RowNumbers(piece, self.row_counts()), self.row_view()
        wanted = fields if self.provides() is None else self.provides()
        with ParquetInput(piece.path) as file:
            for first, batch, columns in column_batches(file, wanted, piece, size, numbers, view):
                piece.lines = first + batch.num_rows - 1
                numbers.count = piece.rows_before + first - 1
                if columns is not None:
                    yield columns
                    continue
                rows = prepared(rows_of(batch, first, piece.path, problems), piece.path, problems, numbers, view)
                yield list(self._instances(rows, piece, problems))

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
    elif path == STANDARD or (is_numbered and is_remote(path)) or not is_json_lines(path):
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


# ---- outputs as columns: JSON lines whose rows have the same usual form, and Parquet files ---------------------------

Row = tuple[int, dict[str, Any]]
"""A row and its line number."""
ROWS_AT_A_TIME = 128
"""So few that they stay in the cache of the CPU until they are columns."""


def in_batches(
    parts: Iterable[OutputColumns | list[EvalInstance]], size: int
) -> Iterator[OutputColumns | list[EvalInstance]]:
    """Joins consecutive parts of an input in batches: as columns if all have the same fields, else as instances.

    Args:
        parts: The parts; one ends where a batch does.
        size: The number of outputs of a batch.
    """
    batch: OutputColumns | list[EvalInstance] = []
    for part in parts:
        if not batch:
            batch = part
        elif part and not (isinstance(batch, OutputColumns) and isinstance(part, OutputColumns) and batch.add(part)):
            batch = [*batch.instances] if isinstance(batch, OutputColumns) else batch
            batch += part.instances if isinstance(part, OutputColumns) else part
        if len(batch) == size:  # the next part may arrive late
            yield batch
            batch = []
    if batch:
        yield batch


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
    return output_columns(dict(zip(names, values, strict=True)), first, piece)


def columns_of_rows(
    names: Sequence[str], values: Sequence[list[Any]], first: int, piece: Piece, view: RowView, numbers: RowNumbers
) -> OutputColumns | None:
    """Returns consecutive rows of a file as columns; `None` if a row must be checked on its own.

    Args:
        names: The columns of the file.
        values: The values of each column.
        first: The line of the first row.
        piece: Where the rows are from.
        view: From which columns fields are read.
        numbers: Numbers rows without ids.
    """
    try:
        columns = view.named_columns(names, values) if names else None
        if columns is not None and not numbers.have_ids(columns):
            systems = columns.get("summarizer_id", [piece.name] * len(values[0]))
            columns["instance_id"] = numbers.ids(systems, names)
    except DataError:  # reported when the rows are read one by one
        return None
    return None if columns is None else output_columns(columns, first, piece)


def output_columns(columns: Mapping[str, list[Any]], first: int, piece: Piece) -> OutputColumns | None:
    """Returns the values of consecutive rows as columns; `None` if a row must be checked on its own.

    Args:
        columns: The values of each field.
        first: The line of the first row.
        piece: Where the rows are from.
    """
    if not columns:
        return None
    count, fields = len(next(iter(columns.values()))), _fields(columns)
    ids = _ids(columns.get("instance_id", [None]))
    systems = _ids(columns.get("summarizer_id", [piece.name] * count))
    types = columns.get("summarizer_type", ["peer"] * count)
    if ids is None or systems is None or fields is None:
        return None
    is_usual = _are_all(str, types) and set(types) <= set(SUMMARIZER_TYPES)
    return OutputColumns(ids, systems, types, fields, piece.path, first) if is_usual else None


def _ids(values: list[Any]) -> list[str] | None:
    if _are_all(int, values):
        return list(map(str, values))
    return plain_ids(values) if _are_all(str, values) else None


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


def pieces_of_row_groups(path: str, name: str, size: int) -> list[Piece]:
    """Splits a Parquet file into ranges of row groups; a file that cannot be read is one piece, to report it later.

    Args:
        path: The file.
        name: The system of rows without one.
        size: The greatest number of bytes of a piece, before compression; a larger row group is a piece.
    """
    try:
        with ParquetInput(path) as file:
            groups = file.row_group_sizes()
            if len(groups) > 1:
                file.announce_expansion()
    except DataError:
        return [Piece(path, name)]
    sizes = [size_of_group for _, size_of_group in groups]
    rows = [0, *accumulate(count for count, _ in groups)]
    return [
        Piece(path, name, of.start, of.stop, sum(sizes[of.start : of.stop]), rows_before=rows[of.start])
        for of in consecutive(sizes, size)
    ]


def column_batches(
    file: ParquetInput, fields: Collection[str] | None, piece: Piece, size: int, numbers: RowNumbers, view: RowView
) -> Iterator[tuple[int, pa.RecordBatch, OutputColumns | None]]:
    """Yields the outputs of a piece of a Parquet file as columns, or with all columns of the file if one is unusual.

    Args:
        file: The file.
        fields: The fields to read; `None` for all.
        piece: Row groups of the file.
        size: The largest number of outputs of a batch.
        numbers: Numbers rows without ids.
        view: From which columns fields are read.

    Yields:
        For each batch the number of its first row, counted from 1 in the piece, the batch, and its outputs; `None` if
        one is unusual.

    Raises:
        DataError: if the file is damaged, or two columns have the same role.
    """
    view.counts.is_viewed = True
    try:
        columns = view.columns_read(file.names, fields or ())
        present = view.named(dict.fromkeys(file.names))
    except DataError as problem:
        raise DataError(problem.message, file.path) from None
    missing = {field for field in fields or () if present.keys().isdisjoint(LISTS_OF_TEXTS.get(field, (field,)))}
    is_complete, before = missing <= {*IDENTITY_FIELDS}, 0
    for group in file.row_groups[piece.start : piece.end]:
        done = 0
        for names in [columns, None] if is_complete and fields is not None else [None]:
            for first, batch in file.batches([group], size, names):
                new = max(first, done + 1)
                batch = batch.slice(new - first)
                is_whole = is_complete and batch.num_rows
                outputs = _outputs_in(batch, piece, before + new, view, numbers) if is_whole else None
                if outputs is None and names is not None:
                    break  # all columns are read from here on
                if batch.num_rows:
                    done = new - 1 + batch.num_rows
                    yield before + new, batch, outputs
            else:
                break
        before += done


def _outputs_in(
    batch: pa.RecordBatch, piece: Piece, first: int, view: RowView, numbers: RowNumbers
) -> OutputColumns | None:
    """Returns the outputs of a batch as columns; `None` if a value is missing or of an unusual type."""
    try:
        values = list(map(_values, batch.columns))
    except (ValueError, OverflowError):  # also text that is not UTF-8; reported when rows are read one by one
        return None
    numbers.count = piece.rows_before + first - 1
    return columns_of_rows(batch.schema.names, values, first, piece, view, numbers)


def _values(column: pa.Array) -> list[Any]:
    """Returns the values of a column; texts as ``{"text": …}`` are bare, and equal texts are one object.

    Raises:
        UnicodeDecodeError: if a text is not UTF-8.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as types

    kind = column.type
    if (types.is_list(kind) or types.is_large_list(kind)) and not column.null_count:
        rest = iter(_values(column.flatten()))
        return [list(islice(rest, size)) for size in column.value_lengths().to_numpy().tolist()]
    if types.is_struct(kind) and kind.get_field_index("text") >= 0 and _are_texts(kind.field("text").type):
        column = pc.struct_field(column, "text")
    if not _are_texts(column.type):
        values: list[Any] = column.to_pylist()
        return values
    encoded = column if types.is_dictionary(column.type) else column.cast(pa.large_string()).dictionary_encode()
    values, indices = encoded.dictionary.to_pylist(), encoded.indices
    if indices.null_count:
        return [None if index is None else values[index] for index in indices.to_pylist()]
    return list(map(values.__getitem__, indices.to_numpy().tolist()))


def _are_texts(kind: pa.DataType) -> bool:
    """Returns whether the values of a type are texts or missing."""
    inner = str(kind.value_type if str(kind).startswith("dictionary") else kind)
    return inner in ("string", "large_string", "string_view", "null")
