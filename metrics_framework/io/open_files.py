"""Open files that one process fills and another one copies to an output, without reading them into its memory."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable, Iterator
from typing import Any

from metrics_framework.io.writing import NamedFile

_BYTES_READ = 1 << 18
_CANNOT_SEND = (errno.EINVAL, errno.ENOSYS, errno.ENOTSOCK, errno.ENOTSUP, errno.EOPNOTSUPP)
"""The errors of systems that send files only to sockets (macOS), or not to files opened for appending (Linux)."""


def in_open_file(data: bytes) -> int | None:
    """Returns the descriptor of a new file in memory with the data; `None` if the system has no such files."""
    if not hasattr(os, "memfd_create"):
        return None
    descriptor = os.memfd_create("rows")
    with os.fdopen(descriptor, "wb", closefd=False) as file:
        file.write(data)
    return descriptor


def bytes_at(descriptor: int, size: int, position: int) -> bytes:
    """Returns up to `size` bytes of an open file from a position on; the position of its next read or write is kept.

    Args:
        descriptor: The descriptor of the file.
        size: The greatest number of bytes.
        position: The position of the first byte.
    """
    if hasattr(os, "pread"):
        return os.pread(descriptor, size, position)
    before = os.lseek(descriptor, 0, os.SEEK_CUR)  # on Windows
    os.lseek(descriptor, position, os.SEEK_SET)
    try:
        return os.read(descriptor, size)
    finally:
        os.lseek(descriptor, before, os.SEEK_SET)


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
            line += bytes_at(self.descriptor, _BYTES_READ, self.start + len(line))
        return line[: line.find(b"\n") + 1].decode("utf-8")

    def texts(self) -> Iterator[str]:
        """Yields the text in strings of complete lines."""
        position, end, begun = self.start, self.start + self.size, b""
        while position < end and (block := bytes_at(self.descriptor, min(_BYTES_READ, end - position), position)):
            position += len(block)
            complete, line_break, begun = (begun + block).rpartition(b"\n")
            if line_break:
                yield (complete + line_break).decode("utf-8")
        if begun:
            yield begun.decode("utf-8")

    def send_to(self, descriptor: int) -> None:
        """Copies the bytes to the position of another open file, where the system can, without reading them.

        Args:
            descriptor: The descriptor of the other file.

        Raises:
            OSError: if the file cannot be written, or ends too early.
        """
        sent = 0
        while sent < self.size:
            count = self._sent(descriptor, sent)
            if count == 0:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            sent += count

    def _sent(self, descriptor: int, start: int) -> int:
        """Copies bytes from a position on; returns their number, 0 at the end of the file."""
        if hasattr(os, "sendfile"):
            try:
                return os.sendfile(descriptor, self.descriptor, self.start + start, self.size - start)
            except OSError as error:
                if error.errno not in _CANNOT_SEND:
                    raise
        block = bytes_at(self.descriptor, min(_BYTES_READ, self.size - start), self.start + start)
        return os.write(descriptor, block) if block else 0


def plain_file_of(write: Callable[[str], object]) -> Any:
    """Returns the stream that a function writes to, if it is a file of text without compression."""
    stream = getattr(write, "__self__", None)
    buffer = getattr(stream, "buffer", None)
    is_plain = type(stream) is io.TextIOWrapper and type(buffer) is io.BufferedWriter and type(buffer.raw) is NamedFile
    return stream if is_plain else None
