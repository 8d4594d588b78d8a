"""`agreement`: how well raters agree, from data in memory or files, and its result."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from metrics_framework.api.option_types import Column, ConfidenceLevel, Scores, Seed
from metrics_framework.api.python_log import PythonLog
from metrics_framework.api.tabular import Records
from metrics_framework.common.errors import InputError
from metrics_framework.common.logs import Log
from metrics_framework.common.options import AtLeast, Form, NamesFrom
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.rater_agreement.option_names import ALL, WEIGHTS
from metrics_framework.meta_evaluation.rater_agreement.result import RatingStudies
from metrics_framework.reports.formats.output_format import JSON
from metrics_framework.significance.confidence_level import as_percent

_RATINGS = "ratings"
"""The name of ratings in one column per rater."""

_WEIGHTS = re.compile(r"[123],[1k]|[^,]+")  # the forms of the ICC contain a comma


def _statistics() -> list[str]:
    return [*WEIGHTS, ALL]


def _weights() -> list[str]:
    return list(dict.fromkeys(name for names in WEIGHTS.values() for name in names))


def _weights_in(word: str) -> list[str]:
    """Returns the weights that one word lists, separated by commas.

    >>> _weights_in("ordinal,2,1,3,k")
    ['ordinal', '2,1', '3,k']
    """
    return [name.strip() for name in _WEIGHTS.findall(word) if name.strip()]


def _plan_in(word: str) -> tuple[int, int]:
    """Returns the numbers of raters and inputs that one word names.

    Raises:
        ValueError: if it does not name two positive numbers.
    """
    raters, inputs = map(int, word.split(","))
    if raters < 1 or inputs < 1:
        raise ValueError
    return raters, inputs


StatisticName: TypeAlias = Annotated[str, NamesFrom(_statistics)]
WeightsNames: TypeAlias = Annotated[str | Sequence[str], NamesFrom(_weights), Form("NAME,…", _weights_in)]
StudyPlan: TypeAlias = Annotated[
    tuple[int, int], Form("RATERS,INPUTS", _plan_in, "numbers of raters and inputs, such as 3,100")
]


@dataclass(repr=False)
class AgreementResult(RatingStudies, Records):
    """How well raters agree.

    ``print(result)`` shows the tables that ``fw agreement`` prints, and a notebook shows them as HTML.

    Attributes:
        studies: What is found about each rated quality.
        request: What was computed.
        warnings: What may make the result misleading.
    """

    library: str | None = None

    def __repr__(self) -> str:
        """Returns the rated qualities."""
        return f"AgreementResult({[study.ratings.name for study in self.studies]})"

    @overrides
    def table(self, format: str = "table") -> str:
        from metrics_framework.reports.agreement_table import agreement_table

        return self.to_json() if format == JSON else agreement_table(self, format)

    def to_json(self) -> str:
        """Returns all results as ``fw agreement --output-file`` writes them."""
        from metrics_framework.io.jsonl import to_json

        return to_json(self.as_json(), indent=2)


def agreement(
    ratings: Scores,
    rating: Column | Sequence[Column] = (),
    statistics: StatisticName | Sequence[StatisticName] = "krippendorff",
    *,
    weights: WeightsNames = (),
    by: Column | None = None,
    pairwise: bool = False,
    plans: Sequence[StudyPlan] = (),
    labels: bool = False,
    rater_column: Column | None = None,
    raters: Sequence[Column] = (),
    cluster: Column | None = None,
    confidence: ConfidenceLevel = 95,
    resamples: Annotated[int, AtLeast(0)] = 1000,
    seed: Seed = 0,
    log: Log | None = None,
) -> AgreementResult:
    """Computes how well raters agree, as ``fw agreement`` does.

    Args:
        ratings: A table with a row for each rating and columns for input, system, rater and ratings, such as a
            DataFrame; rows with these keys; rows whose ratings are lists; a file. Or a list of these.
        rating: The column of the ratings.
        statistics: The coefficients of agreement, or ``all``.
        weights: The levels of measurement for ``krippendorff`` (``interval`` by default), the weights for ``gwet``,
            ``fleiss`` and ``cohen`` (``identity``), or the forms of the ICC (``2,1``); coefficients without any of
            these have their usual one, and ``all`` leaves them out.
        by: A column, for each of whose values the coefficients are also computed.
        pairwise: Whether to compare all pairs of raters.
        plans: Numbers of raters and inputs, such as 3 and 100, of a study whose reliability is predicted from ratings
            that are numbers.
        labels: Whether ratings are categories, which may be text.
        rater_column: The column of the raters; by default ``rater_id``, ``rater``, ….
        raters: The columns of a table with one column per rater, instead of ``rating``.
        cluster: A column of the inputs, such as their document, whose outputs are resampled together, also for the ICC;
            the column of inputs makes each input a cluster.
        confidence: The confidence level of the intervals, as a fraction (0.95) or in percent (95).
        resamples: The number of bootstrap resamples; 0 for no bootstrap intervals.
        seed: The random seed.
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
    from metrics_framework.api.score_sources import sources_of
    from metrics_framework.common.logs import steps_of
    from metrics_framework.meta_evaluation.rater_agreement.request import AgreementRequest
    from metrics_framework.meta_evaluation.rater_agreement.study import study_ratings
    from metrics_framework.meta_evaluation.scores.long_tables import read_long_tables

    request = AgreementRequest(
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
    if raters and rater_column is not None:
        raise InputError("'rater_column' names the raters of 'rating'; leave it out with 'raters'")
    sources, library = sources_of(ratings)
    tables = read_long_tables(sources, rater_column=rater_column)
    names = [rating] if isinstance(rating, str) else list(dict.fromkeys(rating))
    if bool(names) == bool(raters):
        raise InputError("either 'rating' must name the ratings, or 'raters' the columns of the raters")
    log = PythonLog() if log is None else log
    found = [tables.ratings(name, as_labels=labels) for name in names]
    if raters:
        found = [tables.ratings_of_columns(raters, _RATINGS, as_labels=labels)]
    with steps_of(log):
        studies = [study_ratings(tables, one, request) for one in found]
    for warning in (warning for study in studies for warning in study.warnings()):
        log.warn(warning)
    return AgreementResult(studies, request, log.warnings, library)
