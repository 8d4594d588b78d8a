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
    """The text of an open file.

    Args:
        descriptor: Its descriptor.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._size = os.fstat(descriptor).st_size

    def close(self) -> None:
        """Closes the file."""
        os.close(self._descriptor)

    def first_line(self) -> str:
        """Returns its first line, with its end."""
        line = b""
        while b"\n" not in line and len(line) < self._size:
            line += os.pread(self._descriptor, _BYTES_READ, len(line))
        return line[: line.find(b"\n") + 1].decode("utf-8")

    def copy(self, write: Callable[[str], object], start: int) -> None:
        """Writes the text from a position on: to a plain file without reading it.

        Args:
            write: Writes text.
            start: The position.

        Raises:
            OSError: if the file cannot be written; it names the file.
        """
        stream = _plain_file_of(write)
        if stream is None:
            write(os.pread(self._descriptor, self._size - start, start).decode("utf-8"))
            return
        stream.flush()
        try:
            while start < self._size:
                start += os.sendfile(stream.fileno(), self._descriptor, start, self._size - start)
        except OSError as error:
            raise OSError(error.errno, error.strerror, stream.buffer.raw.name) from None


def _plain_file_of(write: Callable[[str], object]) -> Any:
    """Returns the stream that a function writes to, if it is a file of text without compression."""
    stream = getattr(write, "__self__", None)
    buffer = getattr(stream, "buffer", None)
    is_plain = type(stream) is io.TextIOWrapper and type(buffer) is io.BufferedWriter and type(buffer.raw) is NamedFile
    return stream if is_plain else None
