"""Plug-ins: entry points of installed packages, ``FW_PLUGINS``, and ``--include-packages``.

Entry points are read from the ``entry_points.txt`` files beside the installed packages: the same files that
``importlib.metadata`` reads, without the 35 ms that importing it costs at every start. Nothing of a package is
imported until one of its names is asked for. What the user names in ``FW_PLUGINS`` or ``--include-packages`` is
imported at once, so that its commands and flags exist when the command line is read; only then is the working folder
importable.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from metrics_framework.common.errors import RegistrationError, UsageError

VARIABLE = "FW_PLUGINS"
FLAG = "--include-packages"

_failures: dict[str, str] = {}
_imported: dict[str, str] = {}


class EntryPoint(NamedTuple):
    """One line of an installed package's entry points.

    Args:
        name: The name to register.
        module: The module.
        attribute: The class in it.
        distribution: The package, with its version, as its metadata folder says.
    """

    name: str
    module: str
    attribute: str
    distribution: str


def entry_points(group: str) -> Iterator[EntryPoint]:
    """Gives the entry points of a group; of a package that is on the path twice, the first counts."""
    seen: set[str] = set()
    for folder in dict.fromkeys(sys.path):
        for name in _metadata_folders(folder):
            path = os.path.join(folder, name, "entry_points.txt")
            distribution = name.rsplit(".", 1)[0]
            package = distribution.split("-")[0].lower()
            if package not in seen and os.path.exists(path):
                seen.add(package)
                yield from _in_file(path, group, distribution)


def _metadata_folders(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder or ".") if name.endswith((".dist-info", ".egg-info")))
    except OSError:
        return []


def _in_file(path: str, group: str, distribution: str) -> Iterator[EntryPoint]:
    try:
        with open(path, encoding="utf-8") as stream:
            lines = stream.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        _failures[distribution] = f"{type(error).__name__}: {error}"
        return
    current = ""
    for line in lines:
        text = line.strip()
        if text.startswith("["):
            current = text.strip("[] ")
        elif current == group and "=" in text and text[:1] not in "#;":
            name, _, value = text.partition("=")
            module, _, attribute = value.split("[")[0].strip().partition(":")
            yield EntryPoint(name.strip(), module.strip(), attribute.strip(), distribution)


def discover(words: Sequence[str]) -> list[str]:
    """Imports the packages that the environment and the command line name.

    Args:
        words: The words of the command line.

    Returns:
        The words without ``--include-packages`` and its packages. In front of the command it takes one word (or
        several, joined by commas), behind it all words up to the next flag or data file.

    Raises:
        UsageError: if the flag has no package behind it.
        RegistrationError: if a name is taken twice.
    """
    import_named_in_environment()
    rest: list[str] = []
    index = 0
    while index < len(words):
        word = words[index].replace("_", "-") if words[index].startswith("--") else words[index]
        index += 1
        if word != FLAG and not word.startswith(f"{FLAG}="):
            rest.append(words[index - 1])
            continue
        end = _end(words, index, 1 if not rest else len(words)) if word == FLAG else index
        packages = words[index:end] if word == FLAG else [words[index - 1].partition("=")[2]]
        if not packages:
            raise UsageError(f"{FLAG} needs a package behind it")
        index = end
        import_packages([package for joined in packages for package in joined.split(",") if package])
    return rest


def _end(words: Sequence[str], start: int, most: int) -> int:
    end = start
    while end < len(words) and end - start < most and not words[end].startswith("-") and _may_be_package(words[end]):
        end += 1
    return end


def _may_be_package(word: str) -> bool:
    return word.endswith(".py") or not word.endswith((".json", ".jsonl", ".csv", ".tsv", ".txt", ".svg", ".gz", ".zst"))


def import_named_in_environment() -> None:
    """Imports the packages that the variable ``FW_PLUGINS`` names, once."""
    import_packages(os.environ.get(VARIABLE, "").replace(",", " ").split())


def import_packages(names: Sequence[str]) -> None:
    """Imports packages, modules or files (``path/to/file.py``); one that is broken is told and left out.

    Raises:
        RegistrationError: if a name is taken twice.
    """
    for name in names:
        key = os.path.realpath(name) if name.endswith(".py") else name
        if key in _imported:
            continue
        _imported[key] = name
        try:
            _import(name)
        except RegistrationError:
            raise
        except (Exception, SystemExit) as error:
            _failures[name] = f"{type(error).__name__}: {error}"
            print(f"fw: warning: the plug-in '{name}' is out of use: {_failures[name]}", file=sys.stderr)


def named() -> tuple[dict[str, str], dict[str, str]]:
    """Returns the plug-ins that were named so far and why some are out of use: what another process takes over."""
    return dict(_imported), dict(_failures)


def take_over(imported: Mapping[str, str], failed: Mapping[str, str]) -> None:
    """Imports the plug-ins of another process; what is out of use there stays so, and is not told again."""
    missing = [name for key, name in imported.items() if key not in _imported and name not in failed]
    _imported.update(imported)
    _failures.update(failed)
    for name in missing:
        _import(name)


def _import(name: str) -> None:
    if name.endswith(".py"):
        from importlib.util import module_from_spec, spec_from_file_location

        module_name = os.path.basename(name)[:-3]
        while module_name in sys.modules:
            module_name += "_"
        spec = spec_from_file_location(module_name, name)
        if spec is None or spec.loader is None or not os.path.exists(name):
            raise FileNotFoundError(f"there is no file {name}")
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[spec.name]
            raise
        return
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    importlib.import_module(name)


def failures() -> str:
    """Says which plug-ins are out of use and why; empty when all work."""
    return "".join(f" The plug-in '{name}' is out of use: {reason}." for name, reason in _failures.items())
