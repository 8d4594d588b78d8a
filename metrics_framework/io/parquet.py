"""Reads Parquet files (https://parquet.apache.org), also those of scores, in bounded memory; needs pyarrow."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import PARQUET, DataError, MissingExtraError, Problems
from metrics_framework.data.fields import IDENTITY_FIELDS
from metrics_framework.data.file_formats import FORMAT, check_format
from metrics_framework.data.metrics_dict import put
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.locations import first_bytes, is_remote, open_binary, size_of
from metrics_framework.io.reading import Expansion, Piece

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

MAGIC = b"PAR1"
"""The first and last bytes of a Parquet file."""
BATCH_SIZE = 2048
"""The number of rows that are read together."""
_BUFFER_SIZE = 1 << 20
"""The number of bytes that are read together; without it, a column of a row group is read at once."""
_REMOTE_BLOCKS = 12
"""The number of blocks of a remote file that are kept, because columns are read in turn."""

SIGNATURE = "metrics_framework.signature"
"""The key of the metadata with the signatures of the metrics, as JSON; files of scores have it."""

VERSION = "metrics_framework.format"
"""The key of the metadata with the version of the format of rows, from 2 on (decision 0002)."""

KEYS = "metrics_framework.keys"
"""The key of the metadata of a column of nested scores, with their keys as JSON; its name joins them with ``_``."""


def check_repeated(names: Iterable[str], path: str, line: int | None = None) -> None:
    """Rejects names of columns that are repeated, of which one would be lost.

    Args:
        names: The names; empty ones may be repeated.
        path: The table.
        line: The line of the names.

    Raises:
        DataError: if a name is repeated.
    """
    for name, count in Counter(names).items():
        if count > 1 and name:
            raise DataError(f"repeated column '{name}'; rename or drop one", path, line)


def is_parquet(path: str) -> bool:
    """Returns whether a file is a Parquet file, by its ending or, if it is local, its first bytes."""
    return path.endswith(PARQUET) or first_bytes(path, len(MAGIC)) == MAGIC


def import_pyarrow() -> None:
    """Imports pyarrow and its module of Parquet.

    Raises:
        MissingExtraError: if pyarrow is not installed.
    """
    try:
        import pyarrow.parquet  # noqa: F401 - callers import it by its name
    except ImportError:
        raise MissingExtraError("reading and writing Parquet", "pyarrow", "parquet") from None


def read_rows(path: str, problems: Problems, piece: Piece | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the rows of a file, with their numbers; the first row of the piece has the number 1.

    Args:
        path: The file.
        problems: Collects rows with a value that cannot be read.
        piece: The row groups, of which the rows are counted; `None` for all.

    Raises:
        DataError: if the file cannot be read.
        MissingExtraError: if pyarrow is not installed.
    """
    piece = Piece(path, "") if piece is None else piece
    with ParquetInput(path) as file:
        for first, batch in file.batches(file.row_groups[piece.start : piece.end], BATCH_SIZE):
            yield from rows_of(batch, first, path, problems)
            piece.lines = first - 1 + batch.num_rows


class ParquetInput:
    """An open Parquet file.

    Args:
        path: The file.

    Attributes:
        names: The names of its columns.
        metadata: The metadata of its schema, as text.

    Raises:
        DataError: if it cannot be read.
        MissingExtraError: if pyarrow is not installed.
    """

    def __init__(self, path: str) -> None:
        import_pyarrow()
        self.path = path
        self._file = _opened(path)
        with reported(path):
            schema = self._file.schema_arrow
        self._schema = schema
        self.names: list[str] = schema.names
        check_repeated(self.names, path)
        self.metadata = _decoded(schema.metadata)
        self.row_groups = range(self._file.num_row_groups)
        self._expansion = Expansion(path, size_of(path) or sys.maxsize)

    def __enter__(self) -> ParquetInput:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close(force=True)

    def field_metadata(self, name: str) -> dict[str, str]:
        """Returns the metadata of a column, as text."""
        return _decoded(self._schema.field(name).metadata)

    def row_group_sizes(self) -> list[tuple[int, int]]:
        """Returns the number of rows and of bytes, before compression, of each row group."""
        groups = map(self._file.metadata.row_group, self.row_groups)
        return [(group.num_rows, group.total_byte_size) for group in groups]

    def announce_expansion(self) -> None:
        """Announces rows that are far larger than the file, estimated from the first ones, before workers read it."""
        for _, batch in islice(self.batches(self.row_groups, 1000), 1):
            self._expansion.add(_size_of_texts(batch.columns) * self._file.metadata.num_rows // batch.num_rows)

    def batches(
        self, row_groups: Sequence[int], size: int, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yields batches of rows, each with the number of its first row, counted from 1 in the row groups.

        Args:
            row_groups: The row groups, in order.
            size: The largest size of a batch.
            columns: The columns; `None` for all.

        Raises:
            DataError: if the file is damaged.
        """
        first = 1
        for group in row_groups:
            with reported(self.path, first):
                batches = self._file.iter_batches(size, [group], columns, use_threads=False)
            for first_of_batch, batch in _numbered(batches, first, self.path, self._expansion):
                yield first_of_batch, batch
                first = first_of_batch + batch.num_rows


def _numbered(
    batches: Iterator[pa.RecordBatch], first: int, path: str, expansion: Expansion, kind: str = "Parquet"
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Yields batches, each with the number of its first row, and announces rows that are far larger than the file."""
    while True:
        with reported(path, first, kind):
            batch = next(batches, None)
        if batch is None:
            return
        expansion.add(_size_of_texts(batch.columns))
        yield first, batch
        first += batch.num_rows


def _size_of_texts(columns: Iterable[Any]) -> int:
    """Returns the number of bytes of columns in which each row has its own texts, as Python's rows have."""
    import pyarrow as pa

    size = 0
    for column in columns:
        if pa.types.is_nested(column.type):
            parts = column.flatten()
            size += _size_of_texts(parts if isinstance(parts, list) else [parts])
        elif pa.types.is_dictionary(column.type) and str(column.type.value_type).endswith("string"):
            import pyarrow.compute as pc  # which few files need

            size += pc.sum(pc.binary_length(column.dictionary).take(column.indices)).as_py() or 0
        else:
            size += column.nbytes
    return size


def _decoded(metadata: Mapping[bytes, bytes] | None) -> dict[str, str]:
    items = (metadata or {}).items()
    return {name.decode("utf-8", "replace"): value.decode("utf-8", "replace") for name, value in items}


def _opened(path: str) -> pq.ParquetFile:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if os.path.isdir(path):
        raise DataError(f"is a folder; name its files, as in {os.path.join(path, '*' + PARQUET)}", path)
    stream = open_binary(path, blocks=_REMOTE_BLOCKS)
    with reported(path):
        start = stream.read(len(MAGIC))
    if not (is_remote(path) and start == MAGIC):  # pyarrow opens local files itself, without Python's lock
        stream.close()
    if start not in (MAGIC, b"PARE"):  # the second is of encrypted files
        found = "is empty" if not start else f"starts with {str(start)[1:]} instead of {str(MAGIC)[1:]}"
        raise DataError(f"is not a Parquet file: it {found}", path)
    with reported(path):
        source = pa.OSFile(path) if stream.closed else pa.PythonFile(stream, mode="r")
        return pq.ParquetFile(source, pre_buffer=False, buffer_size=_BUFFER_SIZE)


@contextmanager
def reported(path: str, row: int | None = None, kind: str = "Parquet") -> Iterator[None]:
    """Replaces the errors of pyarrow by a `DataError`."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        if "footer" in reason or "magic bytes" in reason.lower():
            reason = "its end is missing or damaged"
        raise DataError(f"cannot be read as {kind}: {reason}", path, row) from None


def arrow_rows(path: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the rows of a file of Arrow or Feather, with their numbers.

    Args:
        path: The file, in the format of files or of streams, as `datasets` keeps it.
        problems: Collects rows with a value that cannot be read.

    Raises:
        DataError: if the file cannot be read.
        MissingExtraError: if pyarrow is not installed.
    """
    import_pyarrow()
    import pyarrow as pa

    with open_binary(path) as stream:
        is_file = stream.read(6) == b"ARROW1"
        stream.seek(0)
        with reported(path, kind="Arrow"):
            reader = pa.ipc.open_file(stream) if is_file else pa.ipc.open_stream(stream)
            check_repeated(reader.schema.names, path)
        batches = map(reader.get_batch, range(reader.num_record_batches)) if is_file else iter(reader)
        for first, batch in _numbered(batches, 1, path, Expansion(path, size_of(path) or sys.maxsize), "Arrow"):
            yield from rows_of(batch, first, path, problems)


def rows_of(batch: pa.RecordBatch, first: int, path: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the rows of a batch with their numbers; a row with a value that cannot be read is a problem.

    Args:
        batch: The rows.
        first: The number of the first row.
        path: The file.
        problems: Collects the problems of rows.
    """
    import pyarrow as pa

    failures = (pa.ArrowException, ValueError, OverflowError)  # a date beyond Python's, text that is not UTF-8
    names = batch.schema.names
    try:
        columns = [column.to_pylist() for column in batch.columns]
    except failures:
        columns = None
    if columns is not None:
        yield from (
            (line, dict(zip(names, row, strict=True))) for line, row in enumerate(zip(*columns, strict=True), first)
        )
        return
    for index in range(batch.num_rows):
        row: dict[str, Any] = {}
        try:
            for name, column in zip(names, batch.columns, strict=True):
                row[name] = column[index].as_py()
        except failures as error:
            problem = "is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else f"cannot be read: {error}"
            problems.add(DataError(f"'{name}' {problem}", path, first + index))
        else:
            yield first + index, row


def has_scores(path: str) -> bool:
    """Returns whether a file is a Parquet file of scores that this package wrote.

    Raises:
        DataError: if it is a Parquet file that cannot be read.
        MissingExtraError: if pyarrow is needed but not installed.
    """
    if not is_parquet(path):
        return False
    with ParquetInput(path) as file:
        return SIGNATURE in file.metadata


def read_score_rows(path: str, problems: Problems, label: str | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the rows of a score file, JSON lines or Parquet, with their numbers.

    The rows of Parquet are returned as those of JSON lines: with ``metrics``, and the first one with ``signature``.

    Args:
        path: The file.
        problems: Collects the problems of rows.
        label: A column of Parquet that is not a score, such as the data set.

    Raises:
        DataError: if the file cannot be read.
        MissingExtraError: if pyarrow is needed but not installed.
    """
    if not is_parquet(path):
        yield from read_jsonl(path, problems)
        return
    with ParquetInput(path) as file:
        if VERSION in file.metadata:
            check_format({FORMAT: _from_json(file.metadata[VERSION], path)}, "rows", path)
        signature = _from_json(file.metadata[SIGNATURE], path)
        keys = {name: _keys(name, file.field_metadata(name), path) for name in file.names}
    prefixes = {tuple(key[:length]) for key in keys.values() for length in range(1, len(key))}
    for name, key in keys.items():
        if tuple(key) in prefixes:
            raise DataError(f"the column '{name}' is one score, and other columns are parts of it", path)
    fields = IDENTITY_FIELDS if label is None else (*IDENTITY_FIELDS, label)
    for number, row in read_rows(path, problems):
        read: dict[str, Any] = {name: row[name] for name in fields if name in row} | {"metrics": {}}
        for name, value in row.items():
            if name not in fields:
                put(read["metrics"], keys[name], value)
        yield number, {**read, "signature": signature} if number == 1 and signature else read


def _keys(name: str, metadata: dict[str, str], path: str) -> list[str]:
    """Returns the keys of the scores of a column.

    Raises:
        DataError: if they are not a list of strings.
    """
    keys = _from_json(metadata[KEYS], path) if KEYS in metadata else [name]
    if not isinstance(keys, list) or not keys or not all(isinstance(key, str) for key in keys):
        raise DataError(f"the column '{name}' has metadata {KEYS} that are not a list of strings", path)
    return keys


def _from_json(written: str, path: str) -> Any:
    try:
        return json.loads(written)
    except ValueError:
        raise DataError("has metadata of metrics_framework that are not JSON", path) from None
