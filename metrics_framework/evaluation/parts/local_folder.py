"""The files of a folder, each of which is written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import BinaryIO

from metrics_framework.common.errors import DataError, UsageError

_TEMPORARY = ".part"


class Folder:
    """A folder of files.

    Args:
        path: The folder.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def create(self) -> None:
        """Creates the folder and its parents.

        Raises:
            UsageError: if it cannot be created.
        """
        try:
            os.makedirs(self.path, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot create the folder '{self.path}': {error.strerror or error}") from None

    def names(self) -> list[str]:
        """Returns the names of the complete files, sorted; none if the folder does not exist."""
        try:
            return sorted(name for name in os.listdir(self.path) if not _is_temporary(name))
        except FileNotFoundError:
            return []

    def exists(self, name: str) -> bool:
        """Returns whether a file exists."""
        return os.path.isfile(self._path(name))

    def size(self, name: str) -> int | None:
        """Returns the number of bytes of a file; `None` if it does not exist."""
        try:
            return os.path.getsize(self._path(name))
        except FileNotFoundError:
            return None

    def open(self, name: str) -> BinaryIO:
        """Opens a file.

        Raises:
            DataError: if it cannot be read.
        """
        try:
            return open(self._path(name), "rb")
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror or error}", self._path(name)) from None

    def read(self, name: str) -> bytes:
        """Returns the content of a file.

        Raises:
            DataError: if it cannot be read.
        """
        with self.open(name) as stream:
            return stream.read()

    def write(self, name: str, data: bytes | Iterable[bytes]) -> None:
        """Writes a file under a temporary name and renames it when it is complete, so that it never has half of it.

        Raises:
            OSError: if it cannot be written, for example because the disk is full; it names the file.
        """
        import tempfile

        try:
            descriptor, temporary = tempfile.mkstemp(prefix=f".{name}.", suffix=_TEMPORARY, dir=self.path)
            try:
                with open(descriptor, "wb") as stream:
                    for block in [data] if isinstance(data, bytes) else data:
                        stream.write(block)
                    stream.flush()
                    os.fsync(stream.fileno())
                os.chmod(temporary, 0o666 & ~_mask())
                os.replace(temporary, self._path(name))
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary)
                raise
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._path(name)) from None

    def remove(self, name: str) -> None:
        """Removes a file, if it exists."""
        with suppress(FileNotFoundError):
            os.unlink(self._path(name))

    def remove_strays(self) -> None:
        """Removes the temporary files of processes that were killed."""
        for name in os.listdir(self.path):
            if _is_temporary(name):
                self.remove(name)

    def _path(self, name: str) -> str:
        return os.path.join(self.path, name)


def _is_temporary(name: str) -> bool:
    return name.startswith(".") and name.endswith(_TEMPORARY)


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
