"""Several data sets in one command: which of its files belong to which data set.

Each file names its data set, as in ``asset-test=a.txt`` or, with the name of its system, ``asset-test=ours=a.txt``.
Commas separate files of a data set, and data sets with the same file: ``asset-test,turkcorpus-test=a.txt,b.txt``.
"""

from __future__ import annotations

import argparse
import os.path
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from typing import Any

from metrics_framework.commands.run_arguments import NAMING, has_outputs, split_names, with_matches
from metrics_framework.common.errors import UnknownNameError, UsageError, similar
from metrics_framework.common.options import names_of
from metrics_framework.dataset_readers.files_of_outputs import system_names
from metrics_framework.io.locations import exists, expanded
from metrics_framework.io.reading import stem, uncompressed_name

_ONE = ("sources", "cluster_file")
"""The flags with one file for a data set, as names of parsed arguments."""


def data_sets_of(
    arguments: argparse.Namespace, config: Mapping[str, Any]
) -> dict[str, tuple[argparse.Namespace, Mapping[str, Any]]]:
    """Returns the arguments and the configuration of each data set, by name; an empty name if there is only one.

    Several data sets are named by ``--dataset``, or before the files of references, sources, documents or rows.

    Raises:
        UsageError: if a file names no data set, or a data set has no outputs.
    """
    roles = "outputs", *NAMING
    given = {role: getattr(arguments, role, None) or config.get(role) or [] for role in roles}
    words = {role: [value] if isinstance(value, str) else value for role, value in given.items()}
    test_sets = _test_sets(arguments.dataset or config.get("dataset") or "")
    named = [name for role in NAMING for word in words[role] if "=" in word for name in _named(word)]
    names = dict.fromkeys(test_sets or named)
    if len(names) < 2:
        return {"": (arguments, config)}
    if by := arguments.by or config.get("by"):
        raise UsageError(f"--by {by} makes sets of one data set, got {' and '.join(names)}; use one of them")
    files: dict[str, dict[str, list[str]]] = {name: {role: [] for role in roles} for name in names}
    for role, listed in words.items():
        for word in listed:
            for name, file in _assigned(word, f"--{role.replace('_', '-')}", names):
                files[name][role] += expanded([file]) if role in _ONE else [file]
    others = {key: value for key, value in config.items() if key not in (*roles, "dataset")}
    return {name: (_arguments_of(name, arguments, files[name], test_sets), others) for name in names}


def note_on_systems(sets: Mapping[str, argparse.Namespace]) -> list[str]:
    """Returns a note with the flag that names one system, if the files of outputs of data sets have none in common."""
    found: dict[str, list[str]] = {}
    systems: dict[str, list[str]] = {}
    for name, of_set in sets.items():
        files, names = with_matches(*split_names(of_set.outputs or []))
        found[name], systems[name] = files, system_names(files, names)
    if len(sets) < 2 or not all(systems.values()) or set[str].intersection(*map(set, systems.values())):
        return []
    first = next(iter(systems.values()))
    words = [
        f"{name}={system}={file}" for name, files in found.items() for system, file in zip(first, files, strict=False)
    ]
    every = " and ".join(sets)
    problem = f"{every} have no system in common: each file is a separate system unless it is given a name"
    return [f"{problem}, as in --outputs {' '.join(map(shlex.quote, words))}"]


def _test_sets(given: str) -> dict[str, str]:
    """Returns the test sets of ``--dataset`` by name, if it names several: ``NAME``, ``FILE`` or ``NAME=FILE``."""
    found: dict[str, str] = {}
    for word in names_of(given) if "," in given and not os.path.exists(given) else ():
        name, equals, path = word.partition("=")
        name, path = (name, path) if equals else (stem(word) if ".json" in uncompressed_name(word) else word, word)
        if name in found:
            raise UsageError(f"--dataset: '{name}' is given twice; files of one name are named as in a={path}")
        found[name] = path
    return found


def _named(word: str) -> list[str]:
    """Returns the data sets that a word names before its files."""
    found: list[str] = []
    before: list[str] = []
    for part in () if exists(word) else names_of(word):
        name, equals, _ = part.partition("=")
        before = [*before, name] if name and "/" not in name and not exists(part) else []
        if equals:
            found, before = found + before, []
    return found


def _assigned(word: str, flag: str, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yields each file of a word with each of its data sets.

    Raises:
        UsageError: if a file names no data set.
    """
    chosen: list[str] = []
    is_open = False  # whether more names of data sets may follow
    for part in [word] if exists(word) else names_of(word):
        name, equals, file = part.partition("=")
        if name in names:
            chosen, is_open = [*chosen * is_open, name], not equals
        elif chosen and not is_open:
            file = part
        elif equals and similar(name, names):
            raise UnknownNameError("data set", name, names)
        else:
            one, every = next(iter(names)), ",".join(names)
            advice = f"write {flag} {one}={part}, or {every}={part} if it belongs to all"
            raise UsageError(f"{flag}: '{part}' names none of the data sets {' and '.join(names)}; {advice}")
        for of_set in () if is_open else chosen:
            yield of_set, file


def _arguments_of(
    name: str, arguments: argparse.Namespace, own: Mapping[str, Sequence[str]], test_sets: Mapping[str, str]
) -> argparse.Namespace:
    """Returns the arguments of a data set.

    Raises:
        UsageError: if it has no outputs, or several files where one is expected.
    """
    from metrics_framework.datasets.test_sets import find_test_set

    has_own = name in test_sets and has_outputs(find_test_set(test_sets[name]))
    if not (own["outputs"] or own["input_files"] or has_own):
        raise UsageError(f"no outputs for the data set '{name}'; use --outputs {name}=FILE")
    of_set = copy(arguments)
    of_set.dataset = test_sets.get(name)
    for role, listed in own.items():
        if role in _ONE and len(listed) > 1:
            raise UsageError(f"--{role.replace('_', '-')}: '{name}' has two files, '{listed[0]}' and '{listed[1]}'")
        setattr(of_set, role, (listed[0] if role in _ONE else listed) if listed else None)
    return of_set
