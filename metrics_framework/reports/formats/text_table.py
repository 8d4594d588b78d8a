"""The output format ``table``."""

from __future__ import annotations

from collections.abc import Sequence

from overrides import overrides

from metrics_framework.reports.formats.output_format import OutputFormat, Rows
from metrics_framework.reports.printable import aligned, display_width


@OutputFormat.register("table")
class TextTable(OutputFormat):
    """Writes columns aligned with spaces, for a terminal."""

    for_terminal = True

    @overrides
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        widths = [max(map(display_width, cells)) for cells in zip(columns, *rows, strict=True)]
        ruler = ["─" * width for width in widths]
        return "\n".join("  ".join(aligned(row, widths, left)).rstrip() for row in [columns, ruler, *rows])
