"""The tables, charts and page of ``fw estimate``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from metrics_framework.common.errors import InputError, counted
from metrics_framework.inputs.values import described
from metrics_framework.meta_evaluation.estimate.estimators import PredictedMean
from metrics_framework.meta_evaluation.estimate.study import (
    FEWEST,
    MIN_PAIRS,
    SEED,
    EstimateStudy,
    JudgeEstimates,
    RatingCurve,
)
from metrics_framework.reports.charts import Group, Row, forest, polyline
from metrics_framework.reports.formats.output_format import Note, OutputFormat, caution_notes, without_repeats
from metrics_framework.reports.html.document import PageTables, Section, analysis_page, figure, notes_and_method
from metrics_framework.reports.numbers import UNDEFINED, interval, number, p_value, percent
from metrics_framework.reports.svg import Axis, Panel, document, stacked
from metrics_framework.significance.interval_methods import Interval

ALL_OUTPUTS = "(all outputs)"


def tables_of(study: EstimateStudy, output: OutputFormat) -> list[str]:
    """Writes the tables of systems, of shares and of differences, if there are any."""
    estimates = study.estimates
    header = ["judge", "system", "rated", "unrated", "mean", "ratings only", "λ", "ratings saved"]
    tables = [output.render(header, without_repeats(_system_rows(estimates), 1), left=2)]
    if any(found.shares for found in estimates):
        tables.append(output.render(["judge", "system", *_SHARES], without_repeats(_share_rows(estimates), 1), left=2))
    if _has_differences(estimates):
        columns = ["judge", "difference", "rated", "mean", "ratings only", "p", "p (Holm)"]
        tables.append(output.render(columns, without_repeats(_difference_rows(estimates), 1), left=2))
    return tables


_SHARES = ("share good", "mean", "ratings only", "sensitivity", "specificity")


def _has_differences(estimates: Sequence[JudgeEstimates]) -> bool:
    return any(pair.mean is not None for found in estimates for pair in found.differences)


def _system_rows(estimates: Sequence[JudgeEstimates]) -> Iterator[list[str]]:
    for found in estimates:
        for entry in found.means:
            mean, first = entry.mean, [found.judge, entry.system or ALL_OUTPUTS]
            if mean is None:
                yield [*first, "0", "", UNDEFINED, UNDEFINED, "", ""]
            else:
                counts = [str(mean.rated), str(mean.unrated)]
                yield [*first, *counts, *_intervals(mean), number(mean.tuning), _saved(mean)]


def _intervals(mean: PredictedMean) -> list[str]:
    return [interval(one.value, one.lower, one.upper) for one in (mean, mean.classical)]


def _saved(mean: PredictedMean) -> str:
    saved = mean.ratings_saved
    if saved != saved:
        return UNDEFINED
    return f"{number(saved, 0, signed=True)} ({percent(saved / mean.rated, 0, signed=True)})" if round(saved) else "0"


def _share_rows(estimates: Sequence[JudgeEstimates]) -> Iterator[list[str]]:
    for found in estimates:
        for share in found.shares:
            rated = [UNDEFINED, interval(*share.rated.numbers)]
            means = rated if share.predicted is None else _intervals(share.predicted)
            good, *rates = (interval(*one.numbers) for one in (share.corrected, share.sensitivity, share.specificity))
            yield [found.judge, share.system or ALL_OUTPUTS, good, *means, *rates]


def _difference_rows(estimates: Sequence[JudgeEstimates]) -> Iterator[list[str]]:
    for found in estimates:
        for pair in found.differences:
            title = f"{pair.system1} − {pair.system2}"
            if pair.mean is not None:  # the others are counted in a warning
                p_values = [p_value(pair.p_value), p_value(pair.p_adjusted)]
                yield [found.judge, title, str(pair.rated), *_intervals(pair.mean), *p_values]


def notes_of(study: EstimateStudy) -> Iterator[Note]:
    """Describes estimates, intervals and tests, one note each."""
    estimates = study.estimates
    tuning = study.request.tuning
    weight = f"λ is the best weight of the scores ({tuning})" if isinstance(tuning, str) else f"λ = {tuning}"
    if tuning == "regression" and "score" in _kinds_of_means(estimates):
        weight += ", that of 'free' for means of 0/1 ratings"
    yield Note(
        "means",
        f"prediction-powered means of '{study.request.rating}' over rated and unrated outputs; "
        f"{weight}; 0 is the mean of the ratings only",
    )
    clusters = next((found.clusters for found in estimates if found.clusters is not None), None)
    over = "inputs" if clusters is None else f"{counted(clusters, 'cluster')} of inputs ('{study.request.cluster}')"
    yield Note(
        "intervals", f"{percent(study.request.confidence / 100)}, {_kinds(estimates)}, for other {over}, these systems"
    )
    if any(study.missing):
        yield Note("missing", f"of '{study.request.rating}': {described(study.missing)}")
    yield Note("sample", "rated outputs must be a random sample of all outputs")
    yield Note("saved", "how many more ratings the mean of the ratings needs for an interval as short")
    if any(found.shares for found in estimates):
        yield Note(
            "shares",
            "'share good' corrects the judge's share among unrated outputs for its sensitivity and specificity (Rogan "
            "and Gladen; interval of Lee et al.), and stays correct if they have another share of good ones than rated "
            "outputs; sensitivity and specificity have score intervals",
        )
    undecided = max(found.undecided for found in estimates)
    if undecided:
        yield Note("left out", f"{counted(undecided, 'output')} that as many raters call good as bad")
    if _has_differences(estimates):
        yield Note(
            "tests",
            f"mean differences on the same inputs, rated if both outputs are, on {MIN_PAIRS} inputs or more; "
            f"two-sided t-tests, for other {over}, these systems",
        )
    yield from caution_notes(study.cautions())


def _kinds_of_means(estimates: Sequence[JudgeEstimates]) -> set[str]:
    return {entry.mean.interval for found in estimates for entry in found.means if entry.mean is not None}


def _kinds(estimates: Sequence[JudgeEstimates]) -> str:
    """Returns the kinds of intervals of means and differences."""
    if _kinds_of_means(estimates) == {"t"}:
        return "Student's t"
    means = "Wilson's score interval with Student's t for 0/1 ratings"
    return f"{means}, Student's t for differences" if _has_differences(estimates) else means


MAX_PANELS = 30


def estimate_forest(study: EstimateStudy) -> str:
    """Draws the means of systems, and their differences, with the judge and from the ratings only."""
    level = percent(study.request.confidence / 100)
    subtitle = f"'{study.request.rating}', {level} intervals, with the judge and from the ratings only"
    means = [Group(f"mean, {found.judge}", _mean_rows(found)) for found in study.estimates]
    drawings = [forest("Means of systems", subtitle, means, "mean rating")]
    groups = []
    for found in study.estimates:
        known = [(f"{pair.system1} − {pair.system2}", pair.mean) for pair in found.differences if pair.mean is not None]
        groups += [Group(f"difference, {found.judge}", [row for one in known for row in _both(*one)])] * bool(known)
    if groups:
        drawings.append(forest("Differences of systems", subtitle, groups, "difference"))
    return stacked(drawings, "Means and differences of systems") if len(drawings) > 1 else drawings[0]


def _mean_rows(found: JudgeEstimates) -> list[Row]:
    rows = []
    for entry in found.means:
        name = entry.system or ALL_OUTPUTS
        rows += [Row(name, math.nan)] if entry.mean is None else _both(name, entry.mean)
    return rows


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
    panels = [_panel(curve, f"{judge}: " if named else "", study.request.rating) for judge, curve in curves]
    return document("Means against ratings", f"in a random order, seed {SEED}", panels)


def _panel(curve: RatingCurve, prefix: str, rating: str) -> Panel:
    points = [point for point in curve.points if math.isfinite(point.mean.lower + point.classical.lower)]
    points = points or list(curve.points)
    numbers = [float(point.ratings) for point in points]
    means, only = [point.mean for point in points], [point.classical for point in points]
    ends = [end for interval in (*means, *only) for end in (interval.value, interval.lower, interval.upper)]
    caption = f"blue: with the judge; orange: ratings only; {points[-1].ratings} ratings"
    y_axis = Axis.around([end for end in ends if math.isfinite(end)], f"mean {rating}")
    name = f"{prefix}{curve.system or ALL_OUTPUTS}"
    panel = Panel(name, caption, Axis.around(numbers, "rated outputs"), y_axis)
    for intervals, band, line in ((only, 'class="band"', "fit"), (means, 'class="cell" fill-opacity="0.18"', "curve")):
        values = [(x, one.value) for x, one in zip(numbers, intervals, strict=True)]
        panel.marks += [_area(panel, numbers, intervals, band), polyline(panel, values, line)]
    return panel


def _area(panel: Panel, numbers: Sequence[float], intervals: Sequence[Interval], kind: str) -> str:
    known = [(x, one) for x, one in zip(numbers, intervals, strict=True) if one.is_defined]
    edge = [*((x, one.lower) for x, one in known), *((x, one.upper) for x, one in reversed(known))]
    path = " ".join(f"{x:.2f},{y:.2f}" for x, y in (panel.position(*point) for point in edge))
    return f'<polygon {kind} points="{path}"/>'


_METHOD = (
    "A prediction-powered mean is the mean score of all outputs, weighted by λ, plus the mean of rating − λ · score of "
    "the rated ones. It is unbiased however bad the judge is, if the rated outputs are a random sample.",
    "The curves show which estimates would have been found with fewer ratings. An interval that has stopped shrinking "
    "needs many more ratings to become shorter.",
)


def estimate_page(study: EstimateStudy, warnings: Sequence[str]) -> str:
    """Writes the results as an HTML page without scripts or network requests.

    Args:
        study: The results.
        warnings: What may make them misleading.
    """
    parts = [*tables_of(study, PageTables()), figure(estimate_forest(study))]
    sections = [Section("estimates", "Estimates", "", parts)]
    if 0 < sum(len(found.curves) for found in study.estimates) <= MAX_PANELS:
        sections.append(Section("ratings", "Estimates against ratings", "", [figure(rating_chart(study))]))
    sections += notes_and_method(notes_of(study), _METHOD)
    judges = [found.judge for found in study.estimates]
    systems = study.estimates[0].means
    facts = {
        "Systems": str(len(systems)),
        "Judges": str(len(judges)),
        "Rated outputs": str(sum(entry.mean.rated for entry in systems if entry.mean is not None)),
    }
    lead = f"{counted(len(systems), 'system')}, with the scores of {', '.join(judges)}."
    return analysis_page(f"Mean {study.request.rating}", lead, facts, sections, warnings)
