"""Williams' test, and tests with SacreROUGE's names: two metrics at a level, partial conjunctions over data sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.texts import shown
from metrics_framework.meta_evaluation.choices import (
    SACREROUGE_BOOTSTRAPS,
    SACREROUGE_COEFFICIENTS,
    SACREROUGE_LEVELS,
    SACREROUGE_PERMUTATIONS,
    SACREROUGE_TESTS,
    SACREROUGE_WILLIAMS,
    Definition,
    Level,
    Population,
    checked_choice,
)
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.coefficients.pearson import Pearson
from metrics_framework.meta_evaluation.differences.compared_metrics import Difference, difference_by, paired_scores
from metrics_framework.meta_evaluation.differences.difference_test import (
    ROUNDING,
    ComparedMetrics,
    DifferenceTest,
    MetricSet,
    TestResult,
    TestSettings,
    load_test,
)
from metrics_framework.meta_evaluation.differences.permutation_tests import bootstrap_values
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair
from metrics_framework.meta_evaluation.intervals import Interval
from metrics_framework.significance.multiple_testing import holm

SINGULAR = 1e-12
"""A determinant of correlations up to this number is 0 up to rounding."""


@DifferenceTest.register("williams")
class WilliamsTest(DifferenceTest):
    """Williams' test of two Pearson correlations over systems, by a formula: speaks of other systems.

    It assumes that scores are normal and that systems are independent, which holds for means of systems only; of rank
    correlations it rejects up to ten times too often. Source: Williams (1959); Steiger (1980).
    """

    speaks = "for other systems"
    interval_over: ClassVar[Population] = "systems"
    citation = "williams-1959-comparison"

    @overrides
    def refusal(self, coefficient: Coefficient, level: Level) -> str | None:
        if isinstance(coefficient, Pearson) and level == "system":
            return None
        found = f"'{coefficient.name}' at level '{level}'"
        return (
            f"'williams' is valid for 'pearson' at level 'system' only, got {found}: its formula assumes independent "
            "points and normal scores; use the test 'systems' or 'inputs'"
        )

    @overrides
    def compare(self, compared: ComparedMetrics, first: str, second: str) -> TestResult:
        scores = compared.scores
        r12, r13, r23 = self.correlations(compared, first, second)
        found = williams(r12, r13, r23, self.points(scores, compared.level))
        notes = ("undefined: a metric correlates perfectly with the human scores or with the other metric",)
        if scores.shape[0] <= 3:
            notes = ("undefined: it needs 4 systems or more",)
        return TestResult(
            found.p_value,
            found.p_greater,
            found.p_less,
            test=self.name,
            population=self.population(scores.shape, compared.level),
            notes=notes if math.isnan(found.p_value) else (),
        )

    def correlations(self, compared: ComparedMetrics, first: str, second: str) -> list[float]:
        """Returns the correlations of both metrics with people, and with each other."""
        scores, options = compared.scores, compared.measured[first].options
        between = ScorePair(scores.metrics[first], scores.metrics[second])
        correlation = compared.coefficient.measure(between, compared.level, options).value
        return [compared.measured[first].value, compared.measured[second].value, correlation]

    def points(self, scores: MetricSet, level: Level) -> int:
        """Returns the number of points that are correlated."""
        return scores.shape[0]


class Williams(NamedTuple):
    """The result of Williams' test; NaN if undefined.

    Attributes:
        statistic: Student's t, positive if the first correlation is larger.
        p_value: The two-sided p-value.
        p_greater: The one-sided p-value of the alternative r₁₂ > r₁₃.
        p_less: The one-sided p-value of the alternative r₁₂ < r₁₃.
    """

    statistic: float
    p_value: float
    p_greater: float
    p_less: float


def williams(r12: float, r13: float, r23: float, n: int) -> Williams:
    """Tests whether r₁₂ and r₁₃, which share variable 1, differ, given the correlation r₂₃ and n points.

    t = (r₁₂ − r₁₃) √((n−1)(1+r₂₃) / (2|R|(n−1)/(n−3) + r̄²(1−r₂₃)³)) with n − 3 degrees of freedom, where
    |R| = 1 − r₁₂² − r₁₃² − r₂₃² + 2 r₁₂ r₁₃ r₂₃ and r̄ = (r₁₂ + r₁₃)/2. Correlations keep their signs: with absolute
    values, a metric that ranks outputs in reverse would seem to be as good as one that ranks them correctly. If |R| is
    0, one of the correlations is perfect, or follows from the other two, and the test is undefined.

    Source: Williams (Journal of the Royal Statistical Society B, 1959); Steiger (Psychological Bulletin, 1980).

    >>> [round(p, 9) for p in williams(0.62, 0.55, 0.7, 50)[1:3]]
    [0.427032651, 0.213516325]
    """
    from scipy.special import stdtr

    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if n <= 3 or not determinant > SINGULAR:  # also if a correlation is undefined
        return Williams(*[math.nan] * 4)
    below = 2 * determinant * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / below)
    tails = [float(stdtr(n - 3, side)) for side in (-t, t)]
    return Williams(t, min(1.0, 2 * min(tails)), *tails)


ONLY_PEARSON = (
    "Williams' test is valid for Pearson's r at the system level only; elsewhere it finds differences that are none "
    "several times too often"
)


def stat_sig_test(
    human: Any,
    metric1: Any,
    metric2: Any,
    name: str,
    *,
    level: str,
    method: str = "permutation-both",
    definition: Definition = "corrected",
    resamples: int = 1000,
    seed: int = 0,
    draws: bool = False,
) -> Difference:
    """Tests whether two metrics differ in a coefficient, by a test of SacreROUGE; its ``p_greater`` is one-tailed.

    Args:
        human: The dependent scores, as in `difference`.
        metric1: Scores of the first metric.
        metric2: Scores of the second metric.
        name: The coefficient.
        level: ``input``, ``system`` or ``global``.
        method: The name that SacreROUGE gave to the test; ``permutation-both`` swaps single outputs.
        definition: How p-values of the bootstrap and of Williams' test are defined: ``corrected``, or ``sacrerouge``
            with its faults.
        resamples: The number of resamples or random permutations.
        seed: The random seed.
        draws: Whether to return the difference in each permutation or resample.

    Raises:
        InputError: if a name is unknown, the test is invalid for the coefficient, or shapes differ.

    >>> human, metric, other = [1, 2, 3, 4, 5], [2, 1, 3, 5, 4], [1, 5, 2, 3, 4]
    >>> round(stat_sig_test(human, metric, other, "pearson", level="system", method="williams").p_value, 6)
    0.524012
    """
    scores, at = paired_scores(human, metric1, metric2, None, level)
    test = sacrerouge_test(method, definition)
    found = difference_by(test, scores, name, at, TestSettings(test.name, resamples, seed))
    return found if draws else replace(found, draws=None)


def sacrerouge_test(method: str, definition: Definition) -> DifferenceTest:
    """Returns a test by the name that SacreROUGE gave it."""
    checked_choice(method, SACREROUGE_TESTS, "method")
    if method in SACREROUGE_BOOTSTRAPS:
        return ShiftedBootstrap(SACREROUGE_BOOTSTRAPS[method], definition)
    if method == SACREROUGE_WILLIAMS and definition == "sacrerouge":
        return AbsoluteWilliams()
    return load_test(SACREROUGE_PERMUTATIONS.get(method, method))


class AbsoluteWilliams(WilliamsTest):
    """Williams' test as in SacreROUGE: of absolute correlations of any kind, as if all outputs were independent."""

    speaks = "for other outputs, as if all were independent"

    @overrides
    def refusal(self, coefficient: Coefficient, level: Level) -> str | None:
        return None

    @overrides
    def correlations(self, compared: ComparedMetrics, first: str, second: str) -> list[float]:
        return [abs(r) for r in super().correlations(compared, first, second)]

    @overrides
    def points(self, scores: MetricSet, level: Level) -> int:
        if level == "system":
            return scores.shape[0]
        return int(scores.present.sum(axis=0).max(initial=0) if level == "input" else scores.present.sum())


@dataclass(frozen=True)
class ShiftedBootstrap(DifferenceTest):
    """The bootstrap of SacreROUGE, whose differences are shifted by the observed one; see `shift_p_value`.

    Args:
        drawn: What is drawn with replacement.
        definition: How p-values are defined.
    """

    drawn: Population
    definition: Definition

    @property
    @overrides
    def name(self) -> str:
        return "both" if self.drawn == "both" else f"bootstrap-{self.drawn}"

    @overrides
    def population(self, shape: tuple[int, int], level: Level) -> str:
        return load_test(self.name).population(shape, level)

    @overrides
    def compare(self, compared: ComparedMetrics, first: str, second: str) -> TestResult:
        drawn = bootstrap_values(compared, self.drawn)
        observed = compared.measured[first].value - compared.measured[second].value
        trials = drawn[first] - drawn[second]
        return TestResult(
            shift_p_value(observed, trials, True, self.definition),
            shift_p_value(observed, trials, False, self.definition),
            shift_p_value(-observed, -trials, False, self.definition),
            test=self.name,
            population=self.population(compared.scores.shape, compared.level),
            resamples=len(trials),
            undefined_draws=int(np.isnan(trials).sum()),
            draws=trials,
        )


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


def hypotheses(dependent: str, metric_a: str, metric_b: str, two_tailed: bool) -> tuple[str, str]:
    """Writes the null hypothesis and the alternative.

    >>> hypotheses("grade", "A", "B", two_tailed=False)
    ('r(A, grade) <= r(B, grade)', 'r(A, grade) > r(B, grade)')
    """
    first, second = f"r({metric_a}, {dependent})", f"r({metric_b}, {dependent})"
    null, alternative = ("==", "!=") if two_tailed else ("<=", ">")
    return f"{first} {null} {second}", f"{first} {alternative} {second}"


@dataclass(frozen=True)
class PartialConjunction(Interval):
    """How many data sets have an effect, with the p-value of an effect in one or more.

    Args:
        significant: The indices of these data sets, the smallest p-value first.
    """

    significant: tuple[int, ...] = ()


def partial_conjunction_test(p_values: Any, alpha: float = 0.05) -> PartialConjunction:
    """Finds the data sets with a significant effect: those that Holm's correction rejects.

    Their number k is also the largest u for which the hypothesis that fewer than u data sets have an effect is rejected
    with Bonferroni's partial conjunction p-value max over v ≤ u of (n − v + 1)·p₍ᵥ₎.

    Source: Dror, Baumer, Bogomolov and Reichart (Transactions of the ACL, 2017).

    Args:
        p_values: The p-value of each data set, shape (data sets,); NaN is not significant.
        alpha: The level of significance.

    Raises:
        InputError: if p-values are no vector of numbers from 0 to 1.

    >>> found = partial_conjunction_test([0.168, 0.297, 0.357, 0.019, 0.218, 0.001], alpha=0.1)
    >>> found.value, found.significant, found.p_value
    (2, (5, 3), 0.006)
    """
    given = np.asarray(p_values, dtype=float)
    if given.ndim != 1 or not len(given) or ((given < 0) | (given > 1)).any():
        raise InputError(f"'p_values' must be a vector of numbers from 0 to 1, got {shown(p_values)}")
    if not 0 < alpha < 1:
        raise InputError(f"'alpha' must be between 0 and 1, got {alpha}")
    adjusted = holm([1.0 if math.isnan(p) else p for p in given.tolist()])
    significant = sorted((index for index, p in enumerate(adjusted) if p <= alpha), key=lambda index: given[index])
    return PartialConjunction(len(significant), p_value=min(adjusted), significant=tuple(significant))


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
                chosen = partial_conjunction_test([math.nan if p is None else p for p in found], alpha).significant
                entry = {"k": len(chosen), "significant": [names[index] for index in chosen]}
                results.setdefault(level, {})[key] = entry
    if not results:
        raise InputError("the results have no level and coefficient in common; they must come from fw stat-sig-test")
    return results
