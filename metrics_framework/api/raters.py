"""`raters_report`: what the ratings of each rater say about their quality."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from metrics_framework.api.arguments import Column, ConfidenceLevel, LogSpec, Scores, WideReading, log_of
from metrics_framework.api.tables import Tabular
from metrics_framework.common.errors import DataError, InputError, Problems
from metrics_framework.common.options import checked_arguments, with_options
from metrics_framework.common.overriding import overrides
from metrics_framework.data.file_formats import head_of
from metrics_framework.inputs.rating_rows import RATERS, RatingRules, Source, sources_of
from metrics_framework.inputs.ratings import read_long_tables
from metrics_framework.meta_evaluation.ratings.campaign import campaign_of
from metrics_framework.meta_evaluation.ratings.rating_format import Rating
from metrics_framework.reports.charts import Group, Row, forest
from metrics_framework.reports.formats.output_format import Note, OutputFormat
from metrics_framework.reports.numbers import NONE, interval, number, p_value, percent

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from metrics_framework.meta_evaluation.ratings.campaign import RaterReport


@with_options(WideReading)
def raters_report(
    ratings: Scores,
    rating: Column | None = None,
    *,
    confidence: ConfidenceLevel = 95,
    log: LogSpec = None,
    **reading: Unpack[WideReading],
) -> RatersReport:
    """Reports on each rater, as ``fw agreement --raters-report`` does.

    Args:
        ratings: Exports of Appraise or logs of Pearmut, whose times, degraded and repeated items and attention checks
            are used; or ratings, as for `agreement`.
        rating: The column of the ratings; none for exports and logs.
        confidence: The confidence level of the intervals, as a fraction (0.95) or in percent (95).
        log: A function, such as `print`, or a log that receives notes and warnings; by default Python warnings.
        reading: How ratings are read, see `WideReading`.

    Raises:
        InputError: if an argument is invalid.
        DataError: if ratings are invalid.

    >>> import metrics_framework as fw
    >>> scores = {"ann": [4, 5, 2, 1], "bob": [3, 5, 2, 1], "eve": [1, 3, 1, 1]}
    >>> rows = [{"id": i, "rater": name, "score": x} for name in scores for i, x in enumerate(scores[name])]
    >>> [(one["rater"], round(one["severity"], 2)) for one in fw.raters_report(rows, "score").to_records()]
    [('ann', 0.88), ('bob', 0.5), ('eve', -1.38)]
    """
    from metrics_framework.meta_evaluation.ratings.campaign import raters_report as report_on

    given = checked_arguments(raters_report, locals(), declared=reading)
    log = log_of(log)
    sources, library = sources_of(ratings, "ratings")
    campaigns = [*filter(None, map(campaign_of, sources))]
    if rating is None and not given["raters"]:
        if len(campaigns) < len(sources):
            raise InputError(
                "'rating' is missing: the column of the ratings; exports of Appraise and Pearmut need none"
            )
        found, problems = list[Rating](), Problems()
        for source, campaign in zip(sources, campaigns, strict=True):
            found += campaign.ratings(str(source), problems)
        problems.raise_any()
        checks = [check for campaign in campaigns for check in campaign.checks]
    else:
        rules = RatingRules.of(given, [given["rating"]])
        found, checks = [*_of_tables(sources, given["rating"] or RATERS, rules)], []
        rules.tell(log)
    try:
        reports = report_on(found, checks, given["confidence"])
    except OverflowError:
        raise DataError("the sum of the ratings of an output exceeds the largest number; scale the ratings") from None
    if not reports:
        raise DataError("there are no ratings of outputs to report on")
    return RatersReport(reports, given["confidence"], library)


def _of_tables(sources: Sequence[Source], rating: str, rules: RatingRules) -> Iterator[Rating]:
    read = read_long_tables(sources, rules).ratings(rating)
    for rater, values in zip(read.raters, read.values.tolist(), strict=True):
        for (instance, system), value in zip(read.units, values, strict=True):
            if not math.isnan(value):
                yield Rating("", rater, system, "", "", instance, {rating: value}, ())


@dataclass(repr=False)
class RatersReport(Tabular[Literal["all"]]):
    """What the ratings of each rater say about their quality; ``print(result)`` shows the table.

    Attributes:
        raters: A report on each rater.
        confidence: The confidence level of the intervals.
    """

    raters: list[RaterReport]
    confidence: float
    library: str | None = None

    def to_records(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each rater."""
        return [
            {"rater": one.rater, **one.numbers(), "passed_lower": one.passed.lower, "passed_upper": one.passed.upper}
            for one in self.raters
        ]

    @overrides
    def _pictures(self) -> Mapping[str, Callable[[], str]]:
        return {"severity": self._severity, "checks": self._checks}

    def _severity(self) -> str:
        groups = [Group("rater", [Row(one.rater, one.severity) for one in self.raters], 0, "as the others")]
        return forest("Severity of raters", "", groups, "mean difference from the others", 2)

    def _checks(self) -> str:
        rows = [Row(one.rater, *one.passed.numbers) for one in self.raters if one.checks]
        level = f"{percent(self.confidence)} score intervals"
        return forest("Attention checks of raters", level, [Group("rater", rows)], "share passed", 2)

    def as_json(self) -> dict[str, Any]:
        """Returns the reports as they appear in the JSON file."""
        return {**head_of("fw agreement"), "confidence": self.confidence, "raters": self.to_records()}

    @overrides
    def _text(self, output: OutputFormat) -> str:
        shown = {  # heading to cells; columns without a value are left out
            "ratings": [str(one.ratings) for one in self.raters],
            "min/segment": [_shown(one.minutes) for one in self.raters],
            "checks": [str(one.checks or NONE) for one in self.raters],
            f"passed [{percent(self.confidence)}]": [
                interval(*one.passed.numbers, 2) if one.checks else NONE for one in self.raters
            ],
            "p": [NONE if math.isnan(one.p_value) else p_value(one.p_value) for one in self.raters],
            "repeats": [str(one.repeats or NONE) for one in self.raters],
            "|difference|": [_shown(one.repeat_difference) for one in self.raters],
            "shared": [str(one.shared or NONE) for one in self.raters],
            "r": [_shown(one.correlation) for one in self.raters],
            "severity": [_shown(one.severity) for one in self.raters],
            "commonest": [_shown(one.commonest) for one in self.raters],
        }
        columns = {name: cells for name, cells in shown.items() if {*cells} != {NONE}}
        names = [one.rater for one in self.raters]
        table = output.render(["rater", *columns], [*map(list, zip(names, *columns.values(), strict=True))], left=1)
        notes = [note for note in _NOTES if note.kind in columns or (note.kind == "passed" and "checks" in columns)]
        return output.with_notes(table, notes)


def _shown(value: float) -> str:
    return NONE if math.isnan(value) else number(value, 2)


_NOTES = (
    Note("min/segment", "median of the minutes per segment; pauses count 61 s at most"),
    Note("passed", "share of passed checks: right answers, and degraded outputs scored below the original"),
    Note("p", "how often a rater without attention scores as many degraded outputs lower (one-sided sign test)"),
    Note("|difference|", "mean absolute difference of the ratings of repeated outputs"),
    Note("r", "Pearson's r with the mean of the others, on the outputs that others rate, too (shared)"),
    Note("severity", "mean difference from the mean of the others on these outputs; below 0 is severe"),
    Note("commonest", "share of the most frequent score"),
)
