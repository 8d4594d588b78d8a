"""Significance of p-values, and corrections for multiple tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from metrics_framework.data.sums import plain_sum

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


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjusts p-values by Benjamini and Hochberg's step-up method, which controls the false discovery rate.

    The largest of m p-values stays, the next is multiplied by m / (m − 1) and so on, the smallest by m. An adjusted
    p-value is never above a larger one. NaN means no comparison and stays NaN.

    Source: Benjamini and Hochberg (Journal of the Royal Statistical Society B, 1995).

    >>> [round(p, 6) for p in benjamini_hochberg([0.04, 0.01, 0.03])]
    [0.04, 0.03, 0.04]
    """
    return _step_up(p_values, 1.0)


def benjamini_yekutieli(p_values: Sequence[float]) -> list[float]:
    """Adjusts p-values like `benjamini_hochberg`, times Σ 1/i for i from 1 to m: valid for dependent tests.

    Source: Benjamini and Yekutieli (Annals of Statistics, 2001).

    >>> [round(p, 6) for p in benjamini_yekutieli([0.04, 0.01, 0.03])]
    [0.073333, 0.055, 0.073333]
    """
    return _step_up(p_values, plain_sum(1 / i for i in range(1, sum(p == p for p in p_values) + 1)))


def _step_up(p_values: Sequence[float], factor: float) -> list[float]:
    adjusted = list(p_values)
    ranked = sorted((index for index, p in enumerate(p_values) if p == p), key=lambda index: p_values[index])
    smallest = 1.0
    for rank, index in reversed([*enumerate(ranked, 1)]):
        smallest = min(smallest, factor * len(ranked) / rank * p_values[index])
        adjusted[index] = smallest
    return adjusted


CORRECTIONS: Mapping[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "by": benjamini_yekutieli,
    "none": list,
}
"""The corrections by name."""
CITATIONS: Mapping[str, str] = {
    "holm": "holm-1979-simple",
    "bh": "benjamini-hochberg-1995-controlling",
    "by": "benjamini-yekutieli-2001-control",
}
"""The papers to cite for the corrections, by their keys in ``citations.bib``."""
