"""Reads files compressed with Zstandard, with one or more frames; a truncated file is an error."""

from __future__ import annotations

import io
from types import ModuleType
from typing import IO, Any, cast

from overrides import overrides

from metrics_framework.common.errors import MissingExtraError

_CHUNK_SIZE = 1 << 17


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


def open_zst(path: str) -> IO[bytes]:
    """Opens a file for reading bytes.

    Raises:
        OSError: if it cannot be opened.
        MissingExtraError: if the package zstandard is not installed.
    """
    package = zstandard(path)
    return cast("IO[bytes]", io.BufferedReader(_Frames(open(path, "rb"), package), _CHUNK_SIZE))


class _Frames(io.RawIOBase):
    """The decompressed bytes of all frames of a file; a truncated frame raises `EOFError`."""

    def __init__(self, packed: IO[bytes], package: ModuleType) -> None:
        self._packed = packed
        self._package = package
        self._frame: Any = None
        self._ready = b""

    @overrides
    def readable(self) -> bool:
        return True

    @overrides
    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            chunk = self._unused() or self._packed.read(_CHUNK_SIZE)
            if not chunk:
                if self._frame is not None and not self._frame.eof:
                    raise EOFError("the compressed data are truncated")
                return 0
            if self._frame is None or self._frame.eof:
                self._frame = self._package.ZstdDecompressor().decompressobj()
            self._ready = self._frame.decompress(chunk)
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    @overrides
    def close(self) -> None:
        self._packed.close()
        super().close()

    def _unused(self) -> bytes:
        """Returns the bytes after the end of a frame, once."""
        if self._frame is None or not self._frame.eof:
            return b""
        left: bytes = self._frame.unused_data
        if left:
            self._frame = None
        return left
