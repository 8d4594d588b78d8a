"""Intervals and exact tests of proportions."""

from __future__ import annotations

import math
from typing import NamedTuple

from metrics_framework.common.errors import InputError
from metrics_framework.significance.confidence_level import as_fraction


class Proportion(NamedTuple):
    """A proportion with its confidence interval.

    Attributes:
        value: Successes divided by trials; NaN without trials.
        lower: The lower end; NaN without trials.
        upper: The upper end.
    """

    value: float
    lower: float
    upper: float


def wilson(successes: float, trials: float, confidence: float = 95) -> Proportion:
    """Computes a proportion and Wilson's score interval.

    The ends are (p + z²/2n ± z√(p(1−p)/n + z²/4n²)) / (1 + z²/n). Unlike p ± z·standard error, they are correct for few
    trials and for proportions near 0 and 1.

    Args:
        successes: The number of successes.
        trials: The number of trials n.
        confidence: The confidence level, a fraction or in percent.

    Raises:
        InputError: if there are more successes than trials, or a number is negative.

    Source: Wilson (Journal of the American Statistical Association, 1927).

    >>> [round(number, 9) for number in wilson(41, 50)]
    [0.82, 0.692039463, 0.902298073]
    """
    from scipy.special import ndtri

    if not 0 <= successes <= trials:
        raise InputError(f"'successes' must be between 0 and the number of trials, got {successes} of {trials}")
    if not trials:
        return Proportion(math.nan, math.nan, math.nan)
    z = float(ndtri((1 + as_fraction(confidence)) / 2))
    p, q = successes / trials, z * z / trials
    centre, half_width = p + q / 2, math.sqrt(q * (p * (1 - p) + q / 4))
    lower = 0.0 if not successes else max(0.0, (centre - half_width) / (1 + q))
    upper = 1.0 if successes == trials else min(1.0, (centre + half_width) / (1 + q))
    return Proportion(p, lower, upper)


def binomial_p(successes: int, trials: int) -> float:
    """Computes the two-sided p-value of the exact binomial test of probability ½; 1 without trials.

    >>> round(binomial_p(9, 12), 9)
    0.145996094
    """
    from scipy.special import bdtr

    fewest = min(successes, trials - successes)
    return min(1.0, 2 * float(bdtr(fewest, trials, 0.5))) if trials else 1.0
