"""Tasks with the coefficients of their metrics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metrics_framework.common.errors import InputError
from metrics_framework.data.sums import plain_sum
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, Measured
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.differences.difference_settings import TestSettings
from metrics_framework.meta_evaluation.differences.measured_metrics import measured_metrics
from metrics_framework.meta_evaluation.differences.metric_set import MetricSet
from metrics_framework.meta_evaluation.differences.tasks import Task
from metrics_framework.meta_evaluation.levels import Level


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
    measured: Mapping[str, Measured]
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
            measured = measured_metrics(scores, coefficient, level, options)
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
        least, largest = self.coefficient.range
        return self.task.weight * part.weight / plain_sum(one.weight for one in self.parts) / (largest - least)
