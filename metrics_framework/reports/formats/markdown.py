"""The output format ``markdown``."""

from __future__ import annotations

from collections.abc import Sequence

from overrides import overrides

from metrics_framework.reports.formats.output_format import OutputFormat, Rows
from metrics_framework.reports.printable import aligned, display_width

NARROWEST = 4  # characters of a column


@OutputFormat.register("markdown")
class Markdown(OutputFormat):
    """Writes a Markdown table, with its notes as a list."""

    @overrides
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        escaped = [[cell.replace("|", "\\|") for cell in row] for row in [columns, *rows]]
        widths = [max(NARROWEST, *map(display_width, cells)) for cells in zip(*escaped, strict=True)]
        ruler = ["-" * width if index < left else "-" * (width - 1) + ":" for index, width in enumerate(widths)]
        lines = [aligned(row, widths, left) for row in [escaped[0], ruler, *escaped[1:]]]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    @overrides
    def with_notes(self, table: str, notes: Sequence[str], *, verbatim: bool = False) -> str:
        return "\n".join([table, "", *(f"- `{note}`" if verbatim else f"- {note}" for note in notes)])
