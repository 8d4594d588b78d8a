"""`agreement`: how well raters agree, from data in memory or files."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.api.agreement_results import AgreementResult
from metrics_framework.api.correlate import Scores, sources_of
from metrics_framework.api.settings import PythonLog
from metrics_framework.common.errors import InputError
from metrics_framework.common.logs import Log
from metrics_framework.significance.confidence_level import as_percent

_RATINGS = "ratings"
"""The name of ratings in one column per rater."""


def agreement(
    ratings: Scores,
    rating: str | Sequence[str] = (),
    statistics: str | Sequence[str] = "krippendorff",
    *,
    weights: str | Sequence[str] = (),
    by: str | None = None,
    pairwise: bool = False,
    plans: Sequence[tuple[int, int]] = (),
    labels: bool = False,
    rater_column: str | None = None,
    raters: Sequence[str] = (),
    cluster: str | None = None,
    confidence: float = 95,
    resamples: int = 1000,
    seed: int = 0,
    log: Log | None = None,
) -> AgreementResult:
    """Computes how well raters agree, as ``fw agreement`` does.

    Args:
        ratings: A table with a row for each rating and columns for input, system, rater and ratings, such as a
            DataFrame; rows with these keys; rows whose ratings are lists; a file. Or a list of these.
        rating: The column of the ratings, or several.
        statistics: ``krippendorff``, ``gwet``, ``fleiss``, ``cohen``, ``icc``, a list of these, or ``all``.
        weights: The level of measurement, the weights, or the forms of the ICC; by default the usual one of each.
        by: A column whose groups of outputs are also analysed by themselves.
        pairwise: Whether to compare all pairs of raters.
        plans: Numbers of raters and inputs to predict the reliability for.
        labels: Whether ratings are categories, which may be text.
        rater_column: The column of raters; by default ``rater_id``, ``rater``, ….
        raters: The columns of a table with one column per rater, instead of ``rating``.
        cluster: A column of the inputs, such as their document, whose outputs are resampled together.
        confidence: The level of the intervals: a fraction (0.95) or in percent (95).
        resamples: The number of bootstrap resamples; 0 for no intervals.
        seed: The seed of the bootstrap.
        log: Receives notes and warnings; by default, warnings are Python warnings.

    Raises:
        InputError: if an argument is invalid.
        DataError: if ratings are invalid.
        UnknownNameError: if there is no column or statistic of a name.

    >>> import metrics_framework as fw
    >>> rows = [{"id": i, "rater": r, "fluency": (i * 3 + (i + r) % 3 // 2) % 5} for i in range(24) for r in (1, 2, 6)]
    >>> result = fw.agreement(rows, "fluency", weights="ordinal")
    >>> round(result["fluency"].agreements[""][0].value, 3)
    0.335
    """
    from metrics_framework.meta_evaluation.raters.study import Request, study_ratings
    from metrics_framework.meta_evaluation.scores.long_tables import read_long_tables

    request = Request(
        statistics=(statistics,) if isinstance(statistics, str) else tuple(statistics),
        weights=(weights,) if isinstance(weights, str) else tuple(weights),
        by=by,
        pairwise=pairwise,
        plans=tuple(plans),
        cluster=cluster,
        confidence=as_percent(confidence),
        resamples=resamples,
        seed=seed,
    )
    sources, library = sources_of(ratings)
    tables = read_long_tables(sources, rater_column=rater_column)
    names = [rating] if isinstance(rating, str) else list(dict.fromkeys(rating))
    if bool(names) == bool(raters):
        raise InputError("either 'rating' must name the ratings, or 'raters' the columns of the raters")
    log = PythonLog() if log is None else log
    found = [tables.ratings(name, as_labels=labels) for name in names]
    if raters:
        found = [tables.ratings_of_columns(raters, _RATINGS, as_labels=labels)]
    studies = [study_ratings(tables, one, request) for one in found]
    for warning in (warning for study in studies for warning in study.warnings()):
        log.warn(warning)
    return AgreementResult(studies, request, log.warnings, library)
