"""What a test of two metrics can detect: `detectable_difference`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.coefficients.lookup import checked_coefficient
from metrics_framework.meta_evaluation.differences.difference_settings import TestSettings
from metrics_framework.meta_evaluation.differences.difference_test import chosen_test
from metrics_framework.meta_evaluation.differences.measured_metrics import measured_metrics
from metrics_framework.meta_evaluation.differences.null_differences import null_differences
from metrics_framework.meta_evaluation.differences.permutation_test import PermutationTest, swaps_of
from metrics_framework.meta_evaluation.differences.power import POWER, Plan, Power
from metrics_framework.meta_evaluation.differences.single import FIRST, SECOND, paired_scores


def detectable_difference(
    human: Any,
    metric1: Any,
    metric2: Any,
    name: str,
    *,
    level: str,
    test: str,
    target: float | None = None,
    power: float = POWER,
    alpha: float = 0.05,
    resamples: int = 1000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
) -> Power:
    """Estimates what a permutation test can detect, from the permutations that give its p-value.

    With the standard error s of the difference for n units, the least detectable difference is k·s, where k is the
    expected t of a difference that a t-test with n − 1 degrees of freedom detects with the given probability; for many
    units, k is z₁₋ₐ/₂ + z_power. A target t needs n·(k·s/t)² units, if further units are like the present ones. Both
    are computed on the scale of Fisher's transformation, as a metric that agrees less also has a larger error. For
    coefficients of the means of systems, s is multiplied by √((n − 1)/(n − 3)), and with fewer than 10 systems no
    difference is named. How often tests find the difference was simulated (`benchmarks/detectable_power.py`).

    Args:
        human: Human scores, shape (systems, inputs); NaN where missing.
        metric1: Scores of the first metric, of the same shape.
        metric2: Scores of the second metric.
        name: The coefficient.
        level: The level.
        test: A test that swaps scores, such as ``inputs`` or ``systems``, which names the unit.
        target: The difference to detect; by default the observed one.
        power: The probability of detecting it.
        alpha: The two-sided level of significance.
        resamples: The number of random permutations.
        seed: The random seed.
        clusters: The cluster of each input, which are then the units.

    Raises:
        InputError: if an argument is invalid.
    """
    found, at, options = checked_coefficient(name, level, seed=seed)
    chosen, settings = chosen_test(at, test), TestSettings(test, resamples, seed, alpha=alpha)
    if not isinstance(chosen, PermutationTest):
        raise InputError(f"'test' must be one that swaps scores, such as 'inputs' or 'systems', got '{test}'")
    if not 0 < power < 1:
        raise InputError(f"'power' must be between 0 and 1, got {power}")
    chosen.check(found, at)
    scores = paired_scores(human, metric1, metric2, clusters)
    measured = measured_metrics(scores, found, at, {FIRST: options, SECOND: options})
    drawn = chosen.draw([scores], settings, [seed])[0]
    trials = np.full(drawn.count, np.nan)
    values = measured[FIRST].value, measured[SECOND].value
    if not np.isnan(values).any():
        fixed = {metric: one.options for metric, one in measured.items()}
        trials = null_differences(found, swaps_of(scores, found, at, drawn, fixed, 1), FIRST, SECOND)
    population = chosen.population(scores.shape, at)
    plan = Plan(found, at, chosen.name, population, scores.unit(chosen.unit), alpha, power, target)
    return plan.of_permutations(values, trials, drawn)
