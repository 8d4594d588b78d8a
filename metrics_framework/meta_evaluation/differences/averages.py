"""Metrics averaged over tasks, such as those of shared tasks, with a test of the average."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.common.logs import current_work
from metrics_framework.data.sums import plain_sum
from metrics_framework.meta_evaluation.choices import JOINT, PUBLISHED, CoefficientOptions, Level
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, CoefficientValue
from metrics_framework.meta_evaluation.coefficients.lookup import checked_coefficient
from metrics_framework.meta_evaluation.differences.compared_metrics import RankedMetrics
from metrics_framework.meta_evaluation.differences.difference_test import (
    Draws,
    MetricSet,
    TestSettings,
    chosen_test,
    load_test,
    measured_metrics,
    ranked_metrics,
)
from metrics_framework.meta_evaluation.differences.permutation_tests import (
    PermutationTest,
    SwappedInputs,
    null_differences,
    permutation_tails,
    swaps_of,
)
from metrics_framework.meta_evaluation.groups.swaps import Permutations
from metrics_framework.significance.multiple_testing import RANGES

DataSet: TypeAlias = "str | tuple[Any, Mapping[str, Any]]"
"""The name of a data set, or human scores, shape (systems, inputs), and metric to its scores of the same shape."""


@dataclass(frozen=True)
class Task:
    """A coefficient of some data sets.

    Args:
        name: The name of the task.
        coefficient: The name of the coefficient.
        level: The level.
        data_sets: The data sets; several only for a coefficient that pools them, such as ``pairwise-accuracy``.
        weight: The weight in the average.
        options: Returns the options of the coefficient for a data set and a metric, given their names; by default those
            of a coefficient that calibrates its ε.
        min_group: The least number of outputs of a group.

    Raises:
        InputError: if an argument is invalid.
    """

    name: str
    coefficient: str
    level: str
    data_sets: Sequence[DataSet]
    weight: float = 1.0
    options: Callable[[str, str], CoefficientOptions] | None = None
    min_group: int = 2

    def __post_init__(self) -> None:
        found = self.resolved[0]
        if self.weight <= 0:
            raise InputError(f"the weight of task '{self.name}' must be positive, got {self.weight}")
        if len(self.data_sets) != 1 and found.pooling_weight(2) is None:
            raise InputError(f"task '{self.name}' must have one data set, got {len(self.data_sets)}")

    @property
    def resolved(self) -> tuple[Coefficient, Level]:
        """The coefficient, and the level at which it is defined."""
        found, level, _ = checked_coefficient(self.coefficient, self.level)
        return found, level


def wmt23(languages: Mapping[str, DataSet]) -> list[Task]:
    """Returns the tasks of the metrics task of WMT 2023.

    Pairwise accuracy over the pairs of systems of all language pairs, with a weight of one per language pair; and for
    each language pair Pearson's r of systems and of all segments, and acc-eq of segments.

    Args:
        languages: Language pair to its data set.
    """
    tasks = [Task("pairwise-accuracy", "pairwise-accuracy", "system", _present(languages), len(languages))]
    for language, data in languages.items():
        tasks.append(Task(f"{language} system pearson", "pearson", "system", [data]))
        tasks.append(Task(f"{language} global pearson", "pearson", "global", [data]))
        tasks.append(Task(f"{language} acc-eq", "acc-eq", "input", [data]))
    return tasks


def wmt24(languages: Mapping[str, DataSet]) -> list[Task]:
    """Returns the tasks of the metrics tasks of WMT 2024 and 2025: SPA and acc-eq of each language pair.

    Args:
        languages: Language pair to its data set.
    """
    _present(languages)
    return [
        task
        for language, data in languages.items()
        for task in (
            Task(f"{language} spa", "spa", "system", [data]),
            Task(f"{language} acc-eq", "acc-eq", "input", [data]),
        )
    ]


def _present(languages: Mapping[str, DataSet]) -> list[DataSet]:
    if not languages:
        raise InputError("'languages' must have one data set or more")
    return list(languages.values())


PRESETS: Mapping[str, Callable[[Mapping[str, DataSet]], list[Task]]] = {"wmt23": wmt23, "wmt24": wmt24, "wmt25": wmt24}
"""The tasks of shared tasks by name."""


@dataclass(frozen=True)
class TaskPart:
    """A data set of a task.

    Args:
        data_set: The name of the data set.
        scores: Its scores, without groups that are too small.
        measured: Metric to coefficient.
        weight: Its weight among the data sets of the task.
    """

    data_set: str
    scores: MetricSet
    measured: Mapping[str, CoefficientValue]
    weight: float


@dataclass(frozen=True)
class MeasuredTask:
    """A task with the coefficients of its metrics.

    Args:
        task: The task.
        coefficient: Its coefficient.
        level: Its level.
        parts: Its data sets.
        values: Metric to coefficient, on its own scale.
    """

    task: Task
    coefficient: Coefficient
    level: Level
    parts: Sequence[TaskPart]
    values: Mapping[str, float]

    @classmethod
    def of(cls, task: Task, data_sets: Mapping[str, MetricSet], settings: TestSettings) -> MeasuredTask:
        """Computes the coefficients of a task.

        Raises:
            InputError: if there is no data set of a name.
        """
        coefficient, level = task.resolved
        parts = []
        for name in map(str, task.data_sets):
            if name not in data_sets:
                raise InputError(f"task '{task.name}' names the data set '{name}', which does not exist")
            scores = data_sets[name].masked(level, task.min_group)
            options = {
                metric: task.options(name, metric) if task.options else CoefficientOptions(seed=settings.seed)
                for metric in scores.metrics
            }
            scores, measured = measured_metrics(scores, coefficient, level, options)
            parts.append(TaskPart(name, scores, measured, coefficient.pooling_weight(scores.shape[0]) or 1.0))
        total = plain_sum(part.weight for part in parts)
        values = {
            name: plain_sum(part.weight * part.measured[name].value for part in parts) / total
            for name in parts[0].measured
            if all(name in part.measured for part in parts)
        }
        return cls(task, coefficient, level, parts, values)

    def share(self, metric: str) -> float:
        """Returns the weighted value of a metric on the scale from 0 to 1; NaN if the task lacks the metric."""
        return self.task.weight * float(self.coefficient.on_unit_scale(self.values.get(metric, math.nan)))

    def factor(self, part: TaskPart) -> float:
        """Returns what a difference of 1 in a data set adds to the weighted sum of all tasks."""
        largest, least = self.coefficient.on_unit_scale(1), self.coefficient.on_unit_scale(0)
        return self.task.weight * part.weight / plain_sum(one.weight for one in self.parts) * float(largest - least)


@dataclass(frozen=True)
class AverageDraw:
    """The permutations of all tasks.

    Args:
        tests: The test of each task.
        permutations: The permutations of each data set of each task.
        population: The population of which they speak.
    """

    tests: Sequence[str]
    permutations: Sequence[Sequence[Permutations]]
    population: str

    @property
    def first(self) -> Permutations:
        """The first permutations, whose number all have."""
        return self.permutations[0][0]


def joint_draws(
    tasks: Sequence[MeasuredTask], data_sets: Mapping[str, MetricSet], settings: TestSettings
) -> list[AverageDraw]:
    """Draws one permutation of each data set for all its tasks; one result for each test that the chosen one combines.

    Args:
        tasks: The tasks.
        data_sets: Data set to its scores.
        settings: The settings of the test; ``inputs`` by default.

    Raises:
        InputError: if the test swaps no scores.
    """
    chosen = load_test(settings.test) if settings.test else SwappedInputs()
    used = list(dict.fromkeys(part.data_set for task in tasks for part in task.parts))
    draws = []
    for test in chosen.combined:
        if not isinstance(test, PermutationTest):
            raise InputError(f"averages need a test that swaps scores, got '{chosen.name}'; use 'inputs' or 'systems'")
        seeds = [_seed_of(settings.seed, index) if index else settings.seed for index in range(len(used))]
        drawn = dict(zip(used, test.draw([data_sets[name] for name in used], settings, seeds), strict=True))
        draws.append(
            AverageDraw(
                [chosen.name] * len(tasks),
                [[drawn[part.data_set] for part in task.parts] for task in tasks],
                _population(test, [data_sets[name] for name in used], tasks[0].level),
            )
        )
    return draws


def published_draw(tasks: Sequence[MeasuredTask], settings: TestSettings) -> AverageDraw:
    """Draws permutations separately for each task, by the test of its level unless one is given.

    Raises:
        InputError: if the test swaps no scores.
    """
    tests, permutations = [], []
    for number, task in enumerate(tasks):
        test = chosen_test(task.level, settings.test)
        if not isinstance(test, PermutationTest):
            raise InputError(
                f"the procedure 'published' needs one test that swaps scores, got '{test.name}'; use 'inputs' or "
                "'systems'"
            )
        seed = _seed_of(settings.seed, number)
        tests.append(test)
        permutations.append(
            [
                test.draw([part.scores], settings, [seed + index], enumerate_all=False)[0]
                for index, part in enumerate(task.parts)
            ]
        )
    scores = [part.scores for task in tasks for part in task.parts]
    populations = dict.fromkeys(_population(test, scores, task.level) for test, task in zip(tests, tasks, strict=True))
    return AverageDraw([test.name for test in tests], permutations, "; ".join(populations))


def _seed_of(seed: int, number: int) -> int:
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0])


def _population(test: PermutationTest, scores: Sequence[MetricSet], level: Level) -> str:
    shapes = {one.shape for one in scores}
    return test.population(shapes.pop(), level) if len(shapes) == 1 else test.population_of_data_sets


@dataclass(frozen=True, kw_only=True)
class AverageMatrix(RankedMetrics, Draws):
    """Metrics ranked by their weighted average over tasks. NaN is undefined.

    Args:
        metrics: The metrics that all tasks have and define, the best first.
        averages: Metric to its average, between 0 and 1.
        task_values: Task to metric to the coefficient, on its own scale.
        weights: Task to weight.
        p_values: The two-sided p-value of each pair, shape (metrics, metrics), NaN on the diagonal.
        adjusted: The same, corrected for the number of pairs.
        p_in_favour: The one-sided p-value in favour of the better metric of each pair.
        ranks: Metric to its rank.
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
        ranking: How metrics are ranked: one of `RANKINGS`.
    """

    averages: Mapping[str, float]
    task_values: Mapping[str, Mapping[str, float]]
    weights: Mapping[str, float]
    tests: Mapping[str, str]
    procedure: str
    left_out: tuple[str, ...]

    def of_pair(self, first: int, second: int) -> Draws:
        """Returns what was drawn for the test of two metrics, which is the same for all pairs."""
        return self


def average_matrix(
    tasks: Sequence[Task],
    *,
    test: str | None = None,
    resamples: int = 1000,
    seed: int = 0,
    correct: str = "holm",
    alpha: float = 0.05,
    published: bool = False,
    ranking: str = RANGES,
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
        correct: The correction of the two-sided p-values: ``holm``, ``bh``, ``by`` or ``none``.
        alpha: The level of significance of clusters.
        published: Whether to draw permutations separately for each task, as the shared tasks of WMT did: two
            exchangeable metrics then differ significantly several times too often.
        ranking: ``wmt`` for clusters by one-sided p-values in favour of the better metric, without correction.

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
    settings = TestSettings(test, resamples, seed, correct, alpha, ranking=ranking)
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
    return AverageMatrix(
        **vars(RankedMetrics.of(ranked, p_values, in_favour, settings)),
        averages={name: averages[name] for name in ranked},
        task_values={task.task.name: task.values for task in measured},
        weights={task.name: task.weight for task in tasks},
        tests=dict(zip((task.name for task in tasks), draws[0].tests, strict=True)),
        population=" and ".join(draw.population for draw in draws),
        procedure=PUBLISHED if published else JOINT,
        permutations=min(draw.first.count for draw in draws),
        is_exact=all(draw.first.is_exact for draw in draws),
        least_p=max(draw.first.least_p for draw in draws),
        left_out=tuple(name for name in every if name not in ranked),
    )


def _tested(
    tasks: Sequence[MeasuredTask], draws: Sequence[AverageDraw], averages: Mapping[str, float], settings: TestSettings
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
    for draw in draws:
        trials = _trials(tasks, draw, [(names[i], names[j]) for i, j in pairs]) / total
        for (i, j), of_pair in zip(pairs, trials, strict=True):
            tails = permutation_tails(averages[names[i]] - averages[names[j]], of_pair, draw.first)
            for table, p_value in zip(tables, tails, strict=False):
                table[i, j] = table[j, i] = np.fmax(table[i, j], p_value)
    return tables[0], tables[1]


def _trials(tasks: Sequence[MeasuredTask], draw: AverageDraw, pairs: Sequence[tuple[str, str]]) -> Floats:
    """Computes the weighted sum of differences in each permutation, shape (pairs, permutations)."""
    sums = np.zeros((len(pairs), draw.first.count))
    ranked = list(dict.fromkeys(name for pair in pairs for name in pair))
    for task, of_parts in zip(tasks, draw.permutations, strict=True):
        for part, permutations in zip(task.parts, of_parts, strict=True):
            options = {name: part.measured[name].options for name in ranked}
            swaps = swaps_of(part.scores, task.coefficient, task.level, permutations, options)
            for row, (first, second) in enumerate(pairs):
                sums[row] += task.factor(part) * null_differences(task.coefficient, swaps, first, second)
                current_work().advance()
    return sums
