"""The tables that the comparisons print line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple


class Table(NamedTuple):
    """A title, column headings and column widths in plain text."""

    title: str
    columns: tuple[str, ...]
    widths: tuple[int, ...]

    def plain(self, cells: tuple[str, ...]) -> str:
        """Aligns the cells of a line with the columns."""
        return "  " + "  ".join(map(str.ljust, cells, self.widths)).rstrip()


class Line(NamedTuple):
    """A line of a table with its numbers."""

    table: Table
    cells: tuple[str, ...]
    raw: dict[str, Any]


def flushed(words: str) -> None:
    """Prints without buffering."""
    print(words, flush=True)


def show(lines: Iterable[Line], write: Callable[[str], object] = flushed) -> list[Line]:
    """Writes each line as soon as it is computed, after the head of its table; returns all lines."""
    shown: list[Line] = []
    for line in lines:
        if not shown or shown[-1].table is not line.table:
            write(f"\n{line.table.title}\n{line.table.plain(line.table.columns)}")
        write(line.table.plain(line.cells))
        shown.append(line)
    return shown


def absent(table: Table, what: str, peer: str, reason: str) -> Line:
    """Returns the line of a comparison that is impossible."""
    cells = (what, peer, f"absent: {reason}")
    return Line(table, cells, {"what": what, "peer": peer, "absent": reason})


def markdown(lines: list[Line]) -> str:
    """Formats lines as Markdown tables."""
    tables: dict[str, list[str]] = {}
    for table, cells, _ in lines:
        head = [f"{table.title}:", "", row(table.columns), "|" + "---|" * len(table.columns)]
        tables.setdefault(table.title, head).append(row((*cells, *[""] * (len(table.columns) - len(cells)))))
    return "\n\n".join("\n".join(rows) for rows in tables.values())


def row(cells: tuple[str, ...]) -> str:
    """Formats one row of a Markdown table."""
    return "| " + " | ".join(cells) + " |"
