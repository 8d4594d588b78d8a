"""The code base keeps its budget, and ``benchmarks/house.py`` counts what it says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import pytest
from benchmark_modules import ROOT, benchmark
from twins import requires_native

PACKAGE = {
    "__init__.py": "",
    "first.py": '''
        """The module."""

        import functools
        from package import second
        from package.inner.third import doubled

        NUMBER = 1
        """An attribute."""


        class Holder:
            size = len([NUMBER for _ in range(2)])

            def held(self):
                return sorted(second.numbers(), key=lambda number: -number)


        def run():
            """Is called."""
            cached()
            found = [second.half(number) for number in Holder().held()]
            return sum(doubled(number) for number in found)


        @functools.cache
        def cached():
            return 0


        def never():
            return 0
        ''',
    "second.py": """
        def numbers():
            yield 1
            yield 2

        def half(number):
            return number / 2
        """,
    "inner/__init__.py": "",
    "inner/third.py": """
        def doubled(number):
            from package.inner import fourth
            return fourth.TWO * number
        """,
    "inner/fourth.py": "TWO = 2  # a comment\n",
    "inner/fifth.py": "from package import second\n",
    "kernel.c": "int one;\n\nint two;\n",
    "inner/kernel.h": "int one;\n",
}


@pytest.fixture(name="house")
def _house() -> ModuleType:
    return benchmark("house")


@pytest.fixture(name="package")
def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Writes the package and returns its folder."""
    for name, text in PACKAGE.items():
        path = tmp_path / "package" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / "package"


@requires_native
def test_the_code_base_keeps_its_budget() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "house.py")], capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr


@requires_native
def test_the_way_of_a_command_is_printed() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "house.py"), "--calls", "fw ter evaluate"]
    first, *_, last = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout.splitlines()
    assert first.startswith("commands/app.py: main")
    assert re.fullmatch(r"fw ter evaluate: \d+ files, \d+ changes of file; \d+ lead back to an earlier file", last)


def test_small_modules_and_lines_of_c_are_found(house: ModuleType, package: Path) -> None:
    # second has two importers, the only one of third is in another folder, and nothing imports first and fifth
    assert house.with_one_importer(package) == ["package.inner.fourth"]
    assert house.lines_of_c(package) == 4


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = f(1)", 6),
        ("if x:\n    # a comment\n\n    pass\n", 4),
        ('"""A module."""\n\ndef f():\n    "A " \'function.\'\n    return "x"\n', 7),
        ("x = 1\n'''An attribute.'''\n", 3),
        ("x = f'{y!r:{z}} {f\"{1}\"}' 'text'\n", 4),
    ],
)
def test_names_numbers_strings_and_operators_are_tokens(
    house: ModuleType, tmp_path: Path, code: str, expected: int
) -> None:
    (tmp_path / "module.py").write_text(code, encoding="utf-8")
    assert house.tokens(tmp_path) == expected


def test_first_calls_of_the_second_run_are_listed_in_their_order(house: ModuleType, package: Path) -> None:
    def run() -> None:
        from package.first import run  # type: ignore[import-not-found]

        run()

    calls = house.first_calls(package, run)
    assert house.stays(calls) == [
        ("first.py", ["run", "held"]),
        ("second.py", ["numbers"]),
        ("first.py", ["<lambda>"]),
        ("second.py", ["half"]),
        ("first.py", ["<genexpr>"]),
        ("inner/third.py", ["doubled"]),
    ]
    assert [call.function for call in calls if call.is_function] == ["run", "held", "numbers", "half", "doubled"]


def test_words_of_the_reference_do_not_count(house: ModuleType, tmp_path: Path) -> None:
    for name in ("README.md", "docs/index.md", "docs/guides/one.md", "docs/reference/commands/two.md", "data/three.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("two words\n", encoding="utf-8")
    assert house.words_of_docs(tmp_path) == 6


def test_budgets_are_lowered_and_never_raised(house: ModuleType) -> None:
    counts = {"modules": 3, "decisions": 5, "new": 7}
    assert house.lowered({"modules": 4, "decisions": 4, "old": 1}, counts) == {"modules": 3, "decisions": 4, "new": 7}


def test_a_count_above_its_budget_is_reported_with_both_numbers(house: ModuleType) -> None:
    (line,) = house.above({"modules": 5, "decisions": 4}, {"modules": 4, "decisions": 4})
    assert line.startswith("modules: 5 is above the budget of 4;")
    assert "house_budget.json" in line


def test_every_count_has_a_budget(house: ModuleType) -> None:
    budget = json.loads(house.BUDGET.read_text(encoding="utf-8"))
    counts = [f"{name}: {count}" for name in house.COMMANDS for count in ("functions", "files", "changes of file")]
    assert [name for name in budget if name.startswith("fw ")] == counts
