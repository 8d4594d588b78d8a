"""The output format ``table``, and the width of a text on a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar
from unicodedata import category, east_asian_width, normalize

from metrics_framework.common.overriding import overrides
from metrics_framework.reports.formats.output_format import SIGNIFICANT, Note, OutputFormat, Rows

WIDTH = 100
"""The number of columns of a terminal of unknown width, and of the text of notes."""
_KIND = 9  # columns for the kind of a note, such as "signature"


@OutputFormat.register("table")
class TextTable(OutputFormat):
    """Writes columns aligned with spaces, for a terminal."""

    for_terminal = True
    endings: ClassVar[Sequence[str]] = (".txt",)

    @overrides
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        if any(cell.endswith(SIGNIFICANT) for row in rows for cell in row):
            rows = _with_aligned_marks(rows, left)
        widths = [max(map(display_width, cells)) for cells in zip(columns, *rows, strict=True)]
        ruler = ["─" * width for width in widths]
        return "\n".join(["  ".join(aligned(row, widths, left)).rstrip() for row in [columns, ruler, *rows]])

    @overrides
    def with_notes(self, table: str, notes: Sequence[str | Note]) -> str:
        labels = max((display_width(note.label) for note in notes if isinstance(note, Note)), default=0)
        lines: list[str] = []
        for note in notes:
            if isinstance(note, str):
                lines.append(self.text(note))
                continue
            kind = self.text(note.kind)
            begin = kind + " " * max(_KIND - display_width(kind), 0) + "  "
            if note.label:
                begin += aligned([self.text(note.label)], [labels], 1)[0] + "  "
            lines += [begin + self.text(note.text)] if note.is_signature else _wrapped(self.text(note.text), begin)
        return "\n".join([table, "", *lines]) if lines else table

    @overrides
    def paragraph(self, text: str) -> str:
        return "\n".join(_wrapped(self.text(text), ""))


def _with_aligned_marks(rows: Rows, left: int) -> Rows:
    """Appends a space where another cell of a right-aligned column ends in a mark, so that the digits are aligned."""
    columns: list[Sequence[str]] = []
    for index, column in enumerate(zip(*rows, strict=True)):
        has_marks = index >= left and any(cell.endswith(SIGNIFICANT) for cell in column)
        columns.append([cell if cell.endswith(SIGNIFICANT) else f"{cell} " for cell in column] if has_marks else column)
    return list(zip(*columns, strict=True))


def _wrapped(text: str, begin: str) -> Iterator[str]:
    """Wraps a text after its beginning; unlike `textwrap`, measures the display width."""
    line, indent = begin, " " * display_width(begin)
    for word in text.split(" "):
        if line not in (begin, indent) and display_width(f"{line} {word}") > WIDTH:
            yield line
            line = indent
        line = line + word if line in (begin, indent) else f"{line} {word}"
    yield line


_ZERO_WIDTH = frozenset(("Mn", "Me", "Cf"))  # combining marks and format characters
_JOINER = "\u200d"
_EMOJI = re.compile(".(?=\ufe0f)")


def display_width(text: str) -> int:
    """Returns the number of terminal columns that a text takes: two for a wide character, none for a combining mark.

    An emoji of several characters (joined by U+200D, or selected by U+FE0F) takes two columns.

    >>> display_width("cat"), display_width("猫"), display_width("cafe\\u0301"), display_width("\\u2764\\ufe0f")
    (3, 2, 4, 2)
    """
    if text.isascii():
        return len(text)
    text = re.sub(f"{_JOINER}.", "", normalize("NFC", text))  # composes Hangul, whose parts are not combining marks
    shown = [character for character in text if category(character) not in _ZERO_WIDTH]
    wide = sum(east_asian_width(character) in "WF" for character in shown)
    return len(shown) + wide + sum(east_asian_width(found[0]) not in "WF" for found in _EMOJI.finditer(text))


def aligned(cells: Sequence[str], widths: Sequence[int], left: int) -> list[str]:
    """Pads the cells of a row to the display widths of their columns.

    Args:
        cells: The cells.
        widths: The width of each column.
        left: The number of columns that are left-aligned; the columns after them are right-aligned.
    """
    padding = [" " * (width - display_width(cell)) for cell, width in zip(cells, widths, strict=True)]
    return [
        cell + spaces if index < left else spaces + cell
        for index, (cell, spaces) in enumerate(zip(cells, padding, strict=True))
    ]
