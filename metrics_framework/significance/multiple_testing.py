"""Significance of p-values, and Holm's correction for multiple tests."""

from __future__ import annotations

from collections.abc import Sequence

ROUNDING = 1e-9
"""Numbers are equal if their relative difference is at most this: it can only come from rounding."""


def is_significant(p: float, alpha: float) -> bool:
    """Returns whether a p-value is below alpha by more than rounding.

    >>> 19 * (1 / 380) < 0.05, is_significant(19 * (1 / 380), 0.05), is_significant(19 / 381, 0.05)
    (True, False, True)
    """
    return p < alpha * (1 - ROUNDING)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusts p-values by Holm's step-down method, which controls the family-wise error rate.

    The smallest of m p-values is multiplied by m, the next by m − 1 and so on. An adjusted p-value is never below a
    smaller one, nor above 1. NaN means no comparison and stays NaN.

    Source: Holm (Scandinavian Journal of Statistics, 1979).

    >>> [round(p, 6) for p in holm([0.04, 0.01, 0.03])]
    [0.06, 0.03, 0.06]
    """
    adjusted = list(p_values)
    ranked = sorted((index for index, p in enumerate(p_values) if p == p), key=lambda index: p_values[index])
    largest = 0.0
    for rank, index in enumerate(ranked):
        largest = max(largest, min(1.0, (len(ranked) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted
