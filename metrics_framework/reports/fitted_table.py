"""Tables that fit a terminal: with a row for each system, a column for each system, or in several parts."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.reports.formats.output_format import OutputFormat, ScoreCell, ScoreRows
from metrics_framework.reports.printable import display_width


def fitted(output: OutputFormat, header: Sequence[str], rows: ScoreRows, width: int) -> str:
    """Writes a table of scores; for a terminal, its lines are not longer than a width, unless a column is.

    A table that is too wide has a column for each system instead of a row, or, if that is too wide as well, is split
    into parts of whole columns.

    Args:
        output: The output format.
        header: The names of the columns; the first is that of the systems.
        rows: The rows, one for each system.
        width: The largest number of terminal columns.
    """
    table = output.render(header, rows)
    if not output.for_terminal or max(map(display_width, table.splitlines())) <= width:
        return table
    columns = list(zip(header, *rows, strict=True))
    systems, *others = columns
    transposed = output.render(["score", *map(_name, systems[1:])], others)
    if _width(transposed) <= width:
        return transposed
    return "\n\n".join(_parts(output, columns, width))


def _parts(output: OutputFormat, columns: Sequence[Sequence[str | ScoreCell]], width: int) -> list[str]:
    """Returns tables that each have the systems and as many of the other columns as fit."""
    first, *rest = columns
    parts: list[str] = []
    part = [first]
    table = ""
    for column in rest:
        longer = _written(output, [*part, column])
        if len(part) > 1 and _width(longer) > width:
            parts.append(table)
            part, longer = [first], _written(output, [first, column])
        part, table = [*part, column], longer
    return [*parts, table]


def _written(output: OutputFormat, columns: Sequence[Sequence[str | ScoreCell]]) -> str:
    header, *rows = zip(*columns, strict=True)
    return output.render([*map(_name, header)], rows)


def _name(cell: str | ScoreCell) -> str:
    return cell if isinstance(cell, str) else cell.value


def _width(table: str) -> int:
    return max(map(display_width, table.splitlines()))
