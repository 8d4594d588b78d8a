"""Files that are replaced only when their new content is complete."""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any

from metrics_framework.common.errors import UsageError
from metrics_framework.common.interruptions import signals_delayed
from metrics_framework.common.overriding import overrides

DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
"""The errors of a full disk and of an exceeded quota."""
_NO_NEW_FILE = (errno.EACCES, errno.EPERM, errno.EROFS)
NO_FSYNC = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)


def close_all(streams: Sequence[IO[Any]]) -> None:
    """Closes streams whose content is no longer needed."""
    for stream in reversed(streams):
        with suppress(Exception):  # closing flushes, which may fail
            stream.close()


class NamedFile(io.FileIO):
    """A file whose errors include its name, which the system's "No space left on device" does not."""

    @overrides
    def write(self, b: Any) -> int:
        try:
            return super().write(b)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.name) from None


def mode_of(path: str) -> int | None:
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


@dataclass
class Replacement:
    """The new content of a file, written to a temporary file that is renamed at the end.

    The temporary file is in the same folder. If no file can be created there, but the file itself can be written to, it
    is in the folder for temporary files and its content is copied at the end; so it is if the file cannot be renamed
    to, for example because it is mounted into a container.

    Args:
        path: The file.
        target: The same without links.
        mode: Its type and permissions, `None` if it does not exist.

    Attributes:
        streams: The opened streams, each of which writes to the one before it.
    """

    path: str
    target: str
    mode: int | None
    streams: list[IO[Any]] = field(default_factory=list)
    _temporary: str = ""
    _new_folders: list[str] = field(default_factory=list)

    def open(self) -> IO[bytes]:
        """Creates the temporary file and opens it.

        Raises:
            UsageError: if it cannot be created.
            OSError: if the disk is full; it names the path.
        """
        import tempfile

        folder, name = os.path.split(self.target)
        try:
            with signals_delayed():
                if not os.path.isdir(folder):
                    self._make_folders(folder)
                try:
                    descriptor, self._temporary = tempfile.mkstemp(prefix=f"{name}.", suffix=".part", dir=folder)
                except OSError as error:
                    descriptor, self._temporary = self._other_temporary_file(error)
                file = NamedFile(descriptor, "w")
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
        self._new_folders.append(folder)

    def _other_temporary_file(self, error: OSError) -> tuple[int, str]:
        """Creates a temporary file after an error of the first attempt, with a shorter name or in another folder."""
        import tempfile

        if error.errno == errno.ENAMETOOLONG:
            return tempfile.mkstemp(prefix="fw-", suffix=".part", dir=os.path.dirname(self.target))
        if error.errno in _NO_NEW_FILE and self.mode is not None:
            return tempfile.mkstemp(prefix="fw-", suffix=".part")
        raise error

    def finish(self) -> None:
        """Writes everything to the disk, so that a power failure after the rename does not leave an empty file.

        Raises:
            OSError: if the disk is full; it names the path.
        """
        file = self.streams[0]
        file.flush()
        try:
            os.fsync(file.fileno())
        except OSError as error:
            if error.errno not in NO_FSYNC:
                raise OSError(error.errno, error.strerror, self.path) from None
        file.close()

    def put_in_place(self) -> None:
        """Replaces the file.

        Raises:
            OSError: if it cannot be replaced; it names the path.
        """
        os.chmod(self._temporary, default_mode() if self.mode is None else stat.S_IMODE(self.mode))
        try:
            os.replace(self._temporary, self.target)
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
            with open(temporary, "rb") as source, open(self.target, "r+b") as target:
                shutil.copyfileobj(source, target)
                target.truncate()
        except OSError as error:
            problem = f"{error.strerror}; the file may be incomplete, but '{temporary}' is complete"
            raise OSError(error.errno, problem, self.path) from None
        os.unlink(temporary)

    def discard(self) -> None:
        """Deletes the temporary file if it was not renamed, and with it the folders that were created for it."""
        close_all(self.streams)
        if not self._temporary:
            return
        with suppress(FileNotFoundError):
            os.unlink(self._temporary)
        for folder in reversed(self._new_folders):
            with suppress(OSError):  # other files are in it
                os.rmdir(folder)


def default_mode() -> int:
    """Returns the permissions of a new file."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
