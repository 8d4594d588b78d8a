"""Tests that swap scores of two metrics, or draw them with replacement, and the differences after swaps.

The differences between the coefficients of two metrics in all permutations are the null distribution. What all
coefficients share is fast: means over groups that swap as a whole, and means of systems. A coefficient may add a faster
way, `Coefficient.swapped_differences`; any other is computed from swapped scores.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import counted
from metrics_framework.common.logs import current_work
from metrics_framework.common.overriding import overrides
from metrics_framework.data.sums import rounding_error
from metrics_framework.meta_evaluation.choices import CoefficientOptions, Level, Population
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, GroupCoefficient
from metrics_framework.meta_evaluation.differences.difference_test import (
    RESAMPLING_METHODS,
    ROUNDING,
    ComparedMetrics,
    DifferenceTest,
    MetricSet,
    PowerEstimator,
    TestResult,
    TestSettings,
    combined_draws,
)
from metrics_framework.meta_evaluation.groups.moments import system_means, without_rounding
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair, Weights, mean_over_groups
from metrics_framework.meta_evaluation.groups.swaps import (
    Permutations,
    SignSource,
    Swaps,
    once_per_draw,
    scale_of,
    standardized,
)
from metrics_framework.meta_evaluation.groups.weighted_groups import MAX_ROWS_OF_PAIRS, row_groups
from metrics_framework.meta_evaluation.intervals import bootstrap_blocks
from metrics_framework.significance.clusters import Clusters

MIN_SYSTEMS = 6
"""With fewer systems, there are fewer than 64 permutations."""


class PermutationTest(DifferenceTest):
    """A test that swaps scores of two metrics, which are standardized first.

    p is the proportion of permutations in which the difference is at least as large as the observed one. If there are
    at most as many permutations as `TestSettings.resamples`, all are enumerated, and p is exact; otherwise some are
    drawn, and p = (count + 1) / (permutations + 1). An undefined difference counts as large.

    Attributes:
        unit: What swaps independently, in the plural.
        population_of_data_sets: The population of which the test speaks if there are several data sets.
    """

    citation: ClassVar[str] = RESAMPLING_METHODS
    unit: ClassVar[str]
    population_of_data_sets: ClassVar[str]

    @abstractmethod
    def units(self, systems: int, clusters: int) -> int:
        """Returns how many units swap independently.

        Args:
            systems: The number of systems.
            clusters: The number of clusters of inputs.
        """

    @abstractmethod
    def arranged(self, source: SignSource, systems: int, clusters: Clusters) -> Permutations:
        """Returns permutations, from the signs of units.

        Args:
            source: The signs.
            systems: The number of systems.
            clusters: The clusters of inputs, which swap together.
        """

    def notes(self, permutations: Permutations, shape: tuple[int, int]) -> tuple[str, ...]:
        """Returns what a reader must know about p-values from these permutations."""
        return ()

    def draw(
        self, scores: Sequence[MetricSet], settings: TestSettings, seeds: Sequence[int], *, enumerate_all: bool = True
    ) -> list[Permutations]:
        """Enumerates all permutations of some data sets if there are at most as many as resamples; else draws some.

        Data sets swap independently, and inputs of one cluster together.

        Args:
            scores: The data sets.
            settings: The number of permutations to draw.
            seeds: The seed of each data set.
            enumerate_all: Whether to enumerate them if there are few.
        """
        clusters = [Clusters.of(one.clusters, one.shape[1]) for one in scores]
        units = [self.units(one.shape[0], of_inputs.count) for one, of_inputs in zip(scores, clusters, strict=True)]
        sources = SignSource.of_each(units, settings.resamples, seeds, enumerate_all=enumerate_all)
        return [
            self.arranged(source, one.shape[0], of_inputs)
            for source, one, of_inputs in zip(sources, scores, clusters, strict=True)
        ]

    @overrides
    def compare(self, compared: ComparedMetrics, first: str, second: str) -> TestResult:
        swaps = compared.once(self.name, lambda: self._swaps(compared))
        trials = null_differences(compared.coefficient, swaps, first, second)
        values, drawn = (compared.measured[first].value, compared.measured[second].value), swaps.permutations
        population, power = self.population(compared.scores.shape, compared.level), None
        if compared.settings.power:
            unit, alpha = compared.scores.unit(self.unit), compared.settings.alpha
            estimator = PowerEstimator(compared.coefficient, compared.level, self.name, population, unit, alpha)
            power = estimator.of_permutations(values, trials, drawn)
        return TestResult(
            *permutation_tails(values[0] - values[1], trials, drawn),
            test=self.name,
            population=population,
            permutations=drawn.count,
            is_exact=drawn.is_exact,
            least_p=drawn.least_p,
            undefined_draws=int(np.isnan(trials).sum()),
            power=power,
            draws=trials,
            notes=(*self.notes(drawn, compared.scores.shape), *_heavy_tails(compared, first, second)),
        )

    def _swaps(self, compared: ComparedMetrics) -> Swaps:
        scores, settings = compared.scores, compared.settings
        drawn = self.draw([scores], settings, [settings.seed])[0]
        options = {name: one.options for name, one in compared.measured.items() if not math.isnan(one.value)}
        return swaps_of(scores, compared.coefficient, compared.level, drawn, options)


MAX_KURTOSIS = 10.0
"""One in ten studies of 50 inputs with normal errors has a larger kurtosis of products, one in three with lognormal."""


def _heavy_tails(compared: ComparedMetrics, first: str, second: str) -> Iterator[str]:
    """Yields that a few inputs decide a difference at the global level, of a coefficient of numbers.

    It tells by the kurtosis, over inputs, of the products z_h(z_1 − z_2) of standardized scores summed over systems.
    """
    scores, better = compared.scores, compared.coefficient.by_ranks
    if compared.level != "global" or not better:
        return
    human = compared.once("standardized human scores", lambda: standardized(scores.human))
    products = np.nansum(human * (scores.standardized(first) - scores.standardized(second)), axis=0)
    of_units = Clusters.of(scores.clusters, len(products)).sums(products)
    centred = of_units - of_units.mean()
    if (centred**4).mean() > MAX_KURTOSIS * (centred**2).mean() ** 2:
        yield (
            f"few {scores.unit('inputs')} have large errors (kurtosis above {MAX_KURTOSIS:g}), for which the test says "
            f"too often that metrics differ; {better} suits them better"
        )


def swaps_of(
    scores: MetricSet,
    coefficient: Coefficient,
    level: Level,
    permutations: Permutations,
    options: Mapping[str, CoefficientOptions],
) -> Swaps:
    """Prepares the swaps of metrics, which are standardized unless the coefficient depends on their scale."""
    common, epsilons = {}, {}
    for name, one in options.items():
        epsilons[name], common[name] = one.epsilon or 0.0, scores.metrics[name]
        if not coefficient.depends_on_scale:
            common[name] = scores.standardized(name)
            unit = scale_of(scores.metrics[name]) if epsilons[name] else 0.0
            epsilons[name] = epsilons[name] / unit if unit else 0.0
    metrics = {name: scores.metrics[name] for name in options}
    return Swaps(scores.human, metrics, common, epsilons, level, permutations, options)


def permutation_tails(observed: float, trials: Floats, permutations: Permutations) -> tuple[float, float, float]:
    """Compares an observed difference with those of all permutations.

    The first of all permutations that exist swaps nothing. Its difference is the observed one, computed as those of the
    others are: single-precision sums of standardized scores, as SPA has them, round differently.

    Args:
        observed: The observed difference.
        trials: The differences in the permutations, shape (permutations,); NaN counts as large.
        permutations: The permutations.

    Returns:
        The two-sided p-value, and those of the alternatives that the first, or the second, metric is better.
    """
    undefined = np.isnan(trials)
    if permutations.is_exact and not undefined[0]:
        observed = float(trials[0])
    p_values = [
        permutations.share(int(np.count_nonzero(undefined | large)))
        for large in (
            np.abs(trials) >= abs(observed) - ROUNDING,
            trials >= observed - ROUNDING,
            trials <= observed + ROUNDING,
        )
    ]
    return p_values[0], p_values[1], p_values[2]


@DifferenceTest.register("inputs")
class SwappedInputs(PermutationTest):
    """Swaps the scores of two metrics for whole inputs: speaks of other inputs for the same systems."""

    speaks = "for other inputs, {systems}"
    unit: ClassVar[str] = "inputs"
    interval_over: ClassVar[Population] = "inputs"
    population_of_data_sets: ClassVar[str] = "for other inputs of the same systems"

    @overrides
    def units(self, systems: int, clusters: int) -> int:
        return clusters

    @overrides
    def arranged(self, source: SignSource, systems: int, clusters: Clusters) -> Permutations:
        return source.permutations(columns=source.signs("columns")[:, clusters.codes])


@DifferenceTest.register("systems")
class SwappedSystems(PermutationTest):
    """Swaps the scores of two metrics for whole systems: speaks of other systems for the same inputs."""

    speaks = "for other systems, {inputs}"
    unit: ClassVar[str] = "systems"
    interval_over: ClassVar[Population] = "systems"
    population_of_data_sets: ClassVar[str] = "for other systems, the same inputs"

    @overrides
    def units(self, systems: int, clusters: int) -> int:
        return systems

    @overrides
    def arranged(self, source: SignSource, systems: int, clusters: Clusters) -> Permutations:
        return source.permutations(rows=source.signs("rows"))

    @overrides
    def notes(self, permutations: Permutations, shape: tuple[int, int]) -> tuple[str, ...]:
        if shape[0] >= MIN_SYSTEMS:
            return ()
        return (
            f"there are only {2 ** shape[0]} permutations of {counted(shape[0], 'system')}: "
            f"no p-value below {permutations.least_p:g} is possible",
        )


PARTS: tuple[DifferenceTest, ...] = (SwappedInputs(), SwappedSystems())


@DifferenceTest.register("both")
class InputsAndSystems(DifferenceTest):
    """Takes the larger of the p-values of ``inputs`` and ``systems``: speaks of other systems and other inputs."""

    speaks = "for other systems and other inputs"
    citation = RESAMPLING_METHODS

    @property
    @overrides
    def combined(self) -> tuple[DifferenceTest, ...]:
        return PARTS

    @overrides
    def refusal(self, coefficient: Coefficient, level: Level) -> str | None:
        return next(filter(None, (part.refusal(coefficient, level) for part in self.combined)), None)

    @overrides
    def compare(self, compared: ComparedMetrics, first: str, second: str) -> TestResult:
        parts = tuple(part.compare(compared, first, second) for part in self.combined)
        return TestResult(
            p_value=max(part.p_value for part in parts),
            p_greater=max(part.p_greater for part in parts),
            p_less=max(part.p_less for part in parts),
            test=self.name,
            population=self.population(compared.scores.shape, compared.level),
            notes=tuple(note for part in parts for note in part.notes),
            parts=parts,
            **combined_draws(parts),
        )


@DifferenceTest.register("cells")
class SwappedCells(PermutationTest):
    """Swaps the scores of two metrics for single outputs: speaks of other errors for the same systems and inputs.

    SacreROUGE and mt-metrics-eval swap cells. With clusters, the outputs of a system for a cluster swap together.
    """

    speaks = "for other errors of single outputs, {systems} and {number}"
    unit: ClassVar[str] = "cells"
    population_of_data_sets: ClassVar[str] = "for other errors of single outputs"

    @overrides
    def units(self, systems: int, clusters: int) -> int:
        return systems * clusters

    @overrides
    def arranged(self, source: SignSource, systems: int, clusters: Clusters) -> Permutations:
        signs = source.signs("cells").reshape(source.count, systems, clusters.count)
        return source.permutations(cells=signs[:, :, clusters.codes])


BORDER = 1e-12
"""Scaled differences that exceed 1 by no more than this are ties: an ε is often itself a difference of two scores."""

ROUNDING_OF_WEIGHTS = 1e-9
"""A sum of weights below this fraction of all weights is 0 up to rounding."""


def null_differences(coefficient: Coefficient, swaps: Swaps, first: str, second: str) -> Floats:
    """Computes the coefficient of the first metric minus that of the second in every permutation.

    Args:
        coefficient: The coefficient.
        swaps: The metrics and the permutations.
        first: The name of the first metric.
        second: The name of the second.

    Returns:
        Shape (permutations,); NaN where one of the two is undefined.
    """
    if isinstance(coefficient, GroupCoefficient):
        if swaps.level == "within-system":
            return null_differences(coefficient, swaps.transposed(), first, second)
        if swaps.level == "input" and swaps.permutations.rows is None and swaps.permutations.cells is None:
            return _flipped_differences(coefficient, swaps, first, second)
        if swaps.level == "system":
            return _differences_of_means(coefficient, swaps, first, second)
    found = coefficient.swapped_differences(swaps, first, second)
    if found is None and isinstance(coefficient, GroupCoefficient):
        found = weighted_differences(coefficient, swaps, first, second)
    return explicit_differences(coefficient, swaps, first, second) if found is None else found


def _flipped_differences(coefficient: GroupCoefficient, swaps: Swaps, first: str, second: str) -> Floats:
    """Subtracts means over groups: each group of the first metric keeps its value, or gets that of the second."""
    sums = [_flipped_sums(swaps, coefficient, name) for name in (first, second)]
    sides = []
    for one, other in (sums, sums[::-1]):
        total, count = one[0, 0] + other[0, 1], one[1, 0] + other[1, 1]
        defined = count > ROUNDING_OF_WEIGHTS * (one[1, 0] + one[1, 1]).max(initial=0)
        sides.append(np.where(defined, total / np.where(defined, count, 1), np.nan))
    return np.asarray(sides[0] - sides[1])


@once_per_draw
def _flipped_sums(swaps: Swaps, coefficient: GroupCoefficient, name: str) -> Floats:
    """Sums the values of a metric, and their weights, over the groups that keep them, and over those that swap.

    Returns:
        Shape (2, 2, permutations): of values and weights, of groups that keep them and that swap.
    """
    scores, options = ScorePair(swaps.human, swaps.metrics[name]), swaps.options[name]
    values, weights = coefficient.values_and_weights(scores, "input", options)
    weights = np.where(np.isnan(values), 0, weights)
    signs, count = swaps.permutations.columns, swaps.permutations.count
    each = np.stack([np.where(weights > 0, values, 0) * weights, weights])
    changes = ((np.ones((count, len(values))) if signs is None else signs) @ each.T).T
    totals = each.sum(axis=1)[:, None]
    return np.stack([(totals + changes) / 2, (totals - changes) / 2], axis=1)


def _differences_of_means(coefficient: GroupCoefficient, swaps: Swaps, first: str, second: str) -> Floats:
    """Compares the coefficients of the systems' means in every permutation.

    Means that differ only by rounding become equal, as those of `system_means` do.
    """
    people, counts = system_means(swaps.human), swaps.present.sum(axis=1)
    one, other = (_metric_means(swaps, name) for name in (first, second))
    rounding = rounding_error(one.size + other.size, counts)
    sides = []
    for means, epsilons in zip(
        (one.kept + other.swapped, other.kept + one.swapped), _mixed_epsilons(swaps, first, second), strict=True
    ):
        merged = without_rounding(means, np.broadcast_to(rounding, means.shape))
        sides.append(_of_means(coefficient, people, merged, epsilons, swaps.options[first]))
    return np.asarray(sides[0] - sides[1])


def _of_means(
    coefficient: GroupCoefficient, human: Floats, metric: Floats, epsilons: Floats, options: CoefficientOptions
) -> Floats:
    """Computes the coefficient of each row of means, shape (permutations, systems), each with its own ε."""
    values = np.empty(len(metric))
    for scaled, tolerance, chosen in _with_one_epsilon(metric, epsilons):
        people = np.where(np.isnan(scaled), np.nan, human)
        found = [
            coefficient.of_groups(groups, replace(options, epsilon=tolerance))[:, 0]
            for _, groups in row_groups(people, scaled, np.ones(scaled.shape))
        ]
        values[chosen] = np.concatenate([np.empty(0), *found])
    return values


def weighted_differences(coefficient: GroupCoefficient, swaps: Swaps, first: str, second: str) -> Floats | None:
    """Computes differences from weights: each permutation has one half of the stacked scores of both metrics.

    Args:
        coefficient: The coefficient.
        swaps: The metrics and the permutations; the level is ``input`` or ``global``.
        first: The name of the first metric.
        second: The name of the second.

    Returns:
        Shape (permutations,), NaN where undefined; `None` if the permutations are no weights of systems or inputs, or
        the metrics have an ε, which depends on the permutation.
    """
    weights = _stacked_weights(swaps)
    if weights is None or swaps.epsilons[first] or swaps.epsilons[second]:
        return None
    axis = 0 if swaps.permutations.columns is None else 1
    stacked = ScorePair(
        np.concatenate([swaps.human, swaps.human], axis=axis),
        np.concatenate([swaps.common[first], swaps.common[second]], axis=axis),
    )
    options = swaps.options[first]
    sides = [coefficient.resampled(stacked, swaps.level, rows, columns, options) for rows, columns in weights]
    return np.asarray(sides[0] - sides[1])


@once_per_draw
def _stacked_weights(swaps: Swaps) -> list[tuple[Weights, Weights]] | None:
    """Returns the weights of the systems and inputs of the stacked scores, on both sides; `None` if there are none."""
    drawn = swaps.permutations
    signs = drawn.rows if drawn.columns is None else drawn.columns
    is_product = drawn.cells is not None or (drawn.rows is not None and drawn.columns is not None)
    if signs is None or is_product or (swaps.level == "input" and drawn.columns is not None):
        return None
    are_points = swaps.level == "global" or 2 * signs.shape[1] > MAX_ROWS_OF_PAIRS  # sorted points need 32-bit integers
    kept: Any = ((1 + signs) / 2).astype(np.int32 if are_points else np.float64)
    sides = [np.concatenate([one, 1 - one], axis=1) for one in (kept, 1 - kept)]
    return [(one, None) if drawn.columns is None else (None, one) for one in sides]


def explicit_differences(coefficient: Coefficient, swaps: Swaps, first: str, second: str) -> Floats:
    """Computes the difference in each permutation from its scores.

    Args:
        coefficient: The coefficient.
        swaps: The metrics and the permutations.
        first: The name of the first metric.
        second: The name of the second.

    Returns:
        Shape (permutations,); NaN where undefined.
    """
    epsilons = _mixed_epsilons(swaps, first, second)
    as_columns = not (coefficient.depends_on_scale and epsilons.any())
    values = np.empty((2, swaps.permutations.count))
    for side, (one, other) in enumerate(((first, second), (second, first))):
        for block, part in swaps.permutations.blocks(swaps.human.size):
            metric = np.where(part.dense(swaps.human.shape) > 0, swaps.common[one], swaps.common[other])
            if as_columns and isinstance(coefficient, GroupCoefficient):
                values[side, block] = _of_columns(coefficient, swaps, first, metric, epsilons[side, block])
            else:
                values[side, block] = _one_by_one(coefficient, swaps, first, metric, epsilons[side, block])
    return np.asarray(values[0] - values[1])


def _of_columns(coefficient: GroupCoefficient, swaps: Swaps, first: str, metric: Floats, epsilons: Floats) -> Floats:
    """Computes the coefficient in each permutation of a block, whose groups are columns of one matrix."""
    values = np.empty(len(metric))

    def by_group(one: Floats) -> Floats:
        return one.T if swaps.level == "input" else one.reshape(1, -1)

    for scaled, epsilon, chosen in _with_one_epsilon(metric.reshape(len(metric), -1), epsilons):
        groups = np.concatenate([by_group(one.reshape(swaps.human.shape)) for one in scaled])
        human = np.tile(by_group(swaps.human), (len(scaled), 1))
        options = replace(swaps.options[first], epsilon=epsilon)
        scores = ScorePair(human.T, groups.T)
        found = coefficient.values_and_weights(scores, "input", options)
        of_groups, weights = (one.reshape(len(scaled), -1) for one in found)
        values[chosen] = mean_over_groups(of_groups, weights, "global", None, None)
    return values


def _one_by_one(coefficient: Coefficient, swaps: Swaps, first: str, metric: Floats, epsilons: Floats) -> Floats:
    """Computes the coefficient in each permutation of a block, with its ε."""
    options = swaps.options[first]
    return np.array(
        [
            coefficient.resampled(
                ScorePair(swaps.human, scores),
                swaps.level,
                None,
                None,
                replace(options, epsilon=float(epsilon) or None),
            )[0]
            for scores, epsilon in zip(metric, epsilons * (1 + BORDER), strict=True)
        ]
    )


def _mixed_epsilons(swaps: Swaps, first: str, second: str) -> Floats:
    """Returns the ε of both metrics on the common scale, weighted by the share of cells that each metric has.

    Returns:
        Shape (2, permutations).
    """
    one, other = swaps.epsilons[first], swaps.epsilons[second]
    if not one and not other:
        return np.zeros((2, swaps.permutations.count))
    kept = _kept_shares(swaps)
    mixed = np.stack([one * share + other * (1 - share) for share in (kept, 1 - kept)])
    return np.where(mixed <= 1e-9 * max(one, other), 0, mixed)


@once_per_draw
def _kept_shares(swaps: Swaps) -> Floats:
    """Returns the share of cells that keep their scores in each permutation, shape (permutations,)."""
    return (1 + swaps.permutations.total(np.full(swaps.human.shape, 1 / max(1, swaps.human.size)))) / 2


def _with_one_epsilon(metric: Floats, epsilons: Floats) -> Iterator[tuple[Floats, float | None, Bools]]:
    """Divides rows of scores by their ε, so that one ε is that of all of them.

    Args:
        metric: The scores, shape (rows, outputs).
        epsilons: The ε of each row, shape (rows,).

    Yields:
        Rows divided by their ε and the ε that they have now, or rows without one; and which rows they are.
    """
    tied = epsilons > 0
    if tied.any():
        yield metric[tied] / epsilons[tied, None], 1 + BORDER, tied
    if not tied.all():
        yield metric[~tied], None, ~tied


class _MetricMeans(NamedTuple):
    """What a metric adds to means of systems.

    Attributes:
        kept: Half of its mean and of the part of it that follows the signs, shape (permutations, systems): the part of
            the mean from cells that keep their scores.
        swapped: The part of the mean from cells that swap.
        size: The mean absolute score of each system.
    """

    kept: Floats
    swapped: Floats
    size: Floats


@once_per_draw
def _metric_means(swaps: Swaps, name: str) -> _MetricMeans:
    counts = swaps.present.sum(axis=1)
    divisors = np.where(counts > 0, counts, np.nan)
    scores = np.nan_to_num(swaps.common[name])
    means, changes = scores.sum(axis=1) / divisors, swaps.permutations.transposed().by_column(scores.T) / divisors
    return _MetricMeans((means + changes) / 2, (means - changes) / 2, np.abs(scores).sum(axis=1) / divisors)


class BootstrapTest(DifferenceTest):
    """A test of resamples that are drawn with replacement, the same for all metrics.

    The one-sided p-values are (count + 1) / (B + 1), where count is the number of defined resamples, of B, in which the
    difference is 0 or has the opposite sign; the two-sided one is twice the smaller of the two, at most 1.

    Attributes:
        interval_over: What is drawn with replacement.
    """

    citation: ClassVar[str] = RESAMPLING_METHODS
    interval_over: ClassVar[Population]

    @overrides
    def compare(self, compared: ComparedMetrics, first: str, second: str) -> TestResult:
        values = compared.once(self.name, lambda: bootstrap_values(compared, self.interval_over))
        trials = values[first] - values[second]
        undefined = int(np.isnan(trials).sum())
        population = self.population(compared.scores.shape, compared.level)
        power = None
        if compared.settings.power:
            found, alpha = compared.coefficient, compared.settings.alpha
            unit = compared.scores.unit(self.interval_over)
            estimator = PowerEstimator(found, compared.level, self.name, population, unit, alpha)
            observed = compared.measured[first].value, compared.measured[second].value
            power = estimator.of_resamples(observed, trials, self._units(compared.scores))
        return TestResult(
            *bootstrap_tails(trials),
            test=self.name,
            population=population,
            resamples=len(trials),
            least_p=2 / (len(trials) - undefined + 1),
            undefined_draws=undefined,
            power=power,
            draws=trials,
        )

    def _units(self, scores: MetricSet) -> int:
        return (
            scores.shape[0] if self.interval_over == "systems" else Clusters.of(scores.clusters, scores.shape[1]).count
        )


def bootstrap_values(compared: ComparedMetrics, resampled: Population) -> dict[str, Floats]:
    """Computes the coefficient of each metric in bootstrap resamples.

    Args:
        compared: The metrics, and the number and the seed of the resamples.
        resampled: What is drawn with replacement.

    Returns:
        Metric to values of shape (resamples,); NaN where undefined.
    """
    scores, settings, level = compared.scores, compared.settings, compared.level
    pairs = {name: ScorePair(scores.human, scores.metrics[name]) for name in compared.measured}
    parts: dict[str, list[Floats]] = {name: [] for name in pairs}
    for block in bootstrap_blocks(resampled, scores.shape, settings.resamples, settings.seed, scores.clusters):
        for name, pair in pairs.items():
            options = compared.measured[name].options
            parts[name].append(compared.coefficient.resampled(pair, level, *block, options))
        current_work().advance_within(sum(map(len, next(iter(parts.values())))) / settings.resamples)
    return {name: np.concatenate(values) for name, values in parts.items()}


def bootstrap_tails(differences: Floats) -> tuple[float, float, float]:
    """Returns the two-sided p-value and those of the alternatives that the first or the second metric is better.

    Args:
        differences: Shape (resamples,); NaN where undefined.
    """
    defined = differences[~np.isnan(differences)]
    if not len(defined):
        return np.nan, np.nan, np.nan
    greater, less = ((int(np.count_nonzero(side * defined <= ROUNDING)) + 1) / (len(defined) + 1) for side in (1, -1))
    return min(1.0, 2 * min(greater, less)), greater, less


@DifferenceTest.register("bootstrap-inputs")
class ResampledInputs(BootstrapTest):
    """Draws inputs with replacement: speaks of other inputs for the same systems."""

    interval_over: ClassVar[Population] = "inputs"
    speaks = "for other inputs, {systems}"


@DifferenceTest.register("bootstrap-systems")
class ResampledSystems(BootstrapTest):
    """Draws systems with replacement: speaks of other systems for the same inputs."""

    interval_over: ClassVar[Population] = "systems"
    speaks = "for other systems, {inputs}"
