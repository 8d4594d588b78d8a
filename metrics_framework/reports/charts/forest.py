"""Forest plots: one row per estimate, with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from metrics_framework.data.sums import plain_sum
from metrics_framework.reports.svg import MARGIN, Axis, box, dot, drawing, line, shortened, text

ROW = 24.0
HEADING = 34.0
TOP = 84.0
PLOT = 380.0
MAX_LABEL = 34
LABELS = 7.0 * MAX_LABEL
NUMBERS = 170.0


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


@dataclass
class _Canvas:
    axis: Axis
    digits: int
    body: list[str] = field(default_factory=list)

    def x(self, value: float) -> float:
        return MARGIN + LABELS + self.axis.share(value) * PLOT


def forest(title: str, subtitle: str, groups: Sequence[Group], quantity: str, digits: int = 3) -> str:
    """Draws estimates with their intervals, one below the other.

    Args:
        title: The title.
        subtitle: The line below the title.
        groups: The rows; undefined estimates are listed without a point.
        quantity: What the axis shows.
        digits: The number of decimal places.
    """
    numbers = [number for group in groups for number in _numbers(group) if math.isfinite(number)]
    canvas = _Canvas(Axis.around(numbers or [0.0], quantity), digits)
    height = plain_sum(HEADING + ROW * len(group.rows) for group in groups)
    _draw_axis(canvas, height)
    top = TOP
    for group in groups:
        top = _draw_group(canvas, group, top)
    size = (MARGIN + LABELS + PLOT + NUMBERS + MARGIN, TOP + height + 62)
    return drawing(title, subtitle, size, canvas.body)


def _numbers(group: Group) -> list[float]:
    return [group.mark, *group.band, *(number for row in group.rows for number in (row.value, row.lower, row.upper))]


def _draw_axis(canvas: _Canvas, height: float) -> None:
    left, bottom = MARGIN + LABELS, TOP + height
    canvas.body.append(box(left, TOP, (PLOT, height), "frame"))
    for value, label in canvas.axis.ticks():
        x = canvas.x(value)
        canvas.body += [line(x, TOP, x, bottom, "grid"), text(x, bottom + 18, label, "quiet middle")]
    if canvas.axis.low < 0 < canvas.axis.high:
        canvas.body.append(line(canvas.x(0), TOP, canvas.x(0), bottom, "zero"))
    canvas.body.append(line(left, bottom, left + PLOT, bottom, "axis"))
    canvas.body.append(text(left + PLOT / 2, bottom + 40, shortened(canvas.axis.title, 60), "middle"))


def _draw_group(canvas: _Canvas, group: Group, top: float) -> float:
    canvas.body.append(text(MARGIN, top + 22, shortened(group.heading, 60), "heading"))
    bottom = top + HEADING + ROW * len(group.rows)
    low, high = group.band
    if math.isfinite(low) and math.isfinite(high):
        size = max(1.0, canvas.x(high) - canvas.x(low)), bottom - top - 28
        shown = f"{group.mark_label} from {low:.{canvas.digits}f} to {high:.{canvas.digits}f}"
        canvas.body.append(box(canvas.x(low), top + 28, size, "band", title=shown))
    if math.isfinite(group.mark):
        x = canvas.x(group.mark)
        label = f"{group.mark_label} {group.mark:.{canvas.digits}f}".strip()
        canvas.body += [line(x, top + 28, x, bottom, "mark"), text(x, top + 22, label, "quiet middle")]
    for number, row in enumerate(group.rows):
        _draw_row(canvas, row, top + HEADING + ROW * (number + 0.5))
    return bottom


def _draw_row(canvas: _Canvas, row: Row, y: float) -> None:
    canvas.body.append(text(MARGIN, y + 4, shortened(row.label, MAX_LABEL), ""))
    right = MARGIN + LABELS + PLOT + 12
    if not math.isfinite(row.value):
        canvas.body.append(text(right, y + 4, "undefined", "quiet"))
        return
    value, lower, upper = (
        f"{round(number, canvas.digits) + 0.0:.{canvas.digits}f}" for number in (row.value, row.lower, row.upper)
    )
    shown = value
    if math.isfinite(row.lower) and math.isfinite(row.upper):
        shown += f" [{lower}, {upper}]"
        canvas.body.append(line(canvas.x(row.lower), y, canvas.x(row.upper), y, "range"))
    canvas.body += [dot(canvas.x(row.value), y, 4.5, "point", f"{row.label}: {shown}"), text(right, y + 4, shown, "")]
