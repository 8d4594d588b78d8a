"""Comparisons of metrics on the outputs that all of them have: tests of differences, and ranks."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, cast

from metrics_framework.meta_evaluation.correlation.coefficient_values import epsilon_at
from metrics_framework.meta_evaluation.correlation.settings import DEFAULT, StudySettings, TieSettings
from metrics_framework.meta_evaluation.differences.matrices import DifferenceMatrix, difference_matrix
from metrics_framework.meta_evaluation.differences.power import Power, Unit, detectable_difference
from metrics_framework.meta_evaluation.scores.score_columns import ScoreColumns
from metrics_framework.significance.arrays import Floats


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
    """

    human: str
    human_scores: Floats
    metrics: Mapping[str, Floats]
    negated: Sequence[str]
    systems: Sequence[str]
    inputs: Sequence[str]


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
    joint = columns.restricted(columns.cells((human,)))
    negated = [name for name in metrics if directions.get(name) is False]
    return JointScores(
        human=human,
        human_scores=joint.scores[human],
        metrics={name: -joint.scores[name] if name in negated else joint.scores[name] for name in metrics},
        negated=negated,
        systems=joint.systems,
        inputs=joint.inputs,
    )


@dataclass(frozen=True)
class Comparison:
    """Metrics compared by one coefficient at one level.

    Args:
        human: The human score.
        level: The level.
        coefficient: The coefficient.
        found: Values, p-values and ranks of the metrics, of scores oriented so that higher is better.
        negated: Metrics whose scores were negated, because lower is better.
        num_systems: The number of systems.
        num_inputs: The number of inputs.
        power: Pairs of metrics, the better one first, to what the test can detect; empty unless requested.
    """

    human: str
    level: str
    coefficient: str
    found: DifferenceMatrix
    negated: Sequence[str]
    num_systems: int
    num_inputs: int
    power: Mapping[tuple[str, str], Power] = field(default_factory=dict)

    def label(self, metric: str) -> str:
        """Returns the name of a metric as it was compared: with a minus sign if its scores were negated."""
        return f"-{metric}" if metric in self.negated else metric

    def as_json(self) -> dict[str, Any]:
        """Returns the comparison as it appears in the JSON file."""
        where = {"metric2": self.human, "level": self.level, "coefficient": self.coefficient}
        size = {"num_systems": self.num_systems, "num_inputs": self.num_inputs, "negated": list(self.negated)}
        power = [{"metrics": list(pair), **asdict(found)} for pair, found in self.power.items()]
        return {**where, **size, **self.found.as_json(), **({"power": power} if power else {})}

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
                "rank1": found.ranks[found.metrics[i]],
                "rank2": found.ranks[found.metrics[j]],
                "p_value": float(found.p_values[i, j]),
                "adjusted_p_value": float(found.adjusted[i, j]),
                "test": found.test,
                "population": found.population,
            }
            for i in range(len(found.metrics))
            for j in range(i + 1, len(found.metrics))
        ]


def compare(
    scores: JointScores,
    name: str,
    level: str,
    settings: StudySettings,
    clusters: Sequence[Hashable] | None = None,
    ties: Mapping[str, TieSettings] | None = None,
) -> Comparison:
    """Compares all pairs of metrics by a coefficient.

    Args:
        scores: The scores of the outputs that have all of them.
        name: The coefficient.
        level: The level.
        settings: The settings of the study.
        clusters: The cluster of each input.
        ties: Metric to what counts as a tie; by default as in the settings.
    """
    epsilons = {metric: epsilon_at(name, level, (ties or {}).get(metric, settings.ties)) for metric in scores.metrics}
    is_given = name == "acc-eq" and all(level in (ties or {}).get(one, settings.ties).epsilons for one in epsilons)
    found = difference_matrix(
        scores.human_scores,
        scores.metrics,
        "acc-23" if is_given else name,
        level=level,
        epsilon=epsilons if is_given or name != "acc-eq" else 0.0,
        test=chosen_test(settings.comparison.test, name, level),
        resamples=settings.interval.resamples,
        seed=settings.interval.seed,
        clusters=clusters,
        correction=settings.comparison.correction,
        alpha=settings.comparison.alpha,
    )
    size = len(scores.systems), len(scores.inputs)
    power = _power(scores, found, name, level, settings, clusters) if settings.comparison.power else {}
    return Comparison(scores.human, level, name, found, scores.negated, *size, power)


def _power(
    scores: JointScores,
    found: DifferenceMatrix,
    name: str,
    level: str,
    settings: StudySettings,
    clusters: Sequence[Hashable] | None,
) -> dict[tuple[str, str], Power]:
    """Estimates what a test of inputs or systems can detect for each pair of metrics."""
    unit = "systems" if chosen_test(settings.comparison.test, name, level).endswith("systems") else "inputs"
    return {
        (first, second): detectable_difference(
            scores.human_scores,
            scores.metrics[first],
            scores.metrics[second],
            name,
            level=level,
            test=cast("Unit", unit),
            alpha=settings.comparison.alpha,
            resamples=settings.interval.resamples,
            seed=settings.interval.seed,
            clusters=clusters,
        )
        for index, first in enumerate(found.metrics)
        for second in found.metrics[index + 1 :]
    }


def chosen_test(test: str, name: str, level: str) -> str:
    """Returns the test of a coefficient at a level: by default, the one that is valid there.

    >>> chosen_test("default", "pearson", "input"), chosen_test("default", "spa", "system")
    ('inputs', 'systems')
    """
    if test != DEFAULT:
        return test
    return "systems" if level == "system" else "inputs"
