"""Joins the sorted rows of parts: copies them one after the other if their keys do not overlap, else merges them."""

from __future__ import annotations

import errno
import marshal
import os
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from metrics_framework.evaluation.json_rows import RowWriter
from metrics_framework.evaluation.parallel.copier import Copier
from metrics_framework.evaluation.parts.part import SortedKeys
from metrics_framework.evaluation.storage.external_sort import Row, merged
from metrics_framework.io.open_files import OpenFile, bytes_at

_ROWS_PER_BLOCK = 128


def packed(rows: Sequence[tuple[str, str]]) -> tuple[SortedKeys, bytes]:
    """Returns the keys and the text of sorted rows."""
    keys = [key for key, _ in rows]
    blocks = [marshal.dumps(keys[start : start + _ROWS_PER_BLOCK]) for start in range(0, len(keys), _ROWS_PER_BLOCK)]
    encoded = [line.encode() for _, line in rows]
    return SortedKeys(keys[0], keys[-1], blocks, array("I", map(len, encoded)).tobytes()), b"".join(encoded)


class _StoredPart(NamedTuple):
    """Where the rows and keys of a part are in the temporary files."""

    first: str
    last: str
    start: int
    size: int
    key_blocks: list[tuple[int, int]]
    sizes: tuple[int, int]


class SortedParts:
    """The sorted rows of parts and their keys, in temporary files that are deleted when they are closed.

    Raises:
        OSError: if a file cannot be created, written or read; it names the temporary folder.
    """

    def __init__(self) -> None:
        self._copier = Copier()
        self._rows = tempfile.TemporaryFile(prefix="fw-", buffering=0)  # noqa: SIM115 - open until close() is called
        self._keys = tempfile.TemporaryFile(prefix="fw-", buffering=0)  # noqa: SIM115 - open until close() is called
        self._parts: list[_StoredPart] = []
        self._end_of_rows = self._end_of_keys = 0

    def close(self) -> None:
        """Deletes the files."""
        self._copier.close()
        self._rows.close()
        self._keys.close()

    def add(self, keys: SortedKeys, rows: OpenFile) -> None:
        """Adds a part."""
        start, self._end_of_rows = self._end_of_rows, self._end_of_rows + rows.size
        self._copier.copy(rows, self._rows.fileno(), tempfile.gettempdir())
        try:
            blocks, sizes = [self._stored(block) for block in keys.blocks], self._stored(keys.sizes)
        except OSError as error:
            raise OSError(error.errno, error.strerror, tempfile.gettempdir()) from None
        self._parts.append(_StoredPart(keys.first, keys.last, start, rows.size, blocks, sizes))

    def _stored(self, data: bytes) -> tuple[int, int]:
        """Appends bytes to the file of keys; returns where they are."""
        start, self._end_of_keys = self._end_of_keys, self._end_of_keys + len(data)
        if self._keys.write(data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return start, len(data)

    def write(self, rows: RowWriter) -> None:
        """Writes all rows, sorted."""
        self._copier.finish()
        parts = sorted(self._parts, key=lambda part: part.first)
        if all(part.last < following.first for part, following in pairwise(parts)):
            for part in parts:
                rows.write_file(OpenFile(self._rows.fileno(), part.start, part.size))
            return
        for block in merged([self._blocks(part) for part in self._parts], _ROWS_PER_BLOCK):
            rows.write("".join([line for _, line in block]))

    def _blocks(self, part: _StoredPart) -> Iterator[list[Row]]:
        """Yields the keys and rows of a part, block by block."""
        sizes = array("I", self._key_bytes(*part.sizes))
        starts = [0, *accumulate(sizes)]
        for number, block in enumerate(part.key_blocks):
            keys = marshal.loads(self._key_bytes(*block))
            first = number * _ROWS_PER_BLOCK
            size = starts[first + len(keys)] - starts[first]
            text = bytes_at(self._rows.fileno(), size, part.start + starts[first])
            bounds = [start - starts[first] for start in starts[first : first + len(keys) + 1]]
            lines = [text[start:end].decode() for start, end in pairwise(bounds)]
            yield list(zip(keys, lines, strict=True))

    def _key_bytes(self, start: int, size: int) -> bytes:
        return bytes_at(self._keys.fileno(), size, start)
