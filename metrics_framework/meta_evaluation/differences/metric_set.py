"""`MetricSet`: human scores and several metrics on the cells that all of them have."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.checks import checked_scores
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, Measured
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair, without_small_groups
from metrics_framework.meta_evaluation.sums.swaps import CommonScale, scale_of, standardized


@dataclass(frozen=True)
class MetricSet:
    """Human scores and several metrics, with NaN in the same cells.

    Args:
        human: The human scores, shape (systems, inputs).
        metrics: Metric to its scores, of the same shape.
        clusters: The cluster of each input; `None` if each is a separate cluster.
        dropped: The number of cells with a human score that were dropped because they lack a metric.
        incomplete: The number of cells that were dropped because they have some but not all scores.
    """

    human: Floats
    metrics: Mapping[str, Floats]
    clusters: Sequence[Hashable] | None = None
    dropped: int = 0
    incomplete: int = 0
    _common: dict[str, CommonScale] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, human: Any, metrics: Mapping[str, Any], clusters: Sequence[Hashable] | None = None) -> MetricSet:
        """Keeps the cells that have the human score and all metrics, then the systems and inputs that have such cells.

        Args:
            human: The human scores, shape (systems, inputs); NaN where missing.
            metrics: Metric to its scores, of the same shape.
            clusters: The cluster of each input.

        Raises:
            InputError: if a matrix is invalid, or shapes differ.

        >>> scores = MetricSet.of([[1, 2, 3], [3, 1, np.nan]], {"a": [[1, np.nan, 2], [2, np.nan, 3]]})
        >>> scores.shape, scores.dropped
        ((2, 2), 2)
        """
        people = checked_scores(human, "human")
        scores = {name: checked_scores(values, name) for name, values in metrics.items()}
        for name, values in scores.items():
            if values.shape != people.shape:
                raise InputError(f"'{name}' must have the shape of the human scores {people.shape}, got {values.shape}")
        if clusters is not None and len(clusters) != people.shape[1]:
            raise InputError(
                f"'clusters' must have one label for each of the {people.shape[1]} inputs, got {len(clusters)}"
            )
        missing = np.isnan([people, *scores.values()])
        some, none = missing.any(axis=0), missing.all(axis=0)
        every = cls(
            np.where(some, np.nan, people),
            {name: np.where(some, np.nan, values) for name, values in scores.items()},
            clusters,
            int((some & ~missing[0]).sum()),
            int((some & ~none).sum()),
        )
        return every.trimmed()

    def unit(self, kind: str) -> str:
        """Names the units of a test in the plural: clusters instead of ``inputs`` if there are any."""
        return "clusters" if kind == "inputs" and self.clusters is not None else kind

    @property
    def present(self) -> Bools:
        """Which cells have all scores, shape (systems, inputs)."""
        return ~np.isnan(self.human)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of systems and inputs."""
        return self.human.shape[0], self.human.shape[1]

    @property
    def cells(self) -> int:
        """The number of cells with all scores."""
        return int(np.count_nonzero(self.present))

    def standardized(self, metric: str) -> CommonScale:
        """Returns a metric standardized over all cells, computed once."""
        if metric not in self._common:
            values = self.metrics[metric]
            self._common[metric] = CommonScale(standardized(values), scale_of(values))
        return self._common[metric]

    def unchanged(self, metric: str) -> CommonScale:
        """Returns a metric as it is, for coefficients that depend on its scale."""
        return CommonScale(self.metrics[metric], 1.0)

    def trimmed(self) -> MetricSet:
        """Drops the systems and the inputs without cells."""
        present = self.present
        rows, columns = np.asarray(present.any(axis=1)), np.asarray(present.any(axis=0))
        if rows.all() and columns.all():
            return self
        clusters = self.clusters
        if clusters is not None:
            clusters = [label for label, kept in zip(clusters, columns.tolist(), strict=True) if kept]
        return replace(
            self,
            human=self.human[rows][:, columns],
            metrics={name: values[rows][:, columns] for name, values in self.metrics.items()},
            clusters=clusters,
            _common={},
        )

    def masked(self, level: Level, min_group: int) -> MetricSet:
        """Leaves out the groups of a level that have too few outputs; the shape stays.

        Args:
            level: The level; groups are inputs at the level ``input``, systems at ``within-system``.
            min_group: The least number of outputs of a group.
        """
        human = without_small_groups(self.human, level, min_group)
        small = np.isnan(human) & self.present
        if not small.any():
            return self
        metrics = {name: np.where(small, np.nan, values) for name, values in self.metrics.items()}
        return replace(self, human=human, metrics=metrics, _common={})

    def only(self, metrics: Sequence[str]) -> MetricSet:
        """Keeps some of the metrics, on the same cells."""
        return replace(self, metrics={name: self.metrics[name] for name in metrics})


def measured_metrics(
    scores: MetricSet, coefficient: Coefficient, level: Level, options: Mapping[str, CoefficientOptions]
) -> dict[str, Measured]:
    """Computes the coefficient of each metric; ε is calibrated here, once, unless it is given.

    Args:
        scores: The scores.
        coefficient: The coefficient.
        level: The level.
        options: Metric to the options of the coefficient.
    """
    return {
        name: coefficient.measure(ScorePair(scores.human, values), level, options[name])
        for name, values in scores.metrics.items()
    }


def ranked_metrics(values: Mapping[str, float]) -> list[str]:
    """Returns the metrics with a value, the best first; equal values by name.

    >>> ranked_metrics({"b": 0.5, "a": 0.5, "c": float("nan"), "d": 0.7})
    ['d', 'a', 'b']
    """
    return sorted((name for name in values if not math.isnan(values[name])), key=lambda name: (-values[name], name))
