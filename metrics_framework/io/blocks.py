"""Reads text files as blocks of whole lines, in bounded memory: plain or compressed, from a path or standard input."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

from metrics_framework.common.errors import DataError
from metrics_framework.io.compression import decompressed
from metrics_framework.io.locations import open_raw
from metrics_framework.io.pieces import Piece, range_of_lines
from metrics_framework.io.streams import STANDARD

MAX_LINE = 100_000_000
"""The greatest number of bytes in a line; a longer one is an error, so that no file takes all memory."""
_BUFFER_SIZE = 1 << 15  # the fastest size to decode from 8 KB to 256 KB: it fits into the CPU's cache
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DECOMPRESSION_ERRORS = ("ZstdError", "error")  # of zstandard and zlib, by name so that neither is imported
_TO_UTF_8 = "convert it to UTF-8, as in iconv -f {0} -t UTF-8 FILE > NEW"
_OTHER_FORMATS = (  # the first bytes, what they are, and what to do
    (rb"\xff\xfe\0\0|\0\0\xfe\xff", "UTF-32", _TO_UTF_8.format("UTF-32")),
    (rb"\xff\xfe|\xfe\xff", "UTF-16", _TO_UTF_8.format("UTF-16")),
    (rb"(?:[^\0]\0){2,}\n?\Z", "UTF-16", _TO_UTF_8.format("UTF-16LE")),  # one line, which ends within a character
    (rb"(?:\0[^\0]){2,}\Z", "UTF-16", _TO_UTF_8.format("UTF-16BE")),
    (rb"PK\x03\x04", "a zip archive or an Excel file", "unpack it, or save the table as CSV"),
    (rb"\xfd7zXZ\0", "xz", "unpack it with unxz"),
    (rb"PAR1", "Parquet", "read it from a file whose name ends in .parquet, not from a pipe"),
)
_SUSPICIOUS = (b"\xff\xfe", b"\xfe\xff", b"PK", b"\xfd7zXZ", b"PAR1")


def read_blocks(path: str, lines_before: Callable[[], int], piece: Piece | None = None) -> Iterator[str]:
    r"""Reads a text file as blocks of whole lines: strings with ``\n`` between the lines and none at the end.

    A line ends only at ``\n`` or ``\r\n``. A byte order mark at the start of any line is skipped: files that were
    concatenated have several. A block has at least one line, and is yielded as soon as it is read, so that lines of a
    slow pipe are not delayed.

    Args:
        path: The file; ``-`` is standard input. A file compressed with gzip, bzip2 or Zstandard is recognized by its
            ending or its first bytes.
        lines_before: Returns the number of lines of the blocks so far, for error messages. The caller splits the
            blocks and knows it; counting here would take a quarter more time.
        piece: The piece of the file to read; `None` for the whole file.

    Raises:
        DataError: if the file cannot be read, is not UTF-8, or has a line of more than `MAX_LINE` bytes.
    """
    try:
        with _opened(path, piece) as stream:
            for block in _whole_lines(stream, piece is None or piece.start == 0):
                yield block.decode("utf-8")
    except UnicodeDecodeError as error:
        encoded, end = error.object, error.object.rfind(b"\n", 0, error.start)
        if end >= 0:
            yield encoded[:end].decode("utf-8")
        problem = f"byte 0x{encoded[error.start]:02x} at position {error.start - end}"
        problem += f"; {_TO_UTF_8.format('WINDOWS-1252')}"
        raise DataError(f"is not UTF-8 text: {problem}", path, lines_before() + 1) from None
    except DataError as error:
        raise error if error.path else DataError(error.message, path, lines_before() + 1) from None
    except Exception as error:
        if not isinstance(error, (OSError, EOFError)) and type(error).__name__ not in _DECOMPRESSION_ERRORS:
            raise
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"cannot be read to its end: {reason}", path, lines_before() + 1) from None


def number_of_rows(piece: Piece) -> int:
    """Returns the number of lines of a piece of a file that are not empty.

    Raises:
        DataError: if it cannot be read.
    """
    blocks = read_blocks(piece.path, lambda: 0, piece)
    return sum(sum(1 for line in block.split("\n") if line.strip()) for block in blocks)


@contextmanager
def _opened(path: str, piece: Piece | None) -> Iterator[io.BufferedIOBase]:
    if path == STANDARD:
        if sys.stdin is None:
            raise DataError("standard input is closed", path)
        yield decompressed(cast("io.BufferedIOBase", sys.stdin.buffer), path)
        return
    try:
        raw: io.RawIOBase = io.FileIO(path) if "://" not in path else open_raw(path)
        if piece is not None and (piece.start or piece.end is not None):
            raw = range_of_lines(raw, piece)
        file = io.BufferedReader(raw, _BUFFER_SIZE)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path) from None
    with file:
        yield decompressed(file, path)


def _whole_lines(stream: io.BufferedIOBase, is_start: bool) -> Iterator[bytes]:
    """Yields blocks of complete lines, one for each read, without the last line end.

    Args:
        stream: The lines.
        is_start: Whether they are the first lines of a file, which show its format.

    Raises:
        DataError: if the data are another format, or a line is too long.
    """
    begun: list[bytes] = []  # a line whose end has not been read
    size = 0
    read = stream.readline(_BUFFER_SIZE)
    if is_start and (read.startswith(_SUSPICIOUS) or b"\0" in read):
        _refuse_other_formats(read[:64])
    while read:
        end = read.rfind(b"\n")
        if end < 0:
            begun.append(read)
            size += len(read)
            if size > MAX_LINE:
                raise DataError(f"the line has more than {MAX_LINE:,} bytes; is it a text file?")
        else:
            block = b"".join([*begun, memoryview(read)[:end]])
            if b"\r" in block:
                block = block.replace(b"\r\n", b"\n").removesuffix(b"\r")
            if not block.isascii() and _BYTE_ORDER_MARK in block:
                block = block.removeprefix(_BYTE_ORDER_MARK).replace(b"\n" + _BYTE_ORDER_MARK, b"\n")
            yield block
            begun = [read[end + 1 :]]
            size = len(begun[0])
        read = stream.read1()
        if not read and b"".join(begun).removeprefix(_BYTE_ORDER_MARK):  # the last line lacks its end
            read = b"\n"


def _refuse_other_formats(start: bytes) -> None:
    for pattern, kind, advice in _OTHER_FORMATS:
        if re.match(pattern, start):
            raise DataError(f"is not UTF-8 text but {kind}: {advice}")
