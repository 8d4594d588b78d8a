"""Soft pairwise accuracy of systems (SPA), with p-values from the normal distribution."""

from __future__ import annotations

from functools import partial

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.coefficients.sign_flips import normal_p
from metrics_framework.meta_evaluation.coefficients.soft_pairwise import SoftPairwise
from metrics_framework.meta_evaluation.coefficients.swapped_spa import (
    differences_of_systems,
    normal_between,
    normal_differences_of_inputs,
    normal_p_values,
    swaps_inputs,
    swaps_systems,
)
from metrics_framework.meta_evaluation.sums.swaps import Swaps


@Coefficient.register("spa:normal")
class NormalSpa(SoftPairwise):
    """SPA with p = Φ(−Σd/√Σd²) of the differences d of two systems, without draws.

    Source: the normal approximation of Thompson et al. (2024).
    """

    title = "SPA (normal)"

    @overrides
    def distances(self, human: Floats, metric: Floats, weights: Floats, options: CoefficientOptions) -> Floats:
        return np.abs(normal_p(human, weights) - normal_p(metric, weights))

    @overrides
    def swapped_differences(self, swaps: Swaps, first: str, second: str) -> Floats | None:
        if swaps_systems(swaps):
            own, between = partial(normal_p_values, swaps), partial(normal_between, swaps)
            return differences_of_systems(swaps, first, second, own, between)
        return normal_differences_of_inputs(swaps, first, second) if swaps_inputs(swaps) else None
