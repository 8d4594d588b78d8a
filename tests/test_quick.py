"""The gate before a commit, ``.ci/quick``: it runs four tools, then the tests of what changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import touched

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("ruff", "mypy", "lint-imports")
LOG = 'echo "${0##*/} $*" >> "$LOG"\n'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Returns a checkout with a changed and a new file, beside programs that only record their arguments."""
    programs, folder = tmp_path / "bin", tmp_path / "checkout"
    programs.mkdir()
    for name in ("bash", "dirname", "git"):
        (programs / name).symlink_to(shutil.which(name) or pytest.skip(f"needs {name}"))
    scripts = dict.fromkeys(TOOLS, LOG)
    scripts["python"] = f'[ "$1" = tests/touched.py ] && exec "{sys.executable}" "$@"\n{LOG}'
    for name, text in scripts.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}", encoding="utf-8")
        (programs / name).chmod(0o755)
    for path in (".ci/quick", "tests/touched.py", "tests/text/test_a.py", "tests/io/test_a.py", "tests/test_words.py"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()
    for path in (".ci/quick", "tests/touched.py"):
        shutil.copy(ROOT / path, folder / path)
    (folder / "metrics_framework" / "text").mkdir(parents=True)
    module = folder / "metrics_framework" / "text" / "words.py"
    module.touch()
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "Start"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    module.write_text("changed = True\n", encoding="utf-8")
    (folder / "tests" / "io" / "test_new.py").touch()
    return folder


def quick(checkout: Path, *arguments: str) -> tuple[int, str, Sequence[str]]:
    """Returns the exit code of the gate, its messages, and the commands that it ran."""
    log = checkout.parent / "log"
    environment = {**os.environ, "PATH": str(checkout.parent / "bin"), "LOG": str(log)}
    done = subprocess.run([checkout / ".ci/quick", *arguments], env=environment, capture_output=True, encoding="utf-8")
    return done.returncode, done.stderr, log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def test_the_tools_run_before_the_tests_of_what_changed(checkout: Path) -> None:
    code, errors, commands = quick(checkout)
    assert (code, errors) == (0, "")
    assert [command.rstrip() for command in commands] == [
        "ruff format --check .",
        "ruff check .",
        "mypy",
        "lint-imports --no-logo",
        "python -m pytest -q tests/io/test_new.py tests/test_words.py tests/text",
    ]


def test_what_changed_since_a_commit_is_chosen(checkout: Path) -> None:
    assert "tests/text" in quick(checkout, "HEAD")[2][-1]
    code, errors, commands = quick(checkout, "no-such-commit")
    assert code == 1
    assert "no-such-commit" in errors
    assert commands[-1] == "lint-imports --no-logo", "no test is run"


@pytest.mark.parametrize("tool", TOOLS)
def test_a_missing_tool_is_named_with_what_installs_it_and_nothing_runs(checkout: Path, tool: str) -> None:
    (checkout.parent / "bin" / tool).unlink()
    assert quick(checkout) == (1, f".ci/quick needs {tool}; run .ci/install test dev\n", [])


@pytest.mark.parametrize(
    ("tool", "last"), [("ruff", "ruff format --check ."), ("mypy", "mypy "), ("lint-imports", "lint-imports ")]
)
def test_a_tool_that_fails_ends_the_gate(checkout: Path, tool: str, last: str) -> None:
    (checkout.parent / "bin" / tool).write_text(f"#!/bin/sh\n{LOG}exit 3\n", encoding="utf-8")
    code, _, commands = quick(checkout)
    assert (code, commands[-1]) == (3, last)


CHANGES = [  # a changed file, its tests, why
    ("metrics_framework/text/words.py", {"tests/text", *touched.OF_CLASSES}, "the folder of the package"),
    ("metrics_framework/metrics/x.py", {"tests/metrics", *touched.OF_CLASSES, *touched.OF_METRICS}, "a metric"),
    ("metrics_framework/version.py", {"tests/api"}, "a module of no package"),
    ("tests/text/test_words.py", {"tests/text/test_words.py"}, "a test"),
    ("tests/equal_words.py", {*touched.importing("equal_words")}, "what tests import"),
    ("README.md", {f"tests/test_{name}.py" for name in ("docs", "docs_names", "reference", "site")}, "a page"),
    ("pyproject.toml", set(), "what every change can break is tested always"),
]


@pytest.mark.parametrize(("path", "tests", "why"), CHANGES, ids=[why for *_, why in CHANGES])
def test_a_changed_file_has_its_tests(path: str, tests: set[str], why: str) -> None:
    assert {*touched.tests_of([path])} == tests
