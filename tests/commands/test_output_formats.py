"""Output formats of plug-ins: every command that prints a table has them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

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


def test_a_new_format_needs_no_edit_elsewhere(fw: Callable[..., Any]) -> None:
    Path("my_format.py").write_text(NEW_FORMAT, encoding="utf-8")
    for name in ("mine.txt", "references.txt"):
        Path(name).write_text("a cat\n", encoding="utf-8")
    flags = ["--format", "semicolons", "--include-packages", "my_format.py"]
    scores = fw("ter", "evaluate", "--outputs", "mine.txt", "--references", "references.txt", *flags)
    assert (scores.code, scores.out.splitlines()[0]) == (0, "system;outputs;ter;ter_num_edits;ter_ref_length")
    assert "signature" in scores.err, "which a format for programs has no notes for"
    assert fw("list", "profiles", *flags).out.splitlines()[0] == "profile;options;metrics;from;what it is"
    assert "semicolons" in fw("correlate", "--help-all", *flags[2:]).out
