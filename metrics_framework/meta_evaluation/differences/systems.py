"""The test of other systems: two metrics swap their scores for whole systems."""

from __future__ import annotations

from typing import ClassVar

from metrics_framework.common.errors import counted
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.differences.difference_test import DifferenceTest, these
from metrics_framework.meta_evaluation.differences.permutation_test import PermutationTest
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.permutations import Permutations, SignSource
from metrics_framework.significance.clusters import Clusters

MIN_SYSTEMS = 6
"""With fewer systems, there are fewer than 64 permutations."""


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
