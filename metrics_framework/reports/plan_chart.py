"""The picture of ``fw plan``: power or half-width against the number of inputs."""

from __future__ import annotations

from metrics_framework.meta_evaluation.plan.result import Curve, PlanStudy
from metrics_framework.reports.charts.curve import polyline
from metrics_framework.reports.plan_table import quantity_of, units_of
from metrics_framework.reports.svg import Axis, Panel, document

MAX_IN_ROW = 3


def plan_chart(study: PlanStudy) -> str:
    """Draws a curve for each number of raters; a point is the smallest number of inputs that achieves the target."""
    request = study.request
    points = [point for curve in study.curves for point in curve.points]
    wanted = [] if request.target is None else [request.target]
    x_axis = Axis.around([float(inputs) for inputs, _ in points], units_of(study))
    y_axis = Axis.around([*(value for _, value in points), *wanted], quantity_of(study))
    panels = [_panel(study, curve, x_axis, y_axis) for curve in study.curves]
    target = "" if request.target is None else f"; the line is the wanted {quantity_of(study)}, {request.target:g}"
    simulated = f"; simulated, seed {request.seed}" if request.goal == "alt-test" else ""
    return document(
        f"Plan: {request.goal}",
        f"{quantity_of(study)} against {units_of(study)}{target}{simulated}",
        panels,
        MAX_IN_ROW,
    )


def _panel(study: PlanStudy, curve: Curve, x_axis: Axis, y_axis: Axis) -> Panel:
    found = [design for design in study.designs if design.raters == curve.raters and design.inputs is not None]
    heading = f"{curve.raters} {'rating' if curve.raters == 1 else 'ratings'} of each output"
    caption = f"{found[0].inputs} {units_of(study)}, {found[0].ratings} ratings" if found else "not achieved"
    panel = Panel(heading, caption if len(found) < 2 else f"{len(found)} designs", x_axis, y_axis)
    if study.request.target is not None:
        target = study.request.target
        panel.marks.append(panel.line((x_axis.low, target), (x_axis.high, target), "mark"))
    panel.marks.append(polyline(panel, [(float(inputs), value) for inputs, value in curve.points]))
    for one in found:
        if one.inputs is not None and one.achieved is not None and x_axis.low <= one.inputs <= x_axis.high:
            label = f"{one.inputs} {units_of(study)}: {one.achieved:.3f}"
            panel.marks.append(panel.circle(one.inputs, one.achieved, 4.5, "point", label))
    return panel
