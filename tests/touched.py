"""Prints the folders and files of tests for what changed since a commit: ``python tests/touched.py [COMMIT]``.

A module of a package is tested in the folder of tests with the name of the package. What every change can break is
tested always: the rules of the code base, its budget, the words, the public names. Registered classes, and metrics, are
also tested by what checks all of them.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALWAYS = tuple(
    f"tests/{name}.py" for name in ("contracts/test_house", "test_house_budget", "test_public_names", "test_words")
)

OF_CLASSES = ("tests/test_doctests.py", "tests/contracts/test_kinds.py", "tests/reports/test_citations.py")
OF_METRICS = ("tests/contracts/test_metrics.py", "tests/test_definitions.py", "tests/api/test_types.py")


def changed(commit: str) -> list[str]:
    """Returns the paths that differ from a commit, also new files that git does not ignore."""

    def git(*arguments: str) -> list[str]:
        done = subprocess.run(["git", *arguments, "-z"], cwd=ROOT, capture_output=True, check=True, encoding="utf-8")
        return [name for name in done.stdout.split("\0") if name]

    return [*git("diff", "--name-only", commit), *git("ls-files", "--others", "--exclude-standard")]


def tests_of(paths: Iterable[str]) -> Iterator[str]:
    """Yields the tests of changed files, which need not exist any more."""
    for path in paths:
        top, *parts = Path(path).parts
        if top == "tests" and parts[-1].startswith("test_"):
            yield path
        elif top == "tests" and len(parts) == 1 and path.endswith(".py"):  # a module that tests share
            yield from importing(parts[0].removesuffix(".py"))
        elif top == "metrics_framework":
            yield from (f"tests/{parts[0]}", *OF_CLASSES) if len(parts) > 1 else ("tests/api",)
            yield from OF_METRICS if parts[0] == "metrics" else ()
        elif top == "docs" or path.endswith(".md"):
            yield from (f"tests/test_{name}.py" for name in ("docs", "docs_names", "reference", "site"))


def importing(module: str) -> Iterator[str]:
    """Yields the files of tests that import a module of the folder of tests."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if f"from {module} import" in path.read_text(encoding="utf-8"):
            yield str(path.relative_to(ROOT))


def main() -> None:
    """Prints one path per line."""
    found = {*tests_of(changed(*sys.argv[1:] or ["HEAD"])), *ALWAYS}
    print("\n".join(sorted(path for path in found if (ROOT / path).exists())))


if __name__ == "__main__":
    main()
