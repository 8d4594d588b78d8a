"""Coefficients from the numbers of pairs of points that are ordered alike, differently, or tied: Kendall's family.

One set of sums yields all of them, in every resample of a block: a point of weight w is w copies of it, and two copies
are a pair that is tied in both variables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics_framework.significance.arrays import Bools, Floats

PAIR_COEFFICIENTS = (
    "kendall-a",
    "kendall-b",
    "kendall-c",
    "tau-23",
    "acc-23",
    "acc-eq",
    "pairwise-accuracy",
    "kendall-like",
)
"""The coefficients that `PairSums` yields; the accuracies are one formula."""

PAIRS_THAT_COUNT = "pairs that count"
"""The number of pairs of ``kendall-like``: its weight in the mean over groups, which pools their pairs."""


@dataclass(frozen=True)
class PairSums:
    """Sums over pairs of points, each weighted by the product of the weights of its points; arrays of one shape.

    Args:
        points: The number of points n, with their copies.
        untied_human: Pairs that are not tied in the human scores.
        untied_metric: Pairs that are not tied in the metric.
        untied: Pairs that are tied in neither.
        surplus: Concordant minus discordant pairs.
        distinct: The number of distinct values of the variable that has fewer; needed for τ-c only.
    """

    points: Floats
    untied_human: Floats
    untied_metric: Floats
    untied: Floats
    surplus: Floats
    distinct: Floats | None = None

    def coefficient(self, name: str) -> Floats:
        """Computes a coefficient; NaN where undefined.

        τ-a = (C − D)/T, τ-b = (C − D)/√((T − T_h)(T − T_m)), τ-c = 2(C − D)/(n²(m − 1)/m), accuracy = (C + T_hm)/T
        and τ_23 = 2·accuracy − 1, for T pairs, of which C are concordant, D discordant, T_h tied in the human scores,
        T_m in the metric and T_hm in both; m is the smaller number of distinct values. ``kendall-like`` is
        (C − D)/(C + D) over pairs that are not tied in the human scores; ties in the metric are discordant.

        The accuracies and τ_23 need two points, all others also two distinct values of each variable
        (``kendall-like``: of the human scores).

        Args:
            name: A name of `PAIR_COEFFICIENTS`, or `PAIRS_THAT_COUNT`.
        """
        if name == PAIRS_THAT_COUNT:
            return self.untied_human
        with np.errstate(invalid="ignore", divide="ignore"):
            values, defined = self._values(name)
        return np.where(defined, np.clip(values, -1, 1), np.nan)

    def _values(self, name: str) -> tuple[Floats, Bools]:
        pairs = self.points * (self.points - 1) / 2
        if name in ("acc-23", "acc-eq", "pairwise-accuracy", "tau-23"):
            tied_both = pairs - self.untied_human - self.untied_metric + self.untied
            accuracy = ((self.untied + self.surplus) / 2 + tied_both) / pairs
            return (2 * accuracy - 1 if name == "tau-23" else accuracy), pairs > 0
        if name == "kendall-like":
            tied_metric = self.untied_human - self.untied
            return (self.surplus - tied_metric) / self.untied_human, self.untied_human > 0
        defined = (self.untied_human > 0) & (self.untied_metric > 0)
        if name == "kendall-a":
            return self.surplus / pairs, defined
        if name == "kendall-c":
            distinct = np.asarray(self.distinct)
            return 2 * self.surplus * distinct / (self.points**2 * (distinct - 1)), defined
        return self.surplus / np.sqrt(self.untied_human * self.untied_metric), defined


@dataclass(frozen=True)
class Ties:
    """When two scores are tied.

    Args:
        epsilon: Two metric scores are tied if they differ by at most this number.
        threshold: Two human scores are tied if they differ by less than this number, or not at all.
    """

    epsilon: float = 0.0
    threshold: float = 0.0

    @classmethod
    def of(cls, name: str, epsilon: float) -> Ties:
        """Returns the rule of a coefficient: for ``kendall-like``, `epsilon` is the threshold of human scores."""
        if name in ("kendall-like", PAIRS_THAT_COUNT):
            return cls(threshold=epsilon)
        return cls(epsilon=0.0 if name == "kendall-c" else epsilon)


def grouped_by_ties(names: Sequence[str], epsilon: float, *, of_ranks: bool = False) -> dict[Ties, list[str]]:
    """Groups pair coefficients by their rule for ties; each group needs one set of sums.

    Args:
        names: The coefficients.
        epsilon: The largest difference of tied scores.
        of_ranks: Whether to include ``spearman``, for which equal scores are tied.
    """
    groups: dict[Ties, list[str]] = {}
    for name in names:
        if name in (*PAIR_COEFFICIENTS, PAIRS_THAT_COUNT):
            groups.setdefault(Ties.of(name, epsilon), []).append(name)
        elif name == "spearman" and of_ranks:
            groups.setdefault(Ties(), []).append(name)
    return groups
