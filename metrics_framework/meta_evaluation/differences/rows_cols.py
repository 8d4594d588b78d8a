"""The test of whole systems and whole inputs at once."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from metrics_framework.common.overriding import overrides
from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.differences.difference_test import DifferenceTest, these
from metrics_framework.meta_evaluation.differences.permutation_test import PermutationTest
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.permutations import Permutations, SignSource
from metrics_framework.significance.clusters import Clusters


@DifferenceTest.register("rows-cols")
class SwappedRowsAndColumns(PermutationTest):
    """Swaps the scores of two metrics for whole systems, then for whole inputs, as nlpstats does.

    A cell swaps if either its system or its input does, so the test speaks of other errors of single outputs.
    """

    unit: ClassVar[str] = "systems and inputs"
    population_of_data_sets: ClassVar[str] = "for other errors of single outputs"

    @overrides
    def population(self, shape: tuple[int, int], level: Level) -> str:
        return f"for other errors of single outputs, {these(shape[0], 'system')} and {counted(shape[1], 'input')}"

    @overrides
    def units(self, systems: int, clusters: int) -> int:
        return systems + clusters - 1  # swapping all systems and all inputs changes nothing

    @overrides
    def arranged(self, source: SignSource, systems: int, clusters: Clusters) -> Permutations:
        if source.is_exact:
            signs = source.signs("rows")
            rows = np.concatenate([np.ones((source.count, 1), np.int8), signs[:, : systems - 1]], axis=1)
            columns = signs[:, systems - 1 :]
        else:
            rows, columns = source.random(systems, "rows"), source.random(clusters.count, "columns")
        return source.permutations(rows, columns[:, clusters.codes])
