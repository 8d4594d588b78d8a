"""Many metrics at once: the p-values of all pairs, corrected for their number, and clusters of metrics."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics_framework.common.errors import InputError
from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.coefficients.checks import checked_choice, checked_coefficient, checked_scores
from metrics_framework.meta_evaluation.differences.metric_clusters import cluster_ranks, hidden_by_clusters
from metrics_framework.meta_evaluation.differences.paired_scores import PairedScores
from metrics_framework.meta_evaluation.differences.results import Difference
from metrics_framework.meta_evaluation.differences.single import TestSettings, compared, measured
from metrics_framework.meta_evaluation.names import TESTS, Coefficient
from metrics_framework.significance.arrays import Floats
from metrics_framework.significance.multiple_testing import CORRECTIONS


@dataclass(frozen=True)
class DifferenceMatrix:
    """Metrics compared in pairs, on the cells that all of them have; NaN is undefined.

    Args:
        metrics: The metrics with a value, the best first; equal values by name.
        values: Metric to its coefficient; also the metrics that are undefined.
        p_values: The two-sided p-value of each pair, shape (metrics, metrics), NaN on the diagonal.
        adjusted: The same, corrected for the number of pairs.
        p_in_favour: The one-sided p-value in favour of the better metric of each pair, which decides on clusters.
        ranks: Metric to the rank of its cluster, from 1.
        test: The test.
        population: The population of which the test speaks.
        arrangements: The number of arrangements or resamples; 0 if a formula gives the p-values.
        is_exact: Whether the p-values do not depend on the seed.
        least_p: The least two-sided p-value that is possible.
        correction: The correction for multiple tests.
        alpha: The level of significance of clusters.
        cells: The number of cells used.
        dropped: The number of cells with a human score that lack a metric.
        epsilons: For ``acc-eq``, metric to its ε.
        notes: What a reader must know.
    """

    metrics: tuple[str, ...]
    values: Mapping[str, float]
    p_values: Floats
    adjusted: Floats
    p_in_favour: Floats
    ranks: Mapping[str, int]
    test: str
    population: str
    arrangements: int
    is_exact: bool
    least_p: float
    correction: str
    alpha: float
    cells: int
    dropped: int
    epsilons: Mapping[str, float]
    notes: tuple[str, ...] = ()

    @property
    def undefined(self) -> tuple[str, ...]:
        """The metrics without a value, which are not compared."""
        return tuple(name for name, value in self.values.items() if math.isnan(value))

    def as_json(self) -> dict[str, Any]:
        """Returns the results by name; NaN is written as ``null``."""
        return {
            "test": self.test,
            "population": self.population,
            "arrangements": self.arrangements,
            "is_exact": self.is_exact,
            "least_p": self.least_p,
            "correction": self.correction,
            "alpha": self.alpha,
            "cells": self.cells,
            "dropped_cells": self.dropped,
            "metrics": [{"name": name, "value": self.values[name], "rank": self.ranks[name]} for name in self.metrics],
            "undefined": list(self.undefined),
            "epsilons": dict(self.epsilons),
            "p_values": self.p_values.tolist(),
            "adjusted_p_values": self.adjusted.tolist(),
            "p_values_in_favour_of_the_better": self.p_in_favour.tolist(),
            "notes": list(self.notes),
        }


def difference_matrix(
    human: npt.ArrayLike,
    metrics: Mapping[str, npt.ArrayLike],
    name: str,
    *,
    level: str,
    test: str,
    resamples: int = 1000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
    epsilon: float | Mapping[str, float] = 0.0,
    correction: str = "holm",
    alpha: float = 0.05,
) -> DifferenceMatrix:
    """Compares all pairs of metrics on the cells that have all scores, and groups the metrics into clusters.

    All pairs share their arrangements. Clusters follow the one-sided p-values in favour of the better metric, without
    correction; see `cluster_ranks`.

    Args:
        human: Human scores, shape (systems, inputs); NaN where missing.
        metrics: Metric to its scores, of the same shape, oriented so that higher is better.
        name: The coefficient.
        level: The level.
        test: The test.
        resamples: The number of random arrangements or bootstrap resamples.
        seed: The random seed.
        clusters: The cluster of each input.
        epsilon: The largest difference that is a tie, of all metrics or of each by name; as in `difference`.
        correction: The correction of the two-sided p-values: ``holm``, ``bh``, ``by`` or ``none``.
        alpha: The level of significance of clusters.

    Raises:
        InputError: if a name is unknown, or the matrices do not have the same shape.
    """
    epsilons = {key: epsilon[key] if isinstance(epsilon, Mapping) else epsilon for key in metrics}
    coefficient_name, at = checked_coefficient(name, level, max(epsilons.values(), default=0.0))
    settings = TestSettings(checked_choice(test, TESTS, "test"), resamples, seed, clusters)
    adjust = CORRECTIONS[checked_choice(correction, tuple(CORRECTIONS), "correction")]
    if not 0 < alpha < 1:
        raise InputError(f"'alpha' must be between 0 and 1, got {alpha}")
    people, scores, dropped = joint(human, metrics)
    found = {key: measured(people, values, coefficient_name, at, seed, epsilons[key]) for key, values in scores.items()}
    ranked = sorted((key for key in scores if not math.isnan(found[key][0])), key=lambda key: (-found[key][0], key))
    drawn = settings.drawn((people.shape[0], people.shape[1]))
    pairs = {
        (i, j): compared(
            PairedScores.of(people, scores[ranked[i]], scores[ranked[j]]),
            coefficient_name,
            at,
            settings,
            (found[ranked[i]], found[ranked[j]]),
            drawn,
        )
        for i in range(len(ranked))
        for j in range(i + 1, len(ranked))
    }
    return _matrix(
        ranked,
        found,
        pairs,
        settings,
        adjust([pair.p_value for pair in pairs.values()]),
        correction,
        alpha,
        coefficient_name,
        people,
        dropped,
    )


def joint(human: npt.ArrayLike, metrics: Mapping[str, npt.ArrayLike]) -> tuple[Floats, dict[str, Floats], int]:
    """Keeps the cells that have the human score and all metrics.

    Returns:
        The human scores, the metrics, and the number of cells with a human score that lack a metric.

    Raises:
        InputError: if a matrix is invalid, or shapes differ.
    """
    people = checked_scores(human, "human")
    scores = {key: checked_scores(values, key) for key, values in metrics.items()}
    for key, values in scores.items():
        if values.shape != people.shape:
            raise InputError(f"'{key}' must have the shape of the human scores {people.shape}, got {values.shape}")
    missing = np.isnan([people, *scores.values()]).any(axis=0)
    kept = {key: np.where(missing, np.nan, values) for key, values in scores.items()}
    return np.where(missing, np.nan, people), kept, int((missing & ~np.isnan(people)).sum())


def _matrix(
    ranked: Sequence[str],
    found: Mapping[str, tuple[float, float]],
    pairs: Mapping[tuple[int, int], Difference],
    settings: TestSettings,
    adjusted: Sequence[float],
    correction: str,
    alpha: float,
    name: Coefficient,
    people: Floats,
    dropped: int,
) -> DifferenceMatrix:
    shape = (len(ranked), len(ranked))
    tables = [np.full(shape, math.nan) for _ in range(3)]
    for ((i, j), pair), corrected in zip(pairs.items(), adjusted, strict=True):
        for table, p in zip(tables, (pair.p_value, corrected, pair.p_greater), strict=True):
            table[i, j] = table[j, i] = p
    ranks = cluster_ranks(tables[2], alpha)
    one = next(iter(pairs.values()), None)
    notes = list(one.notes) if one else []
    if hidden := hidden_by_clusters(ranks, tables[2], alpha):
        notes.append(
            f"{counted(hidden, 'pair')} of metrics in different clusters do not differ significantly: significance is "
            "not transitive, see the matrix"
        )
    return DifferenceMatrix(
        metrics=tuple(ranked),
        values={key: value for key, (value, _) in found.items()},
        p_values=tables[0],
        adjusted=tables[1],
        p_in_favour=tables[2],
        ranks=dict(zip(ranked, ranks, strict=True)),
        test=settings.test,
        population=one.population if one else "",
        arrangements=one.arrangements if one else 0,
        is_exact=all(pair.is_exact for pair in pairs.values()),
        least_p=max((pair.least_p for pair in pairs.values()), default=math.nan),
        correction=correction,
        alpha=alpha,
        cells=int((~np.isnan(people)).sum()),
        dropped=dropped,
        epsilons={key: epsilon for key, (_, epsilon) in found.items()} if name == "acc-eq" else {},
        notes=tuple(notes),
    )
