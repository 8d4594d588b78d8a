"""Data sets: their manifests, their parts, and their base classes, also of those whose files the user has to get."""

from __future__ import annotations

import json
import os
import posixpath
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, ClassVar

from metrics_framework.common.definitions import failed_at
from metrics_framework.common.errors import (
    PLUGIN_FAILURES,
    DataError,
    FwError,
    PluginError,
    UnknownNameError,
    UsageError,
    message_of,
    say_taken,
)
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.common.registrable import Registrable
from metrics_framework.data.file_formats import FORMAT, check_format
from metrics_framework.datasets import REGISTRY
from metrics_framework.io.reading import read_parallel


@dataclass(frozen=True)
class RawFile:
    """A file as its authors published it.

    Args:
        repository: The repository on GitHub, as ``owner/name``.
        path: The path in the repository.
        bytes: The size.
        sha256: The SHA-256, as hexadecimal digits.
        lines: The number of lines; a last line without a line end counts.
        commit: The commit, `None` if unknown.
        url: The address, `None` if no address is known to serve this content.
    """

    repository: str
    path: str
    bytes: int
    sha256: str
    lines: int
    commit: str | None
    url: str | None


@dataclass(frozen=True)
class Manifest:
    """The description of a data set.

    Args:
        name: The registered name.
        licence: The licence, in one line.
        homepage: The address of a description.
        description: A description in one sentence.
        citation: The paper to cite, as BibTeX.
        files: The files by path in the repository.
    """

    name: str
    licence: str
    homepage: str
    description: str
    citation: str
    files: dict[str, RawFile]


def read_manifest(path: str) -> Manifest:
    """Reads the manifest of a data set.

    Raises:
        DataError: if the file cannot be read, or a field is missing.
    """
    try:
        with open(path, encoding="utf-8") as stream:
            content: dict[str, Any] = json.load(stream)
        check_format(content, "manifest", path)
        files = [RawFile(**file) for file in content["files"]]
        by_path = {file.path: file for file in files}
        if len(by_path) < len(files):
            raise ValueError("two files have the same path")
        return Manifest(**{**{name: value for name, value in content.items() if name != FORMAT}, "files": by_path})
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}; a data set needs its manifest", path) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"is not the manifest of a data set: {error}", path) from None


@cache
def declared_in(name: str) -> Any:
    """Returns what a file of JSON beside this module declares of data sets, by their names."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as stream:
        return json.load(stream)


@dataclass(frozen=True)
class Part(ABC):
    """A part of a data set that is set up as one file of rows.

    Args:
        name: The name, such as ``turkcorpus-test``.
    """

    name: str

    @property
    def files(self) -> Sequence[str]:
        """The source files, by path in the repository; none by default."""
        return []

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


class Dataset(Registrable, registry=REGISTRY):
    """A public data set.

    Its manifest is the file ``manifests/<registered name>.json`` in the folder of the module that defines the class.
    """

    @abstractmethod
    def parts(self) -> list[Part]:
        """Returns the parts that can be set up; their names are the name of the data set, a hyphen and a suffix."""

    def fetch(self, parts: Sequence[Part], folder: str, from_folder: str | None, log: Log) -> None:
        """Prepares parts before their rows are written, if files of the manifest are not all that they need.

        Args:
            parts: The parts that will be set up.
            folder: The folder of the data set.
            from_folder: A folder with the files; `None` to download them.
            log: Receives notes.
        """
        return

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest, read on first use."""
        module = sys.modules[type(self).__module__].__file__ or ""
        return read_manifest(os.path.join(os.path.dirname(module), "manifests", f"{self.registered_name}.json"))


def load_dataset(name: str) -> Dataset:
    """Returns a data set by name.

    Raises:
        UnknownNameError: if there is no data set with this name.
        PluginError: if the data set cannot be built.
    """
    cls = Dataset.by_name(name)
    with failures_named(name):
        dataset: Dataset = cls()
    return dataset


def parts_of(dataset: Dataset) -> list[Part]:
    """Returns the parts of a data set.

    Raises:
        DataError: if the manifest cannot be read.
        PluginError: if the data set fails, a part has an invalid name, or a file is missing from the manifest.
    """
    name = dataset.registered_name
    with failures_named(name):
        parts = list(dataset.parts())
        for part in parts:
            if not part.name.startswith(f"{name}-"):
                raise PluginError(
                    f"names of the parts of data set '{name}' must start with '{name}-', got '{part.name}'"
                )
            for path in part.files:
                if path not in dataset.manifest.files:
                    raise PluginError(
                        f"'{part.name}' needs the file '{path}', but it is missing from the manifest of '{name}'"
                    )
    return parts


def size_of(dataset: Dataset, part: Part) -> str:
    """Describes the size of a part.

    Raises:
        PluginError: if the data set fails.
    """
    with failures_named(dataset.registered_name):
        return part.size(dataset.manifest)


@contextmanager
def failures_named(name: str) -> Iterator[None]:
    """Raises a `PluginError` with the name of the data set for an exception in its code.

    Raises:
        PluginError: if the block raises anything but an `FwError`.
    """
    try:
        yield
    except (FwError, MemoryError):
        raise
    except PLUGIN_FAILURES as error:
        raise PluginError(f"the data set '{name}' failed{failed_at(error)}: {message_of(error)}") from error


def find_parts(name: str) -> tuple[Dataset, Sequence[Part]]:
    """Returns a data set and all its parts, or for the name of a part only this part.

    Raises:
        UnknownNameError: if there is no data set or part with this name.
    """
    spelled = name.casefold().replace("_", "-")
    if spelled != name and _dataset_name(name) is None and _dataset_name(spelled) is not None:
        say_taken(name, f"the data set '{spelled}'")
        name = spelled
    dataset_name = _dataset_name(name)
    if dataset_name is None:
        raise UnknownNameError("data set or test set", name, known_names(), listed_by="fw list datasets")
    dataset = load_dataset(dataset_name)
    parts = parts_of(dataset)
    selected = parts if name == dataset_name else [part for part in parts if part.name == name]
    if not selected:
        raise UnknownNameError("test set", name, [part.name for part in parts], listed_by="fw list test-sets")
    return dataset, selected


def find_part(name: str) -> tuple[Dataset, Part]:
    """Returns a part by name, and its data set.

    Raises:
        UnknownNameError: if there is no part with this name.
        UsageError: if a data set with several parts has this name.
    """
    dataset, parts = find_parts(name)
    if len(parts) > 1:
        listing = ", ".join(part.name for part in parts)
        raise UsageError(f"'{name}' is a data set with several parts; name one of them: {listing}")
    return dataset, parts[0]


def is_name(name: str) -> bool:
    """Returns whether a name is the name of a data set, or starts with one."""
    return _dataset_name(name) is not None


def known_names() -> list[str]:
    """Returns the names of all data sets and parts; parts of a broken plug-in are left out."""
    names: list[str] = []
    for name in Dataset.registry().names():
        names.append(name)
        try:
            names.extend(part.name for part in parts_of(load_dataset(name)))
        except FwError:
            continue
    return names


def _dataset_name(name: str) -> str | None:
    """Returns the longest name of a data set that a name starts with."""
    names = Dataset.registry().names(aliases=True)
    return max((known for known in names if name == known or name.startswith(f"{known}-")), key=len, default=None)


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
    steps: Sequence[str] = ()
    archives: Sequence[str] = ()

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

    @overrides
    def rows(self, paths: Mapping[str, str]) -> Rows:
        yield from self.read(self.dataset.folder)

    @overrides
    def size(self, manifest: Manifest) -> str:
        return self.content
