"""Two metrics, or all pairs of several, compared by a test: `Difference` and `DifferenceMatrix`."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import counted
from metrics_framework.common.logs import current_work
from metrics_framework.meta_evaluation.choices import WMT, CoefficientOptions, Level
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, CoefficientValue
from metrics_framework.meta_evaluation.coefficients.lookup import checked_coefficient
from metrics_framework.meta_evaluation.differences.difference_test import (
    ComparedMetrics,
    DifferenceTest,
    Draws,
    MetricSet,
    MetricTable,
    Power,
    TestResult,
    TestSettings,
    chosen_test,
    combined_draws,
    load_test,
    measured_metrics,
    ranked_metrics,
)
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair, as_matrices
from metrics_framework.meta_evaluation.intervals import FEWEST_LEFT_OUT, jackknife_blocks
from metrics_framework.significance.confidence_level import as_fraction
from metrics_framework.significance.interval_methods import Interval, Scale, jackknife_interval
from metrics_framework.significance.multiple_testing import CORRECTIONS, RANGES, Rank, ranked

FIRST, SECOND = "metric1", "metric2"
"""The names of the two metrics in messages."""


@dataclass(frozen=True, kw_only=True)
class Difference(TestResult):
    """Two metrics compared by a test. NaN is undefined.

    Args:
        value1: The coefficient of the first metric, on the cells that all three matrices have.
        value2: The coefficient of the second metric.
        difference: The first minus the second.
        p_value: The two-sided p-value.
        permutations: The number of permutations; 0 for tests without. For ``both``, the smaller number of its parts.
        p_greater: The one-sided p-value of the alternative that the first metric has the larger coefficient.
        p_less: The one-sided p-value of the alternative that the second metric has the larger coefficient.
        test: The test.
        population: The population of which the test speaks.
        resamples: The number of bootstrap resamples; 0 for tests without.
        is_exact: Whether the p-value is exact, and does not depend on the seed.
        least_p: The least two-sided p-value that the test can have on these data.
        undefined_draws: The number of permutations or resamples in which a coefficient is undefined. A permutation test
            counts them as large, the bootstrap excludes them.
        dropped: The number of cells excluded because one or two of the three scores are missing.
        epsilons: For a coefficient that calibrates ε, that of each metric.
        notes: What a reader must know about the p-value.
        parts: The tests that this one combines, as ``both`` does.
        lower: The lower end of the interval of the difference, for the population of the test; NaN if undefined.
        upper: The upper end.
        reason: Why there is no interval, or no p-value; empty if there is.
    """

    value1: float
    value2: float
    difference: float
    lower: float = math.nan
    upper: float = math.nan
    reason: str = ""
    dropped: int = 0
    epsilons: tuple[float, float] | None = None

    @property
    def value(self) -> float:
        """The difference."""
        return self.difference

    @property
    def p_in_favour(self) -> float:
        """The one-sided p-value in favour of the metric with the larger coefficient."""
        return self.p_greater if self.difference >= 0 else self.p_less

    @property
    def monte_carlo_error(self) -> float:
        """The standard error of the p-value from drawing permutations at random; 0 if it is exact."""
        drawn = self.permutations or self.resamples
        if self.is_exact or not drawn:
            return 0.0
        return math.sqrt(self.p_value * (1 - self.p_value) / drawn)

    def as_json(self) -> dict[str, Any]:
        """Returns the results by name; NaN is written as ``null``."""
        fields = ("value1", "value2", "difference", "p_value", "p_greater", "p_less")
        result = {name: getattr(self, name) for name in fields}
        result |= {**self.draws_as_json(), "dropped_cells": self.dropped}
        if self.epsilons is not None:
            result["epsilons"] = list(self.epsilons)
        return {"test": self.test, "population": self.population, **result, "notes": list(self.notes)}


def notes_on_resamples(tested: Sequence[TestResult]) -> list[str]:
    """Returns what a reader must know of resamples that bootstrap tests left out."""
    worst = max(tested, key=lambda one: one.undefined_draws, default=None)
    if worst is None or not worst.resamples or not worst.undefined_draws:
        return []
    most = "" if len(tested) == 1 else "up to "
    return [
        f"{most}{counted(worst.undefined_draws, 'resample')} of {worst.resamples} left out, in which a coefficient is "
        "undefined"
    ]


def cluster_ranks(p_values: Sequence[Sequence[float]] | Floats, alpha: float = 0.05) -> list[int]:
    """Ranks metrics by clusters: a new one starts at a metric that any metric of the current cluster beats.

    Args:
        p_values: For metrics sorted by value, the best first, the p-value of each pair, in the upper triangle; shape
            (metrics, metrics).
        alpha: The level of significance: a metric beats another if p ≤ alpha.

    Returns:
        The rank of each metric: 1 for the first cluster, 2 for the second, and so on.

    >>> cluster_ranks([[0, 0.01, 0.3, 0.3], [0, 0, 0.01, 0.3], [0, 0, 0, 0.5], [0, 0, 0, 0]])
    [1, 2, 3, 3]
    """
    return [rank.cluster for rank in ranked(_beats(p_values, alpha))]


def _beats(p_values: Sequence[Sequence[float]] | Floats, alpha: float) -> list[list[bool]]:
    """Returns which metric of a row, the best first, is significantly better than that of a column."""
    size = range(len(p_values))
    return [[i < j and bool(p_values[i][j] <= alpha) for j in size] for i in size]


@dataclass(frozen=True, kw_only=True)
class RankedMetrics:
    """Metrics tested in pairs, and grouped into clusters. NaN is undefined.

    Args:
        metrics: The metrics with a value, the best first; equal values by name.
        p_values: The two-sided p-value of each pair, shape (metrics, metrics), NaN on the diagonal.
        adjusted: The same, corrected for the number of pairs.
        p_in_favour: The one-sided p-value in favour of the better metric of each pair, not corrected.
        ranks: Metric to its rank.
        correction: The correction for multiple tests.
        alpha: The level of significance of clusters.
        ranking: How metrics are ranked: one of `RANKINGS`.
    """

    metrics: tuple[str, ...]
    p_values: Floats
    adjusted: Floats
    p_in_favour: Floats
    ranks: Mapping[str, Rank] = field(default_factory=dict)
    correction: str
    alpha: float
    ranking: str = RANGES

    @classmethod
    def of(cls, metrics: Sequence[str], p_values: Floats, p_in_favour: Floats, settings: TestSettings) -> RankedMetrics:
        """Corrects p-values for the number of pairs, and ranks the metrics, which are sorted by value."""
        upper = np.triu_indices(len(metrics), 1)
        adjusted = np.full(p_values.shape, math.nan)
        adjusted[upper] = CORRECTIONS[settings.correction](p_values[upper].tolist())
        adjusted.T[upper] = adjusted[upper]
        found = RankedMetrics(
            metrics=tuple(metrics),
            p_values=p_values,
            adjusted=adjusted,
            p_in_favour=p_in_favour,
            correction=settings.correction,
            alpha=settings.alpha,
            ranking=settings.ranking,
        )
        ranks = ranked(_beats(found.ranking_p_values, settings.alpha))
        return replace(found, ranks=dict(zip(metrics, ranks, strict=True)))

    @property
    def is_corrected(self) -> bool:
        """Whether ranks follow two-sided p-values, corrected for the number of pairs."""
        return self.ranking != WMT

    def ranked_records(self, key: str, values: Mapping[str, float]) -> list[dict[str, Any]]:
        """Returns for each metric its value under a key, its cluster, and the best and worst rank left open."""
        return [
            {"name": name, key: values[name], "rank": rank.cluster, "best_rank": rank.best, "worst_rank": rank.worst}
            for name, rank in self.ranks.items()
        ]

    @property
    def ranking_p_values(self) -> Floats:
        """The p-values that ranks follow, shape (metrics, metrics)."""
        return self.adjusted if self.is_corrected else self.p_in_favour


@dataclass(frozen=True, kw_only=True)
class DifferenceMatrix(RankedMetrics, Draws):
    """Metrics compared in pairs, each pair on the cells that both have; NaN is undefined.

    Args:
        metrics: The metrics with a value, the best first; equal values by name.
        values: Metric to its coefficient; also the metrics that are undefined.
        p_values: The two-sided p-value of each pair, shape (metrics, metrics), NaN on the diagonal.
        adjusted: The same, corrected for the number of pairs.
        p_in_favour: The one-sided p-value in favour of the better metric of each pair, not corrected.
        ranks: Metric to its rank.
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
        shape: The numbers of systems and inputs of the pair with the most cells.
        cells: The number of cells that all metrics have.
        dropped: The number of cells with a human score that lack a metric.
        epsilons: For a coefficient that calibrates ε, metric to its ε.
        cells_of_pairs: Pair of metrics, the better one first, to the number of cells that both have, and on which they
            are compared; empty if all metrics have the same cells.
        notes: What a reader must know.
        tested: Pair of metrics, the better one first, to the result of its test.
        ranking: How metrics are ranked: one of `RANKINGS`.
    """

    values: Mapping[str, float]
    shape: tuple[int, int]
    cells: int
    dropped: int
    epsilons: Mapping[str, Any]
    cells_of_pairs: Mapping[tuple[str, str], int] = field(default_factory=dict)
    tested: Mapping[tuple[str, str], TestResult] = field(default_factory=dict)

    def of_pair(self, first: int, second: int) -> TestResult:
        """Returns the result of the test of two metrics, given their indices."""
        i, j = sorted((first, second))
        return self.tested[self.metrics[i], self.metrics[j]]

    @property
    def power(self) -> dict[tuple[str, str], tuple[Power, ...]]:
        """Pair of metrics to what the test can detect: an estimate for each test that ``both`` combines, if wanted."""
        found = {
            pair: tuple(part.power for part in one.parts or (one,) if part.power is not None)
            for pair, one in self.tested.items()
        }
        return {pair: of_pair for pair, of_pair in found.items() if of_pair}

    @property
    def undefined(self) -> tuple[str, ...]:
        """The metrics without a value, which are not compared."""
        return tuple(name for name, value in self.values.items() if math.isnan(value))

    def as_json(self) -> dict[str, Any]:
        """Returns the results by name; NaN is written as ``null``."""
        pairs = [{"metrics": list(pair), "cells": cells} for pair, cells in self.cells_of_pairs.items()]
        power = [{"metrics": list(pair), **one.as_json()} for pair, each in self.power.items() for one in each]
        return {
            "test": self.test,
            "population": self.population,
            **self.draws_as_json(),
            "correction": self.correction,
            "alpha": self.alpha,
            "ranking": self.ranking,
            "cells": self.cells,
            "dropped_cells": self.dropped,
            **({"cells_of_pairs": pairs} if pairs else {}),
            "metrics": self.ranked_records("value", self.values),
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
    correct: str = "holm",
    alpha: float = 0.05,
    ranking: str = RANGES,
) -> DifferenceMatrix:
    """Compares all pairs of metrics, each on the cells that have both scores, and groups the metrics into clusters.

    Metrics are sorted by their value on all of their cells. Pairs with the same cells share their permutations. See
    `cluster_ranks` for the rule of clusters.

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
        correct: The correction of the two-sided p-values: ``holm``, ``bh``, ``by`` or ``none``.
        alpha: The level of significance of clusters.
        ranking: ``wmt`` for clusters by one-sided p-values in favour of the better metric, without correction.

    Raises:
        InputError: if a name is unknown, the test is invalid for the coefficient, or shapes differ.
    """
    epsilons = {key: epsilon[key] if isinstance(epsilon, Mapping) else epsilon for key in metrics}
    found, at, _ = checked_coefficient(name, level)
    options = {key: checked_coefficient(name, level, value, seed=seed)[2] for key, value in epsilons.items()}
    settings = TestSettings(test, resamples, seed, correct, alpha, ranking=ranking)
    return compare_metrics(MetricTable(human, metrics, clusters), found, at, options, settings)


def compare_metrics(
    table: MetricTable,
    coefficient: Coefficient,
    level: Level,
    options: Mapping[str, CoefficientOptions],
    settings: TestSettings,
) -> DifferenceMatrix:
    """Compares all pairs of metrics by a coefficient, each on the cells that both have.

    Args:
        table: The scores.
        coefficient: The coefficient.
        level: The level.
        options: Metric to the options of the coefficient. An ε that is `None` is calibrated here, once for each set of
            cells.
        settings: The settings of the test.

    Raises:
        InputError: if the test is unknown, or invalid for the coefficient at the level.
    """
    test = chosen_test(level, settings.test)
    test.check(coefficient, level, clustered=table.clusters is not None)
    kinds = table.kinds()
    sets: dict[frozenset[int], ComparedMetrics] = {}

    def compared(*names: str) -> ComparedMetrics:
        key = frozenset(kinds[name] for name in names)
        if key not in sets:  # metrics with the same cells share their permutations
            scores = table.of(name for name in table.metrics if kinds[name] in key).trimmed()
            scores, measured = measured_metrics(scores, coefficient, level, options)
            sets[key] = ComparedMetrics(scores, coefficient, level, measured, settings)
        return sets[key]

    measured = {name: compared(name).measured[name] for name in table.metrics}
    ranked = ranked_metrics({name: one.value for name, one in measured.items()})
    current_work().start()
    joint = table.of(table.metrics).trimmed()
    tested, cells, widest = {}, {}, joint
    tables = np.full((2, len(ranked), len(ranked)), math.nan)
    for i, j in combinations(range(len(ranked)), 2):
        pair = compared(ranked[i], ranked[j])
        if not any(math.isnan(pair.measured[name].value) for name in (ranked[i], ranked[j])):
            tested[i, j] = replace(test.compare(pair, ranked[i], ranked[j]), draws=None)
        else:
            tested[i, j] = TestResult(math.nan, math.nan, math.nan, test=test.name)
        tables[:, i, j] = tables[:, j, i] = tested[i, j].p_value, tested[i, j].p_greater
        cells[ranked[i], ranked[j]] = int(np.count_nonzero(pair.scores.present))
        widest = max(widest, pair.scores, key=lambda scores: int(np.count_nonzero(scores.present)))
        current_work().advance()
    pairs, every = RankedMetrics.of(ranked, tables[0], tables[1], settings), list(tested.values())
    return DifferenceMatrix(
        **vars(pairs),
        **combined_draws(every),
        values={name: found.value for name, found in measured.items()},
        test=test.name,
        population=test.population(widest.shape, level) if every else "",
        parts=every[0].parts if every else (),
        shape=widest.shape,
        cells=int(np.count_nonzero(joint.present)),
        cells_of_pairs=cells if len({*kinds.values()}) > 1 else {},
        dropped=joint.dropped,
        epsilons=epsilons_of(coefficient, measured),
        notes=tuple(_notes(pairs, tested)),
        tested={(ranked[i], ranked[j]): found for (i, j), found in tested.items()},
    )


def _notes(pairs: RankedMetrics, tested: Mapping[tuple[int, int], TestResult]) -> list[str]:
    every = list(tested.values())
    notes = [*dict.fromkeys(note for found in every for note in found.notes), *notes_on_resamples(every)]
    ranks, deciding = [one.cluster for one in pairs.ranks.values()], pairs.ranking_p_values
    hidden = sum(not deciding[i, j] <= pairs.alpha for i, j in tested if ranks[i] != ranks[j])
    if hidden and pairs.ranking != RANGES:
        notes.append(
            f"{counted(hidden, 'pair')} of metrics in different clusters do not differ significantly: significance is "
            "not transitive, see the matrix"
        )
    return notes


def epsilons_of(coefficient: Coefficient, measured: Mapping[str, CoefficientValue]) -> dict[str, Any]:
    """Returns the ε of each metric, of a coefficient that calibrates it."""
    return {name: one.options.epsilon for name, one in measured.items()} if coefficient.calibrates_epsilon else {}


def difference(
    human: Any,
    metric1: Any,
    metric2: Any,
    name: str,
    *,
    level: str,
    test: str,
    resamples: int = 1000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
    epsilon: float | tuple[float, float] = 0.0,
    confidence: float = 95,
    draws: bool = False,
) -> Difference:
    """Tests whether two metrics differ in their coefficient of agreement with human scores.

    A permutation test exchanges the scores of the two metrics for whole inputs (``inputs``: it speaks of other inputs
    for these systems), for whole systems (``systems``) or for single cells (``cells``). ``both`` is the larger of the
    p-values of ``inputs`` and ``systems``. If there are at most ``resamples`` permutations, all are enumerated, and p
    is the share of them in which the difference is as large as the observed one; otherwise p = (count + 1) /
    (resamples + 1). Both metrics are standardized first.

    Args:
        human: Human scores, shape (systems, inputs), NaN where missing; vectors and different inputs as in
            `coefficient`.
        metric1: Scores of the first metric, of the same shape.
        metric2: Scores of the second metric.
        name: The coefficient; ``fw list coefficients`` shows all.
        level: ``input``, ``system``, ``global`` or ``within-system``.
        test: The test; ``fw list tests`` shows all.
        resamples: The number of random permutations or bootstrap resamples.
        seed: The random seed.
        clusters: The cluster of each input; inputs of one cluster are swapped or drawn together.
        epsilon: The largest difference that is a tie, of both metrics or of each, for ``acc-23`` and the like; for
            ``kendall-like``, the least difference of human scores that counts. ``acc-eq`` calibrates it.
        confidence: The level of the interval, which is a jackknife over the units of the test, in percent or as a
            fraction.
        draws: Whether to return the difference in each permutation or resample.

    Raises:
        InputError: if a name is unknown, the test is invalid for the coefficient, or shapes differ.

    >>> human = [[3, 1, 4, 1, 5, 2], [2, 2, 3, 3, 4, 1], [5, 3, 4, 2, 5, 4], [1, 2, 2, 1, 3, 1]]
    >>> metric = [[3, 1, 4, 2, 5, 2], [2, 1, 3, 3, 5, 1], [5, 3, 4, 2, 6, 4], [1, 1, 2, 1, 3, 1]]
    >>> other = [[1, 1, 4, 2, 3, 2], [2, 1, 2, 3, 5, 1], [5, 3, 1, 2, 4, 4], [1, 3, 2, 1, 3, 1]]
    >>> difference(human, metric, other, "pearson", level="input", test="inputs").p_value
    0.125
    """
    scores, at = paired_scores(human, metric1, metric2, clusters, level)
    found = difference_by(load_test(test), scores, name, at, TestSettings(test, resamples, seed), epsilon, confidence)
    return found if draws else replace(found, draws=None)


def difference_by(
    test: DifferenceTest,
    scores: MetricSet,
    name: str,
    level: str,
    settings: TestSettings,
    epsilon: float | tuple[float, float] = 0.0,
    confidence: float = 95,
) -> Difference:
    """Compares two metrics by a test, as `difference` does, with its draws."""
    found, at, _ = checked_coefficient(name, level)
    epsilons = epsilon if isinstance(epsilon, tuple) else (epsilon, epsilon)
    options = {
        metric: checked_coefficient(name, level, value, seed=settings.seed)[2]
        for metric, value in zip((FIRST, SECOND), epsilons, strict=True)
    }
    test.check(found, at, clustered=scores.clusters is not None)
    scores, measured = measured_metrics(scores, found, at, options)
    compared = ComparedMetrics(scores, found, at, measured, settings)
    first, second = (compared.measured[metric].value for metric in (FIRST, SECOND))
    undefined = TestResult(math.nan, math.nan, math.nan, test=test.name, population=test.population(scores.shape, at))
    tested = undefined if math.isnan(first - second) else test.compare(compared, FIRST, SECOND)
    calibrated, ends = epsilons_of(found, compared.measured), _interval(compared, test, confidence)
    return Difference(
        **{**vars(tested), "notes": (*tested.notes, *notes_on_resamples([tested]))},
        value1=first,
        value2=second,
        difference=first - second,
        lower=ends.lower,
        upper=ends.upper,
        reason=ends.reason,
        dropped=scores.incomplete,
        epsilons=(calibrated[FIRST], calibrated[SECOND]) if calibrated and tested is not undefined else None,
    )


def _interval(compared: ComparedMetrics, test: DifferenceTest, confidence: float) -> Interval:
    """Returns the interval of the difference of two metrics for the population of a test, by a jackknife."""
    first, second = (one.value for one in compared.measured.values())
    difference = first - second
    if math.isnan(difference):
        return Interval(difference, reason="a coefficient is undefined")
    over = test.interval_over
    if not over or (over == "systems" and compared.scores.shape[0] < FEWEST_LEFT_OUT):
        reason = f"there are fewer than {FEWEST_LEFT_OUT} systems" if over else f"'{test.name}' has no interval"
        return Interval(difference, reason=reason)
    sides = []
    for name, one in compared.measured.items():
        pair = ScorePair(compared.scores.human, compared.scores.metrics[name])
        blocks = jackknife_blocks(over, compared.scores.shape, compared.scores.clusters)
        resampled = (compared.coefficient.resampled(pair, compared.level, *block, one.options) for block in blocks)
        sides.append(np.concatenate([*resampled]))
    least, largest = compared.coefficient.range
    scale = Scale.linear(least - largest, largest - least)
    return jackknife_interval(difference, sides[0] - sides[1], (1 - as_fraction(confidence)) / 2, scale)


def paired_scores(
    human: Any, metric1: Any, metric2: Any, clusters: Sequence[Hashable] | None = None, level: str = "global"
) -> tuple[MetricSet, str]:
    """Keeps the cells that two metrics and human scores share; returns the level, which is ``system`` for vectors.

    Raises:
        InputError: if a matrix is invalid, or shapes differ.
    """
    (people, first, second), level = as_matrices((human, metric1, metric2), level)
    return MetricSet.of(people, {FIRST: first, SECOND: second}, clusters), level
