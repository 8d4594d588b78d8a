"""The plots of a report: distributions of the scores of outputs, as SVG that the style sheet of the page colours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from metrics_framework.reports.html.html_tables import cell_text, html
from metrics_framework.reports.html.model import ReportData, ScoreColumn, System
from metrics_framework.reports.svg import Axis, shortened

BARS = 36
WIDTH, NAMES, RIGHT, FOOT = 460.0, 112.0, 14.0, 26.0
MAX_CHARACTERS = 14


def distribution_plots(data: ReportData) -> Iterator[tuple[ScoreColumn, str]]:
    """Draws a plot for each main score, with a row for each system: a histogram of its outputs, quartiles and mean.

    A score with only two values, such as exact copies, has no plot, since its mean describes it completely.
    """
    systems = [system for system in data.systems if system.kind == "system"]
    for column in data.main_scores:
        values = {
            system.name: sorted(value for value in system.values.get(column.name, []) if value is not None)
            for system in systems
        }
        everything = [value for of_system in values.values() for value in of_system]
        if len(set(everything)) > 2:
            yield column, _plot(column, systems, values, _axis(everything, column.name))


def _axis(values: Sequence[float], name: str) -> Axis:
    """Returns an axis over all but the most extreme values, which are counted in the outermost bars."""
    ordered = sorted(values)
    low, high = quantile(ordered, 0.005), quantile(ordered, 0.995)
    if 0 <= low < 0.15 * high:
        low = 0.0
    if high <= low:
        low, high = low - 0.5, low + 0.5
    return Axis(low, high, name)


def quantile(ordered: Sequence[float], share: float) -> float:
    """Returns a quantile of sorted numbers, by linear interpolation.

    >>> quantile([1.0, 2.0, 4.0], 0.75)
    3.0
    """
    index = share * (len(ordered) - 1)
    below = math.floor(index)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (index - below) * (ordered[above] - ordered[below])


def _plot(column: ScoreColumn, systems: Sequence[System], values: dict[str, list[float]], axis: Axis) -> str:
    row = 46.0 if len(systems) <= 6 else 30.0
    bottom = row * len(systems)
    height = bottom + FOOT
    title = html(f"Distribution of {column.title} over the outputs of each system")
    lines = [f'<svg viewBox="0 0 {WIDTH:g} {height:g}" role="img" aria-label="{title}">']
    for value, label in axis.ticks():
        x = _x(axis, value)
        lines.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="{bottom:g}"/>')
        lines.append(f'<text class="tick" x="{x:.1f}" y="{bottom + 17:g}">{label}</text>')
    for index, system in enumerate(systems):
        lines.append(_row(system, column, values[system.name], axis, index * row, row))
    return "\n".join([*lines, "</svg>"])


def _row(system: System, column: ScoreColumn, values: list[float], axis: Axis, top: float, row: float) -> str:
    base = top + row
    name = f'<text class="name" x="0" y="{base - 5:g}">{html(shortened(system.name, MAX_CHARACTERS))}</text>'
    line = f'<line class="base" x1="{NAMES:g}" x2="{WIDTH - RIGHT:g}" y1="{base:g}" y2="{base:g}"/>'
    if not values:
        return f"<g>{name}{line}</g>"
    lower, middle, upper = (quantile(values, share) for share in (0.25, 0.5, 0.75))
    average = math.fsum(values) / len(values)
    digits = max(2, column.output_digits)
    description = (
        f"{system.name}: {len(values)} outputs, mean {cell_text(average, digits)}, median {cell_text(middle, digits)}, "
        f"quartiles {cell_text(lower, digits)} and {cell_text(upper, digits)}, "
        f"minimum {cell_text(values[0], digits)}, maximum {cell_text(values[-1], digits)}"
    )
    left, right, at = (_x(axis, value) for value in (lower, upper, average))
    return (
        f'<g><title>{html(description)}</title><rect class="hit" x="0" y="{top:g}" width="{WIDTH:g}" height="{row:g}"/>'
        f'{name}<path class="bars" d="{_bars(values, axis, base, row - 8)}"/>{line}'
        f'<line class="quartiles" x1="{left:.1f}" x2="{right:.1f}" y1="{base:g}" y2="{base:g}"/>'
        f'<circle class="mean" cx="{at:.1f}" cy="{base:g}" r="3.2"/></g>'
    )


def _bars(values: Sequence[float], axis: Axis, base: float, tallest: float) -> str:
    """Draws a histogram as one path; the highest bar of each system fills the height of the row."""
    counts = [0] * BARS
    for value in values:
        counts[min(BARS - 1, max(0, int(axis.share(value) * BARS)))] += 1
    width = (WIDTH - RIGHT - NAMES) / BARS
    most = max(counts)
    return "".join(
        f"M{NAMES + bar * width + 0.5:.1f} {base:g}v{-tallest * count / most:.1f}h{width - 1:.1f}V{base:g}z"
        for bar, count in enumerate(counts)
        if count
    )


def _x(axis: Axis, value: float) -> float:
    share = min(1.0, max(0.0, axis.share(value)))
    return NAMES + share * (WIDTH - RIGHT - NAMES)
