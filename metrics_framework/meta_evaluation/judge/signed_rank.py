"""Wilcoxon's signed-rank test, exact with ties."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from metrics_framework.common.arrays import Floats


def signed_rank_p(differences: Floats) -> float:
    """Computes the one-sided p-value that differences are symmetric around 0, against smaller ones.

    Zeros are dropped. Tied absolute values get the mean of their ranks. The null distribution of the sum of positive
    ranks is computed exactly, given these ranks: each sign is + or − with probability ½.

    Args:
        differences: Shape (n,), without NaN.

    Returns:
        The probability of a sum of positive ranks that is at most the observed one; 1 if all differences are 0.

    Source: Wilcoxon (Biometrics Bulletin, 1945); Pratt (1959) describes the treatment of zeros.

    >>> signed_rank_p(np.array([-1.0, -2.0, -3.0, 0.5]))
    0.125
    """
    differences = differences[differences != 0]
    _, places, counts = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    doubled = (2 * np.cumsum(counts) - counts + 1)[places]  # mid-ranks are multiples of ½
    return _at_most(tuple(np.sort(doubled).tolist()), int(doubled[differences > 0].sum()))


@lru_cache(maxsize=1024)
def _at_most(ranks: tuple[int, ...], observed: int) -> float:
    """Returns the probability that the sum of ranks with random signs is at most the observed one.

    A sweep over ε changes the differences, but rarely their ranks.
    """
    ways = np.zeros(observed + 1)
    ways[0] = 1.0
    for rank in ranks:
        sums = ways.copy()
        sums[rank:] += ways[: max(0, len(ways) - rank)]
        ways = sums / 2  # probabilities, which stay in the range of floats
    return min(1.0, math.fsum(ways))
