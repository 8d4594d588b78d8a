"""Reads and writes files: plain, ``.gz``, ``.zst`` or ``-``; output files are replaced only when complete."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import IO, Any, cast

from overrides import overrides

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.common.standard_streams import ClosedStream

STANDARD = "-"
INCOMPLETE = "standard output is incomplete"
"""The message of a run that was interrupted after it began to write to standard output."""
COMPRESSED_ENDINGS = (".gz", ".zst")
KNOWN_ENDINGS = frozenset((".txt", ".text", ".out", ".hyp", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".xml"))
"""The endings that are not part of the name of a system; other endings are, as in ``beam.0.1``."""
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
"""The errors of a full disk and of an exceeded quota."""
_BUFFER_SIZE = 1 << 15  # the fastest size to decode from 8 KB to 256 KB: it fits into the CPU's cache
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_COMPRESSIONS = ((b"\x1f\x8b", "gzip", "zcat", ".gz"), (b"\x28\xb5\x2f\xfd", "zstd", "zstdcat", ".zst"))
_DECOMPRESSION_ERRORS = ("ZstdError", "error")  # of zstandard and zlib, by name so that neither is imported


def stem(path: str) -> str:
    """Returns the file's name without folder and known endings.

    >>> stem("runs/careful.jsonl.gz"), stem("beam.0.1.txt"), stem("newstest2017.FBK.4870.en-de")
    ('careful', 'beam.0.1', 'newstest2017.FBK.4870.en-de')
    """
    if path == STANDARD:
        return "stdin"
    name = os.path.basename(uncompressed_name(path))
    without, ending = os.path.splitext(name)
    return without if ending.lower() in KNOWN_ENDINGS else name


def uncompressed_name(path: str) -> str:
    """Returns the path without ``.gz`` or ``.zst``."""
    for ending in COMPRESSED_ENDINGS:
        if path.endswith(ending):
            return path[: -len(ending)]
    return path


def read_blocks(path: str, lines_before: Callable[[], int]) -> Iterator[str]:
    r"""Reads a text file as blocks of whole lines: strings with ``\n`` between the lines and none at the end.

    A line ends only at ``\n`` or ``\r\n``; a byte order mark is skipped. A block has at least one line, and is yielded
    as soon as it is read, so that lines of a slow pipe are not delayed.

    Args:
        path: The file.
        lines_before: Returns the number of lines of the blocks so far, for error messages. The caller splits the
            blocks and knows it; counting here would take a quarter more time.

    Raises:
        DataError: if the file cannot be read or is not UTF-8.
    """
    try:
        with _opened(path) as stream:
            for block in _whole_lines(stream):
                yield block.decode("utf-8")
    except UnicodeDecodeError as error:
        encoded, end = error.object, error.object.rfind(b"\n", 0, error.start)
        if end >= 0:
            yield encoded[:end].decode("utf-8")
        problem = f"byte 0x{encoded[error.start]:02x} at position {error.start - end}"
        advice = "" if lines_before() else _advice(encoded, path)
        raise DataError(f"is not UTF-8 text: {problem}{advice}", path, lines_before() + 1) from None
    except Exception as error:
        if not isinstance(error, (OSError, EOFError)) and type(error).__name__ not in _DECOMPRESSION_ERRORS:
            raise
        raise DataError(f"cannot be read to its end: {error}", path, lines_before() + 1) from None


def _opened(path: str) -> AbstractContextManager[io.BufferedIOBase]:
    if path == STANDARD:
        if sys.stdin is None:
            raise DataError("standard input is closed", path)
        return nullcontext(cast("io.BufferedIOBase", sys.stdin.buffer))
    try:
        if path.endswith(".gz"):
            import gzip

            return cast("io.BufferedIOBase", gzip.open(path, "rb"))
        if path.endswith(".zst"):
            from metrics_framework.io.zst import open_zst

            return cast("io.BufferedIOBase", open_zst(path))
        return io.BufferedReader(io.FileIO(path), _BUFFER_SIZE)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path) from None


def _whole_lines(stream: io.BufferedIOBase) -> Iterator[bytes]:
    """Yields blocks of complete lines, one for each read, without the last line end."""
    begun: list[bytes] = []  # a line whose end has not been read
    read = stream.readline().removeprefix(_BYTE_ORDER_MARK)
    while read:
        end = read.rfind(b"\n")
        if end < 0:
            begun.append(read)
        else:
            block = b"".join([*begun, memoryview(read)[:end]])
            yield block.replace(b"\r\n", b"\n").removesuffix(b"\r") if b"\r" in block else block
            begun = [read[end + 1 :]]
        read = stream.read1() or (b"\n" if any(begun) else b"")  # the last line may lack its end


def _advice(start: bytes, path: str) -> str:
    """Returns advice for compressed data, recognized by the first bytes of a file."""
    for magic, kind, program, ending in _COMPRESSIONS:
        if start.startswith(magic):
            todo = f"pipe it through {program}" if path == STANDARD else f"rename it to end in {ending}"
            return f"; it looks like {kind}: {todo}"
    return ""


def standard_output() -> IO[str]:
    """Returns standard output, for results that must not be lost.

    Raises:
        UsageError: if it is closed.
    """
    if sys.stdout is None or isinstance(sys.stdout, ClosedStream):
        raise UsageError("standard output is closed; use an output file")
    return sys.stdout


@contextmanager
def open_for_writing(path: str) -> Iterator[IO[str]]:
    """Opens a text file for writing, as `replacing` does; compresses it by its ending; ``-`` is standard output.

    If writing to standard output is interrupted, for example by Ctrl-C, the message of the exception is `INCOMPLETE`.

    Raises:
        UsageError: if the path is a folder or cannot be written to, or standard output is closed.
        OSError: if the disk is full; it names the path.
    """
    if path == STANDARD:
        with _standard_output_for_data() as output:
            yield output
        return
    with replacing(path) as raw:
        encoded = _compressor(raw, path) if path.endswith(COMPRESSED_ENDINGS) else raw
        with io.TextIOWrapper(encoded, encoding="utf-8", newline="\n") as stream:
            yield stream


def _compressor(raw: IO[bytes], path: str) -> IO[bytes]:
    if path.endswith(".gz"):
        import gzip

        return cast("IO[bytes]", gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0))
    from metrics_framework.io.zst import zstandard

    return cast("IO[bytes]", zstandard(path).ZstdCompressor().stream_writer(raw, closefd=False))


@contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """Opens a file for writing bytes; the file is replaced only when it is complete.

    The bytes go to a temporary file in the same folder. It is renamed at the end of the block, and deleted if the block
    raises. Devices and pipes are written to directly.

    Raises:
        UsageError: if the path is a folder or cannot be written to.
        OSError: if the disk is full; it names the path.
    """
    mode = os.stat(path).st_mode if os.path.exists(path) else None
    if mode is not None and stat.S_ISDIR(mode):
        raise UsageError(f"cannot write to '{path}': it is a folder")
    if mode is not None and not stat.S_ISREG(mode):
        with io.BufferedWriter(_NamedFile(path, "w")) as stream:
            yield stream
        return
    import tempfile

    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    try:
        os.makedirs(folder, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f"{name}.", suffix=".part", dir=folder)
    except OSError as error:
        if error.errno in DISK_FULL:
            raise OSError(error.errno, error.strerror, path) from None
        raise UsageError(f"cannot write to '{path}': {error.strerror or error}") from None
    try:
        file = _NamedFile(descriptor, "w")
        file.name = path
        with io.BufferedWriter(file) as stream:
            yield stream
        os.chmod(temporary, _default_mode() if mode is None else stat.S_IMODE(mode))
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


class _NamedFile(io.FileIO):
    """A file whose errors include its name, which the system's "No space left on device" does not."""

    @overrides
    def write(self, b: Any) -> int:
        try:
            return super().write(b)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.name) from None


def _default_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextmanager
def _standard_output_for_data() -> Iterator[IO[str]]:
    output = _RecordingOutput(standard_output())
    try:
        yield cast("IO[str]", output)
    except Exception:
        raise
    except BaseException as end:
        if output.is_written and not end.args:
            end.args = (INCOMPLETE,)
        raise
    output.flush()


class _RecordingOutput:
    """A stream that records whether anything was written to it.

    It does not derive from a class of `io`, because these close their stream when they are deleted, and this stream
    belongs to the process.
    """

    def __init__(self, stream: IO[str]) -> None:
        self.is_written = False
        self._stream = stream

    def write(self, text: str, /) -> int:
        self.is_written = True
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()
