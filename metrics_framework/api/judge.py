"""`judge`: tests whether automatic judges may replace raters, from data in memory or files, and its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from metrics_framework.api.option_types import Column, ConfidenceLevel, Count, Scores, Seed
from metrics_framework.api.python_log import PythonLog
from metrics_framework.api.tabular import Records
from metrics_framework.common.logs import Log
from metrics_framework.common.options import AtLeast, Form, NamesFrom
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.judge.request import EPSILONS, MIN_UNITS, Binning, JudgeRequest, Scoring
from metrics_framework.meta_evaluation.judge.result import JudgeStudy
from metrics_framework.reports.formats.output_format import JSON
from metrics_framework.significance.confidence_level import as_percent


@dataclass(repr=False)
class JudgeResult(JudgeStudy, Records):
    """Whether judges may replace raters.

    ``print(result)`` shows the tables that ``fw test-judge`` prints, and a notebook shows them as HTML.

    Attributes:
        judging: All results.
        rating: The rated quality.
        names: The judges.
        confidence: The level of the intervals.
        resamples: The number of resamples.
        seed: The random seed.
        warnings: What may make the results misleading.
        repeated: The agreement of repeated runs, if they were named.
    """

    library: str | None = None

    def __repr__(self) -> str:
        """Returns the names of the judges."""
        return f"JudgeResult({list(self.names)})"

    @overrides
    def table(self, format: str = "table") -> str:
        from metrics_framework.reports.judge import judge_table

        return self.to_json() if format == JSON else judge_table(self, format)

    def to_json(self) -> str:
        """Returns all results as ``fw test-judge --output-file`` writes them."""
        from metrics_framework.io.jsonl import to_json

        return to_json(self.as_json(), indent=2)

    def forest_plot(self) -> str:
        """Returns what ``fw test-judge --forest-plot`` draws: judges beside the range of raters, as SVG."""
        from metrics_framework.reports.judge import judge_forest

        return judge_forest(self)

    def reliability_plot(self) -> str:
        """Returns the reliability diagrams that ``fw test-judge --reliability-plot`` writes, as SVG.

        Raises:
            InputError: if no judge states confidence or probabilities.
        """
        from metrics_framework.reports.judge import reliability_chart

        return reliability_chart(self)

    def page(self) -> str:
        """Returns the page that ``fw test-judge --report`` writes, as HTML."""
        from metrics_framework.reports.judge import judge_page

        return judge_page(self, self.warnings)


def judge(
    ratings: Scores,
    rating: Column,
    judges: Column | Sequence[Column],
    *,
    repeated: Sequence[Column] = (),
    scoring: Scoring | None = None,
    epsilon: Annotated[float | str, NamesFrom(lambda: tuple(EPSILONS)), Form("NAME|NUMBER", str)] = "skilled",
    q: float = 0.05,
    min_raters: Annotated[int, AtLeast(2)] = 2,
    min_units: Count = MIN_UNITS,
    text: Column | None = None,
    cluster: Column | None = None,
    jury: Column | None = None,
    stated_confidence: Column | Sequence[Column] = (),
    bins: Count = 10,
    binning: Binning = "width",
    rater_column: Column | None = None,
    confidence: ConfidenceLevel = 95,
    resamples: Count = 1000,
    seed: Seed = 0,
    log: Log | None = None,
) -> JudgeResult:
    """Tests whether automatic judges may replace raters, as ``fw test-judge`` does.

    Runs the alternative annotator test for each judge and for sentinels that know nothing of quality, and measures how
    closely judges agree with raters, and raters with each other. Measures whether judges are right as often as they
    say: by the confidence that they state, or, for ratings of 0 and 1, by scores between them as probabilities.

    Args:
        ratings: A table with one row per rating and columns ``instance_id``, ``summarizer_id``, ``rater_id`` and
            scores; rows with lists of ratings; files. Or a list of these, which are joined by input and system.
        rating: The column of the ratings.
        judges: The column of a judge's scores, or a rater of the table who is a judge.
        repeated: Columns with the scores of repeated runs of one judge: how far the runs agree.
        scoring: How judges and raters are scored against the other raters; by default, ``accuracy`` for text and
            ``neg_rmse`` for numbers. By ``ranks``, a constant cannot win.
        epsilon: How much worse than a rater a judge may be: a number, or by the kind of raters ``experts`` (0.2),
            ``skilled`` (0.15) or ``crowd`` (0.1).
        q: The false discovery rate over raters.
        min_raters: The smallest number of ratings of an output; outputs with fewer are left out.
        min_units: The smallest number of outputs of a rater; raters with fewer are left out. Below 30, the signed-rank
            test replaces the t-test.
        text: The column of the output texts, or of their lengths, for the sentinel of length; by default, ``summary``
            or another usual name.
        cluster: A column of the inputs, such as their document, whose outputs count together in the test and are
            resampled together; the column of inputs makes each input a cluster.
        jury: A further judge that combines ``judges``: it is compared with each of them, and so with the best.
        stated_confidence: The column of the confidence, from 0 to 1, that a judge states in its judgements: one for
            each judge in the same order, or a single one if judges are raters of the table.
        bins: The number of bins of the reliability diagram and of the expected calibration error, for judges that state
            confidence, or whose scores are probabilities of ratings of 1.
        binning: Whether these bins have equal ``width``, or about equal numbers of outputs (``mass``).
        rater_column: The column of the raters; by default ``rater_id``, ``rater``, ….
        confidence: The confidence level of the intervals, as a fraction (0.95) or in percent (95).
        resamples: The number of bootstrap resamples of outputs.
        seed: The random seed.
        log: Receives warnings; by default, they are Python warnings.

    Raises:
        InputError: if an argument is invalid, or no rater has enough outputs.
        DataError: if the data are invalid.
        UnknownNameError: if there is no column of a name.

    >>> import metrics_framework as fw
    >>> def rows(rater, change):
    ...     return [{"id": i, "rater": rater, "good": (i * i + (i % change == 0)) % 5} for i in range(120)]
    >>> judged = [{"id": i, "model": (i * i) % 5} for i in range(120)]
    >>> result = fw.judge([rows("ann", 3), rows("bob", 4), rows("eve", 5), judged], "good", "model", scoring="ranks")
    >>> result["model"].test.passes, result["constant"].test.passes
    (True, False)
    """
    from metrics_framework.api.score_sources import sources_of
    from metrics_framework.meta_evaluation.judge.study import study_judges
    from metrics_framework.meta_evaluation.scores.long_tables import read_long_tables

    request = JudgeRequest(
        rating=rating,
        judges=list(
            dict.fromkeys([*([judges] if isinstance(judges, str) else judges), *([] if jury is None else [jury])])
        ),
        jury=jury,
        repeated=list(dict.fromkeys(repeated)),
        scoring=scoring,
        epsilon=epsilon,
        q=q,
        min_raters=min_raters,
        min_units=min_units,
        text=text,
        cluster=cluster,
        stated_confidence=[stated_confidence] if isinstance(stated_confidence, str) else list(stated_confidence),
        bins=bins,
        binning=binning,
        confidence=as_percent(confidence),
        resamples=resamples,
        seed=seed,
    )
    sources, library = sources_of(ratings)
    study = study_judges(read_long_tables(sources, rater_column=rater_column), request)
    log = PythonLog() if log is None else log
    for warning in study.warnings:
        log.warn(warning)
    return JudgeResult(**{**vars(study), "warnings": log.warnings}, library=library)
