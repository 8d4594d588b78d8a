"""Tables as text: aligned for a terminal, Markdown, LaTeX (booktabs), CSV and TSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from unicodedata import category

Rows = Sequence[Sequence[str]]
READ = ("table", "markdown", "latex")
"""The formats that are for people; the others keep every sign."""
STEERING = ("Cc", "Cs", "Zl", "Zp")
TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def render(columns: Sequence[str], rows: Rows, format: str = "table", left: int = 1) -> str:
    """Writes a table.

    Args:
        columns: The names of the columns.
        rows: The cells, as many a row as there are columns.
        format: ``table``, ``markdown``, ``latex``, ``csv`` or ``tsv``.
        left: How many of the columns are set to the left; the others are set to the right.
    """
    if format in READ:
        columns, *rows = ([visible(cell) for cell in row] for row in [columns, *rows])
    return FORMATS[format](columns, rows, left)


def visible(text: str) -> str:
    """Writes out the signs that steer a terminal, end a line, turn text round or are no characters.

    >>> visible("a\\nb \\x1b[31m"), visible("café שלום")
    ('a\\\\nb \\\\x1b[31m', 'café שלום')
    """
    if text.isprintable():
        return text
    return "".join(_escaped(sign) if category(sign) in STEERING or sign in TURNING else sign for sign in text)


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")


def number(value: object, digits: int = 2) -> str:
    """Writes a score: whole numbers as they are, others with so many digits, and what is undefined as a dash.

    >>> number([62.5, 37.125])
    '62.50/37.12'
    """
    if isinstance(value, list):
        return "/".join(number(item, digits) for item in value)
    if value is None or (isinstance(value, float) and value != value):
        return "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value}" if isinstance(value, int) else f"{value:.{digits}f}"


def _aligned(columns: Sequence[str], rows: Rows, left: int) -> str:
    widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
    ruler = ["─" * width for width in widths]
    return "\n".join("  ".join(_padded(row, widths, left)).rstrip() for row in [columns, ruler, *rows])


def _markdown(columns: Sequence[str], rows: Rows, left: int) -> str:
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in [columns, *rows]]
    widths = [max(4, *map(len, cells)) for cells in zip(*escaped, strict=True)]
    ruler = ["-" * width if place < left else "-" * (width - 1) + ":" for place, width in enumerate(widths)]
    lines = [_padded(row, widths, left) for row in [escaped[0], ruler, *escaped[1:]]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _padded(cells: Sequence[str], widths: Sequence[int], left: int) -> list[str]:
    padded = enumerate(zip(cells, widths, strict=True))
    return [cell.ljust(width) if place < left else cell.rjust(width) for place, (cell, width) in padded]


_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX.update({character: f"\\{character}" for character in "&%$#_{}"})
_LATEX.update({"–": "--", "±": r"$\pm$", "ρ": r"$\rho$", "τ": r"$\tau$"})


def _latex(columns: Sequence[str], rows: Rows, left: int) -> str:
    def line(cells: Sequence[str]) -> str:
        return " & ".join("".join(_LATEX.get(character, character) for character in cell) for cell in cells) + r" \\"

    head = [rf"\begin{{tabular}}{{{'l' * left}{'r' * (len(columns) - left)}}}", r"\toprule", line(columns), r"\midrule"]
    return "\n".join([*head, *map(line, rows), r"\bottomrule", r"\end{tabular}"])


def _csv(columns: Sequence[str], rows: Rows, left: int) -> str:
    import csv
    import io

    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([columns, *rows])
    return stream.getvalue().rstrip("\n")


def _tsv(columns: Sequence[str], rows: Rows, left: int) -> str:
    """Writes cells without quoting; a tab or line end in one becomes a blank."""
    return "\n".join(
        "\t".join(" ".join(cell.splitlines()).replace("\t", " ") for cell in row) for row in [columns, *rows]
    )


FORMATS: dict[str, Callable[[Sequence[str], Rows, int], str]] = {
    "table": _aligned,
    "markdown": _markdown,
    "latex": _latex,
    "csv": _csv,
    "tsv": _tsv,
}
