"""Compression by gzip, bzip2 and Zstandard: selected by the ending of a file, when reading also by its first bytes."""

from __future__ import annotations

import io
import re
from typing import IO, cast

from metrics_framework.io.locations import open_raw

COMPRESSED_ENDINGS = (".gz", ".bz2", ".zst")
_MAGIC = re.compile(rb"(?P<gz>\x1f\x8b)|(?P<bz2>BZh[1-9]1AY&SY)|(?P<zst>\x28\xb5\x2f\xfd)")


def decompressed(stream: io.BufferedIOBase, path: str) -> io.BufferedIOBase:
    """Returns a stream of the decompressed bytes, or the stream itself if it is not compressed.

    The caller closes the given stream.

    Args:
        stream: The bytes of the file.
        path: The path; without an ending of a compressed file, the first bytes decide.

    Raises:
        MissingExtraError: if the package zstandard is needed but not installed.
        OSError: if the first bytes cannot be read.
    """
    kind = path.rpartition(".")[2] if path.endswith(COMPRESSED_ENDINGS) else ""
    if not kind and isinstance(stream, io.BufferedReader):
        magic = _MAGIC.match(stream.peek(1))  # a pipe delivers more than the ten bytes that are needed, or has ended
        kind = str(magic.lastgroup) if magic else ""
    if kind == "gz":
        import gzip

        return cast("io.BufferedIOBase", gzip.GzipFile(fileobj=stream))
    if kind == "bz2":
        import bz2

        return cast("io.BufferedIOBase", bz2.BZ2File(cast("IO[bytes]", stream)))
    if kind == "zst":
        from metrics_framework.io.zst import zst_reader

        return zst_reader(cast("IO[bytes]", stream), path)
    return stream


def is_compressed(path: str) -> bool:
    """Returns whether a file is compressed, by its ending or its first bytes.

    Raises:
        OSError: if its first bytes cannot be read.
    """
    if path.endswith(COMPRESSED_ENDINGS):
        return True
    with open_raw(path) as file:
        return _MAGIC.match(file.read(10) or b"") is not None


def compressor(stream: IO[bytes], path: str) -> IO[bytes]:
    """Returns a stream that compresses what is written to it, by the ending of the path.

    Closing it writes the end of the compressed data, but does not close the given stream. Equal data have equal bytes.

    Raises:
        MissingExtraError: if the package zstandard is needed but not installed.
    """
    if path.endswith(".gz"):
        import gzip

        return cast("IO[bytes]", gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0))
    if path.endswith(".bz2"):
        import bz2

        return cast("IO[bytes]", bz2.BZ2File(stream, "wb"))
    from metrics_framework.io.zst import zstandard

    return cast("IO[bytes]", zstandard(path).ZstdCompressor().stream_writer(stream, closefd=False))
