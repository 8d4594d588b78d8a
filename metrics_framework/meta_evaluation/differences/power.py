"""Power: the least difference that a test can detect, and how many inputs or systems a difference needs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.coefficients.checks import checked_choice, checked_coefficient
from metrics_framework.meta_evaluation.differences.paired_scores import PairedScores
from metrics_framework.meta_evaluation.differences.schemes import arrange
from metrics_framework.meta_evaluation.differences.single import TestSettings, measured
from metrics_framework.meta_evaluation.differences.swapped_coefficients import null_differences

Unit = Literal["inputs", "systems"]


@dataclass(frozen=True)
class Power:
    """What a test can detect with these data.

    Args:
        difference: The observed difference between the two coefficients.
        standard_error: The standard error of the difference; NaN if undefined.
        least_detectable: The least difference that the test detects with the given power.
        needed: How many units the test needs to detect the target with that power; `None` if the target is 0 or
            undefined.
        target: The difference to detect.
        units: The number of units in these data.
        unit: What a unit is: ``inputs`` (or clusters of them) or ``systems``.
        power: The probability of detecting the difference.
        alpha: The two-sided level of significance.
    """

    difference: float
    standard_error: float
    least_detectable: float
    needed: int | None
    target: float
    units: int
    unit: Unit
    power: float
    alpha: float


def detectable_difference(
    human: Any,
    metric1: Any,
    metric2: Any,
    name: str,
    *,
    level: str,
    test: Unit,
    target: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
) -> Power:
    """Estimates what a permutation test of inputs or systems can detect.

    The standard error s is that of the differences after random swaps, without the part that the observed difference d
    adds to it: s² = mean e² − d²/n for n units. The least detectable difference is (z₁₋ₐ/₂ + z_power)·s, and a target t
    needs n·((z₁₋ₐ/₂ + z_power)·s/t)² units, if further units are like the present ones.

    Args:
        human: Human scores, shape (systems, inputs); NaN where missing.
        metric1: Scores of the first metric, of the same shape.
        metric2: Scores of the second metric.
        name: The coefficient.
        level: The level.
        test: The test, which names the unit: ``inputs`` or ``systems``.
        target: The difference to detect; by default the observed one.
        power: The probability of detecting it.
        alpha: The two-sided level of significance.
        resamples: The number of random swaps.
        seed: The random seed.
        clusters: The cluster of each input, which are then the units.

    Raises:
        InputError: if an argument is invalid.
    """
    from scipy.special import ndtri

    coefficient_name, at = checked_coefficient(name, level)
    settings = TestSettings(checked_choice(test, ("inputs", "systems"), "test"), resamples, seed, clusters)
    for what, value in (("power", power), ("alpha", alpha)):
        if not 0 < value < 1:
            raise InputError(f"'{what}' must be between 0 and 1, got {value}")
    scores = PairedScores.of(human, metric1, metric2)
    first, second = (measured(scores.human, m, coefficient_name, at, seed) for m in (scores.first, scores.second))
    observed = first[0] - second[0]
    arrangements = arrange(settings.test, scores.shape, resamples, seed, clusters)
    error = math.nan
    if not math.isnan(observed):
        fixed = replace(scores, epsilons=(first[1], second[1]))
        plain = "acc-23" if coefficient_name == "acc-eq" else coefficient_name
        trials = null_differences(fixed, plain, at, arrangements.spins, seed)
        defined = trials[~np.isnan(trials)]
        if len(defined):
            error = math.sqrt(max(0.0, float((defined**2).mean()) - observed**2 / arrangements.units))
    wanted = observed if target is None else target
    factor = float(ndtri(1 - alpha / 2) + ndtri(power))
    needed = None
    if wanted and not math.isnan(wanted) and not math.isnan(error):
        needed = math.ceil(arrangements.units * (factor * error / wanted) ** 2)
    return Power(observed, error, factor * error, needed, wanted, arrangements.units, test, power, alpha)
