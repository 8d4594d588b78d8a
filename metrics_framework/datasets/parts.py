"""What a data set is made into: test sets, test sets with the outputs of systems, and anything else that has rows."""

from __future__ import annotations

import posixpath
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from overrides import overrides

from metrics_framework.common.errors import DataError
from metrics_framework.datasets.manifest import Manifest
from metrics_framework.io.text_lines import read_parallel


@dataclass(frozen=True)
class Part(ABC):
    """A part of a data set that is set up as one file of rows.

    Args:
        name: Its name, as in ``turkcorpus-test``.
    """

    name: str

    @property
    @abstractmethod
    def files(self) -> Sequence[str]:
        """The files it is made of, by their paths in the repository."""

    @abstractmethod
    def rows(self, places: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Gives the rows.

        Args:
            places: Where each file is, by its path in the repository.

        Raises:
            DataError: if the files do not fit together.
        """

    @abstractmethod
    def size(self, manifest: Manifest) -> str:
        """Says in a few words how large it is."""


@dataclass(frozen=True)
class ParallelText(Part):
    """A test set of text files that go line by line: line n is instance n.

    Args:
        name: Its name.
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
    def rows(self, places: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        for number, lines in read_parallel({path: places[path] for path in self.files}):
            yield {"instance_id": str(number), **self._shared(lines)}

    def _shared(self, lines: Mapping[str, str]) -> dict[str, Any]:
        """Returns what all outputs for one input share."""
        references = {"references": [lines[path] for path in self.references]} if self.references else {}
        return {"source": lines[self.source], **references}

    @overrides
    def size(self, manifest: Manifest) -> str:
        return f"{manifest.files[self.source].lines} × {len(self.references)}"


@dataclass(frozen=True)
class SystemOutputs(ParallelText):
    """A test set with the outputs of systems, in text files that go line by line with it.

    Args:
        name: Its name.
        source: The file of sources.
        references: The files of references; there may be none.
        outputs: System to the file of its outputs.
    """

    outputs: Mapping[str, str]

    @property
    @overrides
    def files(self) -> Sequence[str]:
        return [self.source, *self.references, *self.outputs.values()]

    @overrides
    def rows(self, places: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        for number, lines in read_parallel({path: places[path] for path in self.files}):
            shared = self._shared(lines)
            for system, path in self.outputs.items():
                ids = {"instance_id": str(number), "summarizer_id": system, "summarizer_type": "peer"}
                yield {**ids, "summary": lines[path], **shared}

    @overrides
    def size(self, manifest: Manifest) -> str:
        systems = f"{len(self.outputs)} system{'s' if len(self.outputs) > 1 else ''}"
        return f"{super().size(manifest)}, {systems}"


def outputs_in(manifest: Manifest, folder: str) -> dict[str, str]:
    """Returns the files of a folder by system; a system is called as its file, up to the first full stop.

    Raises:
        DataError: if two files would be one system.
    """
    found: dict[str, str] = {}
    for path in manifest.files:
        if posixpath.dirname(path) == folder:
            system = posixpath.basename(path).partition(".")[0]
            if system in found:
                raise DataError(f"'{found[system]}' and '{path}' would both be the system '{system}'; rename one")
            found[system] = path
    return found
