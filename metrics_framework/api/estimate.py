"""`estimate`: mean ratings of systems from a few ratings and the scores of a judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from metrics_framework.api.acting import refuse_idle
from metrics_framework.api.arguments import (
    NAME_OR_NUMBER,
    Column,
    ConfidenceLevel,
    LogSpec,
    Reading,
    Scores,
    System,
    WideReading,
)
from metrics_framework.common.options import NamesFrom, checked_arguments, with_options
from metrics_framework.meta_evaluation.estimate.request import TUNINGS, ErrorsOf, EstimateRequest, Tuning, tuning_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from metrics_framework.api.analysis_results import EstimateResult


@with_options(Reading, WideReading)
def estimate(
    ratings: Scores,
    rating: Column,
    judges: Column | Sequence[Column],
    *,
    baseline: System | None = None,
    tuning: Annotated[Tuning | str, NamesFrom(lambda: TUNINGS), NAME_OR_NUMBER] = "regression",
    pass_fail: bool = False,
    errors_of: ErrorsOf = "system",
    cluster: Column | None = None,
    confidence: ConfidenceLevel = 95,
    log: LogSpec = None,
    **reading: Unpack[WideReading],
) -> EstimateResult:
    """Estimates mean ratings of systems and their differences from a few ratings, as ``fw estimate`` does.

    A judge scores all outputs, people rate a random sample of them. The estimates are prediction-powered: unbiased
    however bad the judge is, and the more precise the better it is. Intervals use Student's t; ratings of 0 and 1 have
    score intervals, see `meta_evaluation.predicted_mean`.

    Args:
        ratings: A table with columns ``instance_id``, ``summarizer_id``, the rating, and the judge's scores; rows;
            files. Or a list of these, which are joined by input and system. With a rater column, rows are ratings,
            which are averaged for each output.
        rating: The column of the ratings, empty for outputs that are not rated; 'raters' for a table with one column
            per rater.
        judges: The column of a judge's scores, such as a metric.
        baseline: The system that all other systems are compared with; by default, all pairs are compared.
        tuning: λ, the weight of the scores: the best one by ``regression`` of the rated outputs; from the scores of all
            outputs (``free``), or that from 0 to 1 (``clipped``), as PPI++ has it; or a number.
        pass_fail: Whether ratings and judgements are verdicts, such as 1 and 0, ``pass`` and ``fail``, ``yes`` and
            ``no``. Then shares are also corrected for the errors of the judge (Rogan and Gladen).
        errors_of: With ``pass_fail``, whose ratings the errors of the judge are estimated from: those of the same
            ``system``, or of ``all``.
        cluster: A column of the inputs, such as their document; outputs of a cluster are dependent.
        confidence: The confidence level of the intervals, as a fraction (0.95) or in percent (95).
        log: A function, such as `print`, or a log that receives warnings; by default Python warnings.
        reading: How ratings are read, see `WideReading`.

    Raises:
        InputError: if an argument is invalid, or no output is rated.
        DataError: if the data are invalid.
        UnknownNameError: if there is no column or system of a name.

    >>> import metrics_framework as fw
    >>> scores = [3.5, 4, 2.5, 4.5, 2, 3, 2, 4, 4.5, 1.5, 2.5, 3.5, 5, 2, 3]
    >>> ratings = [3, 4, 2, 5, 1] + [None] * 10
    >>> rows = [{"id": i, "people": y, "model": f} for i, (y, f) in enumerate(zip(ratings, scores))]
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     mean = fw.estimate(rows, "people", "model").estimates[0].means[0].mean
    >>> round(mean.value, 6), round(mean.lower, 6), round(mean.upper, 6)
    (2.79845, 1.172923, 4.423976)
    """
    from metrics_framework.api.analysis_results import EstimateResult
    from metrics_framework.inputs.rating_rows import RatingRules
    from metrics_framework.meta_evaluation.estimate.study import EstimateStudy

    given = checked_arguments(estimate, locals(), declared=reading)
    refuse_idle(estimate, given)
    names = list(dict.fromkeys(given["judges"]))
    request = EstimateRequest.of(given, judges=names, tuning=tuning_of(given["tuning"]))
    rules = RatingRules.of(given, [given["rating"], *names])
    return EstimateResult.on_ratings(EstimateStudy, request, ratings, rules, log)
