"""Pieces of input files, so that several processes can read one file."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass

from metrics_framework.common.errors import FwError
from metrics_framework.common.overriding import overrides
from metrics_framework.io.compression import is_compressed
from metrics_framework.io.locations import is_remote, range_size

_BYTES_READ = 1 << 16


@dataclass
class Piece:
    """A range of an input file: bytes of JSON lines or row groups of Parquet; or the whole file.

    A line belongs to the piece in which it begins, so that every line is in exactly one of the pieces of a file.

    Args:
        path: The file.
        name: The system of rows without one.
        start: The first byte or row group.
        end: The byte or row group after the last one; `None` for the end of the file.
        size: Its number of bytes, if it is known.

    Attributes:
        lines: The number of lines or rows; set when the piece has been read to its end.
        stopped: Whether a problem ended the reading of the file; set by reading.
        is_numbered: Whether rows have no ids, so that they are numbered; `None` if the first row decides.
        rows_before: If rows are numbered, the number of rows of the file before the piece.
        system: If rows are numbered, the system of all rows of the file; `None` if the first row decides.
    """

    path: str
    name: str
    start: int = 0
    end: int | None = None
    size: int | None = None
    lines: int = 0
    stopped: bool = False
    is_numbered: bool | None = None
    rows_before: int = 0
    system: str | None = None


def pieces_of_lines(path: str, name: str, size: int) -> list[Piece]:
    """Splits a file of lines into pieces of about equal size; compressed files and pipes are one piece.

    Args:
        path: The file.
        name: The system of rows without one.
        size: The greatest number of bytes of a piece.
    """
    length = splittable_size(path)
    if length is None or length <= size:
        return [Piece(path, name, size=length)]
    count = -(-length // size)
    bounds = [length * number // count for number in range(count + 1)]
    ends = [*bounds[1:-1], None]
    return [
        Piece(path, name, start, end, following - start)
        for start, following, end in zip(bounds, bounds[1:], ends, strict=False)
    ]


def splittable_size(path: str) -> int | None:
    """Returns the number of bytes of a file that can be read in pieces; `None` for one that cannot, or cannot be read.

    A file that cannot be read is reported when it is read.
    """
    try:
        if is_remote(path):
            return None if is_compressed(path) else range_size(path)
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode) or is_compressed(path):
            return None
    except (OSError, FwError):
        return None
    return status.st_size


def total_size(paths: Sequence[str]) -> int:
    """Returns the number of bytes of files; those that cannot be split are left out."""
    return sum(splittable_size(path) or 0 for path in paths)


def range_of_lines(file: io.RawIOBase, piece: Piece) -> LimitedFile:
    """Returns the bytes of the lines that begin in a piece.

    Args:
        file: The file, which can be positioned.
        piece: A range of its bytes.
    """
    begin = _next_line(file, piece.start)
    end = None if piece.end is None else _next_line(file, piece.end)
    file.seek(begin)
    return LimitedFile(file, None if end is None else max(0, end - begin))


def _next_line(file: io.RawIOBase, position: int) -> int:
    """Returns the position of the first line that begins at a position or after it."""
    if position == 0:
        return 0
    file.seek(position - 1)
    passed = position - 1
    while data := file.read(_BYTES_READ):
        end = data.find(b"\n")
        if end >= 0:
            return passed + end + 1
        passed += len(data)
    return passed


class LimitedFile(io.RawIOBase):
    """The next bytes of a file; closing it closes the file.

    Args:
        file: The file.
        limit: The number of bytes; `None` for all.
    """

    def __init__(self, file: io.RawIOBase, limit: int | None) -> None:
        self._file = file
        self._left = limit

    @overrides
    def readable(self) -> bool:
        return True

    @overrides
    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        if self._left is None:
            return self._file.readinto(buffer) or 0
        count = self._file.readinto(memoryview(buffer)[: self._left]) or 0
        self._left -= count
        return count

    @overrides
    def close(self) -> None:
        self._file.close()
        super().close()
