"""`misclassification`: the true share of good outputs, from the verdicts of a judge that makes errors."""

from __future__ import annotations

import math

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.intervals.resamples import Interval
from metrics_framework.significance.confidence_level import as_fraction


def misclassification(
    share: float, specificity: float, sensitivity: float, *, n: int, m0: int, m1: int, confidence: float = 95
) -> Interval:
    """Estimates the share of good outputs from the share that a judge calls good, its specificity and sensitivity.

    θ = (p + q₀ − 1) / (q₀ + q₁ − 1), limited to [0, 1]. With z the normal quantile, p̃ = (np + z²/2) / (n + z²),
    ñ = n + z², q̃ = (mq + 1) / (m + 2), m̃ = m + 2 and θ̃ computed from these, the interval has the centre
    θ̃ + 2z² (θ̃ q̃₁(1 − q̃₁)/m̃₁ − (1 − θ̃) q̃₀(1 − q̃₀)/m̃₀) and
    SE² = (p̃(1 − p̃)/ñ + (1 − θ̃)² q̃₀(1 − q̃₀)/m̃₀ + θ̃² q̃₁(1 − q̃₁)/m̃₁) / (q̃₀ + q̃₁ − 1)².

    Args:
        share: The share p that the judge calls good, of ``n`` outputs without ratings.
        specificity: The share q₀ that it calls bad, of ``m0`` bad outputs.
        sensitivity: The share q₁ that it calls good, of ``m1`` good outputs.
        n: The number of judged outputs.
        m0: The number of outputs that are bad according to people.
        m1: The number of outputs that are good according to people.
        confidence: The confidence level, a fraction or in percent.

    Returns:
        The share with its interval, limited to [0, 1]; the ends are NaN if q̃₀ + q̃₁ ≤ 1, which needs very few ratings.

    Raises:
        InputError: if a number is out of range, or q₀ + q₁ ≤ 1: such a judge is no better than chance.

    Source: Rogan and Gladen (American Journal of Epidemiology, 1978); the interval is that of Lee et al. (2026).

    >>> estimate = misclassification(0.8, 0.9, 0.85, n=1000, m0=60, m1=140)
    >>> round(estimate.value, 9), round(estimate.lower, 9), estimate.upper
    (0.933333333, 0.859106267, 1.0)
    """
    for name, value in (("share", share), ("specificity", specificity), ("sensitivity", sensitivity)):
        if not 0 <= value <= 1:
            raise InputError(f"'{name}' must be between 0 and 1, got {value:g}")
    for name, count in (("n", n), ("m0", m0), ("m1", m1)):
        if count < 1:
            raise InputError(f"'{name}' must be 1 or more, got {count}")
    if specificity + sensitivity <= 1:
        raise InputError(
            f"the judge is no better than chance: specificity {specificity:.3g} + sensitivity {sensitivity:.3g} ≤ 1, "
            "so its verdicts say nothing about the share of good outputs"
        )
    value = (share + specificity - 1) / (specificity + sensitivity - 1)
    return Interval(_limited(value), *_ends(share, specificity, sensitivity, (n, m0, m1), confidence))


def _ends(p: float, q0: float, q1: float, counts: tuple[int, int, int], confidence: float) -> tuple[float, float]:
    from scipy.special import ndtri

    z = float(ndtri((1 + as_fraction(confidence)) / 2))
    n, m0, m1 = counts[0] + z * z, counts[1] + 2, counts[2] + 2
    p = (counts[0] * p + z * z / 2) / n
    q0, q1 = (counts[1] * q0 + 1) / m0, (counts[2] * q1 + 1) / m1
    if q0 + q1 <= 1:
        return math.nan, math.nan
    theta = (p + q0 - 1) / (q0 + q1 - 1)
    bad, good = q0 * (1 - q0) / m0, q1 * (1 - q1) / m1
    centre = theta + 2 * z * z * (theta * good - (1 - theta) * bad)
    error = math.sqrt(p * (1 - p) / n + (1 - theta) ** 2 * bad + theta**2 * good) / (q0 + q1 - 1)
    return _limited(centre - z * error), _limited(centre + z * error)


def _limited(value: float) -> float:
    return min(1.0, max(0.0, value))
