"""Score intervals and tests of proportions, also of items that are dependent within clusters."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.confidence_level import as_fraction
from metrics_framework.significance.interval_methods import Interval, score_interval, student_quantile


class EffectiveTrials(NamedTuple):
    """How many independent trials say as much about a proportion as dependent ones.

    Attributes:
        proportion: The proportion p; NaN without trials.
        size: The number n of trials.
        effective: The number n* of independent ones; NaN for one cluster.
        clusters: The number of clusters G; `None` if trials are independent.
    """

    proportion: float
    size: int
    effective: float
    clusters: int | None = None

    @classmethod
    def of(cls, outcomes: npt.ArrayLike, clusters: Sequence[Hashable] | None = None) -> EffectiveTrials:
        """Counts effective trials, n* = p(1 − p) / V, at most n.

        V is the variance of p over clusters, G / (G − 1) Σ_g (Σ_{i∈g} (x_i − p))² / n². If V is 0, or p is 0 or 1, n*
        is G; if there is one cluster, NaN. Clusters of one trial each are no clusters: n* is n.

        Args:
            outcomes: The outcome x of each trial, between 0 and 1, shape (n,).
            clusters: The cluster of each trial; by default trials are independent.

        >>> round(EffectiveTrials.of([1, 1, 0, 1, 0, 0], "aabbcc").effective, 9)
        3.0
        """
        values = np.asarray(outcomes, dtype=np.float64)
        n = len(values)
        groups = Clusters.of(clusters, n)
        p = math.fsum(values) / n if n else math.nan
        if groups.count == n:
            return cls(p, n, n)
        order = np.argsort(values)  # sums that do not depend on the order of trials
        sizes = np.bincount(groups.codes)
        sums = np.bincount(groups.codes[order], weights=values[order]) - p * sizes
        sums[np.abs(sums) <= 8 * np.finfo(np.float64).eps * sizes] = 0  # rounding errors
        freedom, within = max(1, groups.count - 1), p * (1 - p)
        variance = groups.count / freedom * math.fsum(sums**2) / n**2
        effective = within / variance if variance and within else groups.count
        return cls(p, n, min(effective, n) if groups.count > 1 else math.nan, groups.count)

    def interval(self, confidence: float = 95) -> Interval:
        """Computes the score interval, with G − 1 degrees of freedom for clusters; NaN for one cluster.

        Args:
            confidence: The confidence level, a fraction or in percent.

        >>> found = EffectiveTrials.of([1] * 41 + [0] * 9).interval()
        >>> round(found.lower, 9), round(found.upper, 9)
        (0.692039463, 0.902298073)
        """
        freedom = math.inf if self.clusters is None else self.clusters - 1
        return score_interval(
            self.proportion, self.effective, student_quantile((1 + as_fraction(confidence)) / 2, freedom)
        )

    @property
    def even_p(self) -> float:
        """The two-sided p-value of the probability ½; NaN for one cluster, 1 without trials.

        That of the exact binomial test or, with clusters, the one that belongs to `interval`: Student's t with
        t = (p − ½) · 2√n*.
        """
        from scipy.special import stdtr

        if self.clusters is None:
            return binomial_p(round(self.effective * self.proportion), round(self.effective)) if self.effective else 1.0
        if self.clusters < 2:
            return math.nan
        return float(2 * stdtr(self.clusters - 1, -abs(self.proportion - 0.5) * 2 * math.sqrt(self.effective)))


def binomial_p(successes: int, trials: int) -> float:
    """Computes the two-sided p-value of the exact binomial test of probability ½; 1 without trials.

    >>> round(binomial_p(9, 12), 9)
    0.145996094
    """
    from scipy.special import bdtr

    fewest = min(successes, trials - successes)
    return min(1.0, 2 * float(bdtr(fewest, trials, 0.5))) if trials else 1.0
