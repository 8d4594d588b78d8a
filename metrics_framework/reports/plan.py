"""The table and chart of ``fw plan``."""

from __future__ import annotations

from collections.abc import Iterator

from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.plan.precision import Assumptions
from metrics_framework.meta_evaluation.plan.request import PlanRequest
from metrics_framework.meta_evaluation.plan.study import DEFAULT_POINTS, Curve, Design, PlanStudy
from metrics_framework.reports.charts import polyline
from metrics_framework.reports.formats.output_format import Note, OutputFormat
from metrics_framework.reports.numbers import number, percent, significant, span
from metrics_framework.reports.svg import Axis, Panel, document


def tables_of(study: PlanStudy, output: OutputFormat) -> list[str]:
    """Writes a table with a row for each design."""
    quantity = quantity_of(study)
    header = ["ratings of an output", units_of(study), "clusters", "ratings in all", quantity, "simulated"]
    rows = [header, *map(_row, study.designs)]
    if not _has_clusters(study):
        rows = [[*row[:2], *row[3:]] for row in rows]
    return [output.render(rows[0], rows[1:], left=0)]


def _has_clusters(study: PlanStudy) -> bool:
    return study.assumptions is not None and study.assumptions.cluster_size > 1


def quantity_of(study: PlanStudy) -> str:
    """Returns what is planned, in words."""
    return "power" if study.request.is_about_power else "half-width"


def units_of(study: PlanStudy) -> str:
    """Returns what is counted: inputs, or outputs for the test of a judge."""
    return "outputs" if study.request.goal == "alt-test" else "inputs"


def _row(design: Design) -> list[str]:
    if design.inputs is None or design.achieved is None or design.simulated is None:
        return [str(design.raters), "none", "", "", "", ""]
    numbers = [_achieved(design.achieved), _achieved(design.simulated)]
    return [str(design.raters), str(design.inputs), str(design.clusters), str(design.ratings), *numbers]


def _achieved(value: float) -> str:
    """Writes a power, or a half-width, which is very small or large on some scales."""
    return number(value) if value == 0 or 0.01 <= value < 1000 else significant(value)


def notes_of(study: PlanStudy) -> Iterator[Note]:
    """Describes what is planned and assumed, one note each."""
    request = study.request
    yield Note("goal", _goal(study))
    yield Note("assumed", _assumed(study))
    if study.assumptions is not None and _has_clusters(study):
        yield Note("clusters", _clusters(study.assumptions, request))
    if study.pilot_outputs and study.assumptions is not None:
        what = "rated pair" if request.goal == "difference" else "rated output"
        clusters = study.assumptions.clusters
        inside = f" in {counted(clusters, 'cluster')}" if clusters else ""
        yield Note(
            "pilot",
            f"{counted(study.pilot_outputs, what)}{inside}; variances that agree with it are drawn, and "
            f"{percent(request.assurance, 0)} of the draws achieve the {quantity_of(study)}",
        )
    yield Note(
        "simulated",
        f"{_simulated(request)} in {request.simulations} simulated studies drawn from these assumptions, "
        f"seed {request.seed}",
    )


def _simulated(request: PlanRequest) -> str:
    if request.goal == "alt-test":
        return "share that passes, in other studies than those of the search,"
    if request.is_about_power:
        return "share of significant tests"
    return f"half-width that {percent(request.assurance, 0)} do not exceed"


_GOALS = {
    "mean": "mean rating of a system",
    "difference": "difference of two systems on the same inputs",
    "estimate": "prediction-powered mean of a system",
}


def _goal(study: PlanStudy) -> str:
    request = study.request
    if request.goal == "alt-test":
        test = request.settings
        options = f"scoring {test.scoring}, ε = {test.epsilon:g}, q = {test.q:g}"
        target = "" if request.target is None else f", with a power of {request.target:g}"
        return f"a judge passes the alternative annotator test, {options}{target}"
    what = _GOALS[request.goal]
    if request.difference is None:
        target = ""
        if request.target is not None:
            target = f", at most {request.target:g} in {percent(request.assurance, 0)} of studies"
        is_share = study.assumptions is not None and study.assumptions.share is not None
        kind = "score interval with Student's t for single verdicts" if is_share else "Student's t"
        return f"{what}: half-width of its {percent(request.confidence / 100)} interval, {kind}{target}"
    target = "" if request.target is None else f" with a power of {request.target:g}"
    corrected = f" / {request.tests} (Bonferroni)" if request.tests > 1 else ""
    level = f"{1 - request.confidence / 100:g}{corrected}"
    return f"{what}: two-sided t-test at {level} that detects {abs(request.difference):g}{target}"


def _assumed(study: PlanStudy) -> str:
    request, known = study.request, study.assumptions
    systems = counted(request.planned_systems, "system")
    if known is None:
        if study.pilot_outputs:
            return f"outputs and raters drawn from {study.pilot_outputs} outputs of the pilot that all raters rated"
        return (
            f"ratings of {request.points or DEFAULT_POINTS} points, whose correlation is {request.agreement:g} between "
            f"raters and {request.judge_agreement:g} between judge and rater; outputs are independent"
        )
    independent = "clusters are independent" if _has_clusters(study) else "inputs are independent"
    parts = [_spread(known, request), f"{independent}; {systems}"]
    if request.judged is not None:
        share = known.explained / (known.between + (known.within or 0.0))
        judged = f"{request.judged} judged outputs of a system"
        parts.insert(1, f"correlation of judge and rater {number(share**0.5)}, {judged}")
    return "; ".join(parts)


def _clusters(known: Assumptions, request: PlanRequest) -> str:
    effects = [known.design_effect(raters) for raters in request.planned_raters]
    effect = span(number(min(effects), 2), number(max(effects), 2))
    return (
        f"{known.cluster_size} inputs of each, whose quality correlates by {significant(known.correlation)}; design "
        f"effect {effect} (of 1 for independent inputs)"
    )


def _spread(known: Assumptions, request: PlanRequest) -> str:
    if request.share is not None:
        return f"a share of {request.share:g} good outputs"
    total = known.between + (known.within or 0.0)
    of = "differences of single ratings" if request.goal == "difference" else "single ratings"
    agreement = ""
    if known.within is not None:
        agreement = f", of which raters agree on {percent(known.between / total, 0)} of the variance"
    stated = f" (correlation of systems {request.correlation or 0:g})" if request.goal == "difference" else ""
    return f"standard deviation of {of} {significant(total**0.5)}{agreement}{stated if not request.has_pilot else ''}"


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
    subtitle = f"{quantity_of(study)} against {units_of(study)}{target}{simulated}"
    return document(f"Plan: {request.goal}", subtitle, panels)


def _panel(study: PlanStudy, curve: Curve, x_axis: Axis, y_axis: Axis) -> Panel:
    found = [design for design in study.designs if design.raters == curve.raters and design.inputs is not None]
    heading = f"{curve.raters} {'rating' if curve.raters == 1 else 'ratings'} of each output"
    caption = f"{found[0].inputs} {units_of(study)}, {found[0].ratings} ratings" if found else "not achieved"
    panel = Panel(heading, caption if len(found) < 2 else f"{len(found)} designs", x_axis, y_axis)
    if (target := study.request.target) is not None:
        panel.marks.append(panel.line((x_axis.low, target), (x_axis.high, target), "mark"))
    panel.marks.append(polyline(panel, [(float(inputs), value) for inputs, value in curve.points]))
    for one in found:
        if one.inputs is not None and one.achieved is not None and x_axis.low <= one.inputs <= x_axis.high:
            label = f"{one.inputs} {units_of(study)}: {_achieved(one.achieved)}"
            panel.marks.append(panel.circle(one.inputs, one.achieved, 4.5, "point", label))
    return panel
