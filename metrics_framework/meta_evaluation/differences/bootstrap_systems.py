"""The paired bootstrap test of systems."""

from __future__ import annotations

from typing import ClassVar

from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.differences.bootstrap_test import BootstrapTest
from metrics_framework.meta_evaluation.differences.difference_test import DifferenceTest, these
from metrics_framework.meta_evaluation.intervals.populations import Population
from metrics_framework.meta_evaluation.levels import Level


@DifferenceTest.register("bootstrap-systems")
class ResampledSystems(BootstrapTest):
    """Draws systems with replacement: speaks of other systems for the same inputs."""

    resampled: ClassVar[Population] = "systems"

    @overrides
    def population(self, shape: tuple[int, int], level: Level) -> str:
        return f"for other systems, {these(shape[1], 'input')}"
