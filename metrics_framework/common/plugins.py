"""Plug-ins: entry points of installed packages, ``FW_PLUGINS``, and ``--include-packages``.

Entry points are read from the ``entry_points.txt`` files of installed packages, which ``importlib.metadata`` reads too;
importing that module would add 35 ms to every start (decision 0003). A package is imported when one of its names is
used. The packages in ``FW_PLUGINS`` and ``--include-packages`` are imported first, so that their commands and flags
exist when the command line is parsed; the working folder is importable only for them.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from metrics_framework.common.errors import (
    PLUGIN_FAILURES,
    PluginError,
    RegistrationError,
    UsageError,
    message_of,
    printable,
)

PLUGINS_VARIABLE = "FW_PLUGINS"
PLUGINS_FLAG = "--include-packages"

_DATA = (".json", ".jsonl", ".csv", ".tsv", ".txt", ".svg", ".gz", ".zst")  # endings of data files
_failures: dict[str, str] = {}
_imported: dict[str, str] = {}


class EntryPoint(NamedTuple):
    """One line of an installed package's entry points.

    Args:
        name: The name to register.
        module: The module.
        attribute: The class in the module.
        distribution: The package and its version, from the name of its metadata folder.
    """

    name: str
    module: str
    attribute: str
    distribution: str


def entry_points(group: str) -> Iterator[EntryPoint]:
    """Yields the entry points of a group; if a package is on the path twice, only from the first."""
    seen: set[str] = set()
    for folder in dict.fromkeys(sys.path):
        try:
            names = sorted(name for name in os.listdir(folder or ".") if name.endswith((".dist-info", ".egg-info")))
        except OSError:
            continue
        for name in names:
            path = os.path.join(folder, name, "entry_points.txt")
            distribution = name.rsplit(".", 1)[0]
            package = distribution.split("-")[0].lower()
            if package not in seen and os.path.exists(path):
                seen.add(package)
                yield from _in_file(path, group, distribution)


def _in_file(path: str, group: str, distribution: str) -> Iterator[EntryPoint]:
    try:
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
    except (OSError, UnicodeDecodeError) as error:
        _failures[distribution] = message_of(error)
        return
    current = ""
    for line in text.splitlines() if group in text else ():
        text = line.strip()
        if text.startswith("["):
            current = text.strip("[] ")
        elif current == group and "=" in text and text[:1] not in "#;":
            name, _, value = text.partition("=")
            module, _, attribute = value.split("[")[0].strip().partition(":")
            yield EntryPoint(name.strip(), module.strip(), attribute.strip(), distribution)


def discover(words: Sequence[str]) -> list[str]:
    """Imports the packages named in the environment and the arguments; removes them from the arguments.

    Args:
        words: The arguments of the command line.

    Returns:
        The arguments without ``--include-packages`` and its packages. Before the command the flag has one value
        (packages may be separated by commas), after it all arguments up to the next flag or data file. A data file has
        an ending of data or, from the second argument on, is any existing file but a ``.py`` file.

    Raises:
        UsageError: if no package follows the flag.
        RegistrationError: if a name is registered twice.
    """
    if os.environ.get(PLUGINS_VARIABLE):
        import_named_in_environment()
    rest: list[str] = []
    index = 0
    while index < len(words):
        word = words[index].replace("_", "-") if words[index].startswith("--") else words[index]
        index += 1
        if word != PLUGINS_FLAG and not word.startswith(f"{PLUGINS_FLAG}="):
            rest.append(words[index - 1])
            continue
        end = _end(words, index, 1 if not rest else len(words)) if word == PLUGINS_FLAG else index
        packages = words[index:end] if word == PLUGINS_FLAG else [words[index - 1].partition("=")[2]]
        if not packages:
            raise UsageError(f"{PLUGINS_FLAG} must be followed by a package or a .py file")
        index = end
        import_packages([package for joined in packages for package in joined.split(",") if package])
    return rest


def _end(words: Sequence[str], start: int, most: int) -> int:
    end = start
    while end < min(len(words), start + most) and not words[end].startswith("-") and not words[end].endswith(_DATA):
        if end > start and os.path.isfile(words[end]) and not words[end].endswith(".py"):
            break  # a file of references, which may have any ending
        end += 1
    return end


def import_named_in_environment() -> None:
    """Imports the packages in ``FW_PLUGINS``, once."""
    import_packages(os.environ.get(PLUGINS_VARIABLE, "").replace(",", " ").split())


def import_packages(names: Sequence[str]) -> None:
    """Imports packages, modules or files (``path/to/file.py``); warns of broken ones.

    Raises:
        RegistrationError: if a name is registered twice.
    """
    for name in names:
        key = os.path.realpath(name) if name.endswith(".py") else name
        if key in _imported:
            continue
        _imported[key] = name
        try:
            module = _import(name)
        except RegistrationError:
            raise
        except PLUGIN_FAILURES as error:
            is_located = isinstance(error, PluginError)
            _failures[name] = str(error) if is_located else message_of(error) + _line_in(name, error)
            _warn(f"the plug-in '{name}' is unavailable: {_failures[name]}")
        else:
            forgotten = _unregistered(module) if name.endswith(".py") else None
            if forgotten:
                base = forgotten.registry().base.__name__
                missing = f"@{base}.register(\"NAME\") to '{forgotten.__name__}'"
                _warn(f"the plug-in '{name}' registers nothing; add {missing}")


def _warn(message: str) -> None:
    print(printable(f"fw: warning: {message}") + "\n", end="", file=sys.stderr)  # in one write, as in logs.py


def _line_in(name: str, error: BaseException) -> str:
    """Returns the line of a plug-in's file that raised an error, empty if it is a package or the error names a line."""
    from traceback import walk_tb

    path, trace = os.path.realpath(name), walk_tb(error.__traceback__)
    lines = [line for frame, line in trace if os.path.realpath(frame.f_code.co_filename) == path]
    return f" (line {lines[-1]})" if lines else ""


def _unregistered(module: ModuleType) -> Any:
    """Returns a class of a plug-in that could be registered if none is, else `None`."""
    values = [value for value in vars(module).values() if issubclass(type(value), type)]
    classes = [cls for cls in values if cls.__module__ == module.__name__ and hasattr(cls, "registered_name")]
    if not classes or any(vars(cls).get("registered_name") for cls in classes):
        return None
    return classes[-1]


def named() -> tuple[dict[str, str], dict[str, str]]:
    """Returns the imported plug-ins, and the errors of broken ones, for `take_over` in a worker process."""
    return dict(_imported), dict(_failures)


def take_over(imported: Mapping[str, str], failed: Mapping[str, str]) -> None:
    """Imports the plug-ins of the main process in a worker; warnings of broken ones are not repeated."""
    missing = [name for key, name in imported.items() if key not in _imported and name not in failed]
    _imported.update(imported)
    _failures.update(failed)
    for name in missing:
        _import(name)


def _import(name: str) -> ModuleType:
    if name.endswith(".py"):
        from importlib.util import module_from_spec, spec_from_file_location

        module_name = os.path.basename(name)[:-3]
        while module_name in sys.modules:
            module_name += "_"
        spec = spec_from_file_location(module_name, name)
        if spec is None or spec.loader is None or not os.path.exists(name):
            raise FileNotFoundError(f"{name} does not exist")
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[spec.name]
            raise
        return module
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    return importlib.import_module(name)


def failures() -> str:
    """Returns a sentence for each broken plug-in, empty if there are none."""
    return "".join(f" The plug-in '{name}' is unavailable: {reason}." for name, reason in _failures.items())
