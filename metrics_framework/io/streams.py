"""Opens what a path means: a file, ``-``, ``.gz`` or ``.zst``; writes so that no half file is ever left."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, cast

from overrides import overrides

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.common.standard_streams import ClosedStream

STANDARD = "-"
INCOMPLETE = "standard output is not complete"
"""What is left behind when a run is ended that has begun to write there."""
ENDINGS_OF_COMPRESSION = (".gz", ".zst")
FULL = (errno.ENOSPC, errno.EDQUOT)
"""The errors that say that a disk, or a user's share of it, is full."""
_BLOCK = 1 << 15  # of the sizes from 8 KB to 256 KB the fastest to take apart: it stays in the processor's cache
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_STARTS_OF_COMPRESSION = ((b"\x1f\x8b", "gzip", "zcat", ".gz"), (b"\x28\xb5\x2f\xfd", "zstd", "zstdcat", ".zst"))
_ERRORS_OF_COMPRESSION = ("ZstdError", "error")  # zstandard's and zlib's, known by name so that neither is imported


def stem(path: str) -> str:
    """Returns the file's name without folder and endings.

    >>> stem("runs/careful.jsonl.gz")
    'careful'
    """
    if path == STANDARD:
        return "stdin"
    name = os.path.basename(uncompressed_name(path))
    return os.path.splitext(name)[0] or name


def uncompressed_name(path: str) -> str:
    """Returns the path without the ending of a compression."""
    for ending in ENDINGS_OF_COMPRESSION:
        if path.endswith(ending):
            return path[: -len(ending)]
    return path


@contextmanager
def open_lines(path: str) -> Iterator[Iterator[str]]:
    r"""Opens a text file for reading and gives its lines, without their ends.

    A line ends at ``\n`` (or ``\r\n``) and nowhere else; a byte order mark is skipped.

    Raises:
        DataError: if the file cannot be opened, or holds bytes that are not UTF-8.
    """
    number = 0

    def lines_of(blocks: Iterator[str]) -> Iterator[str]:
        nonlocal number
        for block in blocks:
            lines = block.split("\n")
            number += len(lines)
            yield from lines

    with open_blocks(path, lambda: number) as blocks:
        yield lines_of(blocks)


@contextmanager
def open_blocks(path: str, taken: Callable[[], int]) -> Iterator[Iterator[str]]:
    r"""Opens a text file for reading and gives its lines, many at a time: as one string with ``\n`` between them.

    A block holds whole lines, at least one, and is given as soon as they are there: a pipe is not waited for. Lines
    are those of `open_lines`.

    Args:
        path: The file.
        taken: Tells how many lines the blocks so far had, for messages: who takes them apart knows at no cost.

    Raises:
        DataError: if the file cannot be opened, or holds bytes that are not UTF-8.
    """
    try:
        stream = _open_bytes(path)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path=path) from None
    try:
        yield _decoded(stream, path, taken)
    finally:
        if path != STANDARD:
            stream.close()


def _open_bytes(path: str) -> io.BufferedIOBase:
    if path == STANDARD:
        if sys.stdin is None:
            raise DataError("standard input is closed", path=path)
        return cast("io.BufferedIOBase", sys.stdin.buffer)
    if path.endswith(".gz"):
        import gzip

        return cast("io.BufferedIOBase", gzip.open(path, "rb"))
    if path.endswith(".zst"):
        from metrics_framework.io.zst import open_zst

        return cast("io.BufferedIOBase", open_zst(path))
    return io.BufferedReader(io.FileIO(path), _BLOCK)


def _decoded(stream: io.BufferedIOBase, path: str, taken: Callable[[], int]) -> Iterator[str]:
    try:
        for block in _whole_lines(stream):
            try:
                text = block.decode("utf-8")
            except UnicodeDecodeError as error:
                end = block.rfind(b"\n", 0, error.start)
                if end >= 0:
                    yield block[:end].decode("utf-8")
                found = f"byte 0x{block[error.start]:02x} at position {error.start - end}"
                advice = "" if taken() else _advice(block, path)
                raise DataError(f"is not UTF-8 text: {found}{advice}", path=path, line=taken() + 1) from None
            yield text
    except (OSError, EOFError) as error:
        raise DataError(f"cannot be read to its end: {error}", path=path, line=taken() + 1) from None
    except Exception as error:
        if type(error).__name__ not in _ERRORS_OF_COMPRESSION:
            raise
        raise DataError(f"cannot be read to its end: {error}", path=path, line=taken() + 1) from None


def _advice(start: bytes | bytearray, path: str) -> str:
    """Says what to do with compressed data where text is expected, by how a file starts."""
    for magic, kind, program, ending in _STARTS_OF_COMPRESSION:
        if start.startswith(magic):
            todo = f"pipe it through {program}" if path == STANDARD else f"give it a name that ends in {ending}"
            return f"; it looks like {kind}: {todo}"
    return ""


def _whole_lines(stream: io.BufferedIOBase) -> Iterator[bytes | bytearray]:
    """Gives the first line, then as many as each reading brings, without the end of the last one."""
    first = stream.readline().removeprefix(_BYTE_ORDER_MARK)
    if first:
        yield first.removesuffix(b"\n").removesuffix(b"\r")
    begun = bytearray()
    while read := stream.read1():
        end = read.rfind(b"\n")
        if end < 0:
            begun += read
            continue
        begun += read[:end]
        yield _without_returns(begun)
        begun = bytearray(read[end + 1 :])
    if begun:
        yield _without_returns(begun)


def _without_returns(lines: bytearray) -> bytearray:
    return lines.replace(b"\r\n", b"\n").removesuffix(b"\r") if b"\r" in lines else lines


def standard_output() -> IO[str]:
    """Returns standard output, for what must not be lost.

    Raises:
        UsageError: if it is closed.
    """
    if sys.stdout is None or isinstance(sys.stdout, ClosedStream):
        raise UsageError("standard output is closed; give a file to write to")
    return sys.stdout


@contextmanager
def open_for_writing(path: str) -> Iterator[IO[str]]:
    """Opens a text file for writing; it takes its name only when everything is written.

    The text goes to a temporary file in the same folder, which is renamed at the end of the block and removed when
    the block ends with an exception. ``-`` is standard output; a device or a pipe is written to directly. An exception
    without words that is no `Exception`, as Ctrl-C raises, gets those of `INCOMPLETE` if standard output was begun.

    Raises:
        UsageError: if the path is a folder, or cannot be written to; if it is standard output, and that is closed.
        OSError: if the disk is full; it names the path.
    """
    if path == STANDARD:
        with _standard_output_for_data() as output:
            yield output
        return
    mode = os.stat(path).st_mode if os.path.exists(path) else None
    if mode is not None and stat.S_ISDIR(mode):
        raise UsageError(f"cannot write to '{path}': it is a folder")
    if mode is not None and not stat.S_ISREG(mode):
        with io.TextIOWrapper(_named_bytes(path, path), encoding="utf-8", newline="\n") as stream:
            yield stream
        return
    target = os.path.realpath(path)
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        raw, temporary = _temporary_beside(target, path)
    except OSError as error:
        if error.errno in FULL:
            raise OSError(error.errno, error.strerror, path) from None
        raise UsageError(f"cannot write to '{path}': {error.strerror or error}") from None
    try:
        with raw, _encoder(raw, path) as stream:
            yield stream
        os.chmod(temporary, _usual_mode() if mode is None else stat.S_IMODE(mode))
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


@contextmanager
def _standard_output_for_data() -> Iterator[IO[str]]:
    """Gives standard output; what ends the block from without, as Ctrl-C does, is told if something was written."""
    output = _KnownOutput(standard_output())
    try:
        yield cast("IO[str]", output)
    except Exception:
        raise
    except BaseException as end:
        if output.is_begun and not end.args:
            end.args = (INCOMPLETE,)
        raise
    output.flush()


class _KnownOutput:
    """A stream that knows whether something was written to it.

    It is none of `io`'s: these close when they are forgotten, and that would flush a stream that is not theirs.
    """

    def __init__(self, stream: IO[str]) -> None:
        self.is_begun = False
        self._stream = stream

    def write(self, text: str, /) -> int:
        self.is_begun = True
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()


def _temporary_beside(target: str, path: str) -> tuple[IO[bytes], str]:
    import tempfile

    folder, name = os.path.split(target)
    number, temporary = tempfile.mkstemp(prefix=f"{name}.", suffix=".part", dir=folder)
    return _named_bytes(number, path), temporary


def _named_bytes(file: int | str, name: str) -> IO[bytes]:
    """Opens a file for writing, in blocks; what goes wrong then names it as the user does, not the temporary file."""
    return cast("IO[bytes]", io.BufferedWriter(_NamedFile(file, name)))


class _NamedFile(io.FileIO):
    """A file whose errors say which it is: the system only says what, as in "No space left on device"."""

    def __init__(self, file: int | str, name: str) -> None:
        super().__init__(file, "w")
        self._shown = name

    @overrides
    def write(self, b: Any) -> int:
        try:
            return super().write(b)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._shown) from None


def _usual_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextmanager
def _encoder(raw: IO[bytes], path: str) -> Iterator[IO[str]]:
    packed: IO[bytes] = raw
    if path.endswith(".gz"):
        import gzip

        packed = cast("IO[bytes]", gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0))
    elif path.endswith(".zst"):
        from metrics_framework.io.zst import zstandard

        packed = zstandard(path).ZstdCompressor().stream_writer(raw, closefd=False)
    text = io.TextIOWrapper(packed, encoding="utf-8", newline="\n", write_through=False)
    try:
        yield text
    finally:
        try:
            text.flush()
        except OSError:
            with suppress(OSError):  # one message will do
                text.close()
            raise
        if packed is raw:
            text.detach()
        else:
            text.close()
