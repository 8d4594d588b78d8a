"""The output format ``csv``."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import ClassVar

from overrides import overrides

from metrics_framework.reports.formats.output_format import OutputFormat, Rows


@OutputFormat.register("csv")
class CommaSeparated(OutputFormat):
    """Writes comma-separated values."""

    for_people = False
    endings: ClassVar[Sequence[str]] = (".csv",)

    @overrides
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows([columns, *rows])
        return stream.getvalue().rstrip("\n")
