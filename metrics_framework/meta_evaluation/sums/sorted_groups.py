"""Large groups of outputs, sorted once by each score, and how two scores order their outputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.meta_evaluation.sums.dominance import Bounds, Wavelet, bounds


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
