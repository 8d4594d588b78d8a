"""What a folder can do, whether it is local or remote."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable


class Files(ABC):
    """The operations of a `Folder`, which raise `OSError`; those that write raise what those of `Folder` raise."""

    def __init__(self, path: str) -> None:
        self.path = path

    @abstractmethod
    def create(self) -> None:
        """Creates the folder."""

    @abstractmethod
    def write(self, path: str, data: Iterable[bytes]) -> None:
        """Writes a file completely or not at all."""

    @abstractmethod
    def write_new(self, path: str, data: bytes) -> bool:
        """Writes a file completely unless there is one; returns whether it did."""

    @abstractmethod
    def names(self) -> Iterable[str]:
        """Returns the names of all files."""

    @abstractmethod
    def exists(self, path: str) -> bool:
        """Returns whether there is a file."""

    @abstractmethod
    def remove(self, path: str) -> None:
        """Removes a file."""

    @abstractmethod
    def remove_strays(self) -> None:
        """Removes temporary files that no process writes to."""
