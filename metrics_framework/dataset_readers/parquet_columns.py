"""Reads the outputs of Parquet files as columns; only batches with a problem or unusual types are read as rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import DataError
from metrics_framework.data.eval_instance import OutputColumns
from metrics_framework.data.fields import IDENTITY_FIELDS, SUMMARIZER_TYPES, with_standard_names
from metrics_framework.dataset_readers.row_view import LISTS_OF_TEXTS, SINGLE_TEXTS, SINGULARS, is_numbered_reference
from metrics_framework.dataset_readers.rows import RowNumbers, check_columns
from metrics_framework.io.parquet import ParquetInput, row_group_sizes
from metrics_framework.io.reading import Piece

if TYPE_CHECKING:
    import pyarrow as pa


def pieces_of_row_groups(path: str, name: str, size: int) -> list[Piece]:
    """Splits a Parquet file into ranges of row groups; a file that cannot be read is one piece, to report it later.

    Args:
        path: The file.
        name: The system of rows without one.
        size: The greatest number of bytes of a piece, before compression; a larger row group is a piece.
    """
    try:
        groups = row_group_sizes(path)
    except DataError:
        return [Piece(path, name)]
    sizes = [size_of_group for _, size_of_group in groups]
    rows = [0, *accumulate(count for count, _ in groups)]
    starts, room = [0], size
    for group, size_of_group in enumerate(sizes):
        if size_of_group > room and group > starts[-1]:
            starts.append(group)
            room = size
        room -= size_of_group
    ends = [*starts[1:], len(sizes)]
    return [
        Piece(path, name, start, end, sum(sizes[start:end]), rows_before=rows[start])
        for start, end in zip(starts, ends, strict=True)
    ]


class ColumnReader:
    """Takes the fields of outputs from the columns of a Parquet file.

    Args:
        file: The file.
        fields: The fields to read; `None` for all.
        numbers: Numbers rows without ids.

    Attributes:
        columns: The columns to read; `None` for all, if a field is missing.

    Raises:
        DataError: if two columns are the same field, or a name differs from that of a field only in case or spaces.
    """

    def __init__(self, file: ParquetInput, fields: Collection[str] | None, numbers: RowNumbers) -> None:
        names = file.names
        try:
            check_columns(names, file.path, None)
            self._names: dict[str, str] = dict(with_standard_names({name: name for name in names}))
        except DataError as problem:
            raise DataError(problem.message, file.path) from None
        self._file, self._numbers = file, numbers
        self._numbered = [name for name in names if is_numbered_reference(name)]
        of_lists = [*LISTS_OF_TEXTS, *self._numbered]
        fields_are_all = fields is None
        if fields is None:
            fields = [name for name in self._names if name not in of_lists] + list(SINGULARS)
        self._fields = {name: takes for name in fields if (takes := self._taken(name)) is not None}
        missing = {*fields} - {*IDENTITY_FIELDS, *self._fields}
        self._is_complete = not missing or fields_are_all
        needed = {self._names[name] for name in IDENTITY_FIELDS if name in self._names}
        needed.update(column for columns, _ in self._fields.values() for column in columns)
        self.columns = [name for name in names if name in needed] if self._is_complete else None

    def _taken(self, field: str) -> tuple[list[str], Callable[..., list[Any] | None]] | None:
        """Returns the columns of a field and the function that combines them; `None` if there are none."""
        if field in IDENTITY_FIELDS:
            return None
        single = SINGULARS.get(field)
        names = [self._names[name] for name in (field, single) if name in self._names]
        if field == "references" and self._numbered:
            return [*names, *self._numbered], _refused if names else _numbered_references
        if not names:
            return None
        if single is None:
            return names, _texts if field in SINGLE_TEXTS else _values
        if len(names) > 1:
            return names, _refused
        return names, _lists if field in self._names else _single

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
            yield from self._of_group(group, piece, before, size)
            before += self._file.num_rows(group)

    def _of_group(
        self, group: int, piece: Piece, before: int, size: int
    ) -> Iterator[tuple[int, int, OutputColumns | pa.RecordBatch]]:
        """Yields the batches of a row group; from the first unusual one on, all columns are read."""
        start = 1
        if self.columns is not None:
            for first, batch in self._file.batches([group], size, self.columns):
                start = first
                columns = self._taken_from(batch, piece, before + first)
                if columns is None:
                    break
                yield before + first, batch.num_rows, columns
            else:
                return
        for first, batch in self._file.batches([group], size):
            known = min(max(0, start - first), batch.num_rows)
            if known < batch.num_rows:
                first, batch = first + known, batch.slice(known)
                columns = self._taken_from(batch, piece, before + first)
                yield before + first, batch.num_rows, batch if columns is None else columns

    def _taken_from(self, batch: pa.RecordBatch, piece: Piece, first: int) -> OutputColumns | None:
        """Returns the outputs of a batch as columns; `None` if a value is missing or of an unusual type."""
        if not self._is_complete:
            return None
        try:
            self._numbers.count = piece.rows_before + first - 1
            identity = self._identity(batch, piece.name)
            if identity is None:
                return None
            fields = {}
            for field, (names, take) in self._fields.items():
                values = take(*map(batch.column, names))
                if values is None:
                    return None
                fields[field] = values
        except (UnicodeDecodeError, DataError):  # reported when the rows are read one by one
            return None
        return OutputColumns(*identity, fields, piece.path, first)

    def _identity(self, batch: pa.RecordBatch, system: str) -> tuple[list[Any], list[Any], list[Any]] | None:
        """Returns the ids and types of the outputs of a batch; `None` if one is missing or invalid.

        Raises:
            DataError: if rows without ids cannot be numbered.
        """
        ids, systems, types = (self._names.get(name) for name in IDENTITY_FIELDS)
        systems_of_rows: Any = [system] * batch.num_rows if systems is None else _ids(batch.column(systems))
        ids_of_rows: Any = None
        if not self._numbers.have_ids(self._names):
            ids_of_rows = None if systems_of_rows is None else self._numbers.ids(systems_of_rows, self._names)
        elif ids is not None:
            ids_of_rows = _ids(batch.column(ids))
        columns: tuple[Any, Any, Any] = (
            ids_of_rows,
            systems_of_rows,
            ["peer"] * batch.num_rows if types is None else _strings(batch.column(types)),
        )
        if any(column is None or not all(column) for column in columns):
            return None
        return columns if set(columns[2] or ()) <= set(SUMMARIZER_TYPES) else None


def _values(column: pa.Array) -> list[Any]:
    values: list[Any] = column.to_pylist()
    return values


def _single(column: pa.Array) -> list[Any] | None:
    texts = _texts(column)
    return None if texts is None else [[text] for text in texts]


def _numbered_references(*columns: pa.Array) -> list[Any] | None:
    """Returns the texts of numbered columns as lists, without missing and empty ones."""
    texts: list[Any] = [_strings(column) for column in columns]
    if any(column is None for column in texts):
        return None
    present = [list(filter(None, row)) for row in zip(*texts, strict=True)]
    return present if all(present) else None


def _refused(*columns: pa.Array) -> None:
    """Leaves two forms of a field to the checks of rows, which know which of them have a value."""
    return


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


def _texts(column: pa.Array) -> list[str] | None:
    """Returns texts, bare or as ``{"text": …}``; `None` if one is missing, or for a column of another type.

    Raises:
        UnicodeDecodeError: if a text is not UTF-8.
    """
    import pyarrow.compute as pc
    import pyarrow.types as types

    if types.is_struct(column.type) and column.type.get_field_index("text") >= 0:
        column = pc.struct_field(column, "text")
    texts: Any = _strings(column)
    return None if texts is None or None in texts else texts


def _looked_up(values: list[str | None], indices: pa.Array) -> list[str | None]:
    if indices.null_count:
        return [None if index is None else values[index] for index in indices.to_pylist()]
    return list(map(values.__getitem__, indices.to_numpy().tolist()))


def _ids(column: pa.Array) -> list[str | None] | None:
    """Returns ids: texts, or integers as texts; `None` for a missing one, and `None` for a column of another type."""
    import pyarrow as pa
    import pyarrow.types as types

    if types.is_integer(column.type):
        column = column.cast(pa.string())
    return _strings(column)


def _lists(column: pa.Array) -> list[list[str]] | None:
    """Returns lists of texts; `None` if a list is missing or empty, or a text missing, or for another type."""
    import pyarrow.types as types

    kind = column.type
    if not (types.is_list(kind) or types.is_large_list(kind)) or column.null_count:
        return None
    texts = _texts(column.flatten())
    if texts is None:
        return None
    rest = iter(texts)
    lists = [list(islice(rest, size)) for size in column.value_lengths().to_numpy().tolist()]
    return lists if all(lists) else None
