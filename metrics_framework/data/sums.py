"""Sums of floats that are identical on every version of Python."""

from __future__ import annotations

from collections.abc import Iterable


def plain_sum(values: Iterable[float]) -> float:
    """Adds floats from left to right, as the published programs do.

    Since Python 3.12, the built-in ``sum`` compensates for rounding errors, which changes last digits (decision 0013).

    >>> plain_sum([0.1, 0.2, 0.3])
    0.6000000000000001
    """
    total = 0.0
    for value in values:
        total += value
    return total
