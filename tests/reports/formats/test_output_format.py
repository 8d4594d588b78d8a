"""Output formats: how they lay out tables, and that a new one is one new file."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import metrics_framework.reports.formats as formats
from metrics_framework.common.registrable import Registry
from metrics_framework.reports.formats.output_format import OutputFormat

NEW_FORMAT = '''
"""A format in one file."""

from metrics_framework.reports.formats.output_format import OutputFormat


@OutputFormat.register("semicolons")
class Semicolons(OutputFormat):
    """Writes cells between semicolons."""

    for_people = False

    def table(self, columns, rows, left):
        return "\\n".join(";".join(row) for row in [columns, *rows])
'''
WIDE = ["猫のシステム", "cafe\u0301", "cat"]


def test_columns_are_aligned_by_display_width() -> None:
    table = OutputFormat.by_name("table")().render(["system", "s"], [[name, "1"] for name in WIDE])
    assert table.splitlines() == [
        "system        s",
        "────────────  ─",
        "猫のシステム  1",
        "cafe\u0301          1",
        "cat           1",
    ]


def test_markdown_columns_are_aligned_by_display_width() -> None:
    table = OutputFormat.by_name("markdown")().render(["system", "s"], [[name, "1"] for name in WIDE])
    assert table.splitlines()[2:] == [
        "| 猫のシステム |    1 |",
        "| cafe\u0301         |    1 |",
        "| cat          |    1 |",
    ]


def test_a_file_in_the_folder_of_formats_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "formats_of_a_test"
    shutil.copytree(Path(formats.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "semicolons.py").write_text(NEW_FORMAT, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    found = Registry("output format", home="formats_of_a_test").names()
    assert found == sorted([*formats.REGISTRY.names(), "semicolons"])
