"""Wilcoxon's signed-rank test, exact with ties."""

from __future__ import annotations

import math

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
    from scipy.stats import rankdata

    differences = differences[differences != 0]
    doubled = np.rint(2 * rankdata(np.abs(differences))).astype(int)  # mid-ranks are multiples of ½
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled:
        shifted = np.zeros_like(ways)
        shifted[rank:] = ways[: len(ways) - rank]
        ways = (ways + shifted) / 2  # probabilities, which stay in the range of floats
    observed = int(doubled[differences > 0].sum())
    return min(1.0, math.fsum(ways[: observed + 1]))
