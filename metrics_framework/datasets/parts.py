"""The parts of a data set: test sets, test sets with the outputs of systems, and other files of rows."""

from __future__ import annotations

import posixpath
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.manifest import Manifest
from metrics_framework.io.reading import read_parallel


@dataclass(frozen=True)
class Part(ABC):
    """A part of a data set that is set up as one file of rows.

    Args:
        name: The name, such as ``turkcorpus-test``.
    """

    name: str

    @property
    @abstractmethod
    def files(self) -> Sequence[str]:
        """The source files, by path in the repository."""

    @abstractmethod
    def rows(self, paths: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Yields the rows.

        Args:
            paths: The path of each file on disk, by its path in the repository.

        Raises:
            DataError: if the files differ in length or contain invalid rows.
        """

    @abstractmethod
    def size(self, manifest: Manifest) -> str:
        """Describes the size."""


@dataclass(frozen=True)
class ParallelText(Part):
    """A test set of parallel text files: line n of each file belongs to instance n.

    Args:
        name: The name.
        source: The file of sources.
        references: The files of references.
    """

    source: str
    references: Sequence[str]

    @property
    @overrides
    def files(self) -> Sequence[str]:
        return [self.source, *self.references]

    @overrides
    def rows(self, paths: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        for number, lines in self._lines(paths):
            yield {"instance_id": str(number), **self._shared(lines)}

    def _lines(self, paths: Mapping[str, str]) -> Iterator[tuple[int, dict[str, str]]]:
        """Yields each line number with the line of every file."""
        for number, lines in enumerate(read_parallel([paths[path] for path in self.files]), 1):
            yield number, dict(zip(self.files, lines, strict=True))

    def _shared(self, lines: Mapping[str, str]) -> dict[str, Any]:
        """Returns the fields that all outputs of an instance share."""
        references = {"references": [lines[path] for path in self.references]} if self.references else {}
        return {"source": lines[self.source], **references}

    @overrides
    def size(self, manifest: Manifest) -> str:
        return f"{manifest.files[self.source].lines} × {len(self.references)}"


@dataclass(frozen=True)
class SystemOutputs(ParallelText):
    """A test set with the outputs of systems, in text files parallel to it.

    Args:
        name: The name.
        source: The file of sources.
        references: The files of references, possibly none.
        outputs: The file of outputs of each system.
    """

    outputs: Mapping[str, str]

    @property
    @overrides
    def files(self) -> Sequence[str]:
        return [self.source, *self.references, *self.outputs.values()]

    @overrides
    def rows(self, paths: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        for number, lines in self._lines(paths):
            shared = self._shared(lines)
            for system, path in self.outputs.items():
                ids = {"instance_id": str(number), "summarizer_id": system, "summarizer_type": "peer"}
                yield {**ids, "summary": lines[path], **shared}

    @overrides
    def size(self, manifest: Manifest) -> str:
        systems = f"{len(self.outputs)} system{'s' if len(self.outputs) > 1 else ''}"
        return f"{super().size(manifest)}, {systems}"


def outputs_in(manifest: Manifest, folder: str) -> dict[str, str]:
    """Returns the files of a folder by system; a system is named after its file up to the first full stop.

    Raises:
        DataError: if two files have the same system name.
    """
    paths: dict[str, str] = {}
    for path in manifest.files:
        if posixpath.dirname(path) == folder:
            system = posixpath.basename(path).partition(".")[0]
            if system in paths:
                raise DataError(f"'{paths[system]}' and '{path}' both belong to system '{system}'; rename one")
            paths[system] = path
    return paths
