"""Hypothesis tests with SacreROUGE's names: two metrics at every level, and partial conjunctions over data sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.coefficients.checks import checked_choice
from metrics_framework.meta_evaluation.coefficients.groups import coefficient
from metrics_framework.meta_evaluation.differences.paired_bootstrap import bootstrap_differences
from metrics_framework.meta_evaluation.differences.paired_scores import PairedScores
from metrics_framework.meta_evaluation.differences.schemes import population
from metrics_framework.meta_evaluation.differences.single import ROUNDING, TestSettings, compared
from metrics_framework.meta_evaluation.differences.williams import williams
from metrics_framework.meta_evaluation.intervals.populations import Population
from metrics_framework.meta_evaluation.names import Coefficient, Level, Test
from metrics_framework.significance.arrays import Floats
from metrics_framework.significance.multiple_testing import holm

Definition = Literal["corrected", "sacrerouge"]
DEFINITIONS: tuple[Definition, ...] = get_args(Definition)
"""How p-values of the bootstrap and of Williams' test are defined."""
METHODS: Mapping[str, Test] = {
    "permutation-both": "cells",
    "permutation-system": "systems",
    "permutation-input": "inputs",
    "bootstrap-both": "bootstrap-both",
    "bootstrap-system": "bootstrap-systems",
    "bootstrap-input": "bootstrap-inputs",
    "williams": "williams",
}
"""SacreROUGE's names of the tests, and ours; its ``permutation-both`` swaps single cells."""
LEVELS: Mapping[str, Level] = {"summary_level": "input", "system_level": "system", "global": "global"}
COEFFICIENTS: Mapping[str, Coefficient] = {"pearson": "pearson", "spearman": "spearman", "kendall": "kendall-b"}


@dataclass(frozen=True)
class StatSigSettings:
    """How two metrics are tested.

    Args:
        method: A key of `METHODS`.
        alpha: The level of significance.
        two_tailed: Whether the alternative is any difference; otherwise, that the first metric is better.
        resamples: The number of resamples or random arrangements.
        seed: The random seed.
        definition: How p-values are defined: ``corrected``, or ``sacrerouge`` with its faults.

    Raises:
        InputError: if a setting is invalid.
    """

    method: str = "permutation-both"
    alpha: float = 0.05
    two_tailed: bool = False
    resamples: int = 1000
    seed: int = 0
    definition: Definition = "corrected"

    def __post_init__(self) -> None:
        checked_choice(self.method, tuple(METHODS), "method")
        checked_choice(self.definition, DEFINITIONS, "definition")
        if not 0 < self.alpha < 1:
            raise InputError(f"'alpha' must be between 0 and 1, got {self.alpha}")

    @property
    def test(self) -> TestSettings:
        """The test with our name."""
        return TestSettings(METHODS[self.method], self.resamples, self.seed)


def p_values_at(scores: PairedScores, level: Level, settings: StatSigSettings) -> dict[str, float]:
    """Computes the p-value of each coefficient at a level.

    Args:
        scores: The dependent metric as human scores, and the two metrics.
        level: The level.
        settings: The test.

    Returns:
        SacreROUGE's name of the coefficient to the p-value; NaN if undefined.
    """
    return {key: _p_value(scores, name, level, settings) for key, name in COEFFICIENTS.items()}


def _p_value(scores: PairedScores, name: Coefficient, level: Level, settings: StatSigSettings) -> float:
    if settings.method == "williams":
        return _williams(scores, name, level, settings)
    if settings.method.startswith("bootstrap"):
        resampled = bootstrap_differences(
            scores, name, level, _population(settings.test.test), settings.resamples, settings.seed
        )
        values = [coefficient(scores.human, metric, name, level=level) for metric in (scores.first, scores.second)]
        return shift_p_value(values[0] - values[1], resampled, settings.two_tailed, settings.definition)
    found = compared(scores, name, level, settings.test)
    return found.p_value if settings.two_tailed else found.p_greater


def _population(test: Test) -> Population:
    kinds: Mapping[str, Population] = {
        "bootstrap-both": "both",
        "bootstrap-systems": "systems",
        "bootstrap-inputs": "inputs",
    }
    return kinds[test]


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


def _williams(scores: PairedScores, name: Coefficient, level: Level, settings: StatSigSettings) -> float:
    correlations = [
        coefficient(*pair, name, level=level)
        for pair in ((scores.human, scores.first), (scores.human, scores.second), (scores.first, scores.second))
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


def population_of(settings: StatSigSettings, systems: int, inputs: int) -> str:
    """Names the population of which the p-values speak."""
    return population(METHODS[settings.method], systems, inputs)


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
    for level in LEVELS:
        for key in COEFFICIENTS:
            if all(key in test.get(level, {}) for test in tests):
                found = [test[level][key]["pvalue"] for test in tests]
                chosen = partial_conjunction([math.nan if p is None else float(p) for p in found], alpha)
                entry = {"k": len(chosen), "significant": [names[index] for index in chosen]}
                results.setdefault(level, {})[key] = entry
    if not results:
        raise InputError("the results have no level and coefficient in common; they must come from fw stat-sig-test")
    return results
