"""Reads text files as blocks of whole lines, in bounded memory: plain or compressed, whole or in pieces (`Piece`).

``-`` is standard input. Compression (gzip, bzip2, Zstandard) is recognized by the ending of a file or its first bytes,
UTF-16 by its byte order mark, or because every second of its first bytes is 0.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, islice, zip_longest
from types import ModuleType
from typing import Any, NoReturn

from metrics_framework.common.errors import DataError, FwError, MissingExtraError, counted
from metrics_framework.common.logs import announce
from metrics_framework.common.overriding import overrides
from metrics_framework.io.locations import BYTES_AT_START, is_remote, open_raw, range_size, reading, start_of_file

STANDARD = "-"
"""Standard input or output as a path."""
COMPRESSED_ENDINGS = (".gz", ".bz2", ".zst")
_KNOWN_ENDINGS = (  # those that are not part of the name of a system; others are, as in beam.0.1
    *(".txt", ".text", ".out", ".hyp", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".xml", ".xlsx"),
    *(".parquet", ".arrow", ".feather"),
)
MAX_LINE = 100_000_000
"""The greatest number of bytes in a line; a longer one is an error, so that no file takes all memory."""
_BUFFER_SIZE = 1 << 17  # JSON lines are read 6 % faster than with 32 KB; text files take the same time
_BYTES_SEARCHED = 1 << 16  # at a time, for the first line of a piece
_BLOCKS_SEARCHED = 256  # after a byte that is not UTF-8, for characters that are
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DECOMPRESSION_ERRORS = ("ZstdError", "error")  # of zstandard and zlib, by name so that neither is imported
_TO_UTF_8 = "convert it to UTF-8, as in iconv -f {0} -t UTF-8 FILE > NEW"
_CORRECT = "other characters of the file are UTF-8, so correct this line; to convert the file would destroy them"
_OTHER_FORMATS = (  # the first bytes, what they are, and what to do
    (rb"\xff\xfe\0\0|\0\0\xfe\xff", "UTF-32", _TO_UTF_8.format("UTF-32")),
    (rb"PK\x03\x04", "a zip archive or an Excel file", "unpack it, or save the table as CSV"),
    (rb"\xfd7zXZ\0", "xz", "unpack it with unxz"),
    (rb"PAR1", "Parquet", "read it from a file of rows, not from a pipe"),
    (rb"ARROW1", "Arrow", "read it from a file of rows, not from a pipe"),
)
_SUSPICIOUS = (b"\xff\xfe", b"PK", b"\xfd7zXZ", b"PAR1", b"ARROW1")
_UTF_16 = re.compile(
    rb"(?P<utf_16>\xff\xfe(?!\0\0)|\xfe\xff)|(?P<utf_16_le>(?:[^\0]\0){2,}[^\0]?\Z)|(?P<utf_16_be>(?:\0[^\0]){2,}\0?\Z)"
)
_UTF_16_BYTES = 64
_COMPRESSED = re.compile(rb"(?P<gz>\x1f\x8b)|(?P<bz2>BZh[1-9]1AY&SY)|(?P<zst>\x28\xb5\x2f\xfd)")
_MAX_EXPANSION = 500
_MIN_SIZE_ANNOUNCED = 1 << 24
_ZST_BYTES_READ = 1 << 11
"""The number of bytes of Zstandard that are decompressed in one call.

A block of 128 KB can be compressed to 4 bytes, so a call returns at most 64 MB.
"""


def stem(path: str) -> str:
    """Returns the file's name without folder and known endings.

    >>> stem("runs/careful.jsonl.gz"), stem("beam.0.1.txt"), stem("newstest2017.FBK.4870.en-de"), stem("r.arrow")
    ('careful', 'beam.0.1', 'newstest2017.FBK.4870.en-de', 'r')
    """
    if path == STANDARD:
        return "stdin"
    name = os.path.basename(uncompressed_name(path))
    without, ending = os.path.splitext(name)
    return without if ending.lower() in _KNOWN_ENDINGS else name


def uncompressed_name(path: str) -> str:
    """Returns the path without ``.gz``, ``.bz2`` or ``.zst``, and a URL without its query."""
    if "?" in path and path.startswith(("http://", "https://")):
        path = path.partition("?")[0]
    for ending in COMPRESSED_ENDINGS:
        if path.endswith(ending):
            return path[: -len(ending)]
    return path


def is_read_once(path: str) -> bool:
    """Returns whether an input can be read only once: standard input, or a pipe such as ``<(command)``."""
    if path == STANDARD:
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # a missing file, or a remote one
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def read_lines(path: str) -> Iterator[str]:
    """Reads a file line by line, without line ends; the last line may lack its end.

    Raises:
        DataError: if the file cannot be read or is not UTF-8.
    """
    number = 0
    blocks = read_blocks(path, lambda: number)
    for block in blocks:
        lines = block.split("\n")
        number += len(lines)
        yield from lines


def read_parallel(paths: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Reads several files in parallel: yields line n of every file.

    Raises:
        DataError: if a file cannot be read, or has fewer lines than another.
    """
    files = [read_lines(path) for path in paths]
    for number, lines in enumerate(zip_longest(*files), 1):
        if None in lines:
            _refuse_unequal(paths, files, lines, number)
        yield lines


def listed_counts(paths: Sequence[str], counts: Sequence[int]) -> str:
    """Returns how many lines or rows each of several files has, for the error that they are not as many."""
    return ", ".join(f"{path} has {count}" for path, count in zip(paths, counts, strict=True))


def _refuse_unequal(
    paths: Sequence[str], files: Sequence[Iterator[str]], lines: Sequence[str | None], number: int
) -> NoReturn:
    counts = [
        number - 1 if line is None else number + sum(1 for _ in file) for file, line in zip(files, lines, strict=True)
    ]
    listing = listed_counts(paths, counts)
    shortest = paths[lines.index(None)]
    end = f"ends after {counted(number - 1, 'line')}" if number > 1 else "is empty"
    raise DataError(f"{end}; all files must have the same number of lines: {listing}", shortest, number - 1 or None)


def content_of(path: str) -> bytes:
    """Returns the content of a file.

    Raises:
        DataError: if it cannot be read.
    """
    with reading(path), io.BufferedReader(open_raw(path)) as stream:
        return stream.read()


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
    is_ascii = True
    try:
        with _opened(path, piece, is_announced=True) as stream:
            blocks = _whole_lines(stream, piece is None or piece.start == 0)
            for block in blocks:
                try:
                    text = block.decode("utf-8")
                except UnicodeDecodeError as error:
                    end = block.rfind(b"\n", 0, error.start)
                    if end >= 0:
                        yield block[:end].decode("utf-8")
                    problem = f"byte 0x{block[error.start]:02x} at position {error.start - end}"
                    further = islice(blocks, 0 if is_read_once(path) else _BLOCKS_SEARCHED)
                    is_ascii = is_ascii and all(one.decode("utf-8", "ignore").isascii() for one in (block, *further))
                    advice = _TO_UTF_8.format("WINDOWS-1252") if is_ascii else _CORRECT
                    raise DataError(f"is not UTF-8 text: {problem}; {advice}", path, lines_before() + 1) from None
                is_ascii = is_ascii and text.isascii()
                yield text
    except DataError as error:
        raise error if error.path else DataError(error.message, path, lines_before() + 1) from None
    except Exception as error:
        raise DataError(f"cannot be read to its end: {_reason(error)}", path, lines_before() + 1) from None


def _reason(error: Exception) -> object:
    """Returns why bytes cannot be read; raises another error again."""
    if not isinstance(error, (OSError, EOFError)) and type(error).__name__ not in _DECOMPRESSION_ERRORS:
        raise error
    return getattr(error, "strerror", None) or error


def start_of(path: str) -> bytes:
    """Returns the first bytes of a file as `read_blocks` reads it: decompressed, UTF-16 as UTF-8, without a mark.

    A pipe is read until the first line is complete; what was read is kept, and read again by the next reader.

    Raises:
        DataError: if the file cannot be read.
        MissingExtraError: if the package zstandard is needed but not installed.
    """
    start = b""
    try:
        if is_read_once(path):
            packed = _packed(path)
            packed = getattr(packed, "enter_result", packed)
            kept, begun = _begun.get(path, (b"", None))
            if begun is not packed:
                kept = _first_line(packed)
                _begun[path] = kept, packed
        else:
            kept = start_of_file(path)
            if path.endswith(COMPRESSED_ENDINGS) or _COMPRESSED.match(kept):
                return _unpacked_start(path, kept)
        stream = _decoded(path, io.BufferedReader(io.BytesIO(kept)))
        while len(start) < BYTES_AT_START and (data := stream.read1()):
            start += data
    except Exception as error:
        reason = _reason(error)
        if not start and not is_read_once(path):
            raise DataError(f"cannot be read: {reason}", path) from None
    return start.removeprefix(_BYTE_ORDER_MARK)


@lru_cache(64)
def _unpacked_start(path: str, _packed_start: bytes) -> bytes:
    with _opened(path) as stream:
        return stream.read(BYTES_AT_START).removeprefix(_BYTE_ORDER_MARK)


def _first_line(stream: Any) -> bytes:
    start = b""
    while len(start) < BYTES_AT_START and b"\n" not in start and (data := stream.read1(BYTES_AT_START)):
        start += data
    return start


def number_of_rows(piece: Piece) -> int:
    """Returns the number of lines of a piece of a file that are not empty.

    Raises:
        DataError: if it cannot be read.
    """
    blocks = read_blocks(piece.path, lambda: 0, piece)
    return sum(sum(1 for line in block.split("\n") if line.strip()) for block in blocks)


_begun: dict[str, tuple[bytes, Any]] = {}
"""Pipes whose first bytes were read to know their format: these bytes, and the stream of the others."""


@contextmanager
def _opened(path: str, piece: Piece | None = None, is_announced: bool = False) -> Iterator[io.BufferedIOBase]:
    """Opens a file to read its decompressed bytes in UTF-8.

    Raises:
        DataError: if the file cannot be opened, or standard input is closed.
        MissingExtraError: if the package zstandard is needed but not installed.
        OSError: if the first bytes cannot be read.
    """
    with _packed(path, piece) as stream:
        start, begun = _begun.pop(path, (b"", None))
        if begun is stream:
            others = iter(partial(stream.read1, _BUFFER_SIZE), b"")
            stream = io.BufferedReader(_Joined(chain([start], others)))
        yield _decoded(path, stream, is_announced)


def _packed(path: str, piece: Piece | None = None) -> Any:
    """Returns a context with the bytes of a file, which closes it unless it is standard input.

    Raises:
        DataError: if the file cannot be opened, or standard input is closed.
    """
    if path == STANDARD:
        if sys.stdin is None:
            raise DataError("standard input is closed", path)
        return nullcontext(sys.stdin.buffer)
    if path in _begun:
        return _begun[path][1]
    try:
        raw: io.RawIOBase = io.FileIO(path) if "://" not in path else open_raw(path)
        if piece is not None and (piece.start or piece.end is not None):
            raw = _range_of_lines(raw, piece)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path) from None
    return io.BufferedReader(raw, _BUFFER_SIZE)


def _decoded(path: str, stream: Any, is_announced: bool = False) -> io.BufferedIOBase:
    """Returns a stream without compression and in UTF-8; without a known ending, its first bytes decide."""
    kind = path.rpartition(".")[2] if path.endswith(COMPRESSED_ENDINGS) else ""
    if not kind and isinstance(stream, io.BufferedReader):
        found = _COMPRESSED.match(stream.peek(1))  # a pipe delivers more than the ten bytes needed, or has ended
        kind = str(found.lastgroup) if found else ""
    if kind:
        stream = io.BufferedReader(_Joined(_unpacked(_Packed(stream), kind, path, is_announced)), _BUFFER_SIZE)
    found = _UTF_16.match(stream.peek(1)[:_UTF_16_BYTES]) if hasattr(stream, "peek") else None
    if not found:
        return stream  # type: ignore[no-any-return]
    encoding = str(found.lastgroup).replace("_", "-")
    return io.BufferedReader(_Joined(_recoded(stream, encoding)), _BUFFER_SIZE)


class Expansion:
    """Announces once that the content of a file is far larger than the file, so that reading it may take long.

    Args:
        path: The file.
        packed: The number of bytes of the file, or those that were read so far.
    """

    def __init__(self, path: str, packed: int = 0) -> None:
        self._path, self.packed, self._size, self._is_announced = path, packed, 0, False

    def add(self, size: int) -> None:
        """Adds what was read."""
        self._size += size
        if not self._is_announced and self._size > max(_MIN_SIZE_ANNOUNCED, _MAX_EXPANSION * self.packed):
            announce(f"{self._path} expands to more than {_MAX_EXPANSION} times its size; Ctrl-C stops reading it")
            self._is_announced = True


class _Packed:
    """Compressed bytes, which are counted."""

    def __init__(self, stream: Any) -> None:
        self._stream, self.count = stream, 0

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._stream.read(size)
        self.count += len(data)
        return data


def _unpacked(packed: Any, kind: str, path: str, is_announced: bool) -> Iterator[bytes]:
    """Yields the decompressed bytes of a file as they arrive, so that a slow pipe does not delay lines."""
    import bz2
    import gzip

    if kind == "zst":
        pieces = zst_frames(packed, zstandard(path))
    else:
        stream: Any = gzip.GzipFile(fileobj=packed) if kind == "gz" else bz2.BZ2File(packed)
        pieces = iter(partial(stream.read1, _BUFFER_SIZE), b"")
    expansion = Expansion(path)
    for piece in pieces:
        expansion.packed = packed.count
        expansion.add(len(piece) * is_announced)
        yield piece


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
    if is_start and b"\n" not in read and len(read) < _BUFFER_SIZE and read.count(b"\r") > 1 and read[-1:] == b"\r":
        raise DataError("lines end in carriage returns alone; convert them, as in tr '\\r' '\\n' < FILE > NEW")
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


def consecutive(sizes: Sequence[int | None], most: int) -> list[range]:
    """Returns the indices of consecutive sizes in groups; the sum of a group of several is at most a given number.

    Args:
        sizes: The sizes; one that is unknown is a group.
        most: The number.

    >>> consecutive([3, 4, 9, None, 1, 2], 8)
    [range(0, 2), range(2, 3), range(3, 4), range(4, 6)]
    """
    starts, left = list[int](), 0
    for index, size in enumerate(sizes):
        if size is None or size > left or not starts:
            starts.append(index)
            left = most
        left -= most if size is None else size
    return list(map(range, starts, [*starts[1:], len(sizes)]))


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
            return None if _is_compressed(path) else range_size(path)
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode) or _is_compressed(path):
            return None
    except (OSError, FwError):
        return None
    return status.st_size


def _range_of_lines(file: io.RawIOBase, piece: Piece) -> io.RawIOBase:
    """Returns the bytes of the lines that begin in a piece; closing it closes the file.

    Args:
        file: The file, which can be positioned.
        piece: A range of its bytes.
    """
    begin = _next_line(file, piece.start)
    end = None if piece.end is None else _next_line(file, piece.end)
    file.seek(begin)
    return file if end is None else _Joined(_limited(file, end - begin), file)


def _limited(file: io.RawIOBase, limit: int) -> Iterator[bytes]:
    while limit > 0 and (data := file.read(min(limit, _BUFFER_SIZE))):
        limit -= len(data)
        yield data


def _next_line(file: io.RawIOBase, position: int) -> int:
    """Returns the position of the first line that begins at a position or after it."""
    if position == 0:
        return 0
    file.seek(position - 1)
    passed = position - 1
    while data := file.read(_BYTES_SEARCHED):
        end = data.find(b"\n")
        if end >= 0:
            return passed + end + 1
        passed += len(data)
    return passed


def _is_compressed(path: str) -> bool:
    """Returns whether a file is compressed or in UTF-16, by its ending or its first bytes.

    Raises:
        OSError: if its first bytes cannot be read.
    """
    if path.endswith(COMPRESSED_ENDINGS):
        return True
    start = start_of_file(path)[:_UTF_16_BYTES]
    return (_COMPRESSED.match(start) or _UTF_16.match(start)) is not None


class _Joined(io.RawIOBase):
    """The bytes of pieces that follow each other; closing it closes a file that they are from, if it is given."""

    def __init__(self, pieces: Iterator[bytes], file: io.RawIOBase | None = None) -> None:
        self._pieces, self._file = pieces, file
        self._ready = memoryview(b"")

    @overrides
    def readable(self) -> bool:
        return True

    @overrides
    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._ready = memoryview(piece)
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    @overrides
    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        super().close()


def _recoded(stream: Any, encoding: str) -> Iterator[bytes]:
    """Yields the text of a stream in UTF-8."""
    decoder, data = codecs.getincrementaldecoder(encoding)(), b"."
    while data:
        data = stream.read1(_BUFFER_SIZE)
        try:
            yield decoder.decode(data, final=not data).encode("utf-8")
        except UnicodeDecodeError as error:
            raise DataError(f"is not {encoding.upper()} text: {error.reason}") from None


def zst_frames(packed: Any, package: ModuleType) -> Iterator[bytes]:
    """Yields the decompressed bytes of all frames of a file in Zstandard; a truncated frame raises `EOFError`."""
    frame: Any = None
    while piece := packed.read(_ZST_BYTES_READ):
        while piece:
            if frame is None or frame.eof:
                frame = package.ZstdDecompressor().decompressobj()
            yield frame.decompress(piece)
            piece = frame.unused_data if frame.eof else b""
    if frame is not None and not frame.eof:
        raise EOFError("the compressed data are truncated")


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
