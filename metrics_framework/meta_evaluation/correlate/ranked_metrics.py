"""The metrics of a study, sorted: each beside the best one (`RankedMetric`), by one coefficient each (`TaskColumn`)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from metrics_framework.meta_evaluation.choices import CORRECTED
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.comparisons import Average, Comparison
from metrics_framework.meta_evaluation.correlate.result import Correlation, Estimate
from metrics_framework.meta_evaluation.correlate.sentinel_metrics import SENTINELS
from metrics_framework.meta_evaluation.correlate.study import Study
from metrics_framework.meta_evaluation.differences.averages import AverageMatrix
from metrics_framework.meta_evaluation.differences.compared_metrics import DifferenceMatrix
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.significance.multiple_testing import ROUNDING


@dataclass(frozen=True)
class RankedMetric:
    """A metric in the order of a coefficient.

    Args:
        metric: The metric.
        is_negated: Whether its scores were negated, because lower is better.
        value: The coefficient of the scores of which higher is better.
        lower: The lower end of its interval, if there is one.
        upper: The upper end.
        p_value: The p-value of its difference from the best metric; `None` for the best one, and without a test.
        is_worse: Whether it is significantly worse than the best metric; `None` where there is no p-value.
    """

    metric: str
    is_negated: bool
    value: float
    lower: float | None = None
    upper: float | None = None
    p_value: float | None = None
    is_worse: bool | None = None

    @property
    def label(self) -> str:
        """The name, with a minus sign if the scores were negated."""
        return f"-{self.metric}" if self.is_negated else self.metric

    def as_json(self) -> dict[str, Any]:
        """Returns the metric as it appears in the JSON file."""
        return asdict(self)


@dataclass(frozen=True)
class AnswerTest:
    """How metrics were compared.

    Args:
        test: The test.
        population: The population of which its p-values speak.
        sides: 2 for two-sided p-values, 1 for one-sided ones in favour of the better metric.
        correction: The correction of the p-values for the number of pairs, or ``none``.
        pairs: The number of pairs of metrics that were compared.
        alpha: The level of significance.
    """

    test: str
    population: str
    sides: int
    correction: str
    pairs: int
    alpha: float

    @staticmethod
    def of(found: DifferenceMatrix | AverageMatrix, test: str) -> AnswerTest:
        """Returns the test of a comparison, by the p-values that its ranks follow."""
        size, corrected = len(found.metrics), found.ranking == CORRECTED
        return AnswerTest(
            test=test,
            population=found.population,
            sides=2 if corrected else 1,
            correction=found.correction if corrected else "none",
            pairs=size * (size - 1) // 2,
            alpha=found.alpha,
        )

    @staticmethod
    def of_average(found: AverageMatrix) -> AnswerTest:
        """Returns the test of an average over tasks, with the names of the tests of its tasks."""
        return AnswerTest.of(found, "/".join(dict.fromkeys(found.tests.values())))


def ranked_by_coefficient(
    estimates: Mapping[str, Estimate], negated: Collection[str], comparison: Comparison | None
) -> list[RankedMetric]:
    """Returns the metrics that have a value, the best first; sentinels are among them.

    With a comparison, values are those on the outputs that all metrics have, and an interval is that of these outputs.

    Args:
        estimates: Metric to its coefficient, oriented so that higher is better.
        negated: The metrics whose scores were negated.
        comparison: The comparison of the metrics.
    """
    if comparison is None:
        defined = {name: one for name, one in estimates.items() if one.defined}
        names = sorted(defined, key=lambda name: -defined[name].value)
        return [
            RankedMetric(name, name in negated, one.value, one.lower, one.upper) for name, one in _items(defined, names)
        ]
    found = comparison.found
    best = _first_metric(found.metrics)
    ranked = []
    for index, (name, one) in enumerate(_items(estimates, found.metrics)):
        same = math.isclose(one.value, found.values[name], rel_tol=0, abs_tol=ROUNDING)
        ends = (one.lower, one.upper) if same else (None, None)
        ranked.append(
            RankedMetric(name, name in comparison.negated, found.values[name], *ends, *_tested(found, best, index))
        )
    return ranked


def _items(estimates: Mapping[str, Estimate], names: Collection[str]) -> list[tuple[str, Estimate]]:
    return [(name, estimates[name]) for name in names]


def ranked_by_average(average: Average) -> list[RankedMetric]:
    """Returns the metrics by their average over tasks, the best first."""
    found = average.found
    best = _first_metric(found.metrics)
    return [
        RankedMetric(name, name in average.negated, found.averages[name], None, None, *_tested(found, best, index))
        for index, name in enumerate(found.metrics)
    ]


def _first_metric(names: Collection[str]) -> int:
    return next((index for index, name in enumerate(names) if name not in SENTINELS), 0)


def _tested(found: DifferenceMatrix | AverageMatrix, best: int, index: int) -> tuple[float | None, bool | None]:
    """Returns the p-value of a metric against the best one, and whether it is significantly worse."""
    if index == best:
        return None, None
    p_value = float(found.ranking_p_values[best, index])
    return p_value, index > best and p_value <= found.alpha


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
