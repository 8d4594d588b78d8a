"""Open files that one process fills and another one copies to an output, without reading them into its memory."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import Any

from metrics_framework.io.replacement import NamedFile

_BYTES_READ = 1 << 16


def in_open_file(data: bytes) -> int | None:
    """Returns the descriptor of a new file in memory with the data; `None` if the system has no such files."""
    if not hasattr(os, "memfd_create"):
        return None
    descriptor = os.memfd_create("rows")
    with os.fdopen(descriptor, "wb", closefd=False) as file:
        file.write(data)
    return descriptor


class OpenFile:
    """The text of an open file, or a range of it.

    Args:
        descriptor: Its descriptor.
        start: The first byte.
        size: The number of bytes; by default, all up to the end.

    Attributes:
        size: The number of bytes.
    """

    def __init__(self, descriptor: int, start: int = 0, size: int | None = None) -> None:
        self._descriptor = descriptor
        self._start = start
        self.size = os.fstat(descriptor).st_size - start if size is None else size

    def close(self) -> None:
        """Closes the file."""
        os.close(self._descriptor)

    def first_line(self) -> str:
        """Returns its first line, with its end."""
        line = b""
        while b"\n" not in line and len(line) < self.size:
            line += os.pread(self._descriptor, _BYTES_READ, self._start + len(line))
        return line[: line.find(b"\n") + 1].decode("utf-8")

    def write_to(self, write: Callable[[str], object], after: int = 0) -> None:
        """Writes the text: to a plain file without reading it.

        Args:
            write: Writes text.
            after: The number of bytes to leave out at the start.

        Raises:
            OSError: if the file cannot be written; it names the file.
        """
        stream = _plain_file_of(write)
        if stream is None:
            write(os.pread(self._descriptor, self.size - after, self._start + after).decode("utf-8"))
            return
        stream.flush()
        try:
            self.send_to(stream.fileno(), after)
        except OSError as error:
            raise OSError(error.errno, error.strerror, stream.buffer.raw.name) from None

    def send_to(self, descriptor: int, after: int = 0) -> None:
        """Copies the bytes to the position of another open file, without reading them.

        Args:
            descriptor: The descriptor of the other file.
            after: The number of bytes to leave out at the start.

        Raises:
            OSError: if the file cannot be written.
        """
        while after < self.size:
            after += os.sendfile(descriptor, self._descriptor, self._start + after, self.size - after)


def _plain_file_of(write: Callable[[str], object]) -> Any:
    """Returns the stream that a function writes to, if it is a file of text without compression."""
    stream = getattr(write, "__self__", None)
    buffer = getattr(stream, "buffer", None)
    is_plain = type(stream) is io.TextIOWrapper and type(buffer) is io.BufferedWriter and type(buffer.raw) is NamedFile
    return stream if is_plain else None
