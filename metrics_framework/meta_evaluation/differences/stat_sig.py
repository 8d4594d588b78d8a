"""Hypothesis tests with SacreROUGE's names: two metrics at every level, and partial conjunctions over data sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.common.logs import LongWork
from metrics_framework.meta_evaluation.choices import (
    SACREROUGE_BOOTSTRAPS,
    SACREROUGE_COEFFICIENTS,
    SACREROUGE_LEVELS,
    SACREROUGE_PERMUTATIONS,
    SACREROUGE_WILLIAMS,
    CoefficientOptions,
    Definition,
    Level,
)
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.differences.bootstrap_tests import bootstrap_values
from metrics_framework.meta_evaluation.differences.difference_test import (
    ROUNDING,
    ComparedMetrics,
    MetricSet,
    TestSettings,
    load_test,
    measured_metrics,
)
from metrics_framework.meta_evaluation.differences.permutation_tests import MIN_SYSTEMS
from metrics_framework.meta_evaluation.differences.williams import williams
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair
from metrics_framework.significance.multiple_testing import holm


@dataclass(frozen=True)
class StatSigSettings:
    """How two metrics are tested.

    Args:
        method: One of `SACREROUGE_TESTS`.
        alpha: The level of significance.
        two_tailed: Whether the alternative is any difference; otherwise, that the first metric is better.
        resamples: The number of resamples or random permutations.
        seed: The random seed.
        definition: How p-values are defined: ``corrected``, or ``sacrerouge`` with its faults.

    Raises:
        InputError: if alpha is not between 0 and 1.
    """

    method: str = "permutation-both"
    alpha: float = 0.05
    two_tailed: bool = False
    resamples: int = 1000
    seed: int = 0
    definition: Definition = "corrected"

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise InputError(f"'alpha' must be between 0 and 1, got {self.alpha}")


def p_values_at(scores: MetricSet, level: Level, settings: StatSigSettings, work: LongWork) -> dict[str, float]:
    """Computes the p-value of each coefficient at a level.

    Args:
        scores: The dependent metric as human scores, and the two metrics.
        level: The level.
        settings: The test.
        work: Counts the coefficients that are tested.

    Returns:
        SacreROUGE's name of the coefficient to the p-value; NaN if undefined.
    """
    p_values = {}
    for key, name in SACREROUGE_COEFFICIENTS.items():
        p_values[key] = _p_value(scores, load_coefficient(name), level, settings)
        work.advance()
    return p_values


def _p_value(scores: MetricSet, coefficient: Coefficient, level: Level, settings: StatSigSettings) -> float:
    options = {name: CoefficientOptions() for name in scores.metrics}
    measured = measured_metrics(scores, coefficient, level, options)
    first, second = scores.metrics
    observed = measured[first].value - measured[second].value
    if settings.method == SACREROUGE_WILLIAMS:
        return _williams(scores, coefficient, level, settings)
    if math.isnan(observed):
        return math.nan
    if settings.method in SACREROUGE_BOOTSTRAPS:
        resampled = SACREROUGE_BOOTSTRAPS[settings.method]
        drawn = bootstrap_values(scores, coefficient, level, options, resampled, settings.resamples, settings.seed)
        return shift_p_value(observed, drawn[first] - drawn[second], settings.two_tailed, settings.definition)
    test = load_test(SACREROUGE_PERMUTATIONS[settings.method])
    drawn_as = TestSettings(test.name, settings.resamples, settings.seed)
    found = test.compare(ComparedMetrics(scores, coefficient, level, measured, drawn_as), first, second)
    return found.p_value if settings.two_tailed else found.p_greater


def shift_p_value(observed: float, resampled: Floats, two_tailed: bool, definition: Definition) -> float:
    """Computes the p-value of a bootstrap test that shifts the differences of resamples by the observed one, d.

    ``corrected``: (count + 1) / (B + 1), where count is the number of resamples whose difference e is at least d
    above d (one tail), or at least as far from d as d from 0 (two tails). ``sacrerouge``: count / B with e ≥ 2d, or
    with abs(e) ≥ 2·abs(d), which misses the tail below 0, so that its two-sided p-values are about half as large as
    they should be. B counts the defined resamples.

    Source: Berg-Kirkpatrick, Burkett and Klein (2012); SacreROUGE 0.2.5.

    Args:
        observed: The difference d.
        resampled: The differences of resamples, shape (resamples,); NaN where undefined.
        two_tailed: Whether both tails count.
        definition: The definition.

    >>> resampled = np.array([0.5, -0.1, 1.0, 2.5])
    >>> shift_p_value(1.0, resampled, True, "sacrerouge"), shift_p_value(1.0, resampled, True, "corrected")
    (0.25, 0.6)
    """
    defined = resampled[~np.isnan(resampled)]
    if math.isnan(observed) or not len(defined):
        return math.nan
    if definition == "sacrerouge":
        beyond = abs(defined) >= 2 * abs(observed) if two_tailed else defined >= 2 * observed
        return int(np.count_nonzero(beyond)) / len(defined)
    shifted = defined - observed
    large = abs(shifted) >= abs(observed) - ROUNDING if two_tailed else shifted >= observed - ROUNDING
    return (int(np.count_nonzero(large)) + 1) / (len(defined) + 1)


def _williams(scores: MetricSet, coefficient: Coefficient, level: Level, settings: StatSigSettings) -> float:
    first, second = scores.metrics.values()
    correlations = [
        coefficient.measure(ScorePair(*pair), level, CoefficientOptions()).value
        for pair in ((scores.human, first), (scores.human, second), (first, second))
    ]
    if settings.definition == "sacrerouge":
        correlations = [abs(r) for r in correlations]
    present = scores.present
    points = {"system": present.any(axis=1).sum(), "input": present.sum(axis=0).max(initial=0), "global": present.sum()}
    found = williams(correlations[0], correlations[1], correlations[2], int(points[level]))
    return found.p_value if settings.two_tailed else found.p_greater


def hypotheses(dependent: str, metric_a: str, metric_b: str, two_tailed: bool) -> tuple[str, str]:
    """Writes the null hypothesis and the alternative.

    >>> hypotheses("grade", "A", "B", two_tailed=False)
    ('r(A, grade) <= r(B, grade)', 'r(A, grade) > r(B, grade)')
    """
    first, second = f"r({metric_a}, {dependent})", f"r({metric_b}, {dependent})"
    null, alternative = ("==", "!=") if two_tailed else ("<=", ">")
    return f"{first} {null} {second}", f"{first} {alternative} {second}"


def population_of(settings: StatSigSettings, shape: tuple[int, int]) -> str:
    """Names the population of which the p-values speak.

    Args:
        settings: The test.
        shape: The numbers of systems and inputs.
    """
    if settings.method == SACREROUGE_WILLIAMS:
        return "for other systems" if shape[1] == 1 else "for other outputs, as if all were independent"
    resampled = SACREROUGE_BOOTSTRAPS.get(settings.method)
    return load_test(SACREROUGE_PERMUTATIONS.get(settings.method) or f"{resampled}").population(shape, "global")


def cautions(settings: StatSigSettings, systems: int) -> list[str]:
    """Returns what may make the p-values misleading.

    Args:
        settings: The test.
        systems: The number of systems.
    """
    if settings.method == SACREROUGE_WILLIAMS:
        return [
            "Williams' test is valid for Pearson's r at the system level only; elsewhere it finds differences that "
            "are none several times too often"
        ]
    if settings.method == "permutation-system" and systems < MIN_SYSTEMS:
        return [f"{systems} systems have only {2**systems} permutations: p-values cannot be small"]
    return []


def partial_conjunction(p_values: Sequence[float], alpha: float = 0.05) -> list[int]:
    """Finds the data sets with a significant effect: those that Holm's correction rejects.

    Their number k is also the largest u for which the hypothesis that fewer than u data sets have an effect is rejected
    with Bonferroni's partial conjunction p-value max over v ≤ u of (n − v + 1)·p₍ᵥ₎.

    Source: Dror, Baumer, Bogomolov and Reichart (Transactions of the ACL, 2017).

    Args:
        p_values: The p-value of each data set; NaN is not significant.
        alpha: The level of significance.

    Returns:
        The indices of the data sets, the smallest p-value first.

    >>> partial_conjunction([0.168, 0.297, 0.357, 0.019, 0.218, 0.001], alpha=0.1)
    [5, 3]
    """
    adjusted = holm([1.0 if math.isnan(p) else p for p in p_values])
    significant = [index for index, p in enumerate(adjusted) if p <= alpha]
    return sorted(significant, key=lambda index: p_values[index])


def combined(
    tests: Sequence[Mapping[str, Any]], names: Sequence[str], alpha: float
) -> dict[str, dict[str, dict[str, Any]]]:
    """Applies partial conjunctions to the results of ``fw stat-sig-test`` on several data sets.

    Args:
        tests: The results, one per data set.
        names: The names of the data sets.
        alpha: The level of significance.

    Returns:
        Level to coefficient to the number of data sets with an effect, ``k``, and their names, ``significant``.

    Raises:
        InputError: if no level and coefficient is in all results.
    """
    results: dict[str, dict[str, dict[str, Any]]] = {}
    for level in SACREROUGE_LEVELS:
        for key in SACREROUGE_COEFFICIENTS:
            if all(key in test.get(level, {}) for test in tests):
                found = [test[level][key]["pvalue"] for test in tests]
                chosen = partial_conjunction([math.nan if p is None else float(p) for p in found], alpha)
                entry = {"k": len(chosen), "significant": [names[index] for index in chosen]}
                results.setdefault(level, {})[key] = entry
    if not results:
        raise InputError("the results have no level and coefficient in common; they must come from fw stat-sig-test")
    return results
