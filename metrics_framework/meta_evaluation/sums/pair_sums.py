"""The numbers of pairs of outputs that two scores order alike, differently, or tie: what Kendall's family needs.

One set of sums serves all these coefficients, in every resample of a block: an output of weight w is w copies of it,
and two copies are a pair that is tied in both scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_framework.common.arrays import Floats


@dataclass(frozen=True)
class Ties:
    """When two scores are tied.

    Args:
        epsilon: Two metric scores are tied if they differ by at most this number.
        threshold: Two human scores are tied if they differ by less than this number, or not at all.
    """

    epsilon: float = 0.0
    threshold: float = 0.0


EQUAL = Ties()
"""Only equal scores are tied."""


@dataclass(frozen=True)
class PairSums:
    """Sums over pairs of outputs, each weighted by the product of the weights of its outputs; arrays of one shape.

    Args:
        points: The number of outputs n, with their copies.
        untied_human: Pairs that are not tied in the human scores.
        untied_metric: Pairs that are not tied in the metric.
        untied: Pairs that are tied in neither.
        surplus: Concordant minus discordant pairs.
    """

    points: Floats
    untied_human: Floats
    untied_metric: Floats
    untied: Floats
    surplus: Floats

    @property
    def total(self) -> Floats:
        """The number of pairs T."""
        return self.points * (self.points - 1) / 2

    def accuracy(self) -> Floats:
        """Returns (C + T_hm)/T, the share of pairs that the metric orders, or ties, as people do; NaN without pairs.

        C are concordant pairs, T_hm pairs tied in both scores, T all pairs.
        """
        tied_both = self.total - self.untied_human - self.untied_metric + self.untied
        return shares((self.untied + self.surplus) / 2 + tied_both, self.total)


def shares(parts: Floats, totals: Floats) -> Floats:
    """Divides, clips to [−1, 1] and returns NaN where the divisor is 0."""
    divided = np.divide(parts, totals, out=np.full(np.shape(totals), np.nan), where=totals > 0)
    return np.asarray(np.clip(divided, -1, 1))
