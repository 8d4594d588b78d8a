"""The version is written in one place; what else names it is read from there, or compared with it."""

from __future__ import annotations

import re
from pathlib import Path

from metrics_framework.version import __version__

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (".ci", ".github", "benchmarks", "metrics_framework", "tests")
ENDINGS = {"", ".c", ".cfg", ".h", ".html", ".js", ".json", ".py", ".pyi", ".toml", ".yml"}


def test_no_other_file_of_the_project_names_the_version() -> None:
    """The files in `tests/formats` are kept as the version in the name of their folder wrote them."""
    named = re.compile(rf"(?<!\w)(?:fw[: ]|fw==|__version__ = \"){re.escape(__version__)}(?![\w.])")  # not of a package
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in ENDINGS]
    found = [
        path.relative_to(ROOT).as_posix()
        for path in [*files, ROOT / "pyproject.toml", ROOT / "setup.py", ROOT / "noxfile.py"]
        if path.is_file()
        and ROOT / "tests" / "formats" not in path.parents
        and named.search(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == ["metrics_framework/version.py"]


def test_the_citation_is_that_of_this_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (\S+)$", citation, re.MULTILINE) == [__version__]
