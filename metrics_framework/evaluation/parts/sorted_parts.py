"""Joins the sorted rows of parts: copies them one after the other if their keys do not overlap, else merges them."""

from __future__ import annotations

import marshal
import os
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import accumulate, pairwise
from typing import NamedTuple

from metrics_framework.evaluation.json_rows import RowWriter
from metrics_framework.evaluation.parts.result import PartResult, SortedKeys
from metrics_framework.evaluation.storage.external_sort import ExternalSort, Row, merged
from metrics_framework.io.open_files import OpenFile

_ROWS_PER_BLOCK = 128


def packed(keys: Sequence[str], lines: Sequence[str]) -> tuple[SortedKeys, bytes]:
    """Returns the keys and the text of sorted rows."""
    blocks = [
        marshal.dumps(list(keys[start : start + _ROWS_PER_BLOCK])) for start in range(0, len(keys), _ROWS_PER_BLOCK)
    ]
    encoded = [line.encode() for line in lines]
    return SortedKeys(keys[0], keys[-1], blocks, array("I", map(len, encoded)).tobytes()), b"".join(encoded)


def write_sorted_parts(rows: RowWriter, parts: Iterable[PartResult]) -> None:
    """Writes the rows of all parts, sorted; either all parts have their rows in open files, or none has."""
    with closing(SortedParts()) as in_files, closing(ExternalSort()) as sort:
        for part in parts:
            if part.sorted_keys is not None and part.rows_file is not None:
                in_files.add(part.sorted_keys, part.rows_file)
            else:
                sort.add(zip(*part.sorted_rows, strict=True))
        in_files.write(rows)
        for block in sort.sorted_blocks():
            rows.write([line for _, line in block])


class _StoredPart(NamedTuple):
    """Where the rows of a part are in the temporary file."""

    first: str
    last: str
    start: int
    size: int
    key_blocks: list[tuple[int, int]]
    sizes: tuple[int, int]


class SortedParts:
    """The sorted rows of parts, in a temporary file that is deleted when it is closed or the process ends.

    Raises:
        OSError: if the file cannot be created, written or read; it names the temporary folder.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="fw-", buffering=0)  # noqa: SIM115 - open until close() is called
        self._parts: list[_StoredPart] = []
        self._end = 0

    def close(self) -> None:
        """Deletes the file."""
        self._file.close()

    def add(self, keys: SortedKeys, rows: OpenFile) -> None:
        """Adds a part."""
        try:
            start = self._end
            rows.send_to(self._file.fileno())
            self._end += rows.size
            blocks = [self._stored(block) for block in keys.blocks]
            self._parts.append(_StoredPart(keys.first, keys.last, start, rows.size, blocks, self._stored(keys.sizes)))
        except OSError as error:
            raise OSError(error.errno, error.strerror, tempfile.gettempdir()) from None

    def _stored(self, data: bytes) -> tuple[int, int]:
        """Appends bytes to the file; returns where they are."""
        start, self._end = self._end, self._end + len(data)
        self._file.write(data)
        return start, len(data)

    def write(self, rows: RowWriter) -> None:
        """Writes all rows, sorted."""
        parts = sorted(self._parts, key=lambda part: part.first)
        if all(part.last < following.first for part, following in pairwise(parts)):
            for part in parts:
                rows.write_file(OpenFile(self._file.fileno(), part.start, part.size))
            return
        for block in merged([self._blocks(part) for part in self._parts], _ROWS_PER_BLOCK):
            rows.write([line for _, line in block])

    def _blocks(self, part: _StoredPart) -> Iterator[list[Row]]:
        """Yields the keys and rows of a part, block by block."""
        sizes = array("I", self._read(*part.sizes))
        starts = [0, *accumulate(sizes)]
        for number, block in enumerate(part.key_blocks):
            keys = marshal.loads(self._read(*block))
            first = number * _ROWS_PER_BLOCK
            text = self._read(part.start + starts[first], starts[first + len(keys)] - starts[first])
            bounds = [start - starts[first] for start in starts[first : first + len(keys) + 1]]
            lines = [text[start:end].decode() for start, end in pairwise(bounds)]
            yield list(zip(keys, lines, strict=True))

    def _read(self, start: int, size: int) -> bytes:
        return os.pread(self._file.fileno(), size, start)
