"""The plot of a correlation: a self-contained SVG file with the global, system and input level side by side."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.correlation.result import Correlation
from metrics_framework.reports.correlation_table import TITLES
from metrics_framework.reports.svg import Axis, Panel, document, shortened, text
from metrics_framework.significance.arrays import Floats

MOST_POINTS = 4000
"""With more outputs, squares shaded by the number of outputs replace the points."""

LARGEST_DRAWN = 1e150
"""The squares of larger scores would overflow."""

HISTOGRAM_BINS = 20
CELLS = 48

CHARACTER_WIDTH = 7.0
SIDES = ((9, 4, "start"), (-9, 4, "end"), (0, -10, "middle"), (0, 19, "middle"), (8, -7, "start"), (8, 15, "start"))
"""The possible positions of a label around its point: offset to the right, offset downwards, text anchor."""

Points: TypeAlias = "list[tuple[float, float]]"
Box: TypeAlias = "tuple[float, float, float, float]"


def correlation_plot(result: Correlation, level: str | None = None) -> str:
    """Returns an SVG file with a panel for each computed level.

    Args:
        result: The correlation.
        level: The level to show; by default all.

    Raises:
        InputError: if the level was not computed, or has no plot.

    The same result always yields the same bytes. Colours follow the light or dark setting of the reader.
    """
    result = _drawable(result)
    draw = {"global": _global_panel, "system": _system_panel, "input": _input_panel}
    if level is not None and level not in draw.keys() & result.levels.keys():
        raise InputError(f"there is no plot of the {level} level, because it was not computed")
    shown = [one for one in ("global", "system", "input") if one in result.levels and level in (None, one)]
    panels = [draw[one](result) for one in shown]
    matrix = result.matrix
    title = f"{result.metric1} against {result.metric2}"
    subtitle = (
        f"{matrix.num_cells} outputs of {len(matrix.systems)} systems on {len(matrix.inputs)} inputs "
        f"(type: {result.summarizer_type})"
    )
    return document(title, subtitle, panels)


def _drawable(result: Correlation) -> Correlation:
    """Divides very large scores by a power of ten, which the axis states: their squares would overflow."""
    (x, name1), (z, name2) = (
        _divided(scores, name)
        for scores, name in ((result.matrix.x, result.metric1), (result.matrix.z, result.metric2))
    )
    return replace(result, matrix=replace(result.matrix, x=x, z=z), metric1=name1, metric2=name2)


def _divided(scores: Floats, name: str) -> tuple[Floats, str]:
    largest = abs(scores[scores == scores]).max()  # without NaN
    if largest <= LARGEST_DRAWN:
        return scores, name
    power = math.floor(math.log10(largest))
    return scores / 10.0**power, f"{name} / 1e{power}"


def _caption(result: Correlation, level: str) -> str:
    parts = []
    for name, estimate in result.levels[level].estimates.items():
        symbol = TITLES[name].split()[-1]
        parts.append(f"{symbol} = {estimate.value:.3f}" if estimate.defined else f"{symbol} undefined")
    return ", ".join(parts)


def _global_panel(result: Correlation) -> Panel:
    xs, zs = result.matrix.x.tolist(), result.matrix.z.tolist()
    points = [(x, z) for row, other in zip(xs, zs, strict=True) for x, z in zip(row, other, strict=True) if x == x]
    panel = _scatter_panel(result, "global", "All outputs", points)
    if len(points) > MOST_POINTS:
        panel.marks += _density(panel, points)
    else:
        panel.marks += [panel.circle(x, z, 2.5, "cloud") for x, z in points]
    panel.marks += _fit(panel, points)
    return panel


def _system_panel(result: Correlation) -> Panel:
    xs, zs = (means.tolist() for means in result.matrix.system_means())
    points = list(zip(xs, zs, strict=True))
    panel = _scatter_panel(result, "system", "Means of systems", points)
    panel.marks += _fit(panel, points)
    panel.marks += [
        panel.circle(x, z, 4.5, "point", name) for (x, z), name in zip(points, result.matrix.systems, strict=True)
    ]
    panel.marks += _labels(panel, points, result.matrix.systems)
    return panel


def _scatter_panel(result: Correlation, level: str, title: str, points: Points) -> Panel:
    x_axis = Axis.around([x for x, _ in points], result.metric1)
    y_axis = Axis.around([z for _, z in points], result.metric2)
    return Panel(title, _caption(result, level), x_axis, y_axis)


def _fit(panel: Panel, points: Points) -> list[str]:
    """Draws the least-squares line, clipped to the panel."""
    n = len(points)
    mean_x, mean_z = math.fsum(x for x, _ in points) / n, math.fsum(z for _, z in points) / n
    squares = math.fsum((x - mean_x) ** 2 for x, _ in points)
    if squares == 0:
        return []
    slope = math.fsum((x - mean_x) * (z - mean_z) for x, z in points) / squares
    ends = [panel.x_axis.low, panel.x_axis.high]
    if slope:
        crossings = [mean_x + (edge - mean_z) / slope for edge in (panel.y_axis.low, panel.y_axis.high)]
        ends = [max(ends[0], min(crossings)), min(ends[1], max(crossings))]
    start, end = ((x, mean_z + slope * (x - mean_x)) for x in ends)
    return [panel.line(start, end, "fit")]


def _density(panel: Panel, points: Points) -> list[str]:
    counts = Counter(
        (min(CELLS - 1, int(panel.x_axis.share(x) * CELLS)), min(CELLS - 1, int(panel.y_axis.share(z) * CELLS)))
        for x, z in points
    )
    most = max(counts.values())
    return [
        panel.square(column / CELLS, row / CELLS, 1 / CELLS, 0.15 + 0.85 * math.sqrt(count / most))
        for (column, row), count in sorted(counts.items())
    ]


def _labels(panel: Panel, points: Points, names: Sequence[str]) -> list[str]:
    """Labels points with names at the first position that covers nothing; names without such a position are dropped."""
    positions = [panel.position(x, z) for x, z in points]
    occupied = [(x - 6, y - 6, x + 6, y + 6) for x, y in positions]
    marks = []
    for (x, y), name in zip(positions, names, strict=True):
        shown = shortened(name, 18)
        for dx, dy, anchor in SIDES:
            box = _box(x + dx, y + dy, CHARACTER_WIDTH * len(shown), anchor)
            if panel.contains(box) and not any(_overlap(box, other) for other in occupied):
                occupied.append(box)
                marks.append(text(x + dx, y + dy, shown, f"name {anchor}"))
                break
    return marks


def _box(x: float, y: float, width: float, anchor: str) -> Box:
    left = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * width
    return left, y - 9, left + width, y + 2


def _overlap(first: Box, second: Box) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def _input_panel(result: Correlation) -> Panel:
    """Draws the distribution of the first coefficient over the inputs, with the mean."""
    name, of_inputs = next(iter(result.input_coefficients.items()))
    values = [value for value in of_inputs if value == value]
    counts = Counter(min(HISTOGRAM_BINS - 1, int((value + 1) / 2 * HISTOGRAM_BINS)) for value in values)
    highest = max(counts.values(), default=1)
    panel = Panel(
        "One correlation per input",
        _caption(result, "input"),
        Axis(-1.0, 1.0, f"{TITLES[name]} of the systems at one input"),
        Axis.counting(highest, "number of inputs"),
    )
    width = 2 / HISTOGRAM_BINS
    for number, count in sorted(counts.items()):
        panel.marks.append(panel.bar(-1 + number * width, width, count, f"{count} inputs"))
    mean = result.levels["input"].estimates[name].value
    if mean == mean:
        panel.marks.append(panel.line((mean, 0.0), (mean, panel.y_axis.high), "fit"))
    return panel
