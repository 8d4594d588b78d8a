"""Counts that describe the code base: its size, its small modules, and the way of three commands through its files.

``python benchmarks/house.py`` prints the counts of this checkout beside their budgets in ``tests/house_budget.json``,
and fails if one is above its budget; so does a test. ``--update`` sets the budgets to what the checkout has; a commit
that raises one gives the reason in its message. ``--tree BEFORE .`` compares checkouts, and
``--calls 'fw ter evaluate'`` prints the files that the command leads through.

The counts are the same in all versions of Python. They need the native kernels.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import dataclasses
import importlib
import inspect
import io
import json
import multiprocessing
import os
import sys
import tempfile
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
BUDGET = ROOT / "tests" / "house_budget.json"
DATA = ROOT / "datasets" / "simplification"
COMMANDS = {
    "fw ter evaluate": "ter evaluate {out}/m.json --outputs careful.txt --references references.0.txt",
    "fw evaluate of two metrics": "evaluate -m ter -m bleu --confidence"
    " --outputs careful.txt timid.txt --references references.0.txt",
    "fw correlate": "correlate {scores} human.jsonl --metric sari --metric ter --human simplicity --test inputs",
}
SCORES = "score -m sari -m ter {scores} --input-files outputs.jsonl"
DEPEND_ON_VERSION = ("<listcomp>", "<setcomp>", "<dictcomp>", "__getattr__")
"""What Python calls until 3.11 only: comprehensions, and look-ups when it checks protocols."""


@dataclasses.dataclass(frozen=True)
class Call:
    """The first call of a function, a lambda or a generator expression."""

    file: str
    function: str
    line: int

    @property
    def is_function(self) -> bool:
        """Whether the called thing is a function with a name; others belong to the function that has them."""
        return not self.function.startswith("<")


def measured(tree: Path) -> dict[str, int]:
    """Returns all counts of a checkout."""
    package = tree / "metrics_framework"
    decisions = [path for path in (tree / "docs" / "decisions").glob("*.md") if path.name != "README.md"]
    counts = {
        "modules": len(list(package.rglob("*.py"))),
        "tokens of Python code": tokens(package),
        "lines of C": lines_of_c(package),
        "modules with one importer in the same package": len(with_one_importer(package)),
    }
    for name in COMMANDS:
        calls = in_a_new_process(calls_of_command, tree, name)
        counts[f"{name}: functions"] = sum(call.is_function for call in calls)
        counts[f"{name}: files"] = len({call.file for call in calls})
        counts[f"{name}: changes of file"] = len(stays(calls)) - 1
    counts["tokens of test code"] = tokens(tree / "tests")
    counts["words of hand-written docs"] = words_of_docs(tree)
    counts["decisions"] = len(decisions)
    return counts


def tokens(folder: Path) -> int:
    """Counts names, numbers, strings and operators of Python files, without docstrings.

    A statement that consists of strings is a docstring. An f-string is one token, as it was before Python 3.12.
    """
    return sum(tokens_of_file(path) for path in folder.rglob("*.py"))


def tokens_of_file(path: Path) -> int:
    """Counts the tokens of one file."""
    count, depth, statement = 0, 0, []
    with path.open("rb") as stream:
        for token in tokenize.tokenize(stream.readline):
            kind = tokenize.tok_name[token.type]
            depth += kind.endswith("STRING_START") - kind.endswith("STRING_END")  # of f-strings since Python 3.12
            if depth == 0 and kind in ("NAME", "NUMBER", "OP", "STRING", "FSTRING_END", "TSTRING_END"):
                statement.append(kind)
            elif kind == "NEWLINE":
                count += len(statement) if {*statement} != {"STRING"} else 0
                statement = []
    return count


def lines_of_c(package: Path) -> int:
    """Counts the lines of C files and headers."""
    files = (path for ending in ("c", "h") for path in package.rglob(f"*.{ending}"))
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)


def with_one_importer(package: Path) -> list[str]:
    """Lists the modules that only one module imports, which is in the same folder; ``__init__`` files do not count.

    Imports in functions and for type checking count, too.
    """
    files = {module_name(package, path): path for path in sorted(package.rglob("*.py"))}
    importers: dict[str, list[str]] = {name: [] for name in files}
    for name, path in files.items():
        for other in set(imported(path)) & files.keys() - {name}:
            importers[other].append(name)
    modules = [name for name, path in files.items() if path.stem != "__init__" and len(importers[name]) == 1]
    return [name for name in modules if files[importers[name][0]].parent == files[name].parent]


def module_name(package: Path, path: Path) -> str:
    """Returns the dotted name of a module, for an ``__init__`` file that of the package."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path) -> Iterator[str]:
    """Yields the modules that a file imports, and names that may be modules."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def words_of_docs(tree: Path) -> int:
    """Counts the words of the pages in ``docs``, without the reference, and of those at the top of the checkout."""
    pages = [path for path in (tree / "docs").rglob("*.md") if tree / "docs" / "reference" not in path.parents]
    return sum(len(path.read_text(encoding="utf-8").split()) for path in [*pages, *tree.glob("*.md")])


def calls_of_command(tree: Path, name: str) -> list[Call]:
    """Returns the first calls of one of the commands in the second of two runs; needs a new process."""
    sys.path.insert(0, str(tree))
    os.chdir(DATA)
    for variable in [name for name in os.environ if name.startswith("FW_")]:
        del os.environ[variable]
    os.environ["FW_KERNELS"] = "native"
    main = importlib.import_module("metrics_framework.commands.app").main

    def fw(command: str) -> None:
        with tempfile.TemporaryDirectory() as out, contextlib.redirect_stdout(io.StringIO()) as printed:
            words = [word.format(out=out, scores=scores) for word in command.split()]
            with contextlib.redirect_stderr(printed):
                code = main(words)
        if code:
            raise SystemExit(f"fw {' '.join(words)} failed: {printed.getvalue()}")

    with tempfile.TemporaryDirectory() as folder:
        scores = str(Path(folder) / "scores.jsonl")
        if "{scores}" in COMMANDS[name]:
            fw(SCORES)
        return first_calls(tree / "metrics_framework", lambda: fw(COMMANDS[name]))


def first_calls(package: Path, run: Callable[[], object]) -> list[Call]:
    """Returns the first calls in the second of two runs, in their order, without modules and bodies of classes.

    Only first calls, since a reader reads each function once, however many rows there are.
    """
    folder = str(package) + os.sep
    calls: dict[Call, None] = {}

    def record(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(folder) and code.co_flags & inspect.CO_OPTIMIZED:
            calls.setdefault(Call(code.co_filename.removeprefix(folder), code.co_name, code.co_firstlineno))

    run()
    sys.setprofile(record)
    try:
        run()
    finally:
        sys.setprofile(None)
    return [call for call in calls if call.function not in DEPEND_ON_VERSION]


def stays(calls: list[Call]) -> list[tuple[str, list[str]]]:
    """Groups calls one after another in the same file: file and functions."""
    found: list[tuple[str, list[str]]] = []
    for call in calls:
        if not found or found[-1][0] != call.file:
            found.append((call.file, []))
        found[-1][1].append(call.function)
    return found


def in_a_new_process(function: Callable[..., list[Call]], *arguments: object) -> list[Call]:
    """Calls a function in a new process."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        return process.submit(function, *arguments).result()


def print_calls(name: str, tree: Path) -> None:
    """Prints the files that a command leads through, with the functions that are new in each."""
    way = stays(in_a_new_process(calls_of_command, tree, name))
    visits: Counter[str] = Counter()
    for file, functions in way:
        visits[file] += 1
        again = f" ({visits[file]})" if visits[file] > 1 else ""
        print(f"{file}{again}: {', '.join(functions)}")
    returns = len(way) - len(visits)
    print(f"{name}: {len(visits)} files, {len(way) - 1} changes of file; {returns} lead back to an earlier file")


def print_table(columns: dict[str, dict[str, int]]) -> None:
    """Prints one column per checkout, or one of budgets."""
    print(f"{'':56}" + "".join(f"{head:>14}" for head in columns))
    for row in next(iter(columns.values())):
        print(f"{row:56}" + "".join(f"{cells.get(row, ''):>14}" for cells in columns.values()))


def above(counts: dict[str, int], budget: dict[str, int]) -> list[str]:
    """Returns a line for each count that is above its budget or has none."""
    return [
        f"{name}: {count} is above the budget of {budget.get(name, 0)}; make do with less, or run"
        " python benchmarks/house.py --update and give the reason in the message of the commit"
        for name, count in counts.items()
        if count > budget.get(name, 0)
    ]


def main() -> None:
    """Compares this checkout with its budget, or checkouts with each other."""
    parser = argparse.ArgumentParser(description="Counts that describe the code base.", allow_abbrev=False)
    parser.add_argument("--tree", nargs="+", type=Path, metavar="DIR", help="Checkouts to compare.")
    parser.add_argument("--calls", choices=list(COMMANDS), help="Print the files that a command leads through.")
    parser.add_argument("--update", action="store_true", help="Set the budgets to the counts of this checkout.")
    chosen = parser.parse_args()
    trees = [tree.resolve() for tree in chosen.tree or [ROOT]]
    if chosen.calls:
        for tree in trees:
            print_calls(chosen.calls, tree)
    elif chosen.tree:
        print_table({str(path): measured(tree) for path, tree in zip(chosen.tree, trees, strict=True)})
    else:
        compare_with_budget(chosen.update)


def compare_with_budget(update: bool) -> None:
    """Prints the counts of this checkout and its budgets, updates them if asked to, and fails if a count is above."""
    counts = measured(ROOT)
    budget = json.loads(BUDGET.read_text(encoding="utf-8")) if BUDGET.exists() else {}
    print_table({"now": counts, "budget": budget})
    if update:
        BUDGET.write_text(json.dumps(counts, indent=2) + "\n", encoding="utf-8")
    elif problems := above(counts, budget):
        raise SystemExit("\n".join(problems))


if __name__ == "__main__":
    main()
