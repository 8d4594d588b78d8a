"""`agreement`: how well raters agree, from data in memory or files, and its result."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Annotated, TypeAlias

from metrics_framework.api.acting import refuse_idle
from metrics_framework.api.arguments import Column, ConfidenceLevel, LogSpec, Reading, Scores, Seed, WideReading
from metrics_framework.common.errors import InputError
from metrics_framework.common.options import Form, NamesFrom, checked_arguments, with_options
from metrics_framework.meta_evaluation.rater_agreement.request import ALL, WEIGHTS, AgreementRequest

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from metrics_framework.api.analysis_results import AgreementResult

_WEIGHTS = re.compile(r"[123],[1k]|[^,]+")  # the forms of the ICC contain a comma


def _weights() -> list[str]:
    return list(dict.fromkeys(name for names in WEIGHTS.values() for name in names))


def _weights_in(words: str | Iterable[str]) -> list[str]:
    """Returns the weights that words list, separated by commas.

    >>> _weights_in("ordinal,2,1,3,k"), _weights_in(["ordinal", "2,1"])
    (['ordinal', '2,1', '3,k'], ['ordinal', '2,1'])
    """
    listed = [words] if isinstance(words, str) else words
    return [name.strip() for word in listed for name in _WEIGHTS.findall(word) if name.strip()]


def _plan_in(plan: str | Sequence[int]) -> tuple[int, int]:
    """Returns the numbers of raters and inputs of a study, as numbers or in one word.

    Raises:
        ValueError: if these are not two positive integers.
    """
    raters, inputs = map(int, plan.split(",")) if isinstance(plan, str) else map(index, plan)
    if raters < 1 or inputs < 1:
        raise ValueError
    return raters, inputs


StatisticName: TypeAlias = Annotated[str, NamesFrom(lambda: [*WEIGHTS, ALL])]
WeightsNames: TypeAlias = Annotated[
    str | Sequence[str], NamesFrom(_weights), Form("NAME,…", _weights_in, "names of weights")
]
StudyPlan: TypeAlias = Annotated[
    tuple[int, int], Form("RATERS,INPUTS", _plan_in, "numbers of raters and inputs, such as 3,100")
]


@with_options(Reading, WideReading)
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
    cluster: Column | None = None,
    drop_raters: str = "",
    confidence: ConfidenceLevel = 95,
    seed: Seed = 0,
    log: LogSpec = None,
    **reading: Unpack[WideReading],
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
        labels: Whether ratings are categories, which may be text; ``None`` and ``NA`` are categories then.
        cluster: A column of the inputs, such as their document, whose outputs are left out together, also for the ICC;
            the column of inputs makes each input a cluster.
        drop_raters: Which raters of an export of Appraise or Pearmut are left out: a column of the raters' report, < or
            >, and a number, as in passed<0.6.
        confidence: The confidence level of the intervals, as a fraction (0.95) or in percent (95).
        seed: The random seed.
        log: A function, such as `print`, or a log that receives notes and warnings; by default Python warnings.
        reading: How ratings are read, see `WideReading`.

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
    from metrics_framework.api.analysis_results import AgreementResult
    from metrics_framework.inputs.rating_rows import RatingRules
    from metrics_framework.inputs.score_matrices import is_matrix
    from metrics_framework.meta_evaluation.rater_agreement.study import AgreementStudy

    given = checked_arguments(agreement, locals(), declared=reading)
    if not (rating or reading.get("raters") or hasattr(ratings, "columns")) and is_matrix(ratings):
        raise InputError(
            "'ratings' must be a table whose ratings 'rating' or 'raters' names; a matrix of raters × outputs goes to "
            "metrics_framework.meta_evaluation.agreement(ratings, 'krippendorff')"
        )
    refuse_idle(agreement, given)
    rules = RatingRules.of(given, given["rating"])
    return AgreementResult.on_ratings(
        AgreementStudy, AgreementRequest.of(given), ratings, rules, log, partial(refuse_idle, agreement, given)
    )
