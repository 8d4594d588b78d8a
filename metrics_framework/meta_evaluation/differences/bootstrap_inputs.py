"""The paired bootstrap test of inputs."""

from __future__ import annotations

from typing import ClassVar

from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.differences.bootstrap_test import BootstrapTest
from metrics_framework.meta_evaluation.differences.difference_test import DifferenceTest, these
from metrics_framework.meta_evaluation.intervals.populations import Population
from metrics_framework.meta_evaluation.levels import Level


@DifferenceTest.register("bootstrap-inputs")
class ResampledInputs(BootstrapTest):
    """Draws inputs with replacement: speaks of other inputs for the same systems."""

    resampled: ClassVar[Population] = "inputs"

    @overrides
    def population(self, shape: tuple[int, int], level: Level) -> str:
        return f"for other inputs, {these(shape[0], 'system')}"
