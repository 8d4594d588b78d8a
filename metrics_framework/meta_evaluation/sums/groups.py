"""`WeightedGroups`: groups of outputs in many resamples, with the sums that coefficients share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.sums.pair_sums import PairSums, Ties


class Weighted(Protocol):
    """Computes a coefficient of groups of weighted outputs."""

    def __call__(self, human: Floats, metric: Floats, weights: Floats, /) -> Floats:
        """Returns the coefficient of each group, shape (groups,).

        Args:
            human: The human scores, shape (groups, outputs).
            metric: The scores of the metric, of the same shape.
            weights: Integers of the same shape; 0 for missing outputs.
        """


class WeightedGroups(ABC):
    """Groups of outputs with human scores and scores of a metric, weighted in each of several resamples.

    A resample is a vector of integer weights, not a copy of the data: an output drawn twice has weight 2, one not drawn
    weight 0. All results have the shape (resamples, groups), NaN where undefined. Sums are computed when they are first
    asked for, and kept, so that coefficients share them.
    """

    def __init__(self) -> None:
        self._pair_sums: dict[Ties, PairSums] = {}

    def pair_sums(self, ties: Ties) -> PairSums:
        """Returns sums over the pairs of outputs of each group.

        Args:
            ties: Which scores are tied.
        """
        if ties not in self._pair_sums:
            self._pair_sums[ties] = self.compare_pairs(ties)
        return self._pair_sums[ties]

    @abstractmethod
    def compare_pairs(self, ties: Ties) -> PairSums:
        """Computes `pair_sums`."""

    @abstractmethod
    def least_distinct(self) -> Floats:
        """Returns the number of distinct human scores or scores of the metric, whichever is smaller."""

    @abstractmethod
    def pearson(self) -> Floats:
        """Returns Pearson's r."""

    @abstractmethod
    def spearman(self) -> Floats:
        """Returns Spearman's ρ, Pearson's r of the mid-ranks."""

    @abstractmethod
    def map(self, weighted: Weighted) -> Floats:
        """Computes a coefficient of each group in each resample by a function of scores and weights.

        Args:
            weighted: The function. Missing scores are 0, with weight 0.
        """


def filled(values: Floats) -> Floats:
    """Replaces missing scores by 0."""
    return np.where(np.isnan(values), 0, values)
