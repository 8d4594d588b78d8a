"""The output format ``csv``."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import ClassVar

from metrics_framework.common.overriding import overrides
from metrics_framework.reports.formats.output_format import OutputFormat, Rows
from metrics_framework.reports.printable import spreadsheet_text


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
