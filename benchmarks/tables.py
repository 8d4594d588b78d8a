"""The tables that the comparisons fill, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple


class Table(NamedTuple):
    """A title, the columns and how wide each is in plain text."""

    title: str
    columns: tuple[str, ...]
    widths: tuple[int, ...]

    def plain(self, cells: tuple[str, ...]) -> str:
        """Sets the cells of a line below each other."""
        return "  " + "  ".join(map(str.ljust, cells, self.widths)).rstrip()


class Line(NamedTuple):
    """A line of a table, with the numbers that it was made of."""

    table: Table
    cells: tuple[str, ...]
    raw: dict[str, Any]


def at_once(words: str) -> None:
    """Prints without delay."""
    print(words, flush=True)


def show(lines: Iterable[Line], write: Callable[[str], object] = at_once) -> list[Line]:
    """Writes each line as soon as it is there, below the head of its table; returns all of them."""
    shown: list[Line] = []
    for line in lines:
        if not shown or shown[-1].table is not line.table:
            write(f"\n{line.table.title}\n{line.table.plain(line.table.columns)}")
        write(line.table.plain(line.cells))
        shown.append(line)
    return shown


def absent(table: Table, what: str, peer: str, reason: str) -> Line:
    """Says that something could not be compared."""
    cells = (what, peer, f"absent: {reason}")
    return Line(table, cells, {"what": what, "peer": peer, "absent": reason})


def markdown(lines: list[Line]) -> str:
    """Writes lines as tables of Markdown."""
    tables: dict[str, list[str]] = {}
    for table, cells, _ in lines:
        head = [f"{table.title}:", "", row(table.columns), "|" + "---|" * len(table.columns)]
        tables.setdefault(table.title, head).append(row((*cells, *[""] * (len(table.columns) - len(cells)))))
    return "\n\n".join("\n".join(rows) for rows in tables.values())


def row(cells: tuple[str, ...]) -> str:
    """Writes one row of a table of Markdown."""
    return "| " + " | ".join(cells) + " |"
