"""`judge`: tests whether automatic judges may replace raters, from data in memory or files, and its result."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

from metrics_framework.api.acting import refuse_idle
from metrics_framework.api.arguments import (
    NAME_OR_NUMBER,
    Column,
    ConfidenceLevel,
    Count,
    LogSpec,
    Reading,
    Scores,
    Seed,
    WideReading,
)
from metrics_framework.common.options import AtLeast, NamesFrom, checked_arguments, with_options
from metrics_framework.meta_evaluation.judge.request import (
    BIN_COUNT,
    EPSILONS,
    EQUAL_WIDTH,
    MIN_UNITS,
    Binning,
    JudgeRequest,
    Scoring,
    Variance,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from metrics_framework.api.analysis_results import JudgeResult


@with_options(Reading, WideReading)
def judge(
    ratings: Scores,
    rating: Column,
    judges: Column | Sequence[Column],
    *,
    repeated: Sequence[Column] = (),
    scoring: Scoring | None = None,
    epsilon: Annotated[float | str, NamesFrom(lambda: tuple(EPSILONS)), NAME_OR_NUMBER] = "skilled",
    q: float = 0.05,
    min_raters: Annotated[int, AtLeast(2)] = 2,
    min_units: Count = MIN_UNITS,
    variance: Variance = "floor",
    text: Column | None = None,
    cluster: Column | None = None,
    jury: Column | None = None,
    stated_confidence: Column | Sequence[Column] = (),
    bins: Count = BIN_COUNT,
    binning: Binning = EQUAL_WIDTH,
    labels: bool = False,
    confidence: ConfidenceLevel = 95,
    resamples: Count = 1000,
    seed: Seed = 0,
    log: LogSpec = None,
    **reading: Unpack[WideReading],
) -> JudgeResult:
    """Tests whether automatic judges may replace raters, as ``fw test-judge`` does.

    Runs the alternative annotator test for each judge and for sentinels that know nothing of quality, and measures how
    closely judges agree with raters, and raters with each other. Measures whether judges are right as often as they
    say: by the confidence that they state, or, for ratings of 0 and 1, by scores between them as probabilities.

    Args:
        ratings: A table with one row per rating and columns ``instance_id``, ``summarizer_id``, ``rater_id`` and
            scores; rows with lists of ratings; files. Or a list of these, which are joined by input and system.
        rating: The column of the ratings; 'raters' for a table with one column per rater.
        judges: The column of a judge's scores (fw llm-judge score writes them), or a rater of the table who is a judge.
        repeated: Columns with the scores of repeated runs of one judge: how far the runs agree.
        scoring: How judges and raters are scored against the other raters; by default, ``accuracy`` for text and
            ``neg_rmse`` for numbers. By ``ranks``, a constant cannot win.
        epsilon: How much worse than a rater a judge may be: a number, or by the kind of raters ``experts`` (0.2),
            ``skilled`` (0.15) or ``crowd`` (0.1).
        q: The false discovery rate over raters.
        min_raters: The smallest number of ratings of an output; outputs with fewer are left out.
        min_units: The smallest number of outputs of a rater; raters with fewer are left out. Below 30, the signed-rank
            test replaces the t-test.
        variance: The variance of the differences of a rater: at least the least one that the null hypothesis allows
            (``floor``), or that of the data, as the authors have it (``published``).
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
        labels: Whether ratings and judgements are categories, also if they are numbers.
        confidence: The confidence level of the intervals, as a fraction (0.95) or in percent (95).
        resamples: The number of sign flips that compare the jury with single judges.
        seed: The random seed.
        log: A function, such as `print`, or a log that receives warnings; by default Python warnings.
        reading: How ratings are read, see `WideReading`.

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
    from metrics_framework.api.analysis_results import JudgeResult
    from metrics_framework.inputs.rating_rows import RatingRules
    from metrics_framework.meta_evaluation.judge.study import JudgeStudy

    given = checked_arguments(judge, locals(), declared=reading)
    refuse_idle(judge, given)
    names = list(dict.fromkeys([*given["judges"], *([] if jury is None else [given["jury"]])]))
    request = JudgeRequest.of(given, judges=names, repeated=list(dict.fromkeys(given["repeated"])))
    rules = RatingRules.of(given, [given["rating"], *names, *request.repeated, *given["stated_confidence"]])
    return JudgeResult.on_ratings(JudgeStudy, request, ratings, rules, log, partial(refuse_idle, judge, given))
