"""The output formats ``csv`` and ``tsv``: values with all digits for programs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import ClassVar

from metrics_framework.common.overriding import overrides
from metrics_framework.reports.formats.output_format import OutputFormat, Rows


@OutputFormat.register("csv")
class CommaSeparated(OutputFormat):
    """Writes comma-separated values; a cell that a spreadsheet would run as a formula starts with an apostrophe."""

    for_people = False
    endings: ClassVar[Sequence[str]] = (".csv",)

    @overrides
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        stream = io.StringIO()
        lines = (map(spreadsheet_text, row) for row in [columns, *rows])
        csv.writer(stream, lineterminator="\n").writerows(lines)
        return stream.getvalue().rstrip("\n")


@OutputFormat.register("tsv")
class TabSeparated(OutputFormat):
    """Writes tab-separated values without quoting; a tab or line end in a cell is written as ``\\t`` or ``\\n``."""

    for_people = False
    endings: ClassVar[Sequence[str]] = (".tsv",)

    @overrides
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        return "\n".join("\t".join(map(spreadsheet_text, row)) for row in [columns, *rows])


_FORMULA = re.compile(r"(^|;)(?=\s*[=+\-@＝＋－＠])")  # some locales separate cells with semicolons
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(inf|nan)", re.IGNORECASE)


def spreadsheet_text(cell: str) -> str:
    """Marks a cell as text that a spreadsheet would run as a formula; numbers are not changed.

    >>> spreadsheet_text("=1+1"), spreadsheet_text("-0.5"), spreadsheet_text("careful")
    ("'=1+1", '-0.5', 'careful')
    """
    return cell if _NUMBER.fullmatch(cell) else _FORMULA.sub(r"\1'", cell)
