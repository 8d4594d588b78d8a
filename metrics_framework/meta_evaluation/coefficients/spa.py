"""Soft pairwise accuracy of systems (SPA), with p-values from sign flips."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, Measured
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.coefficients.sign_flips import Comparisons, drawn_signs
from metrics_framework.meta_evaluation.coefficients.soft_pairwise import SoftPairwise, soft_pairwise_accuracy
from metrics_framework.meta_evaluation.coefficients.swapped_spa import (
    differences_of_systems,
    flipped_between,
    flipped_differences_of_inputs,
    flipped_p_values,
    swaps_inputs,
    swaps_systems,
)
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair
from metrics_framework.meta_evaluation.sums.swaps import Swaps


@Coefficient.register("spa")
class Spa(SoftPairwise):
    """SPA = 1 − mean |p_h − p_m|, p the p-values by sign flips that one system is no better than another.

    In resamples, copies of an input have their own signs. All resamples share the sign flips, which are those of the
    data, continued for more inputs.

    Source: Thompson et al. (2024), "Improving Statistical Significance in Human Evaluation of Automatic Metrics via
    Soft Pairwise Accuracy".
    """

    title = "SPA"
    uses: ClassVar[frozenset[str]] = frozenset({"sign_flips", "seed", "stream"})

    @overrides
    def distances(self, human: Floats, metric: Floats, weights: Floats, options: CoefficientOptions) -> Floats:
        copies = weights.astype(np.intp)
        longest = int(copies.sum(axis=1).max(initial=0))
        signs = drawn_signs(longest, options)
        found = np.empty((len(copies), len(human) * (len(human) - 1) // 2))
        for index, counts in enumerate(copies):
            drawn = np.repeat(np.arange(len(counts)), counts)
            flipped = (Comparisons.of_metric(one[:, drawn], signs[:, : len(drawn)], options) for one in (human, metric))
            p_human, p_metric = (one.p_values() for one in flipped)
            found[index] = np.abs(p_human - p_metric)
        return found

    @overrides
    def swapped_differences(self, swaps: Swaps, first: str, second: str) -> Floats | None:
        if swaps_systems(swaps):
            own, between = partial(flipped_p_values, swaps), partial(flipped_between, swaps)
            return differences_of_systems(swaps, first, second, own, between)
        return flipped_differences_of_inputs(swaps, first, second) if swaps_inputs(swaps) else None

    @overrides
    def measure(self, scores: ScorePair, level: Level, options: CoefficientOptions) -> Measured:
        found = soft_pairwise_accuracy(
            scores.human, scores.metric, sign_flips=options.sign_flips, seed=options.seed, stream=options.stream
        )
        details = {
            "monte_carlo_error": found.monte_carlo_error,
            "num_instances": found.inputs,
            "num_instances_left_out": found.inputs_left_out,
            "sign_flips": options.sign_flips,
        }
        return Measured(found.value, np.empty(0), options, details)
