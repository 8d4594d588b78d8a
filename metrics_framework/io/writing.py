"""Output files: complete or not there, and all of a run in place together; local, remote, or written where they are.

The bytes of a file go to a temporary file in the same folder, which is renamed when all outputs of the run are complete
and removed after an error or a signal (decision 0027). A remote file becomes visible at that moment. Standard output,
open files such as ``/dev/fd/3``, devices and named pipes are written to directly.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, cast

from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.common.process import RECORD, ClosedStream, OutputRecord, signals_delayed, statement
from metrics_framework.io.locations import is_remote
from metrics_framework.io.reading import COMPRESSED_ENDINGS, STANDARD, zstandard

if TYPE_CHECKING:
    from metrics_framework.io.remote import RemoteOutput

DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
"""The errors of a full disk and of an exceeded quota."""
_NO_FSYNC = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)
_NO_NEW_FILE = (errno.EACCES, errno.EPERM, errno.EROFS)
_DESCRIPTOR = re.compile(r"(?:/dev|/proc/(?P<process>[0-9]+)(?:/task/[0-9]+)?)/fd/(?P<number>[0-9]+)")
_REMOTE_BUFFER = 1 << 16


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
        for output in files.outputs:
            for layer in reversed(output.streams[1:]):
                if isinstance(layer, io.TextIOWrapper):
                    layer.detach()  # flushes, but does not close the stream below
                else:
                    layer.close()
            output.finish()
        record = RECORD.get(OutputRecord())
        if files.standard is not None:
            files.standard.flush()
            record[STANDARD] = True
        before: list[str] = []
        with signals_delayed() if files.outputs else nullcontext():
            for output in files.outputs:
                try:
                    output.put_in_place()
                except OSError as error:
                    state = f"; {statement(before, 'complete')}" if before else ""
                    raise OSError(error.errno, f"{error.strerror}{state}", error.filename) from None
                before.append(output.path)
                record[output.path] = True
    except BaseException:  # also `GeneratorExit`, if a signal arrives in the code of `contextmanager`
        with signals_delayed():
            for output in files.outputs:
                output.discard()
        raise


@contextmanager
def open_for_writing(path: str, permissions: int = 0o666) -> Iterator[IO[str]]:
    """Opens a single text file for writing, as `output_files` does.

    Args:
        path: The file.
        permissions: Those of a new file, before the umask is applied.

    Raises:
        UsageError: if the path is a folder or cannot be written to, or standard output is closed.
        OSError: if the disk is full; it names the path.
    """
    with output_files() as files:
        stream = files.open(path)
        for output in files.outputs:
            output.permissions = permissions
        yield stream


@contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """Opens a single file for writing bytes, as `output_files` does.

    Raises:
        UsageError: if the path is a folder or cannot be written to.
        OSError: if the disk is full; it names the path.
    """
    with output_files() as files:
        yield files.open_bytes(path)


def output_path(path: str) -> str:
    """Returns ``-`` for the names of standard output, such as ``/dev/stdout``; other paths are returned unchanged."""
    return STANDARD if _descriptor(path)[0] == 1 else path


def is_stream(path: str) -> bool:
    """Returns whether an output is ``-`` or an open file such as ``/dev/fd/3``, which is written to where it is."""
    return path == STANDARD or bool(_descriptor(path)[1])


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
    """The output files of a run. `output_files` creates and completes them.

    Attributes:
        outputs: The files, in the order in which they were opened.
        standard: Standard output, if it was opened.
    """

    outputs: list[_Output] = field(default_factory=list)
    standard: _StandardOutput | None = None

    def open(self, path: str) -> IO[str]:
        """Opens a text file for writing; compresses it by its ending; ``-`` is standard output.

        Raises:
            UsageError: if the path cannot be written to, or standard output is closed.
            OSError: if the disk is full; it names the path.
        """
        if output_path(path) == STANDARD:
            self.standard = self.standard or _StandardOutput()
            return cast("IO[str]", self.standard)
        encoded = self.open_bytes(path)
        streams = self.outputs[-1].streams
        if path.endswith(COMPRESSED_ENDINGS):
            encoded = _compressor(encoded, path)
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
        output: _Output
        if "://" in path and is_remote(path):
            output = _RemoteFile(path)
        else:
            number, link = _descriptor(path)
            mode = None if link else _mode_of(path)
            if link or not (mode is None or stat.S_ISREG(mode)):
                output = _DirectOutput(path, mode, descriptor=number)
            else:
                output = _Replacement(path, mode)
        self.outputs.append(output)  # before its file is created, so that it is always discarded
        return output.open()


@dataclass
class _Output(ABC):
    """An output file.

    Args:
        path: The path.
        mode: Type and permissions of an earlier file, `None` if there is none.

    Attributes:
        streams: The opened streams, each of which writes to the one before it.
        permissions: Those of a new file, before the umask is applied.
    """

    path: str
    mode: int | None = None
    streams: list[IO[Any]] = field(default_factory=list)
    permissions = 0o666

    @abstractmethod
    def open(self) -> IO[bytes]:
        """Opens it.

        Raises:
            UsageError: if it cannot be written to.
            OSError: if the disk is full; it names the path.
        """

    @abstractmethod
    def finish(self) -> None:
        """Writes everything.

        Raises:
            OSError: if that fails; it names the path.
        """

    def put_in_place(self) -> None:
        """Replaces an earlier file; by default, the data are in place.

        Raises:
            OSError: if it cannot be replaced; it names the path.
        """
        return

    def discard(self) -> None:
        """Deletes what was written, if it is not in place."""
        for stream in reversed(self.streams):
            with suppress(Exception):  # closing flushes, which may fail
                stream.close()


class _Replacement(_Output):
    """The new content of a file, written to a temporary file that is renamed at the end.

    The temporary file is in the same folder. If no file can be created there, but the file itself can be written to, it
    is in the folder for temporary files and its content is copied at the end; so it is if the file cannot be renamed
    to, for example because it is mounted into a container.
    """

    _target = ""  # the path without links
    _temporary = ""
    _new_folders: Sequence[str] = ()

    @overrides
    def open(self) -> IO[bytes]:
        import tempfile

        self._target = os.path.realpath(self.path)
        folder, name = os.path.split(self._target)
        try:
            with signals_delayed():
                if not os.path.isdir(folder):
                    self._make_folders(folder)
                try:
                    descriptor, self._temporary = tempfile.mkstemp(prefix=f"{name}.", suffix=".part", dir=folder)
                except OSError as error:
                    descriptor, self._temporary = self._other_temporary_file(error)
                file = _NamedFile(descriptor, "w")
                self.streams.append(io.BufferedWriter(file))
        except OSError as error:
            if error.errno in DISK_FULL:
                raise OSError(error.errno, error.strerror, self.path) from None
            raise UsageError(f"cannot write to '{self.path}': {error.strerror or error}") from None
        file.name = self.path
        return self.streams[0]

    def _make_folders(self, folder: str) -> None:
        """Creates a folder and its missing parents, and records them."""
        if not os.path.isdir(os.path.dirname(folder)):
            self._make_folders(os.path.dirname(folder))
        os.mkdir(folder)
        self._new_folders = [*self._new_folders, folder]

    def _other_temporary_file(self, error: OSError) -> tuple[int, str]:
        """Creates a temporary file after an error of the first attempt, with a shorter name or in another folder."""
        import tempfile

        if error.errno == errno.ENAMETOOLONG:
            return tempfile.mkstemp(prefix="fw-", suffix=".part", dir=os.path.dirname(self._target))
        if error.errno in _NO_NEW_FILE and self.mode is not None:
            return tempfile.mkstemp(prefix="fw-", suffix=".part")
        raise error

    @overrides
    def finish(self) -> None:
        file = self.streams[0]
        file.flush()
        try:
            os.fsync(file.fileno())  # so that a power failure after the rename does not leave an empty file
        except OSError as error:
            if error.errno not in _NO_FSYNC:
                raise OSError(error.errno, error.strerror, self.path) from None
        file.close()

    @overrides
    def put_in_place(self) -> None:
        mode = self.mode
        if mode is None:  # the permissions of a new file
            mask = os.umask(0)
            os.umask(mask)
            mode = self.permissions & ~mask
        os.chmod(self._temporary, stat.S_IMODE(mode))
        try:
            os.replace(self._temporary, self._target)
        except OSError as error:
            if self.mode is None:
                raise OSError(error.errno, error.strerror, self.path) from None
            self._copy()
        else:
            self._temporary = ""

    def _copy(self) -> None:
        """Copies the new content over the old one; if that fails, keeps the temporary file."""
        import shutil

        temporary, self._temporary = self._temporary, ""
        try:
            with open(temporary, "rb") as source, open(self._target, "r+b") as target:
                shutil.copyfileobj(source, target)
                target.truncate()
        except OSError as error:
            problem = f"{error.strerror}; the file may be incomplete, but '{temporary}' is complete"
            raise OSError(error.errno, problem, self.path) from None
        os.unlink(temporary)

    @overrides
    def discard(self) -> None:
        super().discard()
        if not self._temporary:
            return
        with suppress(FileNotFoundError):
            os.unlink(self._temporary)
        for folder in reversed(self._new_folders):
            with suppress(OSError):  # other files are in it
                os.rmdir(folder)


class _RemoteFile(_Output):
    """The new content of a remote file."""

    _output: RemoteOutput | None = None

    @overrides
    def open(self) -> IO[bytes]:
        from metrics_framework.io.remote import RemoteOutput

        self._output = RemoteOutput(self.path)
        self.streams.append(io.BufferedWriter(self._output, _REMOTE_BUFFER))
        return self.streams[0]

    @overrides
    def finish(self) -> None:
        self.streams[0].flush()
        if self._output is not None:
            self._output.finish()

    @overrides
    def put_in_place(self) -> None:
        if self._output is not None:
            self._output.commit()

    @overrides
    def discard(self) -> None:
        if self._output is not None:
            self._output.discard()
        super().discard()


@dataclass
class _DirectOutput(_Output):
    """A device or a named pipe, or an open file, which has no mode; it is written to directly.

    Args:
        descriptor: The open file, -1 to open the path.
    """

    descriptor: int = -1

    @overrides
    def open(self) -> IO[bytes]:
        try:
            if self.descriptor >= 0:
                os.write(self.descriptor, b"")  # fails if it is not open for writing
            opened = self.path if self.descriptor < 0 else os.dup(self.descriptor)
            file = _DirectFile(self.path, opened, "a" if self.mode is None else "w")
        except OSError as error:
            raise UsageError(f"cannot write to '{self.path}': {error.strerror or error}") from None
        self.streams.append(io.BufferedWriter(file))
        return self.streams[0]

    @overrides
    def finish(self) -> None:
        self.streams[0].flush()
        self.streams[0].close()

    @overrides
    def discard(self) -> None:
        """Drops the data that were not written yet: writing them might wait for a reader that has stopped reading."""
        with suppress(OSError, ValueError, IndexError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self.streams[0].fileno())
            os.close(null)
        super().discard()


class _NamedFile(io.FileIO):
    """A file whose errors include its name, which the system's "No space left on device" does not."""

    @overrides
    def write(self, b: Any) -> int:
        try:
            return super().write(b)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.name) from None


class _DirectFile(_NamedFile):
    """A file that records that data were written to it."""

    def __init__(self, path: str, file: int | str, mode: str) -> None:
        super().__init__(file, mode)
        self.name = path

    @overrides
    def write(self, b: Any) -> int:
        RECORD.get(OutputRecord())[self.name] = False
        return super().write(b)


def _mode_of(path: str) -> int | None:
    """Returns type and permissions of a file that is going to be written, `None` if it does not exist.

    Raises:
        UsageError: if it is a folder or read-only, or its name is not possible.
    """
    try:
        mode = os.stat(os.path.realpath(path)).st_mode
    except FileNotFoundError:
        if path.endswith(os.sep):
            raise UsageError(f"cannot write to '{path}': it is a folder") from None
        return None
    except OSError as error:
        raise UsageError(f"cannot write to '{path}': {error.strerror or error}") from None
    if stat.S_ISDIR(mode):
        raise UsageError(f"cannot write to '{path}': it is a folder")
    # root may write to any file, but a file without any write permission is protected from every user
    if stat.S_ISREG(mode) and not (mode & 0o222 and os.access(path, os.W_OK)):
        raise UsageError(f"cannot write to '{path}': it is read-only; choose another file, or make it writable")
    return mode


def _compressor(stream: IO[bytes], path: str) -> IO[bytes]:
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
    return cast("IO[bytes]", zstandard(path).ZstdCompressor().stream_writer(stream, closefd=False))
