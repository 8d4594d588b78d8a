"""`TaskColumn`: the metrics by one coefficient at one level, for one rating of one data set, with their test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.comparisons import Comparison
from metrics_framework.meta_evaluation.correlate.ranked_metrics import RankedMetric, ranked_by_coefficient
from metrics_framework.meta_evaluation.correlate.result import Correlation, Estimate
from metrics_framework.meta_evaluation.correlate.sentinel_metrics import SENTINELS
from metrics_framework.meta_evaluation.correlate.study import Study
from metrics_framework.meta_evaluation.levels import Level


@dataclass(frozen=True)
class TaskColumn:
    """The metrics by one coefficient.

    Args:
        data_set: The data set; empty if there is only one.
        human: The human rating.
        level: The level.
        coefficient: The coefficient.
        estimates: Metric to its coefficient, oriented so that higher is better; also undefined ones.
        ranked: The metrics with a value, the best first; sentinels are among them.
        comparison: The comparison of the metrics; `None` without a test.
    """

    data_set: str
    human: str
    level: Level
    coefficient: str
    estimates: Mapping[str, Estimate]
    ranked: tuple[RankedMetric, ...]
    comparison: Comparison | None = None

    @property
    def metrics(self) -> list[RankedMetric]:
        """The metrics with a value, the best first, without sentinels."""
        return [one for one in self.ranked if one.metric not in SENTINELS]

    @property
    def by_name(self) -> dict[str, RankedMetric]:
        """Metric to its entry."""
        return {one.metric: one for one in self.ranked}


def task_columns(study: Study) -> list[TaskColumn]:
    """Returns a column for each data set, rating, level and coefficient of a study."""
    wheres = dict.fromkeys((one.data_set, one.metric2) for one in study.correlations)
    return [
        task_column(study, *where, level, coefficient.name)
        for where in wheres
        for level in study.request.levels
        for coefficient in study.request.coefficients_at(level)
    ]


def task_column(study: Study, data_set: str, human: str, level: Level, name: str) -> TaskColumn:
    """Returns the metrics by one coefficient; a single metric keeps the value of the table, which is not oriented."""
    results = [one for one in study.correlations if (one.data_set, one.metric2) == (data_set, human)]
    estimates = _estimates(results, level, name)
    comparison = _comparison(study, data_set, human, level, name)
    negated = [one.metric1 for one in results if len(results) > 1 and one.higher_is_better is False]
    ranked = tuple(ranked_by_coefficient(estimates, negated, comparison))
    return TaskColumn(data_set, human, level, name, estimates, ranked, comparison)


def _estimates(results: Sequence[Correlation], level: Level, name: str) -> dict[str, Estimate]:
    if len(results) == 1:
        return {results[0].metric1: results[0].levels[level].estimates[name]}
    return {one.metric1: _oriented(one, level, name) for one in results}


def _comparison(study: Study, data_set: str, human: str, level: Level, name: str) -> Comparison | None:
    where = data_set, human, level, name
    for one in study.comparisons:
        if (one.data_set, one.human, one.level, one.coefficient) == where and len(one.found.metrics) > 1:
            return one
    return None


def _oriented(result: Correlation, level: Level, name: str) -> Estimate:
    """Returns a coefficient of scores of which higher is better: those of a metric like TER are negated.

    The interval is turned around where negating the scores negates the coefficient, and unknown elsewhere.
    """
    from metrics_framework.meta_evaluation.sums.score_pair import ScorePair, without_small_groups
    from metrics_framework.significance.multiple_testing import ROUNDING

    estimate, request = result.levels[level].estimates[name], result.request
    if result.higher_is_better is not False or not estimate.defined:
        return estimate
    coefficient = load_coefficient(name)
    scores = ScorePair(without_small_groups(result.matrix.z, level, request.min_group), -result.matrix.x)
    options = request.options_for(coefficient, result.metric1, result.metric2, level)
    value = coefficient.measure(scores, level, options).value
    if abs(value + estimate.value) > ROUNDING or estimate.lower is None or estimate.upper is None:
        return replace(estimate, value=value, lower=None, upper=None)
    return replace(estimate, value=value, lower=-estimate.upper, upper=-estimate.lower)
