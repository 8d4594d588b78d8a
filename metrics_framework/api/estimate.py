"""`estimate`: mean ratings of systems from a few ratings and the scores of a judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metrics_framework.api.correlate import Scores, sources_of
from metrics_framework.api.estimate_results import EstimateResult
from metrics_framework.api.settings import PythonLog
from metrics_framework.common.errors import InputError, UnknownNameError
from metrics_framework.common.logs import Log
from metrics_framework.common.plurals import counted
from metrics_framework.common.suggestions import advice
from metrics_framework.meta_evaluation.estimation.names import (
    ERRORS_OF,
    FEWEST_PAIRS,
    FEWEST_RATED,
    IMBALANCE,
    TUNINGS,
    ErrorsOf,
    Tuning,
)
from metrics_framework.reports.estimate_data import JudgeEstimates
from metrics_framework.significance.confidence_level import as_percent

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.estimation.predicted_means import PredictedMean
    from metrics_framework.meta_evaluation.scores.long_tables import LongTables


def estimate(
    ratings: Scores,
    rating: str,
    judges: str | Sequence[str],
    *,
    baseline: str | None = None,
    tuning: Tuning | str = "free",
    pass_fail: bool = False,
    errors_of: ErrorsOf = "system",
    cluster: str | None = None,
    rater_column: str | None = None,
    confidence: float = 95,
    log: Log | None = None,
) -> EstimateResult:
    """Estimates mean ratings of systems and their differences from a few ratings, as ``fw estimate`` does.

    A judge scores all outputs, people rate a random sample of them. The estimates are prediction-powered: unbiased
    however bad the judge is, and the more precise the better it is.

    Args:
        ratings: A table with columns ``instance_id``, ``summarizer_id``, the rating, and the judge's scores; rows;
            files. Or a list of these, which are joined by input and system. With a rater column, rows are ratings,
            which are averaged for each output.
        rating: The column of the ratings; empty for outputs that are not rated.
        judges: The columns of the judges' scores.
        baseline: The system that others are compared with; by default all pairs are compared.
        tuning: How λ, the weight of the scores, is chosen: ``free``; ``clipped`` to [0, 1]; or a number.
        pass_fail: Whether ratings and judgements are verdicts, such as 1 and 0 or ``pass`` and ``fail``. Then shares
            are also corrected for the errors of the judge (Rogan and Gladen).
        errors_of: Whether these errors are estimated from the ratings of the same ``system``, or of ``all`` systems.
        cluster: A column of the inputs, such as their document; outputs of a cluster are dependent.
        rater_column: The column of raters.
        confidence: The level of the intervals: a fraction (0.95) or in percent (95).
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
    (2.851429, 2.033161, 3.669696)
    """
    from metrics_framework.meta_evaluation.scores.long_tables import read_long_tables

    names = list(dict.fromkeys([judges] if isinstance(judges, str) else judges))
    if not names:
        raise InputError("'judges' must name at least one judge")
    if rating in names:
        raise InputError(f"'{rating}' is both the rating and a judge")
    if errors_of not in ERRORS_OF:
        raise InputError(f"'errors_of' must be one of {', '.join(ERRORS_OF)}, got {errors_of!r}")
    weight, level = tuning_of(tuning), as_percent(confidence)
    sources, library = sources_of(ratings)
    tables = read_long_tables(sources, rater_column=rater_column)
    options = {"tuning": weight, "confidence": level}
    log = PythonLog() if log is None else log
    estimates = []
    for name in names:
        found = _estimates(tables, rating, name, baseline, cluster, errors_of if pass_fail else None, options)
        for warning in _warnings(found):
            log.warn(f"{name}: {warning}" if len(names) > 1 else warning)
        estimates.append(found)
    return EstimateResult(estimates, rating, baseline, weight, level, cluster, log.warnings, library)


def tuning_of(tuning: Tuning | str) -> Tuning:
    """Returns how λ is chosen.

    Raises:
        InputError: if it is neither a name nor a number.

    >>> tuning_of("free"), tuning_of("0.5")
    ('free', 0.5)
    """
    for name in TUNINGS:
        if tuning == name:
            return name
    try:
        return float(tuning)
    except (TypeError, ValueError):
        close = advice(str(tuning), TUNINGS)
        raise InputError(f"'tuning' must be {', '.join(TUNINGS)} or a number, got '{tuning}'{close}") from None


def _estimates(
    tables: LongTables,
    rating: str,
    judge: str,
    baseline: str | None,
    cluster: str | None,
    errors_of: ErrorsOf | None,
    options: dict[str, Any],
) -> JudgeEstimates:
    from metrics_framework.meta_evaluation.estimation.rated_tables import rated_scores
    from metrics_framework.meta_evaluation.estimation.system_estimates import (
        mean_differences,
        share_estimates,
        system_means,
    )

    data, undecided = rated_scores(tables, rating, judge, cluster, as_verdicts=errors_of is not None)
    if baseline is not None and baseline not in data.systems:
        raise UnknownNameError("system", baseline, data.systems)
    means = system_means(data, **options)
    if all(entry.mean is None for entry in means):
        rated = sum(entry.ratings_without_score for entry in means)
        raise InputError(
            f"no output has both a rating and a score of '{judge}', and {counted(rated, 'output')} a rating only; do "
            "the tables have the same ids of inputs and systems?"
        )
    return JudgeEstimates(
        judge=judge,
        means=means,
        shares=[] if errors_of is None else share_estimates(data, errors_of, **options),
        differences=mean_differences(data, baseline, **options),
        undecided=undecided,
        clusters=None if data.clusters is None else len(set(data.clusters)),
    )


def _warnings(found: JudgeEstimates) -> list[str]:
    means = [(entry.system or "the outputs", entry.mean) for entry in found.means]
    rated = [(system, mean) for system, mean in means if mean is not None]
    warnings = []
    if rated and not any(mean.unrated for _, mean in rated):
        warnings.append("every scored output is rated, so that the scores change nothing")
    few = [mean.rated for _, mean in rated if mean.rated < FEWEST_RATED]
    if few:
        warnings.append(
            f"{counted(len(few), 'system')} with fewer than {FEWEST_RATED} rated outputs ({min(few)} or more): the "
            "intervals are too short"
        )
    warnings += [_imbalanced(system, mean) for system, mean in rated if abs(mean.imbalance) > IMBALANCE]
    absent = [system for system, mean in means if mean is None]
    if absent:
        warnings.append(f"no output with a rating and a score of {', '.join(absent)}: no prediction-powered mean")
    sparse = sum(pair.mean is None for pair in found.differences)
    if sparse:
        warnings.append(
            f"{counted(sparse, 'difference')} of systems undefined: fewer than {FEWEST_PAIRS} inputs have ratings of "
            "both; rate the outputs of all systems for the same inputs"
        )
    unscored = sum(entry.ratings_without_score for entry in found.means)
    if unscored:
        warnings.append(f"{counted(unscored, 'rated output')} without a score of '{found.judge}' left out")
    warnings += [f"{share.system or 'the outputs'}: {share.reason}" for share in found.shares if share.reason]
    return warnings


def _imbalanced(system: str, mean: PredictedMean) -> str:
    higher = "higher" if mean.imbalance > 0 else "lower"
    return (
        f"{system}: rated outputs have {higher} scores than the others (z = {mean.imbalance:.1f}), so they are hardly "
        "a random sample, and the estimate may be biased"
    )
