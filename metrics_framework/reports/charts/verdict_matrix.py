"""Matrices of values: the best of each column, and those that do not differ from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from metrics_framework.reports.svg import MARGIN, box, drawing, line, shortened, text

WIDTH, HEIGHT = 88.0, 30.0
TOP = 84.0
GROUP = 26.0
HEADING = 24.0
MAX_LABEL = 30
MAX_HEADING = 12
NARROWEST = 320.0
"""The width of the title."""

BEST, TIED, WORSE, OTHER = "best", "tied", "worse", "other"
"""What is known of a value: the best of its column, not distinguishable from it, significantly worse, or not tested."""
_SHADES = {BEST: 1.0, TIED: 0.32, WORSE: 0.06, OTHER: 0.06}


class Verdict(NamedTuple):
    """A value of a matrix.

    Attributes:
        shown: The value, as text; empty if it is undefined.
        kind: What is known of it: one of `BEST`, `TIED`, `WORSE` and `OTHER`.
        title: The text of its tooltip.
    """

    shown: str
    kind: str = OTHER
    title: str = ""


class VerdictColumn(NamedTuple):
    """A column of a matrix.

    Attributes:
        group: The heading above several columns.
        heading: The heading.
        values: The values, from the first row to the last.
    """

    group: str
    heading: str
    values: Sequence[Verdict]


def verdict_matrix(title: str, subtitle: str, names: Sequence[str], columns: Sequence[VerdictColumn]) -> str:
    """Draws values as a matrix in which the best ones are solid, and those that do not differ from them shaded.

    Args:
        title: The title.
        subtitle: The line below the title.
        names: The names of the rows.
        columns: The columns; neighbours of one group share its heading.
    """
    left = MARGIN + 7.0 * max(len(shortened(name, MAX_LABEL)) for name in names) + 12
    groups = len({column.group for column in columns}) > 1
    top = TOP + HEADING + GROUP * groups
    body = [*_groups(columns, left)] if groups else []
    for number, column in enumerate(columns):
        x = left + number * WIDTH
        body.append(text(x + WIDTH / 2, top - 9, shortened(column.heading, MAX_HEADING), "middle"))
        for row, value in enumerate(column.values):
            body += _cell(x, top + row * HEIGHT, value)
    body += [
        text(left - 10, top + (row + 0.5) * HEIGHT + 4, shortened(name, MAX_LABEL), "end")
        for row, name in enumerate(names)
    ]
    width = max(left + len(columns) * WIDTH + MARGIN, NARROWEST)
    return drawing(title, subtitle, (width, top + len(names) * HEIGHT + MARGIN), body)


def _groups(columns: Sequence[VerdictColumn], left: float) -> list[str]:
    """Draws the headings of groups, with a line above the columns of each."""
    marks = []
    start = 0
    for end in range(1, len(columns) + 1):
        if end == len(columns) or columns[end].group != columns[start].group:
            x1, x2 = left + start * WIDTH + 4, left + end * WIDTH - 4
            shown = shortened(columns[start].group, round((x2 - x1) / 6.5))
            marks += [text((x1 + x2) / 2, TOP, shown, "strong middle"), line(x1, TOP + 8, x2, TOP + 8, "axis")]
            start = end
    return marks


def _cell(x: float, y: float, value: Verdict) -> list[str]:
    size = WIDTH - 2, HEIGHT - 2
    if not value.shown:
        return [box(x + 1, y + 1, size, "empty", title=value.title)]
    words = "strong on middle" if value.kind == BEST else "middle"
    shown = f"{value.shown} †" if value.kind == TIED else value.shown
    return [
        box(x + 1, y + 1, size, "cell", _SHADES[value.kind], value.title),
        text(x + WIDTH / 2, y + HEIGHT / 2 + 4, shown, words),
    ]
