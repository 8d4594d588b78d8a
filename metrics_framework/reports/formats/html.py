"""The output format ``html``."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from overrides import overrides

from metrics_framework.reports.formats.output_format import OutputFormat, Rows


@OutputFormat.register("html")
class HtmlTable(OutputFormat):
    """Writes an HTML table, with its notes in a paragraph; notebooks show it."""

    @overrides
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        head = _row("th", columns, left)
        body = "\n".join(_row("td", row, left) for row in rows)
        return f"<table>\n<thead>\n{head}\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>"

    @overrides
    def with_notes(self, table: str, notes: Sequence[str], *, verbatim: bool = False) -> str:
        separator = "\n" if verbatim else "<br>\n"
        element = "pre" if verbatim else "p"
        return f"{table}\n<{element}>{separator.join(map(escape, notes))}</{element}>"


def _row(element: str, cells: Sequence[str], left: int) -> str:
    written = []
    for index, cell in enumerate(cells):
        alignment = "left" if index < left else "right"
        written.append(f'<{element} style="text-align: {alignment}">{escape(cell)}</{element}>')
    return f"<tr>{''.join(written)}</tr>"
