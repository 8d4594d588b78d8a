"""Metrics averaged over tasks: coefficients of several data sets on one scale, with a test of the average."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.data.sums import plain_sum
from metrics_framework.meta_evaluation.choices import CORRECTED
from metrics_framework.meta_evaluation.differences.average_draws import AverageDraw, joint_draws, published_draw
from metrics_framework.meta_evaluation.differences.difference_settings import TestSettings
from metrics_framework.meta_evaluation.differences.measured_metrics import ranked_metrics
from metrics_framework.meta_evaluation.differences.measured_tasks import MeasuredTask
from metrics_framework.meta_evaluation.differences.metric_clusters import cluster_ranks, ranking_p_values
from metrics_framework.meta_evaluation.differences.metric_set import MetricSet
from metrics_framework.meta_evaluation.differences.null_differences import null_differences
from metrics_framework.meta_evaluation.differences.permutation_test import permutation_tails, swaps_of
from metrics_framework.meta_evaluation.differences.tasks import Task
from metrics_framework.significance.multiple_testing import CORRECTIONS

JOINT, PUBLISHED = "joint", "published"
"""How permutations are drawn: once for each data set, or separately for each task, as the shared tasks did."""


@dataclass(frozen=True)
class AverageMatrix:
    """Metrics ranked by their weighted average over tasks. NaN is undefined.

    Args:
        metrics: The metrics that all tasks have and define, the best first.
        averages: Metric to its average, between 0 and 1.
        task_values: Task to metric to the coefficient, on its own scale.
        weights: Task to weight.
        p_values: The two-sided p-value of each pair, shape (metrics, metrics), NaN on the diagonal.
        adjusted: The same, corrected for the number of pairs.
        p_in_favour: The one-sided p-value in favour of the better metric of each pair.
        ranks: Metric to the rank of its cluster.
        tests: Task to the test whose permutations it has.
        population: The population of which the test speaks.
        procedure: ``joint`` if one permutation of a data set serves all its tasks; ``published`` if permutations are
            drawn for each task, as the shared tasks did, so that differences are found too often.
        permutations: The number of permutations.
        is_exact: Whether they are all that exist.
        least_p: The least two-sided p-value that is possible.
        correction: The correction for multiple tests.
        alpha: The level of significance of clusters.
        left_out: Metrics that a task lacks or leaves undefined.
        ranking: The p-values that ranks follow: ``corrected`` or ``wmt``.
    """

    metrics: tuple[str, ...]
    averages: Mapping[str, float]
    task_values: Mapping[str, Mapping[str, float]]
    weights: Mapping[str, float]
    p_values: Floats
    adjusted: Floats
    p_in_favour: Floats
    ranks: Mapping[str, int]
    tests: Mapping[str, str]
    population: str
    procedure: str
    permutations: int
    is_exact: bool
    least_p: float
    correction: str
    alpha: float
    left_out: tuple[str, ...]
    ranking: str = CORRECTED

    @property
    def ranking_p_values(self) -> Floats:
        """The p-values that ranks follow, shape (metrics, metrics)."""
        return ranking_p_values(self.ranking, self.adjusted, self.p_in_favour)


def average_matrix(
    tasks: Sequence[Task],
    *,
    test: str | None = None,
    resamples: int = 1000,
    seed: int = 0,
    correction: str = "holm",
    alpha: float = 0.05,
    published: bool = False,
    ranking: str = CORRECTED,
) -> AverageMatrix:
    """Averages metrics over tasks and tests all pairs.

    Correlations x are mapped to (x + 1)/2, so that all tasks are on the scale of accuracies. Null hypothesis: two
    metrics are exchangeable given the data of each data set. A permutation swaps their standardized scores of a data
    set, and all tasks of that data set are computed from these swapped scores; data sets swap independently. p is the
    proportion of permutations in which the weighted average of differences is at least as large as the observed one.

    Args:
        tasks: The tasks, with their data; only metrics that all of them have are compared. Tasks share a data set if
            they have the same object.
        test: The test; by default ``inputs``, and for the published procedure that of each task's level.
        resamples: The number of permutations.
        seed: The random seed.
        correction: The correction of the two-sided p-values: ``holm``, ``bh``, ``by`` or ``none``.
        alpha: The level of significance of clusters.
        published: Whether to draw permutations separately for each task, as the shared tasks of WMT did: two
            exchangeable metrics then differ significantly several times too often.
        ranking: The p-values that ranks follow: ``corrected`` for two-sided ones, corrected for the number of pairs, or
            ``wmt`` for one-sided ones in favour of the better metric, without correction.

    Raises:
        InputError: if there are no tasks, two have the same name, or an argument is invalid.
    """
    names: dict[int, str] = {}
    data_sets: dict[str, MetricSet] = {}
    named = []
    for task in tasks:
        for data in task.data_sets:
            if isinstance(data, str):
                raise InputError(f"task '{task.name}' must have human scores and metrics, got the name {data!r}")
            if id(data) not in names:
                names[id(data)] = str(len(names) + 1)
                data_sets[names[id(data)]] = MetricSet.of(*data)
        named.append(replace(task, data_sets=[names[id(data)] for data in task.data_sets]))
    settings = TestSettings(test, resamples, seed, correction, alpha, ranking=ranking)
    return average_metrics(data_sets, named, settings, published=published)


def average_metrics(
    data_sets: Mapping[str, MetricSet], tasks: Sequence[Task], settings: TestSettings, *, published: bool = False
) -> AverageMatrix:
    """Averages metrics over tasks and tests all pairs, as `average_matrix` does.

    Args:
        data_sets: Data set to its scores.
        tasks: The tasks, which name their data sets.
        settings: The settings of the test.
        published: Whether to draw permutations separately for each task.

    Raises:
        InputError: if there are no tasks, two have the same name, or the test is unknown or swaps no scores.
    """
    if not tasks or len({task.name for task in tasks}) < len(tasks):
        raise InputError("'tasks' must be one or more tasks with different names")
    measured = [MeasuredTask.of(task, data_sets, settings) for task in tasks]
    every = list(dict.fromkeys(name for task in measured for name in task.values))
    total = plain_sum(task.weight for task in tasks)
    averages = {name: plain_sum(task.share(name) for task in measured) / total for name in every}
    ranked = ranked_metrics(averages)
    draws = [published_draw(measured, settings)] if published else joint_draws(measured, data_sets, settings)
    p_values, in_favour = _tested(measured, draws, {name: averages[name] for name in ranked}, settings)
    upper = np.triu_indices(len(ranked), 1)
    adjusted = np.full(p_values.shape, math.nan)
    adjusted[upper] = CORRECTIONS[settings.correction](p_values[upper].tolist())
    adjusted.T[upper] = adjusted[upper]
    deciding = ranking_p_values(settings.ranking, adjusted, in_favour)
    return AverageMatrix(
        metrics=tuple(ranked),
        averages={name: averages[name] for name in ranked},
        task_values={task.task.name: task.values for task in measured},
        weights={task.name: task.weight for task in tasks},
        p_values=p_values,
        adjusted=adjusted,
        p_in_favour=in_favour,
        ranks=dict(zip(ranked, cluster_ranks(deciding, settings.alpha), strict=True)),
        tests=dict(zip((task.name for task in tasks), draws[0].tests, strict=True)),
        population=" and ".join(draw.population for draw in draws),
        procedure=PUBLISHED if published else JOINT,
        permutations=min(draw.first.count for draw in draws),
        is_exact=all(draw.first.is_exact for draw in draws),
        least_p=max(draw.first.least_p for draw in draws),
        correction=settings.correction,
        alpha=settings.alpha,
        left_out=tuple(name for name in every if name not in ranked),
        ranking=settings.ranking,
    )


def _tested(
    tasks: Sequence[MeasuredTask],
    draws: Sequence[AverageDraw],
    averages: Mapping[str, float],
    settings: TestSettings,
) -> tuple[Floats, Floats]:
    """Computes the two-sided p-value of each pair, and the one-sided one in favour of the better metric.

    Args:
        tasks: The tasks.
        draws: The permutations of each test; the larger p-value counts.
        averages: Metric to average, the best first.
        settings: The settings of the test.
    """
    names = list(averages)
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    tables = np.full((2, len(names), len(names)), math.nan)
    total = plain_sum(task.task.weight for task in tasks)
    progress = _Progress(settings, len(draws) * len(pairs) * sum(len(task.parts) for task in tasks))
    for draw in draws:
        trials = _trials(tasks, draw, [(names[i], names[j]) for i, j in pairs], settings.jobs, progress) / total
        for (i, j), of_pair in zip(pairs, trials, strict=True):
            tails = permutation_tails(averages[names[i]] - averages[names[j]], of_pair, draw.first)
            for table, p_value in zip(tables, tails, strict=False):
                table[i, j] = table[j, i] = np.fmax(table[i, j], p_value)
    return tables[0], tables[1]


def _trials(
    tasks: Sequence[MeasuredTask],
    draw: AverageDraw,
    pairs: Sequence[tuple[str, str]],
    jobs: int,
    progress: _Progress,
) -> Floats:
    """Computes the weighted sum of differences in each permutation, shape (pairs, permutations)."""
    sums = np.zeros((len(pairs), draw.first.count))
    ranked = list(dict.fromkeys(name for pair in pairs for name in pair))
    for task, of_parts in zip(tasks, draw.permutations, strict=True):
        for part, permutations in zip(task.parts, of_parts, strict=True):
            options = {name: part.measured[name].options for name in ranked}
            scores = part.scores.only(ranked)
            swaps = swaps_of(scores, task.coefficient, task.level, permutations, options, jobs)
            for row, (first, second) in enumerate(pairs):
                sums[row] += task.factor(part) * null_differences(task.coefficient, swaps, first, second)
                progress.advance()
    return sums


class _Progress:
    """Reports how many differences of pairs are done.

    Args:
        settings: The settings of the test.
        total: The number of differences.
    """

    def __init__(self, settings: TestSettings, total: int) -> None:
        self._settings, self._total, self._done = settings, total, 0

    def advance(self) -> None:
        """Reports one more."""
        self._done += 1
        self._settings.report(self._done, self._total)
