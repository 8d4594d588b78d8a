"""The test of other inputs: two metrics swap their scores for whole inputs."""

from __future__ import annotations

from typing import ClassVar

from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.differences.difference_test import DifferenceTest, these
from metrics_framework.meta_evaluation.differences.permutation_test import PermutationTest
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.permutations import Permutations, SignSource
from metrics_framework.significance.clusters import Clusters


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
