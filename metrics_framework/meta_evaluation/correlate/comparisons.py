"""Comparisons of metrics, each pair on the outputs that both have, and averages over data sets: tests and ranks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from metrics_framework.common.logs import long_work
from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.score_matrices import ScoreColumns
from metrics_framework.meta_evaluation.choices import PUBLISHED, Level
from metrics_framework.meta_evaluation.correlate.request import NONE, CorrelateRequest
from metrics_framework.meta_evaluation.differences.averages import PRESETS, AverageMatrix, Task, average_metrics
from metrics_framework.meta_evaluation.differences.compared_metrics import DifferenceMatrix, compare_metrics
from metrics_framework.meta_evaluation.differences.difference_test import MetricTable
from metrics_framework.meta_evaluation.study import Finding


def joint_scores(
    columns: ScoreColumns,
    human: str,
    metrics: Sequence[str],
    request: CorrelateRequest,
    directions: Mapping[str, bool],
) -> tuple[MetricTable, list[str]]:
    """Selects the outputs that have a human score.

    Args:
        columns: The scores.
        human: The human score.
        metrics: The metrics.
        request: What to compute, with the clusters of inputs.
        directions: Metric to whether higher is better; metrics without a known direction are used as they are.

    Returns:
        The human score and the metrics, oriented so that higher is better, and the metrics whose scores were negated.
    """
    joint = columns.restricted(columns.cells((human,)))
    negated = [name for name in metrics if directions.get(name) is False]
    oriented = {name: -joint.scores[name] if name in negated else joint.scores[name] for name in metrics}
    return MetricTable(joint.scores[human], oriented, request.cluster_labels(joint.inputs)), negated


@dataclass(frozen=True)
class Comparison(Finding):
    """Metrics compared by one coefficient at one level.

    Args:
        human: The human score.
        level: The level.
        coefficient: The coefficient.
        found: Values, p-values and ranks of the metrics, of scores oriented so that higher is better.
        negated: Metrics whose scores were negated, because lower is better.
        data_set: The data set of the outputs; empty if there is only one.
    """

    human: str
    level: Level
    coefficient: str
    found: DifferenceMatrix
    negated: Sequence[str]
    data_set: str = ""

    def label(self, metric: str) -> str:
        """Returns the name of a metric as it was compared: with a minus sign if its scores were negated."""
        return f"-{metric}" if metric in self.negated else metric

    @overrides
    def as_json(self) -> dict[str, Any]:
        """Returns the comparison as it appears in the JSON file."""
        where = {"data_set": self.data_set} if self.data_set else {}
        where |= {"metric2": self.human, "level": self.level, "coefficient": self.coefficient}
        systems, inputs = self.found.shape
        size = {"num_systems": systems, "num_inputs": inputs, "negated": list(self.negated)}
        return {**where, **size, **self.found.as_json()}

    def to_records(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each pair of metrics, the better one first."""
        found = self.found
        return [
            {
                "metric1": self.label(found.metrics[i]),
                "metric2": self.label(found.metrics[j]),
                "human": self.human,
                "level": self.level,
                "coefficient": self.coefficient,
                "value1": found.values[found.metrics[i]],
                "value2": found.values[found.metrics[j]],
                "rank1": found.ranks[found.metrics[i]].cluster,
                "rank2": found.ranks[found.metrics[j]].cluster,
                "p_value": float(found.p_values[i, j]),
                "adjusted_p_value": float(found.adjusted[i, j]),
                "test": found.test,
                "population": found.population,
            }
            for i, j in combinations(range(len(found.metrics)), 2)
        ]


def compare_metrics_of(
    columns: ScoreColumns, human: str, request: CorrelateRequest, directions: Mapping[str, bool], data_set: str = ""
) -> list[Comparison]:
    """Compares all pairs of the metrics of a human score by every coefficient at every level, if a test is requested.

    Args:
        columns: The scores.
        human: The human score.
        request: What to compute.
        directions: Metric to whether higher is better.
        data_set: The data set of the scores.
    """
    metrics = request.metrics_of(human)
    if request.test == NONE or len(metrics) < 2:
        return []
    scores, negated = joint_scores(columns, human, metrics, request, directions)
    comparisons = []
    for level in request.levels:
        table = replace(scores, level=level, min_group=request.min_group)
        for coefficient in request.coefficients_at(level):
            options = {metric: request.options_for(coefficient, metric, human, level) for metric in metrics}
            found = compare_metrics(table, coefficient, level, options, request.test_settings(len(metrics)))
            comparisons.append(Comparison(human, level, coefficient.name, found, negated, data_set))
    return comparisons


@dataclass(frozen=True)
class Average(Finding):
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

    @overrides
    def as_json(self) -> dict[str, Any]:
        """Returns the averages as they appear in the JSON file."""
        found = self.found
        return {
            "metric2": self.human,
            "preset": self.preset or None,
            "metrics": found.ranked_records("average", found.averages),
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
    parts: Mapping[str, ScoreColumns],
    human: str,
    requests: Mapping[str, CorrelateRequest],
    directions: Mapping[str, bool],
) -> Average:
    """Averages the metrics of a human score over data sets, and tests their differences.

    Args:
        parts: Data set to its scores.
        human: The human score.
        requests: Data set to what to compute, with its own clusters and ε; the rest is the same for all.
        directions: Metric to whether higher is better.
    """
    request = next(iter(requests.values()))
    metrics = request.metrics_of(human)
    joint = {name: joint_scores(part, human, metrics, requests[name], directions) for name, part in parts.items()}
    data_sets = {name: scores.of(metrics) for name, (scores, _) in joint.items()}
    named = {name: name for name in data_sets}
    tasks = PRESETS[request.preset](named) if request.preset else _tasks(data_sets, request)
    found = average_metrics(
        data_sets,
        [_with_options(task, human, requests) for task in tasks],
        request.test_settings(),
        published=request.average_test == PUBLISHED,
    )
    return Average(human, request.preset, found, next(iter(joint.values()))[1])


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


@contextmanager
def progress_of_tests(request: CorrelateRequest, data_sets: int, sentinels: int) -> Iterator[None]:
    """Shows the progress of comparisons, and logs a note if all of them are estimated to take long.

    Args:
        request: What is computed.
        data_sets: The number of data sets.
        sentinels: The number of sentinels, which are compared as metrics are.
    """
    averages = 2 if request.data_sets is not None or request.preset else 1  # which test the same pairs once more
    comparisons = averages * data_sets * sum(len(request.coefficients_at(level)) for level in request.levels)
    pairs = sum(math.comb(len(request.metrics_of(human)) + sentinels, 2) for human in request.humans)
    costly = comparisons * len(request.humans)  # the first pair of a comparison computes the sums that pairs share
    total = max(1, comparisons * pairs)
    cheaper = "fewer resamples take less"
    if "spa" in request.coefficients:
        cheaper = "spa:normal instead of spa takes much less"
    what = f"testing {total:,} pairs of metrics"
    with long_work(what, total, cheaper, "tested", "pairs of metrics", costly=costly):
        yield
