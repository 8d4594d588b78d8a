"""Names of files, and output files: plain, compressed or ``-``; all of a run are replaced when all are complete."""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, cast

from metrics_framework.common.errors import UsageError
from metrics_framework.common.interruptions import signals_delayed
from metrics_framework.common.output_record import RECORD, OutputRecord, statement
from metrics_framework.common.standard_streams import ClosedStream
from metrics_framework.io.compression import COMPRESSED_ENDINGS, compressor
from metrics_framework.io.locations import is_remote

if TYPE_CHECKING:
    from metrics_framework.io.direct_output import DirectOutput
    from metrics_framework.io.remote_writing import RemoteReplacement
    from metrics_framework.io.replacement import Replacement

STANDARD = "-"
KNOWN_ENDINGS = frozenset(
    (".txt", ".text", ".out", ".hyp", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".xml", ".parquet")
)
"""The endings that are not part of the name of a system; other endings are, as in ``beam.0.1``."""
_DESCRIPTOR = re.compile(r"(?:/dev|/proc/(?P<process>[0-9]+)(?:/task/[0-9]+)?)/fd/(?P<number>[0-9]+)")


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
    """Returns the path without ``.gz``, ``.bz2`` or ``.zst``, and a URL without its query."""
    if "?" in path and path.startswith(("http://", "https://")):
        path = path.partition("?")[0]
    for ending in COMPRESSED_ENDINGS:
        if path.endswith(ending):
            return path[: -len(ending)]
    return path


def output_path(path: str) -> str:
    """Returns ``-`` for the names of standard output, such as ``/dev/stdout``; other paths are returned unchanged."""
    return STANDARD if _descriptor(path)[0] == 1 else path


def is_stream(path: str) -> bool:
    """Returns whether an output is ``-`` or an open file such as ``/dev/fd/3``, which is written to where it is."""
    return path == STANDARD or bool(_descriptor(path)[1])


def is_read_once(path: str) -> bool:
    """Returns whether an input can be read only once: standard input, or a pipe such as ``<(command)``."""
    if path == STANDARD:
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # a missing file, or a remote one
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def _descriptor(path: str) -> tuple[int, str]:
    """Returns the open file that a path such as ``/dev/fd/3`` names, and the path without links to it.

    The number is -1 if it is not an open file of this process, and the path empty if it is no open file at all.
    """
    for _ in range(40):  # links, as many as Linux follows
        folder, name = os.path.split(os.path.abspath(path))
        path = os.path.join(os.path.realpath(folder), name)
        found = _DESCRIPTOR.fullmatch(path)
        if found is not None:
            is_own = found["process"] in (None, str(os.getpid()))
            return int(found["number"]) if is_own else -1, path
        if not os.path.islink(path):
            break
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    return -1, ""


def standard_output() -> IO[str]:
    """Returns standard output, for results that must not be lost.

    Raises:
        UsageError: if it is closed.
    """
    if sys.stdout is None or isinstance(sys.stdout, ClosedStream):
        raise UsageError("standard output is closed; use an output file")
    return sys.stdout


def print_result(text: str, to_error: bool) -> None:
    """Prints a table for people: to standard error if standard output has data, else to standard output."""
    if not to_error:
        RECORD.get(OutputRecord())[STANDARD] = False
    (sys.stderr if to_error else sys.stdout).write(text)


class _StandardOutput:
    """Standard output, with a record of whether anything was written to it.

    It does not derive from a class of `io`, because these close their stream when they are deleted, and this stream
    belongs to the process.
    """

    def __init__(self) -> None:
        self.path = STANDARD
        self._stream = standard_output()

    def write(self, text: str, /) -> int:
        RECORD.get(OutputRecord())[STANDARD] = False
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()


@dataclass
class OutputFiles:
    """The output files of a run. `output_files` creates and completes them."""

    _outputs: list[Replacement | RemoteReplacement | DirectOutput] = field(default_factory=list)
    _standard: _StandardOutput | None = None

    def open(self, path: str) -> IO[str]:
        """Opens a text file for writing; compresses it by its ending; ``-`` is standard output.

        Raises:
            UsageError: if the path cannot be written to, or standard output is closed.
            OSError: if the disk is full; it names the path.
        """
        if output_path(path) == STANDARD:
            self._standard = self._standard or _StandardOutput()
            return cast("IO[str]", self._standard)
        encoded = self.open_bytes(path)
        streams = self._outputs[-1].streams
        if path.endswith(COMPRESSED_ENDINGS):
            encoded = compressor(encoded, path)
            streams.append(encoded)
        text = io.TextIOWrapper(encoded, encoding="utf-8", newline="\n")
        streams.append(text)
        return text

    def open_bytes(self, path: str) -> IO[bytes]:
        """Opens a file for writing bytes.

        Raises:
            UsageError: if the path cannot be written to.
            OSError: if the disk is full; it names the path.
        """
        from metrics_framework.io.replacement import Replacement, mode_of  # not needed by help texts

        remote = "://" in path and is_remote(path)
        number, link = (-1, "") if remote else _descriptor(path)
        mode = None if link or remote else mode_of(path)
        output: Replacement | RemoteReplacement | DirectOutput
        if remote:
            from metrics_framework.io.remote_writing import RemoteReplacement

            output = RemoteReplacement(path)
        elif link or not (mode is None or stat.S_ISREG(mode)):
            from metrics_framework.io.direct_output import DirectOutput

            output = DirectOutput(path, number, "a" if link else "w")
        else:
            output = Replacement(path, os.path.realpath(path), mode)
        self._outputs.append(output)  # before its file is created, so that it is always discarded
        return output.open()

    def finish(self) -> None:
        """Writes all files completely, then puts all in place.

        Raises:
            OSError: if a file cannot be written or replaced; it names the file.
        """
        for output in self._outputs:
            for layer in reversed(output.streams[1:]):
                if isinstance(layer, io.TextIOWrapper):
                    layer.detach()  # flushes, but does not close the stream below
                else:
                    layer.close()
            output.finish()
        if self._standard is not None:
            self._standard.flush()
            RECORD.get(OutputRecord())[STANDARD] = True
        before: list[str] = []
        with signals_delayed() if self._outputs else nullcontext():
            for output in self._outputs:
                try:
                    output.put_in_place()
                except OSError as error:
                    state = f"; {statement(before, 'complete')}" if before else ""
                    raise OSError(error.errno, f"{error.strerror}{state}", error.filename) from None
                before.append(output.path)
                RECORD.get(OutputRecord())[output.path] = True

    def discard(self) -> None:
        """Deletes the temporary files that were not put in place."""
        with signals_delayed():
            for output in self._outputs:
                output.discard()


@contextmanager
def output_files() -> Iterator[OutputFiles]:
    """Opens output files that replace existing ones together: at the end of the block, when all are complete.

    The bytes of a file go to a temporary file in the same folder. At the end of the block, all files are written to the
    disk, and then all are renamed. If the block raises, they are deleted. Standard output, devices and pipes are
    written to directly. The record of the run knows which outputs are complete.

    Raises:
        UsageError: if a path cannot be written to.
        OSError: if the disk is full, or a file cannot be replaced; it names the path.
    """
    files = OutputFiles()
    try:
        yield files
        files.finish()
    except BaseException:  # also `GeneratorExit`, if a signal arrives in the code of `contextmanager`
        files.discard()
        raise


@contextmanager
def open_for_writing(path: str) -> Iterator[IO[str]]:
    """Opens a single text file for writing, as `output_files` does.

    Raises:
        UsageError: if the path is a folder or cannot be written to, or standard output is closed.
        OSError: if the disk is full; it names the path.
    """
    with output_files() as files:
        yield files.open(path)


@contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """Opens a single file for writing bytes, as `output_files` does.

    Raises:
        UsageError: if the path is a folder or cannot be written to.
        OSError: if the disk is full; it names the path.
    """
    with output_files() as files:
        yield files.open_bytes(path)
