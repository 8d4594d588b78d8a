"""Comparisons of metrics on the outputs that all of them have: tests of differences, and ranks."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_framework.meta_evaluation.correlation.settings import DEFAULT, StudySettings
from metrics_framework.meta_evaluation.differences.results import Difference
from metrics_framework.meta_evaluation.differences.single import difference
from metrics_framework.meta_evaluation.scores.score_columns import ScoreColumns
from metrics_framework.significance.arrays import Floats
from metrics_framework.significance.multiple_testing import CORRECTIONS

OF_SYSTEMS = ("spa", "spa:normal", "pairwise-accuracy")
"""Coefficients whose default test resamples systems."""


@dataclass(frozen=True)
class JointScores:
    """Metrics and human scores on the outputs that have all of them.

    Args:
        human: The name of the human score.
        human_scores: Shape (systems, inputs); NaN where a score is missing.
        metrics: Metric to scores of the same shape, oriented so that higher is better.
        negated: The metrics whose scores were negated, because lower is better.
        systems: The ids of the rows.
        inputs: The ids of the columns.
        dropped: The number of outputs with a human score that lack a metric.
    """

    human: str
    human_scores: Floats
    metrics: Mapping[str, Floats]
    negated: Sequence[str]
    systems: Sequence[str]
    inputs: Sequence[str]
    dropped: int

    @property
    def num_outputs(self) -> int:
        """The number of outputs."""
        return int((~np.isnan(self.human_scores)).sum())


def joint_scores(
    columns: ScoreColumns, human: str, metrics: Sequence[str], directions: Mapping[str, bool]
) -> JointScores:
    """Selects the outputs that have a human score and all metrics.

    Args:
        columns: The scores.
        human: The human score.
        metrics: The metrics.
        directions: Metric to whether higher is better; metrics without a known direction are used as they are.
    """
    cells = columns.cells((human, *metrics))
    joint = columns.restricted(cells)
    negated = [name for name in metrics if directions.get(name) is False]
    return JointScores(
        human=human,
        human_scores=joint.scores[human],
        metrics={name: -joint.scores[name] if name in negated else joint.scores[name] for name in metrics},
        negated=negated,
        systems=joint.systems,
        inputs=joint.inputs,
        dropped=int(columns.cells((human,)).sum() - cells.sum()),
    )


@dataclass(frozen=True)
class Comparison:
    """Metrics compared by one coefficient at one level, the best first.

    Args:
        human: The human score.
        level: The level.
        coefficient: The coefficient.
        metrics: The metrics by falling value; those with equal values by name.
        values: Metric to its value, of oriented scores.
        p_values: The two-sided p-value of each pair, row and column in the order of ``metrics``; NaN on the diagonal.
        adjusted: The same, corrected for the number of pairs.
        ranks: Metric to its rank: 1 for the first cluster, 2 for the second, …
        undefined: Metrics without a value, which are not compared.
        negated: Metrics whose scores were negated, because lower is better.
        test: The test.
        population: The population of which the p-values speak.
        correction: The correction of p-values.
        alpha: The level of significance of clusters.
        arrangements: The number of arrangements or resamples; 0 if a formula gives the p-values.
        is_exact: Whether the p-values do not depend on the seed.
        least_p: The least p-value that can occur.
        num_outputs: The number of outputs.
        num_systems: The number of systems.
        num_inputs: The number of inputs.
        dropped: The number of outputs with a human score that lack a metric.
        notes: What a reader must know about the p-values.
    """

    human: str
    level: str
    coefficient: str
    metrics: Sequence[str]
    values: Mapping[str, float]
    p_values: Sequence[Sequence[float]]
    adjusted: Sequence[Sequence[float]]
    ranks: Mapping[str, int]
    undefined: Sequence[str]
    negated: Sequence[str]
    test: str
    population: str
    correction: str
    alpha: float
    arrangements: int
    is_exact: bool
    least_p: float
    num_outputs: int
    num_systems: int
    num_inputs: int
    dropped: int
    notes: Sequence[str] = ()

    def label(self, metric: str) -> str:
        """Returns the name of a metric as it was compared: with a minus sign if its scores were negated."""
        return f"-{metric}" if metric in self.negated else metric

    def as_json(self) -> dict[str, Any]:
        """Returns the comparison as it appears in the JSON file."""
        return {
            "metric2": self.human,
            "level": self.level,
            "coefficient": self.coefficient,
            "test": self.test,
            "population": self.population,
            "arrangements": self.arrangements,
            "exact": self.is_exact,
            "least_p_value": self.least_p,
            "correction": self.correction,
            "alpha": self.alpha,
            "num_outputs": self.num_outputs,
            "num_systems": self.num_systems,
            "num_inputs": self.num_inputs,
            "dropped": self.dropped,
            "metrics": [
                {
                    "metric": name,
                    "negated": name in self.negated,
                    "value": self.values[name],
                    "rank": self.ranks[name],
                }
                for name in self.metrics
            ],
            "p_values": [list(row) for row in self.p_values],
            "adjusted_p_values": [list(row) for row in self.adjusted],
            "undefined": list(self.undefined),
            "notes": list(self.notes),
        }


def compare(
    scores: JointScores,
    name: str,
    level: str,
    settings: StudySettings,
    clusters: Sequence[Hashable] | None = None,
) -> Comparison:
    """Compares all pairs of metrics by a coefficient.

    Args:
        scores: The scores of the outputs that have all of them.
        name: The coefficient.
        level: The level.
        settings: The settings of the study.
        clusters: The cluster of each input.
    """
    chosen = settings.comparison
    test = chosen.test
    if test == DEFAULT:
        test = "systems" if level == "system" or name in OF_SYSTEMS else "inputs"
    found = _differences(scores, name, level, test, settings, clusters)
    values = _values(found)
    undefined = [metric for metric in scores.metrics if math.isnan(values.get(metric, math.nan))]
    metrics = sorted((metric for metric in values if metric not in undefined), key=lambda one: (-values[one], one))
    pairs = [(i, j) for j in range(len(metrics)) for i in range(j)]
    of_pairs = [_of_pair(found, metrics[i], metrics[j]) for i, j in pairs]
    adjusted = CORRECTIONS[chosen.correction]([one.p_value for one in of_pairs])
    any_pair = of_pairs[0] if of_pairs else next(iter(found.values()))
    return Comparison(
        human=scores.human,
        level=level,
        coefficient=name,
        metrics=metrics,
        values={metric: values[metric] for metric in metrics},
        p_values=_symmetric(len(metrics), pairs, [one.p_value for one in of_pairs]),
        adjusted=_symmetric(len(metrics), pairs, adjusted),
        ranks=_ranks(metrics, {pair: one.p_in_favour for pair, one in zip(pairs, of_pairs, strict=True)}, chosen.alpha),
        undefined=undefined,
        negated=scores.negated,
        test=test,
        population=any_pair.population,
        correction=chosen.correction,
        alpha=chosen.alpha,
        arrangements=any_pair.arrangements,
        is_exact=all(one.is_exact for one in of_pairs),
        least_p=any_pair.least_p,
        num_outputs=scores.num_outputs,
        num_systems=len(scores.systems),
        num_inputs=len(scores.inputs),
        dropped=scores.dropped,
        notes=[*dict.fromkeys(note for one in found.values() for note in one.notes)],
    )


def _differences(
    scores: JointScores,
    name: str,
    level: str,
    test: str,
    settings: StudySettings,
    clusters: Sequence[Hashable] | None,
) -> dict[tuple[str, str], Difference]:
    metrics = [*scores.metrics]
    return {
        (first, second): difference(
            scores.human_scores,
            scores.metrics[first],
            scores.metrics[second],
            name,
            level=level,
            test=test,
            resamples=settings.interval.resamples,
            seed=settings.interval.seed,
            clusters=clusters,
        )
        for index, first in enumerate(metrics)
        for second in metrics[index + 1 :]
    }


def _values(found: Mapping[tuple[str, str], Difference]) -> dict[str, float]:
    values = {}
    for (first, second), one in found.items():
        values.update({first: one.value1, second: one.value2})
    return values


def _of_pair(found: Mapping[tuple[str, str], Difference], first: str, second: str) -> Difference:
    """Returns the comparison of two metrics, the better first."""
    return found[first, second] if (first, second) in found else found[second, first]


def _symmetric(size: int, pairs: Sequence[tuple[int, int]], values: Sequence[float]) -> list[list[float]]:
    matrix = [[math.nan] * size for _ in range(size)]
    for (i, j), value in zip(pairs, values, strict=True):
        matrix[i][j] = matrix[j][i] = value
    return matrix


def _ranks(metrics: Sequence[str], p_values: Mapping[tuple[int, int], float], alpha: float) -> dict[str, int]:
    """Ranks metrics, the best first: a new rank starts if a metric of the current one is significantly better."""
    ranks: dict[str, int] = {}
    first = 0
    for index, metric in enumerate(metrics):
        if any(p_values[better, index] <= alpha for better in range(first, index)):
            first = index
        ranks[metric] = ranks[metrics[index - 1]] + (first == index) if index else 1
    return ranks
