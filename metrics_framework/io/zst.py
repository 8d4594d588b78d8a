"""Reads files compressed with Zstandard, with one or more frames; a truncated file is an error."""

from __future__ import annotations

import io
from types import ModuleType
from typing import IO, Any

from metrics_framework.common.errors import MissingExtraError
from metrics_framework.common.overriding import overrides

_CHUNK_SIZE = 1 << 17
_PIECE_SIZE = 1 << 11
"""The number of compressed bytes that are decompressed in one call.

A block of 128 KB can be compressed to 4 bytes, so a call returns at most 64 MB.
"""


def zstandard(path: str) -> ModuleType:
    """Returns the package zstandard.

    Raises:
        MissingExtraError: if it is not installed.
    """
    try:
        import zstandard
    except ImportError:
        raise MissingExtraError(f"reading or writing '{path}'", "zstandard", "zst") from None
    return zstandard


def zst_reader(packed: IO[bytes], path: str) -> io.BufferedIOBase:
    """Returns a stream of the decompressed bytes; closing it does not close the given stream.

    Raises:
        MissingExtraError: if the package zstandard is not installed.
    """
    return io.BufferedReader(_Frames(packed, zstandard(path)), _CHUNK_SIZE)


class _Frames(io.RawIOBase):
    """The decompressed bytes of all frames of a file; a truncated frame raises `EOFError`."""

    def __init__(self, packed: IO[bytes], package: ModuleType) -> None:
        self._packed = packed
        self._package = package
        self._frame: Any = None
        self._ready = memoryview(b"")

    @overrides
    def readable(self) -> bool:
        return True

    @overrides
    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            piece = self._unused() or self._packed.read(_PIECE_SIZE)
            if not piece:
                if self._frame is not None and not self._frame.eof:
                    raise EOFError("the compressed data are truncated")
                return 0
            if self._frame is None or self._frame.eof:
                self._frame = self._package.ZstdDecompressor().decompressobj()
            self._ready = memoryview(self._frame.decompress(piece))
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _unused(self) -> bytes:
        """Returns the bytes after the end of a frame, once."""
        if self._frame is None or not self._frame.eof:
            return b""
        left: bytes = self._frame.unused_data
        if left:
            self._frame = None
        return left
