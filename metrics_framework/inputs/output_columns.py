"""Reads outputs as columns: JSON lines whose rows have the same usual form, and Parquet files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import DataError
from metrics_framework.data.eval_instance import EvalInstance, OutputColumns
from metrics_framework.data.fields import IDENTITY_FIELDS, SUMMARIZER_TYPES, plain_ids
from metrics_framework.inputs.row_view import LISTS_OF_TEXTS, SINGLE_TEXTS, RowView
from metrics_framework.inputs.rows import RowNumbers
from metrics_framework.io.parquet import ParquetInput
from metrics_framework.io.reading import Piece, consecutive

if TYPE_CHECKING:
    import pyarrow as pa


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
            batch = batch.instances() if isinstance(batch, OutputColumns) else batch
            batch += part.instances() if isinstance(part, OutputColumns) else part
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
    names: Sequence[str],
    values: Sequence[list[Any]],
    first: int,
    piece: Piece,
    view: RowView,
    numbers: RowNumbers,
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


class ColumnReader:
    """Reads the outputs of a Parquet file as columns.

    Args:
        file: The file.
        fields: The fields to read; `None` for all.
        numbers: Numbers rows without ids.
        view: From which columns fields are read.

    Attributes:
        columns: The columns to read; `None` for all, if a field is missing.

    Raises:
        DataError: if two columns have the same role.
    """

    def __init__(self, file: ParquetInput, fields: Collection[str] | None, numbers: RowNumbers, view: RowView) -> None:
        self._file, self._numbers, self._view = file, numbers, view
        view.counts.is_viewed = True
        try:
            columns = view.columns_read(file.names, fields or ())
            present = view.named(dict.fromkeys(file.names))
        except DataError as problem:
            raise DataError(problem.message, file.path) from None
        missing = {field for field in fields or () if present.keys().isdisjoint(LISTS_OF_TEXTS.get(field, (field,)))}
        self._is_complete = missing <= {*IDENTITY_FIELDS}
        self.columns = columns if self._is_complete and fields is not None else None

    def batches(self, piece: Piece, size: int) -> Iterator[tuple[int, int, OutputColumns | pa.RecordBatch]]:
        """Yields the outputs of a piece as columns, or as a batch of Arrow with all columns if one is unusual.

        Args:
            piece: Row groups of the file.
            size: The largest number of outputs of a batch.

        Yields:
            For each batch the number of its first row, counted from 1 in the piece, its number of rows, and the batch.

        Raises:
            DataError: if the file is damaged.
        """
        before = 0
        for group in self._file.row_groups[piece.start : piece.end]:
            done = 0
            for names in [None] if self.columns is None else [self.columns, None]:
                for first, batch in self._file.batches([group], size, names):
                    new = max(first, done + 1)
                    batch = batch.slice(new - first)
                    columns = self._taken_from(batch, piece, before + new) if batch.num_rows else None
                    if columns is None and names is not None:
                        break  # all columns are read from here on
                    if batch.num_rows:
                        done = new - 1 + batch.num_rows
                        yield before + new, batch.num_rows, batch if columns is None else columns
                else:
                    break
            before += self._file.num_rows(group)

    def _taken_from(self, batch: pa.RecordBatch, piece: Piece, first: int) -> OutputColumns | None:
        """Returns the outputs of a batch as columns; `None` if a value is missing or of an unusual type."""
        if not self._is_complete:
            return None
        try:
            values = list(map(_values, batch.columns))
        except (ValueError, OverflowError):  # also text that is not UTF-8; reported when rows are read one by one
            return None
        self._numbers.count = piece.rows_before + first - 1
        return columns_of_rows(batch.schema.names, values, first, piece, self._view, self._numbers)


def _values(column: pa.Array) -> list[Any]:
    """Returns the values of a column; texts as ``{"text": …}`` are bare."""
    lists = _lists(column)
    texts = _texts(column) if lists is None else None
    return lists or texts or column.to_pylist()


def _strings(column: pa.Array) -> list[str | None] | None:
    """Returns the texts of a column, `None` for a missing one; `None` if its type is not text.

    Equal texts of one column are one object.

    Raises:
        UnicodeDecodeError: if a text is not UTF-8.
    """
    import pyarrow as pa
    import pyarrow.types as types

    kind = column.type
    if types.is_dictionary(kind):
        values: Any = _strings(column.dictionary)
        return None if values is None else _looked_up(values, column.indices)
    if types.is_null(kind):
        return [None] * len(column)
    if getattr(types, "is_string_view", types.is_null)(kind):
        column = column.cast(pa.large_string())
    elif not (types.is_string(kind) or types.is_large_string(kind)):
        return None
    encoded = column.dictionary_encode()
    return _looked_up(encoded.dictionary.to_pylist(), encoded.indices)


def _texts(column: pa.Array) -> list[str | None] | None:
    """Returns texts, bare or as ``{"text": …}``; `None` for a missing one, and `None` for a column of another type.

    Raises:
        UnicodeDecodeError: if a text is not UTF-8.
    """
    import pyarrow.compute as pc
    import pyarrow.types as types

    if types.is_struct(column.type) and column.type.get_field_index("text") >= 0:
        column = pc.struct_field(column, "text")
    return _strings(column)


def _looked_up(values: list[str | None], indices: pa.Array) -> list[str | None]:
    if indices.null_count:
        return [None if index is None else values[index] for index in indices.to_pylist()]
    return list(map(values.__getitem__, indices.to_numpy().tolist()))


def _lists(column: pa.Array) -> list[list[str | None]] | None:
    """Returns lists of texts; `None` if a list is missing, or for another type."""
    import pyarrow.types as types

    kind = column.type
    if not (types.is_list(kind) or types.is_large_list(kind)) or column.null_count:
        return None
    texts = _texts(column.flatten())
    if texts is None:
        return None
    rest = iter(texts)
    return [list(islice(rest, size)) for size in column.value_lengths().to_numpy().tolist()]
