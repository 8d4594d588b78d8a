"""Sums of floats that are the same, to the last digit, on every version of Python."""

from __future__ import annotations

from collections.abc import Iterable


def plain_sum(values: Iterable[float]) -> float:
    """Adds doubles from left to right, as the published programs do.

    From Python 3.12 on, the built-in ``sum`` makes up for rounding, so that its last digit is another than before.

    >>> plain_sum([0.1, 0.2, 0.3])
    0.6000000000000001
    """
    total = 0.0
    for value in values:
        total += value
    return total
