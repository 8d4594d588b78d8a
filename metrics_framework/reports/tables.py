"""Tables as text: aligned for a terminal, Markdown, LaTeX (booktabs), CSV and TSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Rows = Sequence[Sequence[str]]


def render(columns: Sequence[str], rows: Rows, format: str = "table") -> str:
    """Writes a table; the first column is set to the left, the others to the right.

    Args:
        columns: The names of the columns.
        rows: The cells, as many a row as there are columns.
        format: ``table``, ``markdown``, ``latex``, ``csv`` or ``tsv``.
    """
    return FORMATS[format](columns, rows)


def number(value: object, digits: int = 2) -> str:
    """Writes a score: whole numbers as they are, others with so many digits, and what is undefined as a dash."""
    if value is None or (isinstance(value, float) and value != value):
        return "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value}" if isinstance(value, int) else f"{value:.{digits}f}"


def _aligned(columns: Sequence[str], rows: Rows) -> str:
    widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
    lines = [_line(columns, widths), "  ".join("─" * width for width in widths)]
    return "\n".join([*lines, *(_line(row, widths) for row in rows)])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first = cells[0].ljust(widths[0])
    rest = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
    return "  ".join([first, *rest]).rstrip()


def _markdown(columns: Sequence[str], rows: Rows) -> str:
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"

    ruler = f"|---|{'---:|' * (len(columns) - 1)}"
    return "\n".join([line(columns), ruler, *map(line, rows)])


_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX.update({character: f"\\{character}" for character in "&%$#_{}"})
_LATEX["–"] = "--"


def _latex(columns: Sequence[str], rows: Rows) -> str:
    def line(cells: Sequence[str]) -> str:
        return " & ".join("".join(_LATEX.get(character, character) for character in cell) for cell in cells) + r" \\"

    head = [rf"\begin{{tabular}}{{l{'r' * (len(columns) - 1)}}}", r"\toprule", line(columns), r"\midrule"]
    return "\n".join([*head, *map(line, rows), r"\bottomrule", r"\end{tabular}"])


def _delimited(delimiter: str) -> Callable[[Sequence[str], Rows], str]:
    def write(columns: Sequence[str], rows: Rows) -> str:
        import csv
        import io

        stream = io.StringIO()
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
        return stream.getvalue().rstrip("\n")

    return write


FORMATS: dict[str, Callable[[Sequence[str], Rows], str]] = {
    "table": _aligned,
    "markdown": _markdown,
    "latex": _latex,
    "csv": _delimited(","),
    "tsv": _delimited("\t"),
}
