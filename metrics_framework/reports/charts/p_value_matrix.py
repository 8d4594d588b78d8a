"""Significance matrices: the p-value of every pair, in the order of ranks."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.reports.svg import MARGIN, box, drawing, line, shortened, text
from metrics_framework.significance.multiple_testing import is_significant

CELL = 46.0
MAX_LABEL = 28
MAX_HEADING = 18
LABELS = 7.0 * MAX_LABEL + 30
TOP = 84.0
SLANT = 108.0
NARROWEST = 460.0
"""The width of the title."""


def p_value_matrix(
    title: str,
    subtitle: str,
    names: Sequence[str],
    p_values: Sequence[Sequence[float]],
    alpha: float = 0.05,
    ranks: Sequence[int] | None = None,
) -> str:
    """Draws the p-values of all pairs as a shaded matrix; a full cell is significant.

    Args:
        title: The title.
        subtitle: The line below the title, with the population that the p-values speak of.
        names: What is compared, the best first.
        p_values: Row by row; only the part above the diagonal is drawn. NaN means no comparison.
        alpha: The significance level.
        ranks: The cluster of each name; a line separates clusters.
    """
    longest = max(len(shortened(name, MAX_HEADING)) for name in names)
    left, top = MARGIN + LABELS, TOP + SLANT * longest / MAX_HEADING
    body = [*_labels(names, ranks, left, top)]
    for row, values in enumerate(p_values):
        for column, p in enumerate(values):
            if column > row:
                corner = left + column * CELL, top + row * CELL
                body += _cell(corner, p, alpha, f"{names[row]} and {names[column]}: p = {p:.4g}")
    for number in range(1, len(names)):
        if ranks is not None and ranks[number] != ranks[number - 1]:
            x, y = left + number * CELL, top + number * CELL
            body += [line(x, top, x, y, "fit"), line(x, y, left + len(names) * CELL, y, "fit")]
    side = len(names) * CELL
    return drawing(title, subtitle, (max(left + side + SLANT, NARROWEST), top + side + MARGIN), body)


def _labels(names: Sequence[str], ranks: Sequence[int] | None, left: float, top: float) -> list[str]:
    marks = []
    for number, name in enumerate(names):
        shown, at = shortened(name, MAX_LABEL), (number + 0.5) * CELL
        rank = "" if ranks is None else f"{ranks[number]}  "
        marks.append(text(left - 10, top + at + 4, f"{rank}{shown}", "end"))
        x, y = left + at, top - 8
        marks.append(text(x, y, shortened(name, MAX_HEADING), "", f"rotate(-45 {x:g} {y:g})"))
    return marks


def _cell(corner: tuple[float, float], p: float, alpha: float, title: str) -> list[str]:
    x, y = corner
    size = CELL - 2, CELL - 2
    if p != p:
        return [box(x + 1, y + 1, size, "empty", title=title.rpartition(":")[0])]
    significant = is_significant(p, alpha)
    kind = "strong on middle" if significant else "middle"
    shade = 1.0 if significant else max(0.05, 0.32 * (1 - p))
    shown = "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")
    return [
        box(x + 1, y + 1, size, "cell", shade, title),
        text(x + CELL / 2, y + CELL / 2 + 4, shown, kind),
    ]
