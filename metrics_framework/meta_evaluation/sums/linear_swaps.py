"""Differences that are linear in the signs of a permutation: sums over pairs of outputs, by `PairScores`."""

from __future__ import annotations

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.meta_evaluation.sums.pair_scores import PairScores
from metrics_framework.meta_evaluation.sums.sorted_groups import SortedGroups
from metrics_framework.meta_evaluation.sums.swaps import Swaps


def as_columns(values: Floats, swaps: Swaps) -> Floats:
    """Arranges the groups of the level ``input`` or ``global`` as columns."""
    return values if swaps.level == "input" else values.reshape(-1, 1)


def sorted_groups(swaps: Swaps, name: str) -> SortedGroups:
    """Returns the scores of a metric on the common scale, whose groups are sorted once for all pairs."""
    return swaps.once(("sorted", name), lambda: SortedGroups(as_columns(swaps.common(name), swaps)))


def linear_differences(swaps: Swaps, scores: PairScores, weights: Floats, first: str, second: str) -> Floats:
    """Averages differences over groups.

    Args:
        swaps: The metrics and the permutations, at the level ``input`` or ``global``.
        scores: The scores of pairs, whose sum is the coefficient of each group.
        weights: The weight of each group in the mean, shape (groups,); 0 where it is undefined.
        first: The name of the first metric.
        second: The name of the second.

    Returns:
        Shape (permutations,); NaN where no group is defined.
    """
    total = weights.sum()
    if not total:
        return np.full(swaps.permutations.count, np.nan)
    one, other = (sorted_groups(swaps, name) for name in (first, second))
    epsilon = (swaps.common_epsilon(first) + swaps.common_epsilon(second)) / 2
    crossed = scores.sums(one, other, epsilon) - scores.sums(other, one, epsilon)
    linear = (crossed * (weights / total)).reshape(swaps.shape) / 2
    own = [_own_total(swaps, scores, weights / total, name) for name in (first, second)]
    return np.asarray(swaps.permutations.total(linear) + own[0] - own[1])


def _own_total(swaps: Swaps, scores: PairScores, weights: Floats, name: str) -> Floats:
    """Adds up the comparisons of the scores of one metric with each other, in every permutation."""

    def compute() -> Floats:
        metric = SortedGroups(as_columns(swaps.metrics[name], swaps))
        linear = scores.sums(metric, metric, swaps.epsilon(name)) * weights / 2
        return swaps.permutations.total(linear.reshape(swaps.shape))

    return swaps.once_per_draw(("own", name), compute)


def can_tie(first: Floats, second: Floats) -> Bools:
    """Returns in which columns two rows can be tied after swaps.

    Args:
        first: Scores of the first metric on the common scale, shape (outputs, groups); NaN where missing.
        second: Scores of the second metric on the same scale.
    """
    pooled = np.concatenate([first, second])
    members = np.tile(np.arange(len(first)), 2)
    order = np.argsort(pooled, axis=0, kind="stable")
    ordered = np.take_along_axis(pooled, order, axis=0)
    owners = members[order]
    tied: Bools = ((ordered[1:] == ordered[:-1]) & (owners[1:] != owners[:-1])).any(axis=0)
    return tied
