"""The rules of the house: what every file, registration and option must keep to."""

from __future__ import annotations

import ast
import functools
import graphlib
import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Mapping, Set
from pathlib import Path

import pytest
from registries import ALIGNERS, COMMANDS, DATASETS, METRICS, PROFILES, RATINGS, READERS

import metrics_framework
from metrics_framework import DatasetReader, Metric
from metrics_framework.alignment.aligner import Aligner
from metrics_framework.common.options import options_of
from metrics_framework.common.registrable import Registry

PACKAGE = Path(metrics_framework.__file__).parent
FILES = sorted(path for path in PACKAGE.rglob("*.py"))
REGISTRIES = [METRICS, READERS, ALIGNERS, DATASETS, COMMANDS, PROFILES, RATINGS]


def relative(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def imported_by(path: Path) -> frozenset[str]:
    """Returns the modules that a file imports: at its top, in a function or for type checking."""
    found: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{name.name}" for name in node.names)
    return frozenset(found)


def circle(imports: Mapping[str, Set[str]]) -> list[str]:
    """Returns the modules of a circle of imports, beginning and ending with the same one; an empty list without one."""
    try:
        graphlib.TopologicalSorter(imports).prepare()
    except graphlib.CycleError as error:
        return list(reversed(error.args[1]))
    return []


def test_no_modules_import_each_other_in_a_circle() -> None:
    imports = {module_name(path): imported_by(path) for path in FILES}
    imports = {module: (found & imports.keys()) - {module} for module, found in imports.items()}
    assert not circle(imports), " imports ".join(circle(imports))


@pytest.mark.parametrize(
    ("imports", "expected"),
    [
        ({"a": {"b", "c"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"a"}}, ["a", "b", "a"]),
        ({"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": {"b"}}, ["b", "c", "d", "b"]),
    ],
)
def test_a_circle_of_imports_is_found(imports: Mapping[str, Set[str]], expected: list[str]) -> None:
    assert circle(imports) == expected


def test_imports_in_functions_and_for_type_checking_are_found(tmp_path: Path) -> None:
    lines = ["import a", "if TYPE_CHECKING:", "    from b import c", "def f():", "    def g():", "        import d.e"]
    (tmp_path / "m.py").write_text("\n".join(lines), encoding="utf-8")
    assert imported_by(tmp_path / "m.py") == {"a", "b", "b.c", "d.e"}


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.kind)
def test_files_of_one_registry_do_not_import_one_another(registry: Registry) -> None:
    modules = {module for module, _ in built_in(registry).values()}
    base = registry.get(registry.names()[0]).registry().base.__module__
    for module in modules:
        path = PACKAGE.parent / (module.replace(".", "/") + ".py")
        others = (imported_by(path) & modules) - {module, base}
        assert not others, f"{relative(path)} imports {others}"


def built_in(registry: Registry) -> dict[str, tuple[str, str]]:
    registry.search()
    entries = registry.entries.values()
    return {
        entry.name: (entry.module, entry.class_name)
        for entry in entries
        if entry.module.startswith("metrics_framework.") and entry.alias_of is None
    }


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.kind)
def test_registrations_found_in_the_source_are_those_found_by_importing(registry: Registry) -> None:
    scanned = _in_a_fresh_process(registry.home, import_all=False)
    imported = _in_a_fresh_process(registry.home, import_all=True)
    assert scanned == imported
    assert scanned


def _in_a_fresh_process(home: str, import_all: bool) -> str:
    script = f"""
import importlib, pkgutil
home = importlib.import_module({home!r})
registry = home.REGISTRY
registry.search()
if {import_all}:
    registry.entries = {{}}
    for module in pkgutil.iter_modules(home.__path__):
        importlib.import_module(f"{home}.{{module.name}}")
entries = sorted(registry.entries.values(), key=lambda entry: entry.name)
print([(e.name, e.module, e.class_name, e.summary) for e in entries if e.module.startswith("metrics_framework.")])
"""
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.kind)
def test_every_registration_has_a_summary_of_one_sentence(registry: Registry) -> None:
    for name in built_in(registry):
        summary = registry.entries[name].summary
        assert summary.endswith("."), f"{name}: {summary!r}"
        assert summary[:1].isupper(), f"{name}: {summary!r}"


def test_every_module_says_in_a_sentence_what_it_is_for() -> None:
    docstrings = {path: ast.get_docstring(tree_of(path)) or "" for path in FILES}
    first = {relative(path): text.split("\n\n")[0].rstrip() for path, text in docstrings.items()}
    assert [path for path, text in first.items() if not text.endswith((".", ":"))] == []


def test_every_option_is_documented_and_typed() -> None:
    """Options of metrics, readers and aligners: each is under Args, and has a type that a flag can have."""
    bad = []
    for registry, base in ((METRICS, Metric), (READERS, DatasetReader), (ALIGNERS, Aligner)):
        for name in built_in(registry):
            options = options_of(registry.get(name), base)
            bad += [(name, one.name) for one in options if not one.help[:1].isupper() or one.kind == "json"]
    assert bad == []


def test_every_module_can_be_imported() -> None:
    for module in pkgutil.walk_packages([str(PACKAGE)], "metrics_framework."):
        if module.name.endswith(("__main__", "pytest_plugin", "integrations.mbrs")):  # the last needs mbrs itself
            continue
        importlib.import_module(module.name)


def test_lines_of_json_are_read_in_one_module_only() -> None:
    importing = [relative(path) for path in FILES if "jsonlines" in imported_by(path)]
    assert importing == ["io/jsonl.py"]


def test_no_module_imports_the_package_overrides() -> None:
    assert not [relative(path) for path in FILES if "overrides" in imported_by(path)]


def test_no_file_does_heavy_imports_at_its_top_where_commands_start() -> None:
    heavy = {"numpy", "scipy", "pandas", "matplotlib", "scipy.stats"}
    rooms = ("common", "data", "io", "commands", "dataset_readers", "datasets", "evaluation", "metrics", "alignment")
    for room in (*rooms, "text"):
        for path in (PACKAGE / room).rglob("*.py"):
            top = [node for node in tree_of(path).body if isinstance(node, ast.Import | ast.ImportFrom)]
            names = {name.name for node in top if isinstance(node, ast.Import) for name in node.names}
            names |= {node.module or "" for node in top if isinstance(node, ast.ImportFrom)}
            assert not {name.split(".")[0] for name in names} & heavy, relative(path)


def errors_with_line_breaks(tree: ast.AST) -> list[int]:
    """Returns the lines of a file that raise an error of ours with a line break in an argument."""
    lines = []
    for node in ast.walk(tree):
        call = node.exc if isinstance(node, ast.Raise) else None
        if isinstance(call, ast.Call):
            texts = (part.value for part in ast.walk(call) if isinstance(part, ast.Constant))
            lines += [node.lineno for text in texts if isinstance(text, str) and "\n" in text]
    return lines


def test_each_line_of_a_message_is_an_argument() -> None:
    """A line break in an argument is escaped; ``UsageError(line, line)`` has two lines."""
    found = {relative(path): errors_with_line_breaks(tree_of(path)) for path in FILES}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_a_line_break_in_a_message_is_found() -> None:
    code = """raise UsageError("a\\nb")\nraise UsageError("a", f"b {c}")\nraise DataError(f"{a}\\n")"""
    assert errors_with_line_breaks(ast.parse(code)) == [1, 3]
