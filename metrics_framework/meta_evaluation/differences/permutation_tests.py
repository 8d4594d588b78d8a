"""Tests that swap scores of two metrics: `PermutationTest`, and what swaps together in each of them."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import counted
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.differences.difference_test import (
    ROUNDING,
    Compared,
    DifferenceTest,
    Tested,
    TestSettings,
    these,
)
from metrics_framework.meta_evaluation.differences.metric_set import MetricSet
from metrics_framework.meta_evaluation.differences.null_differences import null_differences
from metrics_framework.meta_evaluation.differences.power import Plan
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.permutations import Permutations, SignSource
from metrics_framework.meta_evaluation.sums.swaps import Swaps
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
        self,
        scores: Sequence[MetricSet],
        settings: TestSettings,
        seeds: Sequence[int],
        *,
        enumerate_all: bool = True,
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
        units = [self.units(one.shape[0], groups.count) for one, groups in zip(scores, clusters, strict=True)]
        sources = SignSource.of_each(units, settings.resamples, seeds, enumerate_all=enumerate_all)
        return [
            self.arranged(source, one.shape[0], groups)
            for source, one, groups in zip(sources, scores, clusters, strict=True)
        ]

    @overrides
    def compare(self, compared: Compared, first: str, second: str) -> Tested:
        swaps = compared.once(self.name, lambda: self._swaps(compared))
        trials = null_differences(compared.coefficient, swaps, first, second)
        observed, drawn = compared.difference(first, second), swaps.permutations
        population = self.population(compared.scores.shape, compared.level)
        unit = compared.scores.unit(self.unit)
        plan = Plan(compared.coefficient, compared.level, self.name, population, unit, compared.settings.alpha)
        return Tested(
            *permutation_tails(observed, trials, drawn),
            test=self.name,
            population=population,
            permutations=drawn.count,
            is_exact=drawn.is_exact,
            least_p=drawn.least_p,
            undefined_draws=int(np.isnan(trials).sum()),
            power=plan.of_permutations(compared.values(first, second), trials, drawn)
            if compared.settings.power
            else None,
            notes=self.notes(drawn, compared.scores.shape),
        )

    def _swaps(self, compared: Compared) -> Swaps:
        scores, settings = compared.scores, compared.settings
        drawn = self.draw([scores], settings, [settings.seed])[0]
        options = {name: one.options for name, one in compared.measured.items() if not math.isnan(one.value)}
        return swaps_of(scores.only(list(options)), compared.coefficient, compared.level, drawn, options, settings.jobs)


def swaps_of(
    scores: MetricSet,
    coefficient: Coefficient,
    level: Level,
    permutations: Permutations,
    options: Mapping[str, CoefficientOptions],
    jobs: int,
) -> Swaps:
    """Prepares the swaps of metrics for a coefficient at a level."""
    common = scores.unchanged if coefficient.depends_on_scale else scores.standardized
    return Swaps(scores.human, scores.metrics, common, level, permutations, options, jobs)


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

    unit: ClassVar[str] = "inputs"
    population_of_data_sets: ClassVar[str] = "for other inputs of the same systems"

    @overrides
    def population(self, shape: tuple[int, int], level: Level) -> str:
        return f"for other inputs, {these(shape[0], 'system')}"

    @overrides
    def units(self, systems: int, clusters: int) -> int:
        return clusters

    @overrides
    def arranged(self, source: SignSource, systems: int, clusters: Clusters) -> Permutations:
        return source.permutations(columns=source.signs("columns")[:, clusters.codes])


@DifferenceTest.register("systems")
class SwappedSystems(PermutationTest):
    """Swaps the scores of two metrics for whole systems: speaks of other systems for the same inputs."""

    unit: ClassVar[str] = "systems"
    population_of_data_sets: ClassVar[str] = "for other systems, the same inputs"

    @overrides
    def population(self, shape: tuple[int, int], level: Level) -> str:
        return f"for other systems, {these(shape[1], 'input')}"

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

    @property
    @overrides
    def combined(self) -> tuple[DifferenceTest, ...]:
        return PARTS

    @overrides
    def population(self, shape: tuple[int, int], level: Level) -> str:
        return "for other systems and other inputs"

    @overrides
    def refusal(self, coefficient: Coefficient, level: Level) -> str | None:
        return next(filter(None, (part.refusal(coefficient, level) for part in self.combined)), None)

    @overrides
    def compare(self, compared: Compared, first: str, second: str) -> Tested:
        parts = tuple(part.compare(compared, first, second) for part in self.combined)
        return Tested(
            p_value=max(part.p_value for part in parts),
            p_greater=max(part.p_greater for part in parts),
            p_less=max(part.p_less for part in parts),
            test=self.name,
            population=self.population(compared.scores.shape, compared.level),
            permutations=min(part.permutations for part in parts),
            is_exact=all(part.is_exact for part in parts),
            least_p=max(part.least_p for part in parts),
            undefined_draws=max(part.undefined_draws for part in parts),
            notes=tuple(note for part in parts for note in part.notes),
            parts=parts,
        )


@DifferenceTest.register("cells")
class SwappedCells(PermutationTest):
    """Swaps the scores of two metrics for single outputs: speaks of other errors for the same systems and inputs.

    SacreROUGE and mt-metrics-eval swap cells. With clusters, the outputs of a system for a cluster swap together.
    """

    unit: ClassVar[str] = "cells"
    population_of_data_sets: ClassVar[str] = "for other errors of single outputs"

    @overrides
    def population(self, shape: tuple[int, int], level: Level) -> str:
        return f"for other errors of single outputs, {these(shape[0], 'system')} and {counted(shape[1], 'input')}"

    @overrides
    def units(self, systems: int, clusters: int) -> int:
        return systems * clusters

    @overrides
    def arranged(self, source: SignSource, systems: int, clusters: Clusters) -> Permutations:
        signs = source.signs("cells").reshape(source.count, systems, clusters.count)
        return source.permutations(cells=signs[:, :, clusters.codes])
