"""Williams' test of two correlations that share a variable."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.choices import Level, Population
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.coefficients.pearson import Pearson
from metrics_framework.meta_evaluation.differences.difference_test import (
    ComparedMetrics,
    DifferenceTest,
    MetricSet,
    TestResult,
)
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair

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
        return TestResult(
            found.p_value,
            found.p_greater,
            found.p_less,
            test=self.name,
            population=self.population(scores.shape, compared.level),
            notes=notes if math.isnan(found.p_value) and scores.shape[0] > 3 else (),
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

    if n <= 3 or any(map(math.isnan, (r12, r13, r23))):
        return Williams(*[math.nan] * 4)
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if determinant <= SINGULAR:
        return Williams(*[math.nan] * 4)
    below = 2 * determinant * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / below)
    tails = [float(stdtr(n - 3, side)) for side in (-t, t)]
    return Williams(t, min(1.0, 2 * min(tails)), *tails)
