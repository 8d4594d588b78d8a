"""The base of all public data sets: which test sets one has, and which files these are made of."""

from __future__ import annotations

import os
import sys
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

from metrics_framework.common.errors import FwError, PluginError, UnknownNameError, UsageError, failed_at, message_of
from metrics_framework.common.registrable import Registrable
from metrics_framework.datasets import REGISTRY
from metrics_framework.datasets.manifest import Manifest, read_manifest
from metrics_framework.datasets.parts import Part


class Dataset(Registrable, registry=REGISTRY):
    """A public data set.

    Its manifest is the file ``manifests/<registered name>.json`` in the folder of the module that defines it.
    """

    @abstractmethod
    def parts(self) -> list[Part]:
        """Returns what can be set up of it; each name starts with that of the data set and a hyphen."""

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest, read when it is first asked for."""
        module = sys.modules[type(self).__module__].__file__ or ""
        return read_manifest(os.path.join(os.path.dirname(module), "manifests", f"{self.registered_name}.json"))


def load_dataset(name: str) -> Dataset:
    """Returns a data set by name.

    Raises:
        UnknownNameError: if there is none.
        PluginError: if it cannot be built.
    """
    kind = Dataset.by_name(name)
    with blamed(name):
        dataset: Dataset = kind()
    return dataset


def parts_of(dataset: Dataset) -> list[Part]:
    """Returns the parts of a data set.

    Raises:
        DataError: if its manifest cannot be read.
        PluginError: if it fails, names a part otherwise than a part is named, or needs a file its manifest has not.
    """
    name = dataset.registered_name
    with blamed(name):
        parts = list(dataset.parts())
        for part in parts:
            if not part.name.startswith(f"{name}-"):
                raise PluginError(
                    f"the data set '{name}' calls a part '{part.name}', but its name must start '{name}-'"
                )
            for path in part.files:
                if path not in dataset.manifest.files:
                    raise PluginError(f"'{part.name}' needs the file '{path}', which the manifest of '{name}' has not")
    return parts


def size_of(dataset: Dataset, part: Part) -> str:
    """Says how large a part is.

    Raises:
        PluginError: if it fails.
    """
    with blamed(dataset.registered_name):
        return part.size(dataset.manifest)


@contextmanager
def blamed(name: str) -> Iterator[None]:
    """Turns what the class of a data set fails with into an error of ours.

    Raises:
        PluginError: if it does.
    """
    try:
        yield
    except (FwError, MemoryError):
        raise
    except Exception as error:
        raise PluginError(f"the data set '{name}' failed{failed_at(error)}: {message_of(error)}") from error


def find_parts(name: str) -> tuple[Dataset, Sequence[Part]]:
    """Returns the data set of a name with all its parts, or with the one that has the name.

    Raises:
        UnknownNameError: if neither a data set nor a part of one has it.
    """
    home = _home(name)
    if home is None:
        raise UnknownNameError("data set or test set", name, known_names())
    dataset = load_dataset(home)
    parts = parts_of(dataset)
    found = parts if name == home else [part for part in parts if part.name == name]
    if not found:
        raise UnknownNameError("test set", name, [part.name for part in parts])
    return dataset, found


def find_part(name: str) -> tuple[Dataset, Part]:
    """Returns a part by name, and the data set it is of.

    Raises:
        UnknownNameError: if there is none of that name.
        UsageError: if it is the name of a data set with several parts.
    """
    dataset, parts = find_parts(name)
    if len(parts) > 1:
        raise UsageError(f"'{name}' is a data set; name one of its parts: {', '.join(part.name for part in parts)}")
    return dataset, parts[0]


def is_name(word: str) -> bool:
    """Tells whether a word can be the name of a data set or of a part of one: whether it starts as these do."""
    return _home(word) is not None


def known_names() -> list[str]:
    """Returns the names of all data sets and their parts; those of a plug-in that is out of use are left out."""
    names: list[str] = []
    for name in Dataset.registry().names():
        names.append(name)
        try:
            names.extend(part.name for part in parts_of(load_dataset(name)))
        except FwError:
            continue
    return names


def _home(name: str) -> str | None:
    """Returns the longest name of a data set with which a name starts."""
    names = Dataset.registry().names(aliases=True)
    return max((one for one in names if name == one or name.startswith(f"{one}-")), key=len, default=None)
