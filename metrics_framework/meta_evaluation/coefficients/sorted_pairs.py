"""Counts of the pairs of many points by sorting, O(n log² n) time and O(n) memory, with ties up to a difference ε."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_framework.meta_evaluation.coefficients.vectors import pair_counts
from metrics_framework.significance.arrays import Bools, Floats, Indices


@dataclass(frozen=True)
class TiedPairs:
    """The numbers of pairs of points (x, z).

    Args:
        total: The number of pairs.
        tied_x: Pairs with equal x.
        tied_z: Pairs whose z differ by at most ε.
        tied_both: Pairs tied in both (also counted in the other two).
        concordant: Pairs that both variables order in the same way.
    """

    total: int
    tied_x: int
    tied_z: int
    tied_both: int
    concordant: int


def sorted_pair_counts(x: Floats, z: Floats, epsilon: float = 0.0) -> TiedPairs:
    """Counts pairs of points.

    Args:
        x: The first variable, shape (n,), without NaN.
        z: The second, of the same shape.
        epsilon: The largest difference of z that is a tie.

    >>> sorted_pair_counts(np.array([1.0, 2, 2, 3]), np.array([1.0, 1.5, 2, 0]), 0.5)
    TiedPairs(total=6, tied_x=1, tied_z=2, tied_both=1, concordant=1)
    """
    exact = pair_counts(x, z)
    if not epsilon or not exact.total:
        concordant = (exact.total - exact.tied_x - exact.tied_z + exact.tied_both) - exact.discordant
        return TiedPairs(exact.total, exact.tied_x, exact.tied_z, exact.tied_both, concordant)
    order = np.argsort(z, kind="stable")
    ranks = np.unique(x[order], return_inverse=True)[1].reshape(-1)
    ends = first_beyond(z[order], epsilon)
    untied_z = len(x) * len(x) - int(ends.sum())
    above = _later_and_greater(ranks, ends)
    below = _later_and_greater(-ranks, ends)
    tied_x_only = untied_z - above - below
    return TiedPairs(exact.total, exact.tied_x, exact.total - untied_z, exact.tied_x - tied_x_only, above)


def first_beyond(values: Floats, epsilon: float) -> Indices:
    """Finds, for each of some sorted values, the index of the first one that is greater by more than ε.

    The difference is computed in floats. As it never falls along the sorted values, a search for the sum of a value and
    ε is at most a few distinct values off, and is corrected step by step.

    Args:
        values: In ascending order, shape (n,).
        epsilon: The largest difference of a tie.

    >>> first_beyond(np.array([0.0, 0.1, 0.2, 0.30000000000000004]), 0.2).tolist()
    [3, 3, 4, 4]
    """
    distinct, starts = np.unique(values, return_index=True)
    starts = np.append(starts, len(values))
    with np.errstate(over="ignore"):
        ends = np.searchsorted(distinct, distinct + epsilon, side="right")
        while (late := distinct[ends - 1] - distinct > epsilon).any():
            ends -= late
        while (early := (ends < len(distinct)) & (_at(distinct, ends) - distinct <= epsilon)).any():
            ends += early
    beyond: Indices = starts[ends][np.searchsorted(distinct, values)]
    return beyond


def _at(values: Floats, indices: Indices) -> Floats:
    found: Floats = values[np.minimum(indices, len(values) - 1)]
    return found


def _later_and_greater(ranks: Indices, starts: Indices) -> int:
    """Counts, summed over all points, the points from a start on that have a greater rank.

    Each point asks once, just before its start; the answers are the pairs of a question and a later point of greater
    rank, which a merge sort counts.

    Args:
        ranks: The rank of each point, shape (n,).
        starts: The index from which each point counts, ascending.
    """
    n = len(ranks)
    positions = np.concatenate([starts * 2, np.arange(n) * 2 + 1])
    order = np.argsort(positions, kind="stable")
    values = np.concatenate([ranks, ranks])[order]
    return _merged_answers(values - values.min(), order < n)


def _merged_answers(values: Indices, asks: Bools) -> int:
    """Counts the pairs of an element that asks and a later one that does not and has a greater value.

    All blocks of one width are merged in one sort, as in `vectors.pair_counts`.
    """
    positions = np.arange(len(values))
    span = int(values.max()) + 1
    width, total = 1, 0
    while width < len(values):
        block = positions // (2 * width)
        from_left = (positions // width) % 2 == 0
        # Points of the right half come before equal questions of the left half, which they do not answer.
        keys = (block * span + values) * 2 + from_left
        order = np.argsort(keys, kind="stable")
        from_left, asks, values = from_left[order], asks[order], values[order]
        questions = np.cumsum(from_left & asks)
        before_block = np.concatenate([[0], np.cumsum(np.bincount(block, weights=from_left & asks))]).astype(np.int64)
        total += int((questions - before_block[block])[~from_left & ~asks].sum())
        width *= 2
    return total
