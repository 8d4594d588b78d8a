"""Data sets whose files the user has to get: they are licensed, or their files have no known checksums."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset
from metrics_framework.datasets.manifest import Manifest
from metrics_framework.datasets.parts import Part

Rows = Iterator[dict[str, Any]]


class LicensedDataset(Dataset):
    """A data set that is read from a folder with the files of its authors.

    Attributes:
        reason: Why its files are not downloaded, as the end of a sentence that starts with its name.
        steps: How to get the files, one step per entry, each an imperative sentence.
        archives: The names of the files.
        log: Receives warnings.
    """

    reason: ClassVar[str] = "is licensed, so only its organizers may send you its files"
    steps: ClassVar[Sequence[str]] = ()
    archives: ClassVar[Sequence[str]] = ()

    def __init__(self) -> None:
        self._folder: str | None = None
        self.log = Log()

    @property
    def folder(self) -> str:
        """The folder with the files.

        Raises:
            UsageError: if there is none; it lists the steps to get the files.
        """
        if self._folder is None:
            raise UsageError(*self._instructions())
        return self._folder

    @overrides
    def fetch(self, parts: Sequence[Part], folder: str, from_folder: str | None, log: Log) -> None:
        self._folder, self.log = from_folder, log
        if from_folder is None:
            raise UsageError(*self._instructions())

    def _instructions(self) -> list[str]:
        name = self.registered_name
        steps = [
            *self.steps,
            f"Put these files into one folder, at any depth: {', '.join(self.archives)}",
            f"fw setup dataset {name} --from-dir FOLDER",
        ]
        return [f"'{name}' {self.reason}:", *(f"  {number}. {step}" for number, step in enumerate(steps, 1))]


@dataclass(frozen=True)
class FolderPart(Part):
    """A part that is read from the folder of a licensed data set.

    Args:
        name: The name.
        dataset: The data set.
        content: What the rows are, such as ``summaries``.
        read: Yields the rows, given the folder.
    """

    dataset: LicensedDataset = field(compare=False)
    content: str
    read: Callable[[str], Rows] = field(compare=False)

    @property
    @overrides
    def files(self) -> Sequence[str]:
        return []

    @overrides
    def rows(self, paths: Mapping[str, str]) -> Rows:
        yield from self.read(self.dataset.folder)

    @overrides
    def size(self, manifest: Manifest) -> str:
        return self.content
