"""The plot of correlations: an SVG file with a panel for each level, and a row for each pair of scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.errors import InputError, counted
from metrics_framework.meta_evaluation.choices import Level
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.correlation import Correlation
from metrics_framework.meta_evaluation.groups.moments import system_means
from metrics_framework.reports.numbers import UNDEFINED, interval
from metrics_framework.reports.svg import HEIGHT, WIDTH, Axis, Panel, box, document, shortened, text

MAX_ROWS = 40
MAX_NAME = 52
MAX_SIZES = 3
"""Of more different data sets only their number is stated."""


def correlation_plot(results: Sequence[Correlation], level: Level | None = None) -> str:
    """Returns an SVG file with a panel for each computed level; with several correlations, a row for each.

    Args:
        results: The correlations.
        level: The level to show, for all correlations side by side; by default all levels.

    Raises:
        InputError: if the level was not computed, or there are too many correlations.

    The same results always yield the same bytes. Colours follow the light or dark setting of the reader.
    """
    if len(results) > MAX_ROWS:
        raise InputError(f"a plot shows at most {MAX_ROWS} pairs of scores, got {len(results)}")
    shown = [one for one in PANEL_ORDER if one in results[0].levels and level in (None, one)]
    shown = [one for one in shown if one in ("global", "system") or results[0].levels[one].groups]
    if not shown:
        raise InputError(f"there is no plot of the {level or 'chosen'} level, because it was not computed")
    panels = [
        panel
        for result in results
        for panel in _titled(result, [_PANELS[one](_drawable(result)) for one in shown], results)
    ]
    return document(_title(results), _subtitle(results), panels, len(shown) if level is None else 3)


def _titled(result: Correlation, panels: list[Panel], results: Sequence[Correlation]) -> list[Panel]:
    """Names in the title of each panel what distinguishes its correlation from the others."""
    parts = [result.metric1] if len(results) > 1 else []
    if len({one.metric2 for one in results}) > 1:
        parts.append(f"against {result.metric2}")
    name = ", ".join(filter(None, [" ".join(parts), result.data_set if len(results) > 1 else ""]))
    for panel in panels if name else ():
        panel.title = f"{shortened(name, MAX_NAME)}: {panel.title[0].lower()}{panel.title[1:]}"
    return panels


def _title(results: Sequence[Correlation]) -> str:
    humans = list(dict.fromkeys(result.metric2 for result in results))
    if len(results) == 1:
        return f"{results[0].metric1} against {humans[0]}"
    return f"{counted(len(results), 'correlation')} with {', '.join(humans)}"


def _subtitle(results: Sequence[Correlation]) -> str:
    sizes = list(dict.fromkeys(map(_size, results)))
    size = "; ".join(sizes) if len(sizes) <= MAX_SIZES else f"{len(sizes)} different sets of outputs"
    units = "inputs" if results[0].request.clusters is None else "clusters of inputs"
    of_type = f"(type: {results[0].summarizer_type})"
    return f"{size} {of_type}; bands: bootstrap of the fitted line over {units} (all outputs) or systems"


def _size(result: Correlation) -> str:
    matrix = result.matrix
    data_set = f"{result.data_set}: " if result.data_set else ""
    return f"{data_set}{matrix.num_cells} outputs of {len(matrix.systems)} systems on {len(matrix.inputs)} inputs"


MAX_POINTS = 4000
"""With more outputs, squares shaded by the number of outputs replace the points."""

MAX_DRAWN = 1e150
"""The squares of larger scores would overflow."""

MAX_IN_CAPTION = 2
"""A third coefficient with its interval would be wider than the panel."""

HISTOGRAM_BINS = 20
BAND_POINTS = 41
CELLS = 48

CHARACTER_WIDTH = 7.5
SIDES = ((9, 4, "start"), (-9, 4, "end"), (0, -10, "middle"), (0, 19, "middle"), (8, -7, "start"), (8, 15, "start"))
"""The possible positions of a label around its point: offset to the right, offset downwards, text anchor."""

Points: TypeAlias = "list[tuple[float, float]]"
Box: TypeAlias = "tuple[float, float, float, float]"
RESAMPLES = 500
MIN_GROUPS = 6
"""Resamples of fewer groups are mostly degenerate."""
_BLOCK = 4_000_000


def _drawable(result: Correlation) -> Correlation:
    """Divides very large scores by a power of ten, which the axis states: their squares would overflow."""
    x, name1 = _divided(result.matrix.x, result.metric1)
    z, name2 = _divided(result.matrix.z, result.metric2)
    return replace(result, matrix=replace(result.matrix, x=x, z=z), metric1=name1, metric2=name2)


def _divided(scores: Floats, name: str) -> tuple[Floats, str]:
    largest = abs(scores[scores == scores]).max()  # without NaN
    if largest <= MAX_DRAWN:
        return scores, name
    power = math.floor(math.log10(largest))
    return scores / 10.0**power, f"{name} / 1e{power}"


def _caption(result: Correlation, level: Level) -> str:
    parts = []
    for name, estimate in result.levels[level].estimates.items():
        symbol = load_coefficient(name).title.split()[-1]
        shown = interval(estimate.value, estimate.lower, estimate.upper)
        parts.append(f"{symbol} = {shown}" if estimate.defined else f"{symbol} {UNDEFINED}")
    return ", ".join(parts[:MAX_IN_CAPTION])


def _global_panel(result: Correlation) -> Panel:
    from metrics_framework.significance.clusters import Clusters  # which imports NumPy

    xs, zs = result.matrix.x.tolist(), result.matrix.z.tolist()
    points = [(x, z) for row, other in zip(xs, zs, strict=True) for x, z in zip(row, other, strict=True) if x == x]
    panel = _scatter_panel(result, "global", "All outputs", points)
    if len(points) > MAX_POINTS:
        panel.marks += _density(panel, points)
    else:
        panel.marks += [panel.circle(x, z, 2.5, "cloud") for x, z in points]
    inputs = (result.matrix.x == result.matrix.x).nonzero()[1]
    clusters = Clusters.of(result.request.cluster_labels(result.matrix.inputs), len(result.matrix.inputs))
    panel.marks += _fit(panel, points, clusters.codes[inputs], result.request.confidence / 100)
    return panel


def _system_panel(result: Correlation) -> Panel:
    xs, zs = (means.tolist() for means in map(system_means, (result.matrix.x, result.matrix.z)))
    points = list(zip(xs, zs, strict=True))
    panel = _scatter_panel(result, "system", "Means of systems", points)
    panel.marks += _fit(panel, points, range(len(points)), result.request.confidence / 100)
    panel.marks += [
        panel.circle(x, z, 4.5, "point", name) for (x, z), name in zip(points, result.matrix.systems, strict=True)
    ]
    panel.marks += _labels(panel, points, result.matrix.systems)
    return panel


def _scatter_panel(result: Correlation, level: Level, title: str, points: Points) -> Panel:
    x_axis = Axis.around([x for x, _ in points], result.metric1)
    y_axis = Axis.around([z for _, z in points], result.metric2)
    return Panel(title, _caption(result, level), x_axis, y_axis)


def _fit(panel: Panel, points: Points, groups: Sequence[int] | Indices, confidence: float) -> list[str]:
    """Draws the least-squares line with its bootstrap band, clipped to the panel."""
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
    return [*_band(panel, points, groups, confidence), panel.line(start, end, "fit")]


def _band(panel: Panel, points: Points, groups: Sequence[int] | Indices, confidence: float) -> list[str]:
    x, z = np.array(points).T
    grid = np.linspace(x.min(), x.max(), BAND_POINTS)
    band = fit_band(x, z, np.asarray(groups), grid, confidence)
    if band is None:
        return []
    low, high = panel.y_axis.low, panel.y_axis.high
    edge = [*zip(grid, band[0], strict=True), *reversed([*zip(grid, band[1], strict=True)])]
    corners = (panel.position(float(x), min(high, max(low, float(y)))) for x, y in edge)
    return [f'<polygon class="band" points="{" ".join(f"{x:.2f},{y:.2f}" for x, y in corners)}"/>']


def _density(panel: Panel, points: Points) -> list[str]:
    counts = Counter(
        (min(CELLS - 1, int(panel.x_axis.share(x) * CELLS)), min(CELLS - 1, int(panel.y_axis.share(z) * CELLS)))
        for x, z in points
    )
    most, size = max(counts.values()), 1 / CELLS
    marks = []
    for (column, row), count in sorted(counts.items()):
        corner = column / CELLS * WIDTH, (1 - row / CELLS - size) * HEIGHT
        marks.append(box(*corner, (size * WIDTH, size * HEIGHT), "cell", 0.15 + 0.85 * math.sqrt(count / most)))
    return marks


def _labels(panel: Panel, points: Points, names: Sequence[str]) -> list[str]:
    """Labels points with names at the first position that covers nothing; names without such a position are dropped."""
    positions = [panel.position(x, z) for x, z in points]
    occupied = [(x - 6, y - 6, x + 6, y + 6) for x, y in positions]
    marks = []
    for (x, y), name in zip(positions, names, strict=True):
        shown = shortened(name, 18)
        for dx, dy, anchor in SIDES:
            width = CHARACTER_WIDTH * len(shown)
            left = x + dx - {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * width
            area = left, y + dy - 11, left + width, y + dy + 4
            is_inside = left >= 0 and area[1] >= 0 and area[2] <= WIDTH and area[3] <= HEIGHT
            if is_inside and not any(_overlap(area, other) for other in occupied):
                occupied.append(area)
                marks.append(text(x + dx, y + dy, shown, f"name {anchor}"))
                break
    return marks


def _overlap(first: Box, second: Box) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


_HISTOGRAMS: Mapping[Level, tuple[str, str, str]] = {
    "input": ("One coefficient per input", "of the systems at one input", "input"),
    "within-system": ("One coefficient per system", "of the inputs of one system", "system"),
}
"""Level to the title of its panel, to what a coefficient is of, and to what there is one of each."""


def _histogram(result: Correlation, level: Level) -> Panel:
    """Draws the distribution of the first coefficient over the groups, with its mean."""
    title, of_what, unit = _HISTOGRAMS[level]
    name, of_groups = next(iter(result.levels[level].groups.items()))
    values = [value for value in of_groups if value == value]
    low, high = load_coefficient(name).range
    width = (high - low) / HISTOGRAM_BINS
    counts = Counter(min(HISTOGRAM_BINS - 1, int((value - low) / width)) for value in values)
    x_axis = Axis(low, high, f"{load_coefficient(name).title} {of_what}")
    y_axis = Axis(0.0, 1.08 * max(counts.values(), default=1), f"number of {unit}s", counts=True)
    panel = Panel(title, _caption(result, level), x_axis, y_axis)
    for number, count in sorted(counts.items()):
        panel.marks.append(panel.bar(low + number * width, width, count, counted(count, unit)))
    mean = result.levels[level].estimates[name].value
    if mean == mean:
        panel.marks.append(panel.line((mean, 0.0), (mean, panel.y_axis.high), "fit"))
    return panel


_PANELS: Mapping[Level, Callable[[Correlation], Panel]] = {
    "global": _global_panel,
    "system": _system_panel,
    "input": partial(_histogram, level="input"),
    "within-system": partial(_histogram, level="within-system"),
}
PANEL_ORDER: tuple[Level, ...] = tuple(_PANELS)
"""The levels in the order of their panels."""


def fit_band(
    x: Floats, z: Floats, groups: Indices, grid: Floats, confidence: float = 0.95
) -> tuple[Floats, Floats] | None:
    """Resamples groups of points with replacement, fits z = a + b·x to each resample, and takes percentiles.

    Args:
        x: The first variable, shape (points,), finite.
        z: The second, of the same shape.
        groups: The group of each point, numbered from 0: the inputs at the global level, or clusters of
            them, or each point its own.
        grid: Where to evaluate the lines.
        confidence: The confidence level, a fraction.

    Returns:
        The lower and the upper percentile at each point of the grid; `None` for fewer than six groups, or if x is
        constant.
    """
    count = int(groups.max(initial=-1)) + 1
    if count < MIN_GROUPS or np.ptp(x) == 0:
        return None
    middle_x, middle_z = x.mean(), z.mean()
    a, b = x - middle_x, z - middle_z
    moments = np.stack([np.bincount(groups, values, count) for values in (np.ones(len(x)), a, b, a * a, a * b)])
    generator = np.random.default_rng(0)
    lines = []
    step = max(1, _BLOCK // count)
    for start in range(0, RESAMPLES, step):
        size = min(step, RESAMPLES - start)
        weights = generator.multinomial(count, np.full(count, 1 / count), size=size)
        n, sum_a, sum_b, squares, products = moments @ weights.T
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = (products - sum_a * sum_b / n) / (squares - sum_a**2 / n)
        lines.append((sum_b / n + middle_z)[:, None] + slope[:, None] * ((grid - middle_x) - (sum_a / n)[:, None]))
    heights = np.concatenate(lines)
    heights = heights[np.isfinite(heights).all(axis=1)]
    if not len(heights):
        return None
    tail = 50 * (1 - confidence)
    lower, upper = np.percentile(heights, [tail, 100 - tail], axis=0)
    return lower, upper
