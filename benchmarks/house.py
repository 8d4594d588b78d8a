"""Counts that describe the code base: its size, short helpers, import circles, and how many functions a command runs.

``python benchmarks/house.py --tree . ../before`` prints one column per checkout. Each package is imported in new
processes; the inputs are the example data of this checkout.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import io
import multiprocessing
import os
import runpy
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "datasets" / "simplification"
OUTPUTS = ["--outputs", "careful.txt", "--references", "references.0.txt", "references.1.txt"]
COMMANDS = {
    "fw ter evaluate": ["ter", "evaluate", "{out}/m.json", *OUTPUTS],
    "fw sari evaluate": ["sari", "evaluate", "{out}/m.json", *OUTPUTS, "--sources", "sources.txt"],
    "fw correlate": ["correlate", "{out}/scores.jsonl", "human.jsonl", "--metrics", "sari", "simplicity"],
}
SCORES = ["sari", "score", "{out}/scores.jsonl", "--input-files", "outputs.jsonl"]
LINES_OF_A_SHORT_HELPER = 5

Function = tuple[str, str, int]
"""File, name and first line."""


def modules(package: Path) -> dict[str, ast.Module]:
    """Parses all modules of a package, by their dotted names."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def lines(package: Path, *endings: str) -> int:
    """Counts the lines of all files with one of these endings."""
    files = (path for ending in endings for path in package.rglob(f"*.{ending}"))
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)


def short_helpers(trees: dict[str, ast.Module]) -> list[str]:
    """Lists private functions and methods of at most five lines, without their docstring, that are used once."""
    defined = {name: [node for node in ast.walk(tree) if is_private(node)] for name, tree in trees.items()}
    used = {name: Counter(map(identifier, ast.walk(tree))) for name, tree in trees.items()}
    names = {module: Counter(node.name for node in nodes) for module, nodes in defined.items()}
    found = []
    for module, nodes in defined.items():
        for node in nodes:
            elsewhere = sum(used[other][node.name] for other in trees if not names[other][node.name])
            if used[module][node.name] + elsewhere == names[module][node.name] and is_short(node):
                found.append(f"{module}.{node.name}")
    return found


def is_private(node: ast.AST) -> bool:
    """Returns whether a node defines a function with a private name."""
    return isinstance(node, ast.FunctionDef) and node.name.startswith("_") and not node.name.startswith("__")


def is_short(function: Any) -> bool:
    """Returns whether the body of a function, without its docstring, has at most five lines."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return not body or body[-1].end_lineno - body[0].lineno < LINES_OF_A_SHORT_HELPER


def identifier(node: ast.AST) -> str | None:
    """Returns the name that an expression refers to."""
    return getattr(node, "id", None) or (node.attr if isinstance(node, ast.Attribute) else None)


def in_circles(trees: dict[str, ast.Module], everywhere: bool) -> list[str]:
    """Lists the modules that import themselves through others.

    Args:
        trees: The modules of a package.
        everywhere: Whether imports in functions and for type checking count too.
    """
    imports = {name: set(imported(tree, everywhere)) & set(trees) - {name} for name, tree in trees.items()}
    return [name for name in trees if name in reachable(imports, name)]


def imported(tree: ast.Module, everywhere: bool) -> Iterator[str]:
    """Yields the modules that a module imports, and names that may be modules."""
    for node in ast.walk(tree) if everywhere else tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def reachable(imports: dict[str, set[str]], start: str) -> set[str]:
    """Returns the modules that a module imports, directly or through others."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = imports[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def calls(tree: Path, run: Callable[[], object]) -> Counter[Function]:
    """Counts the calls of the package's functions in the second of two runs, without comprehensions and lambdas."""
    counts: Counter[Function] = Counter()
    folder = str(tree / "metrics_framework") + os.sep

    def count(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(folder) and not code.co_name.startswith("<"):
            counts[code.co_filename.removeprefix(folder), code.co_name, code.co_firstlineno] += 1

    run()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    return counts


def calls_of_command(tree: Path, words: list[str]) -> Counter[Function]:
    """Counts the calls of a run of ``fw``; needs a new process."""
    sys.path.insert(0, str(tree))
    os.chdir(DATA)
    with tempfile.TemporaryDirectory() as out:
        if "{out}/scores.jsonl" in words:
            fw([word.format(out=out) for word in SCORES])
        return calls(tree, lambda: fw([word.format(out=out) for word in words]))


def fw(words: list[str]) -> None:
    """Runs ``fw`` in this process, without its output.

    Raises:
        SystemExit: if it fails.
    """
    sys.argv = ["fw", *words]
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            runpy.run_module("metrics_framework", run_name="__main__")
    except SystemExit as error:
        if error.code:
            raise SystemExit(f"fw {' '.join(words)} failed: {printed.getvalue()}") from None


def calls_of_score(tree: Path, kernels: str) -> Counter[Function] | None:
    """Counts the calls of one ``Ter().score()``, `None` without the kernels; needs a new process."""
    sys.path.insert(0, str(tree))
    os.environ["FW_KERNELS"] = kernels
    if kernels == "native" and importlib.import_module("metrics_framework.kernels.dispatch").native_module is None:
        return None
    metric = importlib.import_module("metrics_framework").load("ter")
    return calls(tree, lambda: metric.score("a cat sat", ["the cat sat", "a cat sat down"]))


def in_a_process(function: Callable[..., Any], *arguments: object) -> Any:
    """Calls a function in a new process."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        return process.submit(function, *arguments).result()


def table(tree: Path) -> dict[str, str]:
    """Counts everything in one checkout."""
    trees = modules(tree / "metrics_framework")
    rows = {
        "lines of Python": lines(tree / "metrics_framework", "py"),
        "lines of C": lines(tree / "metrics_framework", "c", "h"),
        "modules": len(trees),
        "private helpers of at most 5 lines, used once": len(short_helpers(trees)),
        "modules in circles of imports": len(in_circles(trees, everywhere=True)),
        "  of imports at the top of modules": len(in_circles(trees, everywhere=False)),
    }
    for name, words in COMMANDS.items():
        rows[f"functions that run in {name}"] = len(in_a_process(calls_of_command, tree, words))
    cells = {name: str(number) for name, number in rows.items()}
    defined = {node.name for module in trees.values() for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}
    for kernels in ("native", "python"):
        counts = in_a_process(calls_of_score, tree, kernels)
        for label, function in (("kernel look-ups", "native_kernel"), ("argument checks", "check_groups")):
            cell = "not built" if counts is None else str(called(counts, function)) if function in defined else "absent"
            cells[f"{label} of Ter().score(), {kernels} kernels"] = cell
    return cells


def called(counts: Counter[Function], function: str) -> int:
    """Returns how often functions of a name are called."""
    return sum(times for (_, name, _), times in counts.items() if name == function)


def main() -> None:
    """Prints one column per checkout."""
    parser = argparse.ArgumentParser(description="Counts that describe the code base.", allow_abbrev=False)
    parser.add_argument("--tree", nargs="+", type=Path, default=[ROOT], metavar="DIR", help="Checkouts to count in.")
    trees = [tree.resolve() for tree in parser.parse_args().tree]
    tables = [table(tree) for tree in trees]
    print(f"{'':56}" + "".join(f"{tree.name:>14}" for tree in trees))
    for row in tables[0]:
        print(f"{row:56}" + "".join(f"{cells[row]:>14}" for cells in tables))


if __name__ == "__main__":
    main()
