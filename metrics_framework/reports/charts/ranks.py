"""Ranks with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from metrics_framework.reports.svg import MARGIN, box, dot, drawing, line, shortened, text

ROW = 26.0
TOP = 84.0
STEP = 46.0
MAX_LABEL = 34
NARROWEST = 460.0
"""The width of the title."""
LABELS = 7.0 * MAX_LABEL


class Rank(NamedTuple):
    """The rank of a name, 1 for the best.

    Attributes:
        name: The name.
        rank: The rank.
        best: The best rank within the interval.
        worst: The worst rank within the interval.
    """

    name: str
    rank: float
    best: float
    worst: float


def rank_chart(title: str, subtitle: str, ranks: Sequence[Rank]) -> str:
    """Draws ranks with their intervals, one row per name in the order given."""
    left, height, count = MARGIN + LABELS, ROW * len(ranks), len(ranks)
    step = min(STEP, 420.0 / max(1, count))
    body = [box(left, TOP, (step * count, height), "frame")]
    every = max(1, round(28 / step))
    for number in range(1, count + 1, every):
        x = left + (number - 0.5) * step
        body += [line(x, TOP, x, TOP + height, "grid"), text(x, TOP + height + 18, str(number), "quiet middle")]
    for row, one in enumerate(ranks):
        y = TOP + (row + 0.5) * ROW
        ends = (left + (rank - 0.5) * step for rank in (one.best, one.worst))
        body.append(text(MARGIN, y + 4, shortened(one.name, MAX_LABEL), ""))
        body.append(line(next(ends), y, next(ends), y, "range"))
        where = f"{one.name}: rank {one.rank:g}, between {one.best:g} and {one.worst:g}"
        body.append(dot(left + (one.rank - 0.5) * step, y, 4.5, "point", where))
    body.append(text(left + step * count / 2, TOP + height + 40, "rank", "middle"))
    return drawing(title, subtitle, (max(left + step * count + MARGIN, NARROWEST), TOP + height + 62), body)
