"""Folders, local or remote, whose files are written completely or not at all."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, BinaryIO

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.io.folder_files import Files
from metrics_framework.io.locations import is_remote, joined, open_binary
from metrics_framework.io.writing import DISK_FULL, NO_FSYNC, default_mode

_TEMPORARY = ".fw-"
_ENDING = ".part"
_WAITS = (0.01, 0.04, 0.16, 0.64) if os.name == "nt" else ()
"""Seconds between attempts to replace a file: on Windows, a file that another process reads cannot be replaced."""
_NO_LINKS = (errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL)


class Folder:
    """A folder of files that are written completely or not at all, by several processes at once.

    A file that two processes write at once has the content of one of them. Names are those of files in this folder,
    without slashes.

    Args:
        path: The folder: a local path, or a remote one such as ``s3://bucket/folder``.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as path:
    ...     folder = Folder(path)
    ...     folder.write("a.txt", b"text")
    ...     folder.names(), folder.read("a.txt"), folder.exists("b.txt")
    (['a.txt'], b'text', False)
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._files: Files
        if is_remote(path):
            from metrics_framework.io.remote_folder import RemoteFiles

            self._files = RemoteFiles(path)
        else:
            self._files = _LocalFiles(path)

    def path_of(self, name: str) -> str:
        """Returns the path of a file.

        Raises:
            ValueError: if the name is not one of a file in this folder.
        """
        if not name or name in (".", "..") or "/" in name or os.sep in name or "\0" in name or _is_temporary(name):
            raise ValueError(f"not a name of a file in a folder: {name!r}")
        return joined(self.path, name)

    def create(self) -> None:
        """Creates the folder and its missing parents; does nothing if it exists, or for a store without folders.

        Raises:
            UsageError: if it cannot be created.
            OSError: if the disk is full; it names the folder.
        """
        with _writing(self.path):
            self._files.create()

    def write(self, name: str, data: bytes | Iterable[bytes]) -> None:
        """Writes a file, in place of an earlier one: completely, or not at all in case of an error.

        Args:
            name: The name of the file.
            data: Its content, or blocks of it, which are not kept in memory.

        Raises:
            UsageError: if it cannot be written.
            OSError: if the disk is full; it names the file.
        """
        path = self.path_of(name)
        self._files.write(path, (data,) if isinstance(data, bytes) else data)

    def write_new(self, name: str, data: bytes) -> bool:
        """Writes a file completely, unless there is one; of several processes at once, one writes it.

        Local file systems with hard links or locks, and stores that write on condition (S3, Google, Azure), ensure
        that it is one; elsewhere, a process may replace the file that another one wrote at the same time.

        Args:
            name: The name of the file.
            data: Its content.

        Returns:
            Whether the file was written.

        Raises:
            UsageError: if it cannot be written.
            OSError: if the disk is full; it names the file.
        """
        return self._files.write_new(self.path_of(name), data)

    def open(self, name: str) -> BinaryIO:
        """Opens a file for reading.

        Raises:
            DataError: if there is no such file, or it cannot be read.
        """
        return open_binary(self.path_of(name))

    def read(self, name: str) -> bytes:
        """Returns the content of a file.

        Raises:
            DataError: if there is no such file, or it cannot be read.
        """
        path = self.path_of(name)
        try:
            with open_binary(path) as stream:
                return stream.read()
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror or error}", path) from None

    def names(self) -> list[str]:
        """Returns the names of the files, sorted; none if the folder does not exist.

        Raises:
            DataError: if the folder cannot be read.
        """
        with _reading(self.path):
            return sorted(name for name in self._files.names() if not _is_temporary(name))

    def exists(self, name: str) -> bool:
        """Returns whether there is a file with a name.

        Raises:
            DataError: if the folder cannot be read.
        """
        with _reading(self.path):
            return self._files.exists(self.path_of(name))

    def remove(self, name: str) -> None:
        """Removes a file, if it exists.

        Raises:
            UsageError: if it cannot be removed.
        """
        with _writing(self.path), suppress(FileNotFoundError):
            self._files.remove(self.path_of(name))

    def remove_strays(self) -> None:
        """Removes temporary files of processes that were killed while they wrote; keeps those of running processes.

        Raises:
            UsageError: if a file cannot be removed.
        """
        with _writing(self.path):
            self._files.remove_strays()


class _LocalFiles(Files):
    """A local folder. A temporary file is locked while its process lives, so that strays are recognized."""

    @overrides
    def create(self) -> None:
        os.makedirs(self.path, exist_ok=True)

    @overrides
    def write(self, path: str, data: Iterable[bytes]) -> None:
        self._write(path, data, _replace)

    @overrides
    def write_new(self, path: str, data: bytes) -> bool:
        return self._write(path, (data,), _rename_new)

    def _write(self, path: str, data: Iterable[bytes], rename: Callable[[str, str], bool]) -> bool:
        """Writes a temporary file and renames it; returns whether it was renamed."""
        is_renamed = False
        with _writing(path):
            stream, temporary = _temporary_file(self.path)
        try:
            with stream:
                for part in data:
                    with _writing(path):
                        stream.write(part)
                with _writing(path):
                    stream.flush()
                    _sync(stream.fileno())
                    os.chmod(temporary, default_mode())
                    is_renamed = _while_locked(rename, stream, temporary, path)
            _sync_folder(self.path)
            return is_renamed
        finally:
            if not is_renamed:
                with suppress(FileNotFoundError):
                    os.unlink(temporary)

    @overrides
    def names(self) -> Iterable[str]:
        try:
            with os.scandir(self.path) as entries:
                return [entry.name for entry in entries if entry.is_file()]
        except FileNotFoundError:
            return []

    @overrides
    def exists(self, path: str) -> bool:
        return os.path.isfile(path)

    @overrides
    def remove(self, path: str) -> None:
        os.unlink(path)

    @overrides
    def remove_strays(self) -> None:
        for name in filter(_is_temporary, self.names()):
            with suppress(FileNotFoundError), open(os.path.join(self.path, name), "rb") as stream:
                if _locked(stream):
                    _remove_stray(stream)


def _temporary_file(folder: str) -> tuple[BinaryIO, str]:
    """Creates a locked temporary file."""
    import tempfile

    while True:
        descriptor, path = tempfile.mkstemp(prefix=_TEMPORARY, suffix=_ENDING, dir=folder)
        stream = os.fdopen(descriptor, "wb")
        if _locked(stream) and os.path.exists(path):
            return stream, path
        stream.close()  # another process took it for a stray before it was locked


def _while_locked(rename: Callable[[str, str], bool], stream: BinaryIO, source: str, target: str) -> bool:
    """Renames an open file while it is locked; on Windows, where open files cannot be renamed, closes it first."""
    if _locks() is None:
        stream.close()
    return rename(source, target)


def _replace(source: str, target: str) -> bool:
    for seconds in _WAITS:
        try:
            os.replace(source, target)
        except PermissionError:
            time.sleep(seconds)
        else:
            return True
    os.replace(source, target)
    return True


def _rename_new(source: str, target: str) -> bool:
    """Renames a file unless there is one of the new name; returns whether it did."""
    try:
        if _locks() is None:
            os.rename(source, target)  # which replaces no file on Windows
            return True
        os.link(source, target)
    except FileExistsError:
        if os.stat(source).st_nlink < 2:  # over NFS, a repeated request finds its own link
            return False
    except OSError as error:
        locks = _locks()
        if locks is None or error.errno not in _NO_LINKS:
            raise
        return _rename_locked(locks, source, target)
    os.unlink(source)
    return True


def _rename_locked(locks: Any, source: str, target: str) -> bool:
    """Renames a file unless there is one of the new name, on file systems without hard links."""
    with open(os.path.join(os.path.dirname(target), f"{_TEMPORARY}lock{_ENDING}"), "ab") as lock:
        with suppress(OSError):  # the file system has no locks either
            locks.flock(lock, locks.LOCK_EX)
        if os.path.lexists(target):
            return False
        os.rename(source, target)
        return True


def _locks() -> Any:
    """Returns the module that locks files, `None` on Windows."""
    try:
        import fcntl
    except ImportError:
        return None
    return fcntl


def _remove_stray(stream: BinaryIO) -> None:
    """Removes a temporary file; on Windows, unless a running process has it open."""
    if _locks() is not None:
        os.unlink(stream.name)  # while it is locked
        return
    stream.close()
    with suppress(PermissionError):
        os.unlink(stream.name)


def _is_temporary(name: str) -> bool:
    return name.startswith(_TEMPORARY) and name.endswith(_ENDING)


def _locked(stream: IO[bytes]) -> bool:
    """Locks a file until it is closed or its process ends; returns whether no other process has locked it."""
    locks = _locks()
    if locks is None:  # on Windows, where an open file cannot be removed
        return True
    try:
        locks.flock(stream, locks.LOCK_EX | locks.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # the file system has no locks
        return True
    return True


def _sync(descriptor: int) -> None:
    """Writes an open file to the disk, where the system can."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in NO_FSYNC:
            raise


def _sync_folder(path: str) -> None:
    """Writes the names of the files in a folder to the disk, where the system can."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _reading(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path) from None


@contextmanager
def _writing(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in DISK_FULL:
            raise OSError(error.errno, error.strerror, path) from None
        raise UsageError(f"cannot write to '{path}': {error.strerror or error}") from None
