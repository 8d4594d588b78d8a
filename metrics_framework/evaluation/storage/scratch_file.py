"""A nameless file for what memory should not hold."""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

_SIZE = 8
"""Bytes in front of a block that say how long it is."""


class ScratchFile:
    """A file in the folder for temporary files that is gone when it is closed, or when the process ends.

    All is written before anything is read. Only the process that writes it reads it, so blocks are in the format of
    `marshal`, the fastest that Python has and the one that takes every string.

    Raises:
        OSError: if the disk is full or cannot be written to; it names the folder, which is not that of the output.
    """

    def __init__(self) -> None:
        import tempfile

        self._folder = tempfile.gettempdir()
        self._end = 0
        try:
            self._file = tempfile.TemporaryFile(prefix="fw-")  # noqa: SIM115 - kept open
        except OSError as error:
            raise self._named(error) from None

    @property
    def closed(self) -> bool:
        """Whether the file is gone."""
        return self._file.closed

    def close(self) -> None:
        """Removes the file; that what nobody will read could not be written is no error any more."""
        with suppress(OSError):
            self._file.close()

    def write(self, data: bytes) -> int:
        """Writes behind all that is there and returns where that was."""
        start = self._end
        try:
            self._file.write(data)
        except OSError as error:
            raise self._named(error) from None
        self._end += len(data)
        return start

    def read(self, start: int, size: int) -> bytes:
        """Reads so many bytes from there, fewer at the end of the file."""
        try:
            if self._file.tell() != start:
                self._file.seek(start)
            return self._file.read(size)
        except OSError as error:
            raise self._named(error) from None

    def write_block(self, value: Any) -> None:
        """Writes a value made of lists, tuples, strings, numbers and `None`."""
        data = marshal.dumps(value)
        self.write(len(data).to_bytes(_SIZE, "little"))
        self.write(data)

    def blocks(self) -> Iterator[Any]:
        """Gives the values back, in the order in which they were written."""
        start = 0
        while head := self.read(start, _SIZE):
            size = int.from_bytes(head, "little")
            yield marshal.loads(self.read(start + _SIZE, size))
            start += _SIZE + size

    def _named(self, error: OSError) -> OSError:
        return OSError(error.errno, error.strerror, self._folder)
