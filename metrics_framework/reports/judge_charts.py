"""Pictures of judges: how closely they agree with raters, how harsh they are, and whether confidence comes true."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.judge.request import CONSTANTS
from metrics_framework.meta_evaluation.judge.result import JudgeReliability, JudgeReport, JudgeStudy, Judging
from metrics_framework.reports.charts.curve import polyline
from metrics_framework.reports.charts.forest import Group, Row, forest
from metrics_framework.reports.svg import Axis, Panel, document

MAX_IN_ROW = 3
_LARGEST_RADIUS, _SMALLEST_RADIUS = 11.0, 2.5


def judge_forest(study: JudgeStudy) -> str:
    """Draws ρ, α and κ of judges and sentinels, beside the range of α and κ of pairs of raters."""
    judging = study.judging
    constants = [report.advantage.value for report in judging.judges if report.name in CONSTANTS]
    groups = [
        Group(
            "ρ, as close as a rater",
            [_row(report, report.advantage) for report in judging.judges],
            max(constants, default=math.nan),
            "better constant",
        ),
        _agreement(judging, "alpha", "α with raters"),
        _agreement(judging, "kappa", "κ with raters"),
    ]
    band = "; the band has all pairs of raters, the line their mean" if judging.raters.pairs else ""
    return forest("Judges", f"'{study.rating}', {study.confidence:g} % intervals{band}", groups, "share or coefficient")


def _agreement(judging: Judging, name: str, heading: str) -> Group:
    pairs = [value for pair in judging.raters.pairs if math.isfinite(value := getattr(pair, name))]
    rows = [_row(report, getattr(report.agreement, name)) for report in judging.judges]
    band = (min(pairs), max(pairs)) if pairs else (math.nan, math.nan)
    return Group(heading, rows, getattr(judging.raters, name).value, "raters", band)


def _row(report: JudgeReport, interval: Interval) -> Row:
    return Row(report.name, interval.value, interval.lower, interval.upper)


def harshness_forest(study: JudgeStudy) -> str:
    """Draws how far judges are above raters, in points of the scale; only for ratings that are numbers."""
    rows = [
        _row(report, report.agreement.signed_error)
        for report in study.judging.judges
        if report.agreement.signed_error is not None
    ]
    subtitle = f"judge − mean rating of '{study.rating}', {study.confidence:g} % intervals; above 0 is lenient"
    return forest("Signed errors", subtitle, [Group("judges", rows, 0.0, "raters")], "signed error", 2)


def reliability_chart(study: JudgeStudy) -> str:
    """Draws the reliability diagram of each judge that states confidence or probabilities.

    Raises:
        InputError: if no judge does.
    """
    found = study.judging.calibration
    if not found:
        raise InputError(
            "the reliability diagram needs the confidence that a judge states (--stated-confidence COLUMN), or scores "
            "that are probabilities of ratings of 0 and 1"
        )
    measured = found[0].measured
    bins = f"{measured.bin_count} bins of {'equal width' if measured.binning == 'width' else 'equal numbers'}"
    subtitle = f"{bins}; below the line: overconfident"
    return document("Reliability of stated confidence", subtitle, [*map(_panel, found)], MAX_IN_ROW)


def _panel(found: JudgeReliability) -> Panel:
    measured = found.measured
    outcome = "share of equal ratings" if found.is_stated else "share of ratings of 1"
    caption = f"Brier {measured.brier.value:.3f}, ECE {measured.ece:.3f} (by chance {measured.ece_of_calibrated:.3f})"
    what = "stated confidence" if found.is_stated else "probability"
    panel = Panel(found.judge, caption, Axis(0.0, 1.0, what), Axis(0.0, 1.0, outcome))
    panel.marks += [panel.line((0.0, 0.0), (1.0, 1.0), "zero")]
    bins = measured.bins
    panel.marks.append(polyline(panel, [(one.stated, one.observed) for one in bins]))
    radii = _radii([one.n for one in bins])
    for one, radius in zip(bins, radii, strict=True):
        label = f"{one.stated:.3f} stated, {one.observed:.3f} observed, {one.n} outputs"
        panel.marks.append(panel.circle(one.stated, one.observed, radius, "point", label))
    return panel


def _radii(counts: Sequence[int]) -> list[float]:
    """Returns the radius of each point, so that areas are as counts are."""
    largest = max(counts)
    return [max(_SMALLEST_RADIUS, _LARGEST_RADIUS * math.sqrt(count / largest)) for count in counts]
