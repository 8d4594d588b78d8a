"""The output format ``markdown``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from metrics_framework.common.overriding import overrides
from metrics_framework.reports.formats.output_format import SIGNIFICANT, Note, OutputFormat, Rows, ScoreCell
from metrics_framework.reports.printable import aligned, display_width, markdown_code, markdown_text

NARROWEST = 4  # characters of a column
_EMPHASIS = ("{}", "**{}**", "<ins>{}</ins>")  # by rank; GitHub shows ins as underlined, and removes u

_MARK = r"\*"


@OutputFormat.register("markdown")
class Markdown(OutputFormat):
    """Writes a Markdown table, with the best scores in bold, the second underlined, and its notes as a list."""

    emphasizes = True
    endings: ClassVar[Sequence[str]] = (".md", ".markdown")

    @overrides
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        widths = [max(NARROWEST, *map(display_width, cells)) for cells in zip(columns, *rows, strict=True)]
        ruler = ["-" * width if index < left else "-" * (width - 1) + ":" for index, width in enumerate(widths)]
        lines = [aligned(row, widths, left) for row in [columns, ruler, *rows]]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    @overrides
    def text(self, text: str) -> str:
        return markdown_text(super().text(text))

    @overrides
    def score(self, cell: ScoreCell) -> str:
        emphasized = cell._replace(value=_EMPHASIS[cell.rank].format(cell.value), is_significant=False)
        return super().score(emphasized) + _MARK * cell.is_significant

    @overrides
    def note(self, note: Note) -> str:
        kind = _MARK if note.kind == SIGNIFICANT else self.text(note.kind)
        text = markdown_code(super().text(note.text)) if note.is_signature else self.text(note.text)
        return f"{kind} {self.text(note.label)}".rstrip() + f": {text}"

    @overrides
    def with_notes(self, table: str, notes: Sequence[str | Note]) -> str:
        lines = [f"- {self.text(note) if isinstance(note, str) else self.note(note)}" for note in notes]
        return "\n".join([table, "", *lines]) if lines else table
