"""The output format ``tsv``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from metrics_framework.common.overriding import overrides
from metrics_framework.reports.formats.output_format import OutputFormat, Rows
from metrics_framework.reports.printable import spreadsheet_text


@OutputFormat.register("tsv")
class TabSeparated(OutputFormat):
    """Writes tab-separated values without quoting; a tab or line end in a cell is written as ``\\t`` or ``\\n``."""

    for_people = False
    endings: ClassVar[Sequence[str]] = (".tsv",)

    @overrides
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        return "\n".join("\t".join(map(spreadsheet_text, row)) for row in [columns, *rows])
