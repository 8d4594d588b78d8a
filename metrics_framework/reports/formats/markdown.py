"""The output format ``markdown``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from metrics_framework.common.overriding import overrides
from metrics_framework.reports.formats.output_format import SIGNIFICANT, Note, OutputFormat, Rows, ScoreCell
from metrics_framework.reports.formats.text_table import aligned, display_width

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


_MARKDOWN = {"<": "&lt;", ">": "&gt;"}  # some converters keep the HTML of \<b>
_MARKDOWN.update({character: f"\\{character}" for character in "\\`[]|~"})


def markdown_text(text: str) -> str:
    r"""Escapes a printable text for a cell of a table in Markdown; underscores inside words need no escape.

    >>> print(markdown_text("sari_keep <b> [x](y) a|b"))
    sari_keep &lt;b&gt; \[x\](y) a\|b
    """
    text = re.sub(r"&(?=[#\w])", "&amp;", text)
    escaped = "".join(_MARKDOWN.get(character, character) for character in text)
    if text.count("*") > 1:  # a single one, as of a mark, begins no emphasis
        escaped = escaped.replace("*", r"\*")
    return re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", escaped)


def markdown_code(text: str) -> str:
    """Sets a printable text in a code span, with more backticks around it than inside.

    >>> markdown_code("sari|lc"), markdown_code("a `b`")
    ('`sari|lc`', '`` a `b` ``')
    """
    longest = max(map(len, re.findall("`+", text)), default=0)
    if not longest:
        return f"`{text}`"
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}"
