"""`estimate`: mean ratings of systems from a few ratings and the scores of a judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from metrics_framework.api.arguments import (
    NAME_OR_NUMBER,
    Column,
    Columns,
    ConfidenceLevel,
    MissingWords,
    RatingScale,
    RowKind,
    Scores,
    System,
    Where,
)
from metrics_framework.common.logs import Log
from metrics_framework.common.options import NamesFrom, checked_arguments
from metrics_framework.data.fields import Duplicates
from metrics_framework.meta_evaluation.estimate.request import TUNINGS, ErrorsOf, EstimateRequest, Tuning, tuning_of

if TYPE_CHECKING:
    from metrics_framework.api.analysis_results import EstimateResult


def estimate(
    ratings: Scores,
    rating: Column,
    judges: Column | Sequence[Column],
    *,
    baseline: System | None = None,
    tuning: Annotated[Tuning | str, NamesFrom(lambda: TUNINGS), NAME_OR_NUMBER] = "free",
    pass_fail: bool = False,
    errors_of: ErrorsOf = "system",
    cluster: Column | None = None,
    missing: MissingWords | None = None,
    scale: RatingScale | None = None,
    rater_column: Column | None = None,
    raters: Sequence[Column] = (),
    systems: Sequence[Column] = (),
    columns: Columns | None = None,
    where: Where | None = None,
    column_names: Sequence[Column] = (),
    keep: Sequence[RowKind] = (),
    duplicates: Duplicates = "error",
    confidence: ConfidenceLevel = 95,
    log: Log | None = None,
) -> EstimateResult:
    """Estimates mean ratings of systems and their differences from a few ratings, as ``fw estimate`` does.

    A judge scores all outputs, people rate a random sample of them. The estimates are prediction-powered: unbiased
    however bad the judge is, and the more precise the better it is. Intervals use Student's t; ratings of 0 and 1 have
    score intervals, see `meta_evaluation.predicted_mean`.

    Args:
        ratings: A table with columns ``instance_id``, ``summarizer_id``, the rating, and the judge's scores; rows;
            files. Or a list of these, which are joined by input and system. With a rater column, rows are ratings,
            which are averaged for each output.
        rating: The column of the ratings; empty for outputs that are not rated.
        judges: The column of a judge's scores, such as a metric.
        baseline: The system that all other systems are compared with; by default, all pairs are compared.
        tuning: λ, the weight of the scores: the best one (``free``), the best one from 0 to 1 (``clipped``), or a
            number.
        pass_fail: Whether ratings and judgements are verdicts, such as 1 and 0, ``pass`` and ``fail``, ``yes`` and
            ``no``. Then shares are also corrected for the errors of the judge (Rogan and Gladen).
        errors_of: With ``pass_fail``, whose ratings the errors of the judge are estimated from: those of the same
            ``system``, or of ``all``.
        cluster: A column of the inputs, such as their document; outputs of a cluster are dependent.
        missing: The words that mean a missing value, such as ``99``, in place of ``NA``, ``None`` and the like.
        scale: The values that ratings may have: a range, such as 1-5, or words, the lowest first, such as
            Bad,Fair,Good. Judges use the same words, but may use other numbers.
        rater_column: The column of the raters; by default ``rater_id``, ``rater``, ….
        raters: The columns of a table with one column per rater; their ratings are named 'raters'.
        systems: The columns of a table with one column per system; their ratings are named 'systems'.
        columns: The columns of ``instance_id``, ``summarizer_id``, ``rater`` and other roles, where they have other
            names, as in ``rater=Coder``; ``instance_id=doc+seg`` joins two columns.
        where: The values of columns that rows must have.
        column_names: The names of the columns of tables without a header.
        keep: The kinds of rows that count although they are attention checks or rejected work, such as ``BAD``.
        duplicates: Which of several ratings of an output by one rater is kept: none (``error``), the ``first`` or the
            ``last``.
        confidence: The confidence level of the intervals, as a fraction (0.95) or in percent (95).
        log: Receives warnings; by default, they are Python warnings.

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
    (2.851429, 1.692288, 4.01057)
    """
    from metrics_framework.api.analysis_results import EstimateResult
    from metrics_framework.inputs.rating_rows import RatingRules
    from metrics_framework.meta_evaluation.estimate.study import EstimateStudy

    given = checked_arguments(estimate, locals())
    judges = list(dict.fromkeys(given["judges"]))
    request = EstimateRequest.of(given, judges=judges, tuning=tuning_of(given["tuning"]))
    rules = RatingRules.of(given, [rating, *judges])
    return EstimateResult.on_ratings(EstimateStudy, request, ratings, rules, log)
