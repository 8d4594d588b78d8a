"""The base class of public data sets, and functions to find data sets and their parts by name."""

from __future__ import annotations

import os
import sys
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

from metrics_framework.common.definitions import failed_at
from metrics_framework.common.errors import (
    PLUGIN_FAILURES,
    FwError,
    PluginError,
    UnknownNameError,
    UsageError,
    message_of,
)
from metrics_framework.common.logs import Log
from metrics_framework.common.registrable import Registrable
from metrics_framework.datasets import REGISTRY
from metrics_framework.datasets.manifest import Manifest, read_manifest
from metrics_framework.datasets.parts import Part


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
    dataset_name = _dataset_name(name)
    if dataset_name is None:
        raise UnknownNameError("data set or test set", name, known_names())
    dataset = load_dataset(dataset_name)
    parts = parts_of(dataset)
    selected = parts if name == dataset_name else [part for part in parts if part.name == name]
    if not selected:
        raise UnknownNameError("test set", name, [part.name for part in parts])
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
