"""Many metrics at once: the p-values of all pairs, corrected for their number, and clusters of metrics."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import counted
from metrics_framework.common.stability import deprecated
from metrics_framework.meta_evaluation.choices import CORRECTED
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, Measured
from metrics_framework.meta_evaluation.coefficients.lookup import checked_coefficient
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.differences.difference_settings import TestSettings
from metrics_framework.meta_evaluation.differences.difference_test import Compared, DifferenceTest, Tested, chosen_test
from metrics_framework.meta_evaluation.differences.measured_metrics import measured_metrics, ranked_metrics
from metrics_framework.meta_evaluation.differences.metric_clusters import (
    cluster_ranks,
    hidden_by_clusters,
    ranking_p_values,
)
from metrics_framework.meta_evaluation.differences.metric_set import MetricSet
from metrics_framework.meta_evaluation.differences.power import Power
from metrics_framework.meta_evaluation.differences.results import draws_as_json, notes_on_resamples
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.significance.multiple_testing import CORRECTIONS


@dataclass(frozen=True)
class DifferenceMatrix:
    """Metrics compared in pairs, on the cells that all of them have; NaN is undefined.

    Args:
        metrics: The metrics with a value, the best first; equal values by name.
        values: Metric to its coefficient; also the metrics that are undefined.
        p_values: The two-sided p-value of each pair, shape (metrics, metrics), NaN on the diagonal.
        adjusted: The same, corrected for the number of pairs.
        p_in_favour: The one-sided p-value in favour of the better metric of each pair, not corrected.
        ranks: Metric to the rank of its cluster, from 1.
        test: The test.
        population: The population of which the test speaks.
        permutations: The number of permutations; 0 for tests without. For ``both``, the smaller number of its parts.
        resamples: The number of bootstrap resamples; 0 for tests without.
        is_exact: Whether the p-values do not depend on the seed.
        least_p: The least two-sided p-value that is possible.
        undefined_draws: The largest number of permutations or resamples of a pair in which a coefficient is undefined.
        parts: The tests that this one combines, as ``both`` does.
        correction: The correction for multiple tests.
        alpha: The level of significance of clusters.
        shape: The numbers of systems and inputs that have cells.
        cells: The number of cells used.
        dropped: The number of cells with a human score that lack a metric.
        epsilons: For a coefficient that calibrates ε, metric to its ε.
        notes: What a reader must know.
        power: Pair of metrics, the better one first, to what the test can detect: one estimate for each test that
            ``both`` combines; empty unless requested.
        ranking: The p-values that ranks follow: ``corrected`` or ``wmt``.
    """

    metrics: tuple[str, ...]
    values: Mapping[str, float]
    p_values: Floats
    adjusted: Floats
    p_in_favour: Floats
    ranks: Mapping[str, int]
    test: str
    population: str
    permutations: int
    resamples: int
    is_exact: bool
    least_p: float
    undefined_draws: int
    parts: tuple[Tested, ...]
    correction: str
    alpha: float
    shape: tuple[int, int]
    cells: int
    dropped: int
    epsilons: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    power: Mapping[tuple[str, str], tuple[Power, ...]] = field(default_factory=dict)
    ranking: str = CORRECTED

    @property
    def arrangements(self) -> int:
        """The former name of `permutations` and `resamples`, which is deprecated."""
        deprecated("'arrangements'", "'permutations' or 'resamples'", removed_in="1.2")
        return self.permutations or self.resamples

    @property
    def ranking_p_values(self) -> Floats:
        """The p-values that ranks follow, shape (metrics, metrics)."""
        return ranking_p_values(self.ranking, self.adjusted, self.p_in_favour)

    @property
    def undefined(self) -> tuple[str, ...]:
        """The metrics without a value, which are not compared."""
        return tuple(name for name, value in self.values.items() if math.isnan(value))

    def as_json(self) -> dict[str, Any]:
        """Returns the results by name; NaN is written as ``null``."""
        power = [{"metrics": list(pair), **one.as_json()} for pair, each in self.power.items() for one in each]
        return {
            "test": self.test,
            "population": self.population,
            **draws_as_json(self),
            "correction": self.correction,
            "alpha": self.alpha,
            "ranking": self.ranking,
            "cells": self.cells,
            "dropped_cells": self.dropped,
            "metrics": [{"name": name, "value": self.values[name], "rank": self.ranks[name]} for name in self.metrics],
            "undefined": list(self.undefined),
            "epsilons": dict(self.epsilons),
            "p_values": self.p_values.tolist(),
            "adjusted_p_values": self.adjusted.tolist(),
            "p_values_in_favour_of_the_better": self.p_in_favour.tolist(),
            "notes": list(self.notes),
            **({"power": power} if power else {}),
        }


def difference_matrix(
    human: Any,
    metrics: Mapping[str, Any],
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
    ranking: str = CORRECTED,
) -> DifferenceMatrix:
    """Compares all pairs of metrics on the cells that have all scores, and groups the metrics into clusters.

    All pairs share their permutations. See `cluster_ranks` for the rule of clusters.

    Args:
        human: Human scores, shape (systems, inputs); NaN where missing.
        metrics: Metric to its scores, of the same shape, oriented so that higher is better.
        name: The coefficient.
        level: The level.
        test: The test; ``fw list tests`` shows all.
        resamples: The number of random permutations or bootstrap resamples.
        seed: The random seed.
        clusters: The cluster of each input.
        epsilon: The largest difference that is a tie, of all metrics or of each by name; as in `difference`.
        correction: The correction of the two-sided p-values: ``holm``, ``bh``, ``by`` or ``none``.
        alpha: The level of significance of clusters.
        ranking: The p-values that ranks follow: ``corrected`` for two-sided ones, corrected for the number of pairs, or
            ``wmt`` for one-sided ones in favour of the better metric, without correction.

    Raises:
        InputError: if a name is unknown, the test is invalid for the coefficient, or shapes differ.
    """
    epsilons = {key: epsilon[key] if isinstance(epsilon, Mapping) else epsilon for key in metrics}
    found, at, _ = checked_coefficient(name, level)
    options = {key: checked_coefficient(name, level, value, seed=seed)[2] for key, value in epsilons.items()}
    settings = TestSettings(test, resamples, seed, correction, alpha, ranking=ranking)
    return compare_metrics(MetricSet.of(human, metrics, clusters), found, at, options, settings)


def compare_metrics(
    scores: MetricSet,
    coefficient: Coefficient,
    level: Level,
    options: Mapping[str, CoefficientOptions],
    settings: TestSettings,
) -> DifferenceMatrix:
    """Compares all pairs of metrics by a coefficient.

    Args:
        scores: The scores; systems and inputs without cells are left out.
        coefficient: The coefficient.
        level: The level.
        options: Metric to the options of the coefficient. An ε that is `None` is calibrated here, once.
        settings: The settings of the test.

    Raises:
        InputError: if the test is unknown, or invalid for the coefficient at the level.
    """
    test = chosen_test(level, settings.test)
    scores = scores.trimmed()
    test.check(coefficient, level, clustered=scores.clusters is not None)
    compared = Compared(scores, coefficient, level, measured_metrics(scores, coefficient, level, options), settings)
    ranked = ranked_metrics({name: one.value for name, one in compared.measured.items()})
    pairs = [(i, j) for i in range(len(ranked)) for j in range(i + 1, len(ranked))]
    tested = {}
    for done, (i, j) in enumerate(pairs):
        settings.report(done, len(pairs))
        tested[i, j] = test.compare(compared, ranked[i], ranked[j])
    settings.report(len(pairs), len(pairs))
    return _matrix(compared, test, ranked, tested)


def _matrix(
    compared: Compared, test: DifferenceTest, ranked: Sequence[str], tested: Mapping[tuple[int, int], Tested]
) -> DifferenceMatrix:
    settings, every = compared.settings, list(tested.values())
    adjusted = CORRECTIONS[settings.correction]([one.p_value for one in every])
    p_values, corrected, in_favour = (
        _symmetric(len(ranked), dict(zip(tested, numbers, strict=True)))
        for numbers in ([one.p_value for one in every], adjusted, [one.p_greater for one in every])
    )
    deciding = ranking_p_values(settings.ranking, corrected, in_favour)
    ranks = cluster_ranks(deciding, settings.alpha)
    one = every[0] if every else None
    return DifferenceMatrix(
        metrics=tuple(ranked),
        values={name: found.value for name, found in compared.measured.items()},
        p_values=p_values,
        adjusted=corrected,
        p_in_favour=in_favour,
        ranks=dict(zip(ranked, ranks, strict=True)),
        test=test.name,
        population=test.population(compared.scores.shape, compared.level) if one else "",
        permutations=one.permutations if one else 0,
        resamples=one.resamples if one else 0,
        is_exact=all(found.is_exact for found in every),
        least_p=max((found.least_p for found in every), default=math.nan),
        undefined_draws=max((found.undefined_draws for found in every), default=0),
        parts=one.parts if one else (),
        correction=settings.correction,
        alpha=settings.alpha,
        shape=compared.scores.shape,
        cells=compared.scores.cells,
        dropped=compared.scores.dropped,
        epsilons=epsilons_of(compared.coefficient, compared.measured),
        notes=tuple(_notes(every, ranks, deciding, settings.alpha)),
        power=_power(ranked, tested),
        ranking=settings.ranking,
    )


def _symmetric(size: int, numbers: Mapping[tuple[int, int], float]) -> Floats:
    table = np.full((size, size), math.nan)
    for (i, j), number in numbers.items():
        table[i, j] = table[j, i] = number
    return table


def _notes(tested: Sequence[Tested], ranks: Sequence[int], p_values: Floats, alpha: float) -> list[str]:
    notes = [*dict.fromkeys(note for one in tested for note in one.notes), *notes_on_resamples(tested)]
    if hidden := hidden_by_clusters(ranks, p_values, alpha):
        notes.append(
            f"{counted(hidden, 'pair')} of metrics in different clusters do not differ significantly: significance is "
            "not transitive, see the matrix"
        )
    return notes


def _power(ranked: Sequence[str], tested: Mapping[tuple[int, int], Tested]) -> dict[tuple[str, str], tuple[Power, ...]]:
    found = {}
    for (i, j), one in tested.items():
        powers = tuple(part.power for part in one.each if part.power is not None)
        if powers:
            found[ranked[i], ranked[j]] = powers
    return found


def epsilons_of(coefficient: Coefficient, measured: Mapping[str, Measured]) -> dict[str, Any]:
    """Returns the ε of each metric, of a coefficient that calibrates it."""
    return {name: one.options.epsilon for name, one in measured.items()} if coefficient.calibrates_epsilon else {}
