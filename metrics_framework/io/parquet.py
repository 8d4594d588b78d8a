"""Reads Parquet files (https://parquet.apache.org) row group by row group, in bounded memory; needs pyarrow."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import PARQUET, DataError, MissingExtraError, Problems
from metrics_framework.io.locations import is_remote, open_binary

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


def is_parquet(path: str) -> bool:
    """Returns whether a file is a Parquet file, by its ending."""
    return path.endswith(PARQUET)


def import_pyarrow() -> None:
    """Imports pyarrow and its module of Parquet.

    Raises:
        MissingExtraError: if pyarrow is not installed.
    """
    try:
        import pyarrow.parquet  # noqa: F401 - callers import it by its name
    except ImportError:
        raise MissingExtraError("reading and writing Parquet", "pyarrow", "parquet") from None


def num_row_groups(path: str) -> int:
    """Returns the number of row groups of a file.

    Raises:
        DataError: if it cannot be read.
        MissingExtraError: if pyarrow is not installed.
    """
    return len(row_group_sizes(path))


def row_group_sizes(path: str) -> list[tuple[int, int]]:
    """Returns the number of rows and of bytes, before compression, of each row group of a file.

    Raises:
        DataError: if it cannot be read.
        MissingExtraError: if pyarrow is not installed.
    """
    with ParquetInput(path) as file:
        return file.row_group_sizes()


def read_rows(path: str, problems: Problems, row_groups: range | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the rows of a file, with their numbers; the first row of the row groups has the number 1.

    Args:
        path: The file.
        problems: Collects rows with a value that cannot be read.
        row_groups: The row groups; `None` for all.

    Raises:
        DataError: if the file cannot be read.
        MissingExtraError: if pyarrow is not installed.
    """
    with ParquetInput(path) as file:
        for first, batch in file.batches(file.row_groups if row_groups is None else row_groups, BATCH_SIZE):
            yield from rows_of(batch, first, path, problems)


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
        for name in self.names if len(set(self.names)) < len(self.names) else ():
            if self.names.count(name) > 1:
                raise DataError(f"duplicate column '{name}'", path)
        self.metadata = _decoded(schema.metadata)
        self.row_groups = range(self._file.num_row_groups)

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

    def num_rows(self, row_group: int) -> int:
        """Returns the number of rows of a row group."""
        count: int = self._file.metadata.row_group(row_group).num_rows
        return count

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
            while True:
                with reported(self.path, first):
                    batch = next(batches, None)
                if batch is None:
                    break
                yield first, batch
                first += batch.num_rows


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
def reported(path: str, row: int | None = None) -> Iterator[None]:
    """Replaces the errors of pyarrow by a `DataError`."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        if "footer" in reason or "magic bytes" in reason.lower():
            reason = "its end is missing or damaged"
        raise DataError(f"cannot be read as Parquet: {reason}", path, row) from None


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
