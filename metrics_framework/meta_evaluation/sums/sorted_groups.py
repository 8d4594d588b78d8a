"""Large groups of outputs, sorted once by each score, and how two scores order their outputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices


class SortedGroup(NamedTuple):
    """The outputs of a group, sorted by a metric, shapes (n,).

    Attributes:
        scores: The scores.
        order: The outputs in the order of their scores.
        ordered: The scores in that order.
    """

    scores: Floats
    order: Indices
    ordered: Floats


@dataclass(frozen=True)
class SortedGroups:
    """The scores of a metric in groups that are sorted when they are first needed.

    Args:
        scores: The scores; columns are groups; NaN where missing.
    """

    scores: Floats
    _groups: dict[int, SortedGroup] = field(default_factory=dict, repr=False)
    _wavelets: dict[int, Wavelet] = field(default_factory=dict, repr=False)

    def used(self, group: int) -> Bools:
        """Returns which outputs of a group have scores."""
        return ~np.isnan(self.scores[:, group])

    def of_group(self, group: int) -> SortedGroup:
        """Returns the sorted outputs of a group."""
        if group not in self._groups:
            scores = self.scores[self.used(group), group]
            order = np.argsort(scores, kind="stable")
            self._groups[group] = SortedGroup(scores, order, scores[order])
        return self._groups[group]

    def limits_in(self, other: SortedGroups, group: int, epsilon: float) -> Bounds:
        """Returns the positions of the scores of a group among the sorted ones of another metric."""
        mine = self.of_group(group)
        found = bounds(mine.ordered, other.of_group(group).ordered, epsilon)  # faster for sorted scores
        limits = Bounds(np.empty_like(found.below), np.empty_like(found.up_to))
        limits.below[mine.order], limits.up_to[mine.order] = found.below, found.up_to
        return limits

    def wavelet(self, people: SortedHuman, group: int) -> Wavelet:
        """Returns the ranks of the outputs of a group by this metric, in the order of the human scores."""
        if group not in self._wavelets:
            order = self.of_group(group).order
            ranks = np.empty(len(order), dtype=np.intp)
            ranks[order] = np.arange(len(order))
            self._wavelets[group] = Wavelet(ranks[people.order])
        return self._wavelets[group]


class SortedHuman(NamedTuple):
    """The outputs of a group, sorted by the human scores.

    Attributes:
        order: The outputs in the order of their scores, shape (n,).
        limits: For each output, the number of outputs that people rank lower, and of those they do not rank higher.
    """

    order: Indices
    limits: Bounds

    @classmethod
    def of(cls, scores: Floats, epsilon: float) -> SortedHuman:
        """Sorts the outputs of a group.

        Args:
            scores: The human scores, shape (n,).
            epsilon: The largest difference that is a tie.
        """
        order = np.argsort(scores, kind="stable")
        return cls(order, bounds(scores, scores[order], epsilon))


class OrderCounts(NamedTuple):
    """For each output, the number of other outputs by how people and metric order the two, shapes (n,).

    Attributes:
        concordant: Those that both order alike.
        discordant: Those that they order differently.
        apart: Those that are not tied in the metric.
    """

    concordant: Indices
    discordant: Indices
    apart: Indices


def compare_orders(
    people: SortedHuman, one: SortedGroups, other: SortedGroups, group: int, epsilon: float
) -> OrderCounts:
    """Counts how people and metric order each output of a group and the others.

    Args:
        people: The order of the human scores.
        one: The metric that scores each output.
        other: The metric that scores the outputs that it is compared with.
        group: The group.
        epsilon: The largest difference of a metric that is a tie.
    """
    limits, lower = one.limits_in(other, group, epsilon), people.limits
    below, n = other.wavelet(people, group), len(people.order)
    tied_human = not np.array_equal(lower.below, lower.up_to - 1)
    scores, others = one.of_group(group).scores, other.of_group(group).scores
    low_below = below.counts(lower.below, limits.below)
    # Without other ties, only the output itself is between the two limits.
    up_below = below.counts(lower.up_to, limits.below) if tied_human else low_below + (scores - others > epsilon)
    low_up_to, up_up_to = low_below, up_below
    if not np.array_equal(limits.below, limits.up_to):
        low_up_to, up_up_to = (below.counts(ends, limits.up_to) for ends in (lower.below, lower.up_to))
    difference = scores - others
    own = np.abs(difference) > epsilon if epsilon else difference != 0  # an output is no pair
    return OrderCounts(
        low_below + n - lower.up_to - (limits.up_to - up_up_to),
        lower.below - low_up_to + limits.below - up_below,
        limits.below + n - limits.up_to - own,
    )


class Bounds(NamedTuple):
    """For each value, how many sorted values are below it, and how many are not above it.

    Attributes:
        below: The number of values that are smaller by more than a tie, shape (n,).
        up_to: The number of values that are not larger by more than a tie, shape (n,).
    """

    below: Indices
    up_to: Indices


def bounds(values: Floats, ordered: Floats, epsilon: float = 0.0) -> Bounds:
    """Finds the positions of values among sorted ones; values that differ by at most ε are tied.

    Differences are computed in floats, without a tolerance: a search for the sum is corrected value by value.

    Args:
        values: Shape (n,).
        ordered: Sorted values, shape (m,).
        epsilon: The largest difference that is a tie.

    >>> bounds(np.array([2.0]), np.array([1.0, 1.5, 2.0, 2.5, 4.0]), 0.5)
    Bounds(below=array([1]), up_to=array([4]))
    """
    if not epsilon:
        return Bounds(np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right"))
    distinct, starts = np.unique(ordered, return_index=True)
    starts = np.append(starts, len(ordered))
    padded = np.concatenate([[-np.inf], distinct, [np.inf]])
    below = np.searchsorted(distinct, values - epsilon, "left")
    while (move := values - padded[below] <= epsilon).any():
        below = below - move
    while (move := values - padded[below + 1] > epsilon).any():
        below = below + move
    up_to = np.searchsorted(distinct, values + epsilon, "right")
    while (move := padded[up_to] - values > epsilon).any():
        up_to = up_to - move
    while (move := padded[up_to + 1] - values <= epsilon).any():
        up_to = up_to + move
    return Bounds(starts[below], starts[up_to])


class Wavelet:
    """A wavelet matrix: a permutation of 0, …, n − 1 that counts the small numbers among its first ones.

    Args:
        ranks: The permutation, shape (n,).

    >>> Wavelet(np.array([2, 0, 1])).counts(np.array([1, 2, 3]), np.array([2, 2, 2])).tolist()
    [0, 1, 2]
    """

    def __init__(self, ranks: Indices) -> None:
        self._levels = []
        ranks = ranks.astype(np.int32)
        for bit in range(len(ranks).bit_length() - 1, -1, -1):
            is_zero = (ranks >> bit) & 1 == 0
            zeros = np.zeros(len(ranks) + 1, dtype=np.int32)
            np.cumsum(is_zero, out=zeros[1:])
            self._levels.append((bit, zeros))
            ranks = np.concatenate([ranks[is_zero], ranks[~is_zero]])

    def counts(self, ends: Indices, limits: Indices) -> Indices:
        """Counts, for each question, the ranks below a limit among the first ones.

        Args:
            ends: How many of them each question is about, shape (questions,).
            limits: The limit of each question, from 0 to n, shape (questions,).
        """
        limits = limits.astype(np.int32)
        last_ends, starts = ends.astype(np.int32), np.zeros(len(ends), dtype=np.int32)
        counts = np.zeros(len(ends), dtype=np.int32)
        for bit, zeros in self._levels:
            first, last = zeros[starts], zeros[last_ends]
            goes_right = (limits >> bit) & 1 == 1
            counts += np.where(goes_right, last - first, 0)
            starts = np.where(goes_right, zeros[-1] + starts - first, first)
            last_ends = np.where(goes_right, zeros[-1] + last_ends - last, last)
        return counts.astype(np.intp)
