"""Charts of plain numbers as SVG: curves, forests of intervals, matrices of p-values and of verdicts, and ranks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple

from metrics_framework.data.sums import plain_sum
from metrics_framework.reports.numbers import DIGITS, UNDEFINED, interval, number, p_equation, p_value, significant
from metrics_framework.reports.svg import MARGIN, Axis, Panel, box, dot, drawing, line, shortened, text
from metrics_framework.significance.multiple_testing import Rank, is_significant

MAX_VERTICES = 600


def step_curve(
    title: str, caption: str, axes: tuple[str, str], points: Sequence[tuple[float, float]], chosen: tuple[float, float]
) -> Panel:
    """Draws a step curve, and marks one of its points.

    Args:
        title: The heading of the panel.
        caption: The line below it.
        axes: The titles of the axes.
        points: The points, in the order of x; at most 600 of them are drawn, the marked one always.
        chosen: The point that is marked.
    """
    every = max(1, len(points) // MAX_VERTICES)
    drawn = sorted({*points[::every], *points[-1:], chosen})
    x_axis, y_axis = (Axis.around(values, name) for values, name in zip(zip(*drawn, strict=True), axes, strict=True))
    panel = Panel(title, caption, x_axis, y_axis)
    steps = [drawn[0]]
    for (_, before), (x, y) in pairwise(drawn):
        steps += [(x, before), (x, y)]
    panel.marks.append(polyline(panel, steps))
    panel.marks.append(panel.circle(*chosen, 4.5, "point", f"{number(chosen[1])} at {significant(chosen[0])}"))
    left, top = panel.position(*chosen)
    panel.marks.append(text(left + 8, top - 8, significant(chosen[0]), "name"))
    return panel


def polyline(panel: Panel, points: Sequence[tuple[float, float]], kind: str = "curve") -> str:
    """Draws a line through points.

    Args:
        panel: The panel.
        points: The points, in the order of x.
        kind: The class of the line.
    """
    path = " ".join(f"{x:.2f},{y:.2f}" for x, y in (panel.position(*point) for point in points))
    fill = "" if kind == "curve" else ' fill="none"'  # which the style of curves has
    return f'<polyline class="{kind}"{fill} points="{path}"/>'


ROW = 24.0
HEADING = 34.0
TOP = 84.0
PLOT = 380.0
MAX_LABEL = 34
LABELS = 7.0 * MAX_LABEL
NUMBERS = 170.0
NUMBERS_LEFT = MARGIN + LABELS + PLOT + 12
MAX_GROUP_HEADING = 76


@dataclass(frozen=True)
class Row:
    """An estimate of a forest plot.

    Args:
        label: Its name.
        value: The estimate; NaN if undefined.
        lower: The lower end of its interval; NaN without one.
        upper: The upper end.
    """

    label: str
    value: float
    lower: float = math.nan
    upper: float = math.nan


@dataclass(frozen=True)
class Group:
    """Rows below a heading.

    Args:
        heading: The heading.
        rows: The estimates.
        mark: A value that no estimate is expected to exceed, such as the agreement of people, drawn as a line; NaN for
            none.
        mark_label: What the mark is.
        band: The ends of a range that estimates are compared with, such as that of pairs of raters; NaN for none.
    """

    heading: str
    rows: Sequence[Row]
    mark: float = math.nan
    mark_label: str = ""
    band: tuple[float, float] = (math.nan, math.nan)


def forest(title: str, subtitle: str, groups: Sequence[Group], quantity: str, digits: int = DIGITS) -> str:
    """Draws estimates with their intervals, one below the other.

    Args:
        title: The title.
        subtitle: The line below the title.
        groups: The rows; undefined estimates are listed without a point.
        quantity: What the axis shows.
        digits: The number of decimal places.
    """
    marks = [value for group in groups for value in (group.mark, *group.band)]
    ends = [value for group in groups for row in group.rows for value in (row.value, row.lower, row.upper)]
    axis = Axis.around([*filter(math.isfinite, [*marks, *ends])] or [0.0], quantity)
    height = plain_sum(HEADING + ROW * len(group.rows) for group in groups)
    body, top = _axis(axis, height), TOP
    for group in groups:
        body += _group(axis, group, top, digits)
        top += HEADING + ROW * len(group.rows)
    return drawing(title, subtitle, (MARGIN + LABELS + PLOT + NUMBERS + MARGIN, TOP + height + 62), body)


def _x(axis: Axis, value: float) -> float:
    return MARGIN + LABELS + axis.share(value) * PLOT


def _axis(axis: Axis, height: float) -> list[str]:
    left, bottom = MARGIN + LABELS, TOP + height
    marks = [box(left, TOP, (PLOT, height), "frame")]
    for value, label in axis.ticks():
        x = _x(axis, value)
        marks += [line(x, TOP, x, bottom, "grid"), text(x, bottom + 18, label, "quiet middle")]
    if axis.low < 0 < axis.high:
        marks.append(line(_x(axis, 0), TOP, _x(axis, 0), bottom, "zero"))
    marks.append(line(left, bottom, left + PLOT, bottom, "axis"))
    return [*marks, text(left + PLOT / 2, bottom + 40, shortened(axis.title, 60), "middle")]


def _group(axis: Axis, group: Group, top: float, digits: int) -> list[str]:
    marks = [text(MARGIN, top + 22, shortened(group.heading, MAX_GROUP_HEADING), "heading")]
    bottom = top + HEADING + ROW * len(group.rows)
    low, high = group.band
    if math.isfinite(low) and math.isfinite(high):
        size = max(1.0, _x(axis, high) - _x(axis, low)), bottom - top - 28
        shown = f"{group.mark_label} from {number(low, digits)} to {number(high, digits)}"
        marks.append(box(_x(axis, low), top + 28, size, "band", title=shown))
    if math.isfinite(group.mark):
        x = _x(axis, group.mark)
        label = f"{group.mark_label} {number(group.mark, digits)}".strip()
        marks += [line(x, top + 28, x, bottom, "mark"), text(NUMBERS_LEFT, top + 22, label, "quiet")]
    for index, row in enumerate(group.rows):
        marks += _row(axis, row, top + HEADING + ROW * (index + 0.5), digits)
    return marks


def _row(axis: Axis, row: Row, y: float, digits: int) -> list[str]:
    marks = [text(MARGIN, y + 4, shortened(row.label, MAX_LABEL), "")]
    if not math.isfinite(row.value):
        return [*marks, text(NUMBERS_LEFT, y + 4, UNDEFINED, "quiet")]
    shown = interval(row.value, row.lower, row.upper, digits)
    if math.isfinite(row.lower) and math.isfinite(row.upper):
        marks.append(line(_x(axis, row.lower), y, _x(axis, row.upper), y, "range"))
    marks.append(dot(_x(axis, row.value), y, 4.5, "point", f"{row.label}: {shown}"))
    return [*marks, text(NUMBERS_LEFT, y + 4, shown, "")]


CELL = 46.0
MAX_MATRIX_LABEL = 28
MAX_MATRIX_HEADING = 18
MATRIX_LABELS = 7.0 * MAX_MATRIX_LABEL + 30
SLANT = 108.0


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
    longest = max(len(shortened(name, MAX_MATRIX_HEADING)) for name in names)
    left, top = MARGIN + MATRIX_LABELS, TOP + SLANT * longest / MAX_MATRIX_HEADING
    body = [*_labels(names, ranks, left, top)]
    for row, values in enumerate(p_values):
        for column, p in enumerate(values):
            if column > row:
                shown, pair = ("", "") if p != p else (p_value(p, 3), f": {p_equation(p)}")
                shade = 1.0 if is_significant(p, alpha) else max(0.05, 0.32 * (1 - p))
                corner = left + column * CELL, top + row * CELL
                body += _cell(*corner, (CELL, CELL), shown, shade, f"{names[row]} and {names[column]}{pair}")
    for index in range(1, len(names)):
        if ranks is not None and ranks[index] != ranks[index - 1]:
            x, y = left + index * CELL, top + index * CELL
            body += [line(x, top, x, y, "fit"), line(x, y, left + len(names) * CELL, y, "fit")]
    side = len(names) * CELL
    return drawing(title, subtitle, (left + side + SLANT, top + side + MARGIN), body)


def _labels(names: Sequence[str], ranks: Sequence[int] | None, left: float, top: float) -> list[str]:
    marks = []
    for index, name in enumerate(names):
        shown, at = shortened(name, MAX_MATRIX_LABEL), (index + 0.5) * CELL
        rank = "" if ranks is None else f"{ranks[index]}  "
        marks.append(text(left - 10, top + at + 4, f"{rank}{shown}", "end"))
        x, y = left + at, top - 8
        marks.append(text(x, y, shortened(name, MAX_MATRIX_HEADING), "", f"rotate(-45 {x:g} {y:g})"))
    return marks


def _cell(x: float, y: float, size: tuple[float, float], shown: str, shade: float, title: str) -> list[str]:
    """Draws a shaded cell; an empty one without a text."""
    width, height = size
    inner = width - 2, height - 2
    if not shown:
        return [box(x + 1, y + 1, inner, "empty", title=title)]
    kind = "strong on middle" if shade == 1.0 else "middle"
    return [box(x + 1, y + 1, inner, "cell", shade, title), text(x + width / 2, y + height / 2 + 4, shown, kind)]


RANK_ROW = 26.0
MAX_RANK_STEP = 46.0


def rank_chart(title: str, subtitle: str, ranks: Sequence[tuple[str, Rank]]) -> str:
    """Draws the ranks that tests leave open, one row per name, the best first; a point is its place."""
    left, height, count = MARGIN + LABELS, RANK_ROW * len(ranks), len(ranks)
    step = min(MAX_RANK_STEP, 420.0 / max(1, count))
    body = [box(left, TOP, (step * count, height), "frame")]
    every = max(1, round(28 / step))
    for index in range(1, count + 1, every):
        x = left + (index - 0.5) * step
        body += [line(x, TOP, x, TOP + height, "grid"), text(x, TOP + height + 18, str(index), "quiet middle")]
    for place, (name, rank) in enumerate(ranks, 1):
        y = TOP + (place - 0.5) * RANK_ROW
        x, best, worst = (left + (one - 0.5) * step for one in (place, rank.best, rank.worst))
        body += [text(MARGIN, y + 4, shortened(name, MAX_LABEL), ""), line(best, y, worst, y, "range")]
        body.append(dot(x, y, 4.5, "point", f"{name}: rank {place}, between {rank.best} and {rank.worst}"))
    body.append(text(left + step * count / 2, TOP + height + 40, "rank", "middle"))
    return drawing(title, subtitle, (left + step * count + MARGIN, TOP + height + 62), body)


VERDICT_WIDTH, VERDICT_HEIGHT = 88.0, 30.0
VERDICT_GROUP, VERDICT_LINE, VERDICT_HEADING = 26.0, 15.0, 24.0
MAX_VERDICT_LABEL, MAX_VERDICT_HEADING, MAX_VERDICT_GROUP = 30, 12, 24
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
        group: The heading above several columns, of one line or more.
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
    left = MARGIN + 7.0 * max(len(shortened(name, MAX_VERDICT_LABEL)) for name in names) + 12
    groups = Counter(column.group for column in columns)
    longest = {group: max(map(len, group.splitlines()), default=0) for group in groups}
    narrowest = (9 * min(longest[group], MAX_VERDICT_GROUP) / number for group, number in groups.items())
    width = max(VERDICT_WIDTH, *narrowest)
    top = TOP + VERDICT_HEADING + VERDICT_GROUP + VERDICT_LINE * max(group.count("\n") for group in groups)
    body = _verdict_groups(columns, left, width)
    for index, column in enumerate(columns):
        x = left + index * width
        body.append(text(x + width / 2, top - 9, shortened(column.heading, MAX_VERDICT_HEADING), "middle"))
        for row, value in enumerate(column.values):
            shown = f"{value.shown} †" if value.kind == TIED else value.shown
            size = width, VERDICT_HEIGHT
            body += _cell(x, top + row * VERDICT_HEIGHT, size, shown, _SHADES[value.kind], value.title)
    body += [
        text(left - 10, top + (row + 0.5) * VERDICT_HEIGHT + 4, shortened(name, MAX_VERDICT_LABEL), "end")
        for row, name in enumerate(names)
    ]
    whole = left + len(columns) * width + MARGIN, top + len(names) * VERDICT_HEIGHT + MARGIN
    return drawing(title, subtitle, whole, body)


def _verdict_groups(columns: Sequence[VerdictColumn], left: float, width: float) -> list[str]:
    """Draws the headings of groups, with a line above the columns of each."""
    marks, end = list[str](), 0
    for group, neighbours in groupby(column.group for column in columns):
        start, end = end, end + len([*neighbours])
        x1, x2 = left + start * width + 4, left + end * width - 4
        for number_of_line, words in enumerate(group.splitlines()):
            shown = shortened(words, round((x2 - x1) / 8))
            marks.append(text((x1 + x2) / 2, TOP + VERDICT_LINE * number_of_line, shown, "strong middle"))
        bottom = TOP + VERDICT_LINE * group.count("\n") + 8
        marks.append(line(x1, bottom, x2, bottom, "axis"))
    return marks
