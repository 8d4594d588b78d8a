"""Draws mutants of the package, runs the tests that execute the changed lines, and lists the mutants that survive.

A mutant is a copy of the project with one small fault, such as ``<`` in place of ``<=``. A test that fails with the
fault kills it. A mutant that survives is a missing test, or equivalent to the original. The tests of the quick suite
run first, those marked slow only for mutants that survive them. Needs pytest-cov.

    python tests/mutants.py record --jobs 2                                   # which tests execute which lines
    python tests/mutants.py run --count 150 --seed 7 --output mutants.jsonl   # resumes if it was interrupted
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "metrics_framework"
PACKAGES = ("meta_evaluation", "significance", "evaluation", "neural", "language_models", "io")
RECORDED = ".coverage-of-mutants"
TIMEOUT = 900
"""Seconds after which a mutant counts as killed: its tests take much longer than without the fault."""

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "*",
    ast.Pow: "*",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.LShift: ">>",
    ast.RShift: "<<",
}
FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutant:
    """A fault: the text between two positions of a file is replaced.

    Args:
        path: The file, relative to the project.
        line: The line, from 1.
        start: The first byte in the file.
        end: The byte after the last one.
        text: The replacement.
        before: The replaced text.
    """

    path: str
    line: int
    start: int
    end: int
    text: str
    before: str

    def applied(self, source: bytes) -> bytes:
        """Returns the file with the fault."""
        return source[: self.start] + self.text.encode() + source[self.end :]


class _Finder(ast.NodeVisitor):
    """Finds the faults that a file can have."""

    def __init__(self, path: str, source: bytes) -> None:
        self.found: list[Mutant] = []
        self._path, self._source = path, source
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def _place(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def _add(self, node: ast.expr | ast.stmt, text: str, span: tuple[int, int] | None = None) -> None:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start, end = span or (
            self._place(node.lineno, node.col_offset),
            self._place(node.end_lineno, node.end_col_offset),
        )
        line = 1 + self._source.count(b"\n", 0, start)
        before = self._source[start:end].decode()
        mutant = Mutant(self._path, line, start, end, text, before)
        try:
            ast.parse(mutant.applied(self._source))
        except SyntaxError:
            return
        self.found.append(mutant)

    def _between(self, left: ast.expr, right: ast.expr) -> tuple[int, int]:
        """Returns where an operator between two operands is, without brackets and spaces."""
        assert left.end_lineno is not None
        assert left.end_col_offset is not None
        start = self._place(left.end_lineno, left.end_col_offset)
        end = self._place(right.lineno, right.col_offset)
        text = self._source[start:end]
        return start + len(text) - len(text.lstrip(b") \n")), end - (len(text) - len(text.rstrip(b"( \n")))

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, operator, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            self._add(node, COMPARISONS[type(operator)], self._between(left, right))
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in OPERATORS:
            self._add(node, OPERATORS[type(node.op)], self._between(node.left, node.right))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = "or" if isinstance(node.op, ast.And) else "and"
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._add(node, other, self._between(left, right))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, (ast.Not, ast.USub)):
            self._add(node, f"({ast.unparse(node.operand)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._add(node, str(not node.value))
        elif isinstance(node.value, (int, float)):
            self._add(node, repr(node.value + 1))

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) != "TYPE_CHECKING":
            self._add(node.test, f"not ({ast.unparse(node.test)})")
            self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._add(node.test, f"(not ({ast.unparse(node.test)}))")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            self._add(node.func, FUNCTIONS[node.func.id])
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._add(node, "None")
        if not isinstance(node.value, ast.Constant):  # docstrings
            self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_arg(self, node: ast.arg) -> None:
        """Skips annotations."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Skips texts: positions in them are unknown before Python 3.12."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for part in (node.args, *node.body):  # neither decorators nor annotations
            self.visit(part)


def mutants(packages: Sequence[str]) -> list[Mutant]:
    """Returns all mutants of packages, sorted by file and position."""
    found = []
    for package in packages:
        for path in sorted((ROOT / PACKAGE / package).rglob("*.py")):
            source = path.read_bytes()
            finder = _Finder(str(path.relative_to(ROOT)), source)
            finder.visit(ast.parse(source))
            found += sorted(finder.found, key=lambda mutant: (mutant.start, mutant.end, mutant.text))
    return found


def copied(folder: Path) -> Path:
    """Copies the project, with its compiled kernels, to a folder."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    compiled = [str(path.relative_to(ROOT)) for path in (ROOT / PACKAGE).rglob("*.so")]
    for name in [*filter(None, listed.decode().split("\0")), *compiled]:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    return folder


def pytest_in(folder: Path, *arguments: str, timeout: float | None = None, **more: str) -> tuple[int | None, str]:
    """Runs pytest in a copy; returns its exit code, `None` after the timeout, and what it printed."""
    environment = {**os.environ, "PYTHONPATH": str(folder), **more}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling all modules for each mutant takes most of the time
    environment.setdefault("FW_SHARED", str((ROOT / ".." / "shared").resolve()))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=timeout
        )
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stdout + done.stderr


def record(jobs: int) -> None:
    """Records which tests execute which lines."""
    with tempfile.TemporaryDirectory() as place:
        folder = copied(Path(place) / "project")
        arguments = ("-m", "not timing", "-n", str(jobs), f"--cov={PACKAGE}", "--cov-context=test", "--cov-report=")
        code, printed = pytest_in(folder, *arguments, COVERAGE_FILE=str(ROOT / RECORDED))
    print(printed[-2000:])
    raise SystemExit(code)


def covering_tests(chosen: Iterable[Mutant]) -> dict[Mutant, list[str]]:
    """Returns the tests that execute the line of each mutant; those that execute its file if it runs on import."""
    from coverage import CoverageData

    data = CoverageData(str(ROOT / RECORDED))
    data.read()
    files = {name[name.rindex(f"/{PACKAGE}/") + 1 :]: name for name in data.measured_files()}
    found = {}
    for mutant in chosen:
        by_line = data.contexts_by_lineno(files[mutant.path]) if mutant.path in files else {}
        names = by_line.get(mutant.line, [])
        tests = {name.rpartition("|")[0] for name in names} - {""}
        found[mutant] = sorted(
            tests or {name.rpartition("|")[0] for of_line in by_line.values() for name in of_line} - {""}
        )
    return found


def spread(tests: Sequence[str], most: int) -> list[str]:
    """Orders tests so that the first ones are of different files, and returns at most some of them."""
    turns: Counter[str] = Counter()
    numbered = []
    for test in tests:
        file = test.split("::")[0] + test.split("::")[-1].split("[")[0]
        numbered.append((turns[file], test))
        turns[file] += 1
    return [test for _, test in sorted(numbered, key=lambda pair: pair[0])][:most]


def quick_tests() -> set[str]:
    """Returns the names of the tests of the quick suite."""
    code, printed = pytest_in(ROOT, "--collect-only", "-r", "N")
    assert code == 0, printed
    return {line for line in printed.splitlines() if "::" in line}


def tried(mutant: Mutant, suites: Mapping[str, Sequence[str]], folder: Path, most: int) -> dict[str, Any]:
    """Runs the tests of a mutant in a copy of the project: those of each suite, until one kills it."""
    result: dict[str, Any] = {**asdict(mutant), "tests": {suite: len(tests) for suite, tests in suites.items()}}
    if not any(suites.values()):
        return {**result, "outcome": "not executed by any test"}
    path = folder / mutant.path
    source = path.read_bytes()
    path.write_bytes(mutant.applied(source))
    names = folder / "tests-of-mutant.txt"
    try:
        for suite in [suite for suite, tests in suites.items() if tests]:
            names.write_text("\n".join(spread(suites[suite], most)), encoding="utf-8")
            code, printed = pytest_in(folder, "-x", "-m", "", f"@{names}", timeout=TIMEOUT)
            if code != 0:
                failed = [line for line in printed.splitlines() if line.startswith(("FAILED", "ERROR"))]
                known = {1: "killed", 2: "killed", None: "killed (timeout)"}
                outcome = known.get(code, f"pytest exits with {code}")
                return {**result, "outcome": outcome, "suite": suite, "by": "".join(failed[:1])[:200]}
    finally:
        path.write_bytes(source)
    return {**result, "outcome": "survived"}


def run(arguments: argparse.Namespace) -> None:
    """Tries the mutants that are drawn."""
    every = mutants(arguments.packages)
    drawn = random.Random(arguments.seed).sample(every, min(arguments.count, len(every)))
    output = Path(arguments.output)
    done = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()] if output.exists() else []
    known = {(row["path"], row["start"], row["end"], row["text"]) for row in done}
    left = [one for one in drawn if (one.path, one.start, one.end, one.text) not in known]
    tests, quick = covering_tests(left), quick_tests()
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(arguments.jobs) as pool:
        folders = [copied(Path(place) / str(number)) for number in range(arguments.jobs)]

        def next_one(mutant: Mutant) -> dict[str, Any]:
            folder = folders.pop()
            try:
                suites: dict[str, list[str]] = {"quick": [], "slow": []}
                for test in tests[mutant]:
                    suites["quick" if test in quick else "slow"].append(test)
                return tried(mutant, suites, folder, arguments.tests)
            finally:
                folders.append(folder)

        for number, result in enumerate(pool.map(next_one, left), 1):
            with output.open("a", encoding="utf-8") as rows:
                rows.write(json.dumps(result) + "\n")
            done.append(result)
            shown = f"{result['path']}:{result['line']}: {result['before']!r} → {result['text']!r}"
            print(f"{number}/{len(left)} {result['outcome']:10} {result.get('suite', '')} {shown}", flush=True)
    print("\n".join(table(done, arguments.packages, len(every))))


def table(results: Sequence[dict[str, Any]], packages: Sequence[str], every: int) -> Iterator[str]:
    """Yields the table of outcomes by package, and the mutants that the quick suite or all tests leave alive."""
    yield f"{len(results)} of {every} mutants"
    yield "| package | drawn | killed by the quick suite | by slow tests only | survived | not executed |"
    yield "|---|---|---|---|---|---|"
    for package in [*packages, ""]:
        rows = [row for row in results if row["path"].startswith(f"{PACKAGE}/{package}")]
        counts = Counter(row.get("suite", row["outcome"]) for row in rows)
        shown = [counts[key] for key in ("quick", "slow", "survived", "not executed by any test")]
        yield f"| {package or 'all'} | {len(rows)} | {' | '.join(map(str, shown))} |"
    for row in results:
        if row.get("suite") != "quick":
            outcome = f"{row['outcome']} {row.get('by', '')}".strip()
            yield f"- {row['path']}:{row['line']}: `{row['before']}` → `{row['text']}`: {outcome}"


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    recording = commands.add_parser("record", help="record which tests execute which lines")
    recording.add_argument("--jobs", type=int, default=2, help="processes")
    recording.set_defaults(call=lambda arguments: record(arguments.jobs))
    running = commands.add_parser("run", help="draw mutants and run their tests")
    running.add_argument("--packages", nargs="+", default=PACKAGES, help="packages to draw from")
    running.add_argument("--count", type=int, default=150, help="how many mutants")
    running.add_argument("--seed", type=int, default=7, help="the seed of the draw")
    running.add_argument("--tests", type=int, default=300, help="the most tests of a suite to run for a mutant")
    running.add_argument("--jobs", type=int, default=2, help="processes")
    running.add_argument("--output", default="mutants.jsonl", help="the results, one line per mutant")
    running.set_defaults(call=run)
    arguments = parser.parse_args()
    arguments.call(arguments)


if __name__ == "__main__":
    main()
