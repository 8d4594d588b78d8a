"""Metrics averaged over the data sets of a study, as shared tasks rank them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from metrics_framework.meta_evaluation.correlate.comparisons import joint_scores
from metrics_framework.meta_evaluation.correlate.option_names import PUBLISHED
from metrics_framework.meta_evaluation.correlate.provenance import Provenance
from metrics_framework.meta_evaluation.correlate.request import CorrelateRequest
from metrics_framework.meta_evaluation.differences.averages import PRESETS, AverageMatrix, Task, average_metrics
from metrics_framework.meta_evaluation.differences.metric_set import MetricSet
from metrics_framework.meta_evaluation.scores.score_columns import ScoreColumns


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
            "procedure": found.procedure,
            "population": found.population,
            "permutations": found.permutations,
            "is_exact": found.is_exact,
            "least_p": found.least_p,
            "correction": found.correction,
            "alpha": found.alpha,
            "ranking": found.ranking,
            "negated": list(self.negated),
            "left_out": list(found.left_out),
            "p_values": found.p_values.tolist(),
            "adjusted_p_values": found.adjusted.tolist(),
            "p_values_in_favour_of_the_better": found.p_in_favour.tolist(),
        }


def average_over_data_sets(
    parts: Mapping[str, ScoreColumns], human: str, requests: Mapping[str, CorrelateRequest], provenance: Provenance
) -> Average:
    """Averages the metrics of a human score over data sets, and tests their differences.

    Args:
        parts: Data set to its scores.
        human: The human score.
        requests: Data set to what to compute, with its own clusters and ε; the rest is the same for all.
        provenance: What is known about the scores.
    """
    request = next(iter(requests.values()))
    metrics = request.metrics_of(human)
    joint = {name: joint_scores(part, human, metrics, provenance.directions) for name, part in parts.items()}
    data_sets = {
        name: MetricSet.of(scores.human_scores, scores.metrics, requests[name].cluster_labels(scores.inputs))
        for name, scores in joint.items()
    }
    named = {name: name for name in data_sets}
    tasks = PRESETS[request.preset](named) if request.preset else _tasks(data_sets, request)
    found = average_metrics(
        data_sets,
        [_with_options(task, human, requests) for task in tasks],
        request.test_settings,
        published=request.comparison.average_test == PUBLISHED,
    )
    return Average(human, request.preset, found, next(iter(joint.values())).negated)


def _tasks(data_sets: Iterable[str], request: CorrelateRequest) -> list[Task]:
    """Returns one task for each data set, level and coefficient, with equal weights."""
    return [
        Task(f"{name} {level} {coefficient.name}", coefficient.name, level, [name])
        for name in data_sets
        for level in request.levels
        for coefficient in request.coefficients_at(level)
    ]


def _with_options(task: Task, human: str, requests: Mapping[str, CorrelateRequest]) -> Task:
    coefficient, level = task.resolved
    return replace(
        task,
        options=lambda name, metric: requests[name].options_for(coefficient, metric, human, level),
        min_group=next(iter(requests.values())).min_group,
    )
