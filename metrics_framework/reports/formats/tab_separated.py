"""The output format ``tsv``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from overrides import overrides

from metrics_framework.reports.formats.output_format import OutputFormat, Rows


@OutputFormat.register("tsv")
class TabSeparated(OutputFormat):
    """Writes tab-separated values without quoting; a tab or line end in a cell becomes a space."""

    for_people = False
    endings: ClassVar[Sequence[str]] = (".tsv",)

    @overrides
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        lines = ([" ".join(cell.splitlines()).replace("\t", " ") for cell in row] for row in [columns, *rows])
        return "\n".join(map("\t".join, lines))
