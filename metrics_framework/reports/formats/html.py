"""The output format ``html``."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import ClassVar

from metrics_framework.common.overriding import overrides
from metrics_framework.reports.formats.output_format import Blocks, Note, OutputFormat, Rows, ScoreCell

_EMPHASIS = ("{}", "<b>{}</b>", "<u>{}</u>")  # by rank


@OutputFormat.register("html")
class HtmlTable(OutputFormat):
    """Writes an HTML table, with the best scores in bold, the second underlined, and its notes in a paragraph."""

    emphasizes = True
    endings: ClassVar[Sequence[str]] = (".html", ".htm")

    @overrides
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        head = _row("th", columns, left)
        body = "\n".join(_row("td", row, left) for row in rows)
        return f"<table>\n<thead>\n{head}\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>"

    @overrides
    def table_of_blocks(self, first: Sequence[str], blocks: Blocks, rows: Rows) -> str:
        """Writes the names of blocks over their columns."""
        top = []
        for index, name in enumerate(first):
            top.append(f'<th style="text-align: {"left" if index == 0 else "right"}" rowspan="2">{name}</th>')
        for name, columns in blocks.items():
            top.append(f'<th style="text-align: center" colspan="{len(columns)}">{name}</th>')
        names = [column for columns in blocks.values() for column in columns]
        table = self.table([*first, *names], rows, 1)
        head = _row("th", [*first, *names], 1)
        return table.replace(head, f"<tr>{''.join(top)}</tr>\n{_row('th', names, 0)}", 1)

    @overrides
    def text(self, text: str) -> str:
        return escape(super().text(text))

    @overrides
    def score(self, cell: ScoreCell) -> str:
        return super().score(cell._replace(value=_EMPHASIS[cell.rank].format(self.text(cell.value))))

    @overrides
    def paragraph(self, text: str) -> str:
        return f"<p>{self.text(text)}</p>"

    @overrides
    def with_notes(self, table: str, notes: Sequence[str | Note]) -> str:
        lines = [self.text(note) if isinstance(note, str) else self.note(note) for note in notes]
        return f"{table}\n<p>{'<br>'.join(lines)}</p>" if lines else table


def _row(element: str, cells: Sequence[str], left: int) -> str:
    written = []
    for index, cell in enumerate(cells):
        alignment = "left" if index < left else "right"
        written.append(f'<{element} style="text-align: {alignment}">{cell}</{element}>')
    return f"<tr>{''.join(written)}</tr>"
