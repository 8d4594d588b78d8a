"""Sums and standard deviations of floats that are identical on every version of Python (decision 0013)."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fractions import Fraction

    from metrics_framework.common.arrays import Floats

MAX_INTEGER = 2.0**53
"""Floats represent all integers up to this one exactly."""


def plain_sum(values: Iterable[float]) -> float:
    """Adds floats from left to right, as the published programs do.

    Since Python 3.12, the built-in ``sum`` compensates for rounding errors, which changes last digits.

    >>> plain_sum([0.1, 0.2, 0.3])
    0.6000000000000001
    """
    total = 0.0
    for value in values:
        total += value
    return total


def rounding_error(sizes: Any, counts: Any, given: Any = None) -> Any:
    """Returns how much rounding may change means or sums of floats, ε·(4·g + √n·s): numbers or arrays of them.

    The first part covers the decimals of the scores, which floats represent inexactly; the second the n additions,
    whose errors grow like a random walk (Higham and Mary 2019, "A New Approach to Probabilistic Rounding Error
    Analysis"). Two numbers are equal if they differ by no more than their errors, not by a fraction of their size.

    Args:
        sizes: The mean s, or the sum, of the absolute values of the numbers that are added.
        counts: How many are added, n.
        given: The mean g, or the sum, of `inexact_sizes` of the scores as they are given, if differences of them are
            added; by default s.

    >>> abs(0.1 + 0.2 - 0.3) <= rounding_error(0.3, 2), 1.0 <= rounding_error(1e13, 2)
    (True, False)
    """
    epsilon = sys.float_info.epsilon  # the first factor, so that no product overflows
    return 4 * epsilon * (sizes if given is None else given) + epsilon * counts**0.5 * sizes


def inexact_sizes(values: Floats) -> Floats:
    """Returns absolute values, but 0 for integers, which floats represent exactly."""
    import numpy as np

    sizes = np.abs(values)
    return np.where((sizes == np.rint(sizes)) & (sizes < MAX_INTEGER), 0.0, sizes)


def sample_deviation(values: Sequence[float]) -> float:
    """Returns the square root of the sum of squared deviations from the mean, divided by n - 1, rounded once.

    It equals ``statistics.stdev`` of Python 3.11 and later; that of Python 3.10 rounds the variance first.

    Args:
        values: At least two finite numbers.

    >>> sample_deviation([60, 70, 80])
    10.0
    """
    from fractions import Fraction

    exact = [Fraction(value) for value in values]
    total = sum(exact, Fraction(0))
    squares = sum((value * value for value in exact), Fraction(0))
    return _square_root((squares - total * total / len(exact)) / (len(exact) - 1))


def _square_root(number: Fraction) -> float:
    """Returns the float closest to the square root of a number that is not negative."""
    above, below = number.as_integer_ratio()
    shift = max(0, 64 + (below.bit_length() - above.bit_length()) // 2)
    scaled = (above << 2 * shift) // below
    root = math.isqrt(scaled)
    is_exact = root * root * below == above << 2 * shift
    return math.ldexp(2 * root + (not is_exact), -shift - 1)  # the last bit only decides how the float is rounded
