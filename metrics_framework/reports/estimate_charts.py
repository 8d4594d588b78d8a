"""Pictures of estimates: means with and without the judge, and how they change with the number of ratings."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.estimate.predicted_means import PredictedMean
from metrics_framework.meta_evaluation.estimate.rating_curves import FEWEST, SEED
from metrics_framework.meta_evaluation.estimate.result import EstimateStudy, JudgeEstimates, RatingCurve
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.reports.charts.curve import polyline
from metrics_framework.reports.charts.forest import Group, Row, forest
from metrics_framework.reports.estimate_table import ALL_OUTPUTS
from metrics_framework.reports.svg import Axis, Panel, document, stacked

MAX_IN_ROW, MAX_PANELS = 3, 30


def estimate_forest(study: EstimateStudy) -> str:
    """Draws the means of systems, and their differences, with the judge and from the ratings only."""
    subtitle = f"'{study.rating}', {study.confidence:g} % intervals, with the judge and from the ratings only"
    means = [Group(f"mean, {found.judge}", _mean_rows(found)) for found in study.estimates]
    drawings = [forest("Means of systems", subtitle, means, "mean rating")]
    differences = [(found.judge, _difference_rows(found)) for found in study.estimates]
    groups = [Group(f"difference, {judge}", rows) for judge, rows in differences if rows]
    if groups:
        drawings.append(forest("Differences of systems", subtitle, groups, "difference"))
    return stacked(drawings, "Means and differences of systems") if len(drawings) > 1 else drawings[0]


def _mean_rows(found: JudgeEstimates) -> list[Row]:
    rows = []
    for entry in found.means:
        name = entry.system or ALL_OUTPUTS
        rows += [Row(name, math.nan)] if entry.mean is None else _both(name, entry.mean)
    return rows


def _difference_rows(found: JudgeEstimates) -> list[Row]:
    known = [(f"{pair.system1} − {pair.system2}", pair.mean) for pair in found.differences if pair.mean is not None]
    return [row for name, mean in known for row in _both(name, mean)]


def _both(name: str, mean: PredictedMean) -> list[Row]:
    only = mean.classical
    return [
        Row(name, mean.value, mean.lower, mean.upper),
        Row(f"{name}, ratings only", only.value, only.lower, only.upper),
    ]


def rating_chart(study: EstimateStudy) -> str:
    """Draws the means of systems against the number of ratings, a panel for each judge and system.

    Raises:
        InputError: if no system has enough ratings, or there are too many panels for one picture.
    """
    curves = [(found.judge, curve) for found in study.estimates for curve in found.curves]
    if not curves:
        raise InputError(f"the picture of means against ratings needs a system with more than {FEWEST} ratings")
    if len(curves) > MAX_PANELS:
        raise InputError(f"a picture shows means of up to {MAX_PANELS} judges and systems, got {len(curves)}")
    named = len(study.estimates) > 1
    panels = [_panel(curve, f"{judge}: " if named else "", study.rating) for judge, curve in curves]
    return document("Means against ratings", f"in a random order, seed {SEED}", panels, MAX_IN_ROW)


def has_rating_chart(study: EstimateStudy) -> bool:
    """Returns whether `rating_chart` can be drawn."""
    return 0 < sum(len(found.curves) for found in study.estimates) <= MAX_PANELS


def _panel(curve: RatingCurve, prefix: str, rating: str) -> Panel:
    points = [point for point in curve.points if math.isfinite(point.mean.lower + point.classical.lower)]
    points = points or list(curve.points)
    numbers = [float(point.ratings) for point in points]
    means, only = [point.mean for point in points], [point.classical for point in points]
    ends = [end for interval in (*means, *only) for end in (interval.value, interval.lower, interval.upper)]
    panel = Panel(
        f"{prefix}{curve.system or ALL_OUTPUTS}",
        f"blue: with the judge; orange: ratings only; {points[-1].ratings} ratings",
        Axis.around(numbers, "rated outputs"),
        Axis.around([end for end in ends if math.isfinite(end)], f"mean {rating}"),
    )
    for intervals, band, line in ((only, 'class="band"', "fit"), (means, 'class="cell" fill-opacity="0.18"', "curve")):
        panel.marks += [_area(panel, numbers, intervals, band), _line(panel, numbers, intervals, line)]
    return panel


def _line(panel: Panel, numbers: Sequence[float], intervals: Sequence[Interval], kind: str) -> str:
    return polyline(panel, [(x, one.value) for x, one in zip(numbers, intervals, strict=True)], kind)


def _area(panel: Panel, numbers: Sequence[float], intervals: Sequence[Interval], kind: str) -> str:
    known = [(x, one) for x, one in zip(numbers, intervals, strict=True) if one.is_defined]
    edge = [*((x, one.lower) for x, one in known), *((x, one.upper) for x, one in reversed(known))]
    path = " ".join(f"{x:.2f},{y:.2f}" for x, y in (panel.position(*point) for point in edge))
    return f'<polygon {kind} points="{path}"/>'
