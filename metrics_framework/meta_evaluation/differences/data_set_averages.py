"""Metrics averaged over tasks: coefficients of several data sets on one scale, with a test of the average."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.coefficients.checks import checked_choice, checked_coefficient
from metrics_framework.meta_evaluation.differences.matrices import joint
from metrics_framework.meta_evaluation.differences.metric_clusters import cluster_ranks
from metrics_framework.meta_evaluation.differences.paired_scores import PairedScores
from metrics_framework.meta_evaluation.differences.schemes import arrange
from metrics_framework.meta_evaluation.differences.single import ROUNDING, measured
from metrics_framework.meta_evaluation.differences.swapped_coefficients import null_differences
from metrics_framework.meta_evaluation.names import ACCURACIES, SINGLE_LEVEL, Coefficient, Level
from metrics_framework.significance.arrays import Floats
from metrics_framework.significance.multiple_testing import CORRECTIONS

DataSet: TypeAlias = "tuple[Any, Mapping[str, Any]]"
"""Human scores, shape (systems, inputs), and metric to its scores of the same shape."""


@dataclass(frozen=True)
class Task:
    """A coefficient of some data sets.

    Args:
        name: The name of the task.
        coefficient: The coefficient.
        level: The level.
        data_sets: The data sets; several only for ``pairwise-accuracy``, which pools their pairs of systems.
        weight: The weight in the average.
    """

    name: str
    coefficient: Coefficient
    level: Level
    data_sets: Sequence[DataSet]
    weight: float = 1.0

    def __post_init__(self) -> None:
        checked_coefficient(self.coefficient, self.level)
        if self.weight <= 0:
            raise InputError(f"the weight of task '{self.name}' must be positive, got {self.weight}")
        if len(self.data_sets) != 1 and self.coefficient != "pairwise-accuracy":
            raise InputError(f"task '{self.name}' must have one data set, got {len(self.data_sets)}")

    @property
    def test(self) -> str:
        """The default test: of systems for coefficients of systems, otherwise of inputs."""
        at = SINGLE_LEVEL.get(self.coefficient, self.level)
        return "systems" if at == "system" else "inputs"


@dataclass(frozen=True)
class AverageMatrix:
    """Metrics ranked by their weighted average over tasks.

    Args:
        metrics: The metrics that all tasks have and define, the best first.
        averages: Metric to its average, between 0 and 1.
        task_values: Task to metric to the coefficient, on its own scale.
        weights: Task to weight.
        p_values: The two-sided p-value of each pair, shape (metrics, metrics), NaN on the diagonal.
        adjusted: The same, corrected for the number of pairs.
        p_in_favour: The one-sided p-value in favour of the better metric of each pair.
        ranks: Metric to the rank of its cluster.
        tests: Task to the test whose arrangements it has.
        arrangements: The number of random arrangements.
        left_out: Metrics that a task lacks or leaves undefined.
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
    arrangements: int
    left_out: tuple[str, ...]


def average_matrix(
    tasks: Sequence[Task],
    *,
    test: str | None = None,
    resamples: int = 1000,
    seed: int = 0,
    correction: str = "holm",
    alpha: float = 0.05,
) -> AverageMatrix:
    """Averages metrics over tasks and tests all pairs.

    Correlations x are mapped to (x + 1)/2, so that all tasks are on the scale of accuracies. The test draws independent
    arrangements for each task and compares the weighted sum of their differences with the observed one:
    p = (count + 1) / (resamples + 1).

    Args:
        tasks: The tasks; only metrics that all of them have are compared.
        test: ``inputs`` or ``systems`` for all tasks; by default that of each task.
        resamples: The number of arrangements.
        seed: The random seed.
        correction: The correction of the two-sided p-values: ``holm``, ``bh``, ``by`` or ``none``.
        alpha: The level of significance of clusters.

    Raises:
        InputError: if there are no tasks, two have the same name, or an argument is invalid.
    """
    if not tasks or len({task.name for task in tasks}) < len(tasks):
        raise InputError("'tasks' must be one or more tasks with different names")
    if test is not None:
        checked_choice(test, ("inputs", "systems"), "test")
    adjust = CORRECTIONS[checked_choice(correction, tuple(CORRECTIONS), "correction")]
    measured_tasks = [_MeasuredTask.of(task, test or task.test, [seed, number]) for number, task in enumerate(tasks)]
    every = list(dict.fromkeys(name for task in measured_tasks for name in task.values))
    common = [name for name in every if all(not math.isnan(task.values.get(name, math.nan)) for task in measured_tasks)]
    total = sum(task.weight for task in tasks)
    averages = {name: sum(task.share(name) for task in measured_tasks) / total for name in common}
    ranked = sorted(common, key=lambda name: (-averages[name], name))
    tables = [np.full((len(ranked), len(ranked)), math.nan) for _ in range(3)]
    pairs = [(i, j) for i in range(len(ranked)) for j in range(i + 1, len(ranked))]
    for i, j in pairs:
        trials = sum(task.trials(ranked[i], ranked[j], resamples) for task in measured_tasks) / total
        observed = averages[ranked[i]] - averages[ranked[j]]
        large = ~(np.abs(trials) < observed - ROUNDING), ~(trials < observed - ROUNDING)
        for table, chosen in zip((tables[0], tables[2]), large, strict=True):
            table[i, j] = table[j, i] = (int(np.count_nonzero(chosen)) + 1) / (resamples + 1)
    for (i, j), corrected in zip(pairs, adjust([float(tables[0][pair]) for pair in pairs]), strict=True):
        tables[1][i, j] = tables[1][j, i] = corrected
    return AverageMatrix(
        metrics=tuple(ranked),
        averages=averages,
        task_values={task.task.name: task.values for task in measured_tasks},
        weights={task.name: task.weight for task in tasks},
        p_values=tables[0],
        adjusted=tables[1],
        p_in_favour=tables[2],
        ranks=dict(zip(ranked, cluster_ranks(tables[2], alpha), strict=True)),
        tests={task.task.name: task.test for task in measured_tasks},
        arrangements=resamples,
        left_out=tuple(name for name in every if name not in common),
    )


@dataclass(frozen=True)
class _MeasuredTask:
    """A task with the coefficients of its metrics.

    Args:
        task: The task.
        test: Its test.
        seed: The seed of its arrangements.
        values: Metric to coefficient.
        epsilons: Metric to ε.
        parts: The human scores, the metrics and the weight of each data set.
    """

    task: Task
    test: str
    seed: int
    values: Mapping[str, float]
    epsilons: Mapping[str, float]
    parts: Sequence[tuple[Floats, Mapping[str, Floats], float]]

    @classmethod
    def of(cls, task: Task, test: str, seeds: list[int]) -> _MeasuredTask:
        seed = int(np.random.SeedSequence(seeds).generate_state(1)[0])
        names = set.intersection(*(set(metrics) for _, metrics in task.data_sets))
        parts = []
        for human, metrics in task.data_sets:
            people, scores, _ = joint(human, {name: metrics[name] for name in metrics if name in names})
            systems = int((~np.isnan(people)).any(axis=1).sum())
            parts.append((people, scores, systems * (systems - 1) / 2 if len(task.data_sets) > 1 else 1.0))
        found = {
            name: [measured(h, m[name], task.coefficient, task.level, seed) for h, m, _ in parts] for name in names
        }
        weights = np.array([weight for _, _, weight in parts])
        values = {
            name: float(np.array([value for value, _ in found[name]]) @ weights / weights.sum())
            for _, scores, _ in parts[:1]
            for name in scores
        }
        return cls(task, test, seed, values, {name: found[name][0][1] for name in values}, parts)

    def share(self, name: str) -> float:
        """Returns the weighted value of a metric on the scale from 0 to 1."""
        value = self.values[name]
        return self.task.weight * (value if self.task.coefficient in ACCURACIES else (value + 1) / 2)

    def trials(self, first: str, second: str, resamples: int) -> Floats:
        """Computes the weighted differences of two metrics in random arrangements, on the scale from 0 to 1."""
        scale = self.task.weight * (1 if self.task.coefficient in ACCURACIES else 0.5)
        name = "acc-23" if self.task.coefficient == "acc-eq" else self.task.coefficient
        total, weights = np.zeros(resamples), 0.0
        for number, (human, metrics, weight) in enumerate(self.parts):
            scores = PairedScores.of(human, metrics[first], metrics[second])
            scores = replace(scores, epsilons=(self.epsilons[first], self.epsilons[second]))
            spins = arrange(self.test, scores.shape, resamples, self.seed + number, enumerate_all=False).spins
            total += weight * null_differences(scores, name, self.task.level, spins, self.seed)
            weights += weight
        return np.asarray(scale * total / weights)


def wmt23(languages: Mapping[str, DataSet]) -> list[Task]:
    """Returns the tasks of the metrics task of WMT 2023.

    Pairwise accuracy over the pairs of systems of all language pairs, with a weight of one per language pair; and for
    each language pair Pearson's r of systems and of all segments, and acc-eq of segments.

    Args:
        languages: Language pair to its data set.
    """
    if not languages:
        raise InputError("'languages' must have one data set or more")
    tasks = [Task("pairwise-accuracy", "pairwise-accuracy", "system", list(languages.values()), len(languages))]
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
    if not languages:
        raise InputError("'languages' must have one data set or more")
    return [
        task
        for language, data in languages.items()
        for task in (
            Task(f"{language} spa", "spa", "system", [data]),
            Task(f"{language} acc-eq", "acc-eq", "input", [data]),
        )
    ]


PRESETS: Mapping[str, Callable[[Mapping[str, DataSet]], list[Task]]] = {"wmt23": wmt23, "wmt24": wmt24, "wmt25": wmt24}
"""The tasks of shared tasks by name."""
