"""Open files that one process fills and another one copies to an output, without reading them into its memory."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from typing import Any

from metrics_framework.io.replacement import NamedFile

_BYTES_READ = 1 << 18


def in_open_file(data: bytes) -> int | None:
    """Returns the descriptor of a new file in memory with the data; `None` if the system has no such files."""
    if not hasattr(os, "memfd_create"):
        return None
    descriptor = os.memfd_create("rows")
    with os.fdopen(descriptor, "wb", closefd=False) as file:
        file.write(data)
    return descriptor


class OpenFile:
    """The text of an open file, or a range of it; a ``with`` block closes it.

    Args:
        descriptor: Its descriptor.
        start: The first byte.
        size: The number of bytes; by default, all up to the end.

    Attributes:
        descriptor: The descriptor.
        start: The first byte.
        size: The number of bytes.
    """

    def __init__(self, descriptor: int, start: int = 0, size: int | None = None) -> None:
        self.descriptor = descriptor
        self.start = start
        self.size = os.fstat(descriptor).st_size - start if size is None else size

    def __enter__(self) -> OpenFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        os.close(self.descriptor)

    def duplicate(self) -> OpenFile:
        """Returns another object for the same text, which is closed by itself."""
        return OpenFile(os.dup(self.descriptor), self.start, self.size)

    def after(self, size: int) -> OpenFile:
        """Returns an object for the text without its first bytes; it has the same descriptor."""
        return OpenFile(self.descriptor, self.start + size, self.size - size)

    def first_line(self) -> str:
        """Returns its first line, with its end."""
        line = b""
        while b"\n" not in line and len(line) < self.size:
            line += os.pread(self.descriptor, _BYTES_READ, self.start + len(line))
        return line[: line.find(b"\n") + 1].decode("utf-8")

    def texts(self) -> Iterator[str]:
        """Yields the text in strings of complete lines."""
        position, end, begun = self.start, self.start + self.size, b""
        while position < end and (block := os.pread(self.descriptor, min(_BYTES_READ, end - position), position)):
            position += len(block)
            complete, line_break, begun = (begun + block).rpartition(b"\n")
            if line_break:
                yield (complete + line_break).decode("utf-8")
        if begun:
            yield begun.decode("utf-8")

    def send_to(self, descriptor: int) -> None:
        """Copies the bytes to the position of another open file, without reading them.

        Args:
            descriptor: The descriptor of the other file.

        Raises:
            OSError: if the file cannot be written.
        """
        sent = 0
        while sent < self.size:
            sent += os.sendfile(descriptor, self.descriptor, self.start + sent, self.size - sent)


def plain_file_of(write: Callable[[str], object]) -> Any:
    """Returns the stream that a function writes to, if it is a file of text without compression."""
    stream = getattr(write, "__self__", None)
    buffer = getattr(stream, "buffer", None)
    is_plain = type(stream) is io.TextIOWrapper and type(buffer) is io.BufferedWriter and type(buffer.raw) is NamedFile
    return stream if is_plain else None
