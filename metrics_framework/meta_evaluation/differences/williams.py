"""Williams' test of two correlations that share a variable."""

from __future__ import annotations

import math
from typing import NamedTuple


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
    values, a metric that ranks outputs in reverse would seem to be as good as one that ranks them correctly.

    Source: Williams (Journal of the Royal Statistical Society B, 1959); Steiger (Psychological Bulletin, 1980).

    >>> [round(p, 9) for p in williams(0.62, 0.55, 0.7, 50)[1:3]]
    [0.427032651, 0.213516325]
    """
    from scipy.special import stdtr

    if n <= 3 or any(map(math.isnan, (r12, r13, r23))):
        return Williams(*[math.nan] * 4)
    determinant = max(0.0, 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23)
    below = 2 * determinant * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if below <= 0:
        return Williams(*[math.nan] * 4)
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / below)
    tails = [float(stdtr(n - 3, side)) for side in (-t, t)]
    return Williams(t, min(1.0, 2 * min(tails)), *tails)
