"""The test of single cells: two metrics swap their scores of each output separately."""

from __future__ import annotations

from typing import ClassVar

from metrics_framework.common.errors import counted
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.differences.difference_test import DifferenceTest, these
from metrics_framework.meta_evaluation.differences.permutation_test import PermutationTest
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.permutations import Permutations, SignSource
from metrics_framework.significance.clusters import Clusters


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
