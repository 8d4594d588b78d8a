"""Metrics averaged over the data sets of a study, as shared tasks rank them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from metrics_framework.meta_evaluation.correlation.comparisons import joint_scores
from metrics_framework.meta_evaluation.correlation.settings import DEFAULT, NONE, StudySettings
from metrics_framework.meta_evaluation.correlation.slices import cells_by_label
from metrics_framework.meta_evaluation.differences.data_set_averages import (
    PRESETS,
    AverageMatrix,
    DataSet,
    Task,
    average_matrix,
)
from metrics_framework.meta_evaluation.names import Coefficient, Level
from metrics_framework.meta_evaluation.scores.score_columns import ScoreColumns

ALL = "all"
"""The name of the only data set of a study without a column of data sets."""


@dataclass(frozen=True)
class Average:
    """Metrics ranked by their average over data sets.

    Args:
        human: The human score.
        preset: The shared task whose coefficients and weights were used; empty for those of the study.
        found: Averages, p-values and ranks of the metrics, of scores oriented so that higher is better.
        negated: Metrics whose scores were negated, because lower is better.
    """

    human: str
    preset: str
    found: AverageMatrix
    negated: Sequence[str]

    def as_json(self) -> dict[str, Any]:
        """Returns the averages as they appear in the JSON file."""
        found = self.found
        return {
            "metric2": self.human,
            "preset": self.preset or None,
            "metrics": [
                {"name": name, "average": found.averages[name], "rank": found.ranks[name]} for name in found.metrics
            ],
            "tasks": [
                {"name": name, "weight": found.weights[name], "test": found.tests[name], "values": dict(values)}
                for name, values in found.task_values.items()
            ],
            "arrangements": found.arrangements,
            "negated": list(self.negated),
            "left_out": list(found.left_out),
            "p_values": found.p_values.tolist(),
            "adjusted_p_values": found.adjusted.tolist(),
        }


def average_over_data_sets(
    columns: ScoreColumns,
    human: str,
    metrics: Sequence[str],
    directions: Mapping[str, bool],
    settings: StudySettings,
    labels: tuple[str, Mapping[tuple[str, str], str]] | None,
    preset: str,
) -> Average:
    """Averages metrics over data sets and tests their differences.

    Args:
        columns: The scores.
        human: The human score.
        metrics: The metrics.
        directions: Metric to whether higher is better.
        settings: The settings of the study.
        labels: The column of data sets, and instance and summarizer to data set; `None` for a single one.
        preset: A key of `PRESETS`, or empty for an average of the coefficients of the study.

    Raises:
        UsageError: if the column has too many values, or none.
    """
    parts = {ALL: columns}
    if labels is not None:
        parts = {name: columns.restricted(cells) for name, cells in cells_by_label(columns, *labels).items()}
    joint = {name: joint_scores(part, human, metrics, directions) for name, part in parts.items()}
    data_sets: dict[str, DataSet] = {name: (scores.human_scores, scores.metrics) for name, scores in joint.items()}
    tasks = PRESETS[preset](data_sets) if preset else _tasks(data_sets, settings)
    test = settings.comparison.test
    found = average_matrix(
        tasks,
        test=None if test in (DEFAULT, NONE) else test,
        resamples=settings.interval.resamples,
        seed=settings.interval.seed,
        correction=settings.comparison.correction,
        alpha=settings.comparison.alpha,
    )
    negated = next(iter(joint.values())).negated
    return Average(human, preset, found, negated)


def _tasks(data_sets: Mapping[str, DataSet], settings: StudySettings) -> list[Task]:
    """Returns one task for each data set, level and coefficient, with equal weights."""
    return [
        Task(f"{name} {level} {coefficient}", cast("Coefficient", coefficient), cast("Level", level), [data])
        for name, data in data_sets.items()
        for level in settings.levels
        for coefficient in settings.coefficients_at(level)
    ]
