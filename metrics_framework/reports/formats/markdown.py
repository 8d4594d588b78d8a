"""The output format ``markdown``."""

from __future__ import annotations

from collections.abc import Sequence

from overrides import overrides

from metrics_framework.common.printable import printable
from metrics_framework.reports.formats.output_format import OutputFormat, Rows
from metrics_framework.reports.markup import markdown_code, markdown_text
from metrics_framework.reports.printable import aligned, display_width

NARROWEST = 4  # characters of a column


@OutputFormat.register("markdown")
class Markdown(OutputFormat):
    """Writes a Markdown table, with its notes as a list."""

    @overrides
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        escaped = [list(map(markdown_text, row)) for row in [columns, *rows]]
        widths = [max(NARROWEST, *map(display_width, cells)) for cells in zip(*escaped, strict=True)]
        ruler = ["-" * width if index < left else "-" * (width - 1) + ":" for index, width in enumerate(widths)]
        lines = [aligned(row, widths, left) for row in [escaped[0], ruler, *escaped[1:]]]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    @overrides
    def with_notes(self, table: str, notes: Sequence[str], *, verbatim: bool = False) -> str:
        write = markdown_code if verbatim else markdown_text
        return "\n".join([table, "", *(f"- {write(printable(note))}" for note in notes)])
