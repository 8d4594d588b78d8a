"""Differences of coefficients of ranks after swaps, where they are linear in the signs of a permutation.

A coefficient is such a sum, up to a factor that no swap changes. That of a group is f = Σ v(a, b) over pairs of
outputs, where v depends on how the metric orders the two. With signs s of the outputs, v is a polynomial in s_a and
s_b, and in the difference between the two metrics all terms but the linear ones cancel: f(s) − f(−s) = 2 Σ_a s_a L_a,
L_a = ¼ Σ_b [v₁₁ + v₁₂ − v₂₁ − v₂₂](a, b), where v_kl compares the score of a by metric k with that of b by metric l.
Large groups of outputs are sorted once by each score.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.coefficients.coefficient import GroupCoefficient, PairCoefficient
from metrics_framework.meta_evaluation.groups.moments import row_ranks
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair
from metrics_framework.meta_evaluation.groups.swaps import Swaps, once, once_per_draw
from metrics_framework.meta_evaluation.groups.weighted_groups import PairSums

MAX_DENSE = 64
"""Up to this many outputs per group, all pairs are compared."""

BLOCK_PAIRS = 1 << 18
"""The number of pairs that are compared at a time: the arrays of a block stay in the cache."""


def linear_differences(
    coefficient: GroupCoefficient, swaps: Swaps, first: str, second: str, *, of_ranks: bool = False
) -> Floats | None:
    """Computes the differences of a coefficient that is linear in the signs, always or if the metric ties no outputs.

    Args:
        coefficient: The coefficient.
        swaps: The metrics and the permutations, at the level ``input`` or ``global``.
        first: The name of the first metric.
        second: The name of the second.
        of_ranks: Whether pairs of outputs count by the difference of their human ranks, not only by its sign.

    Returns:
        Shape (permutations,), NaN where no group is defined; `None` if the coefficient is not linear, because some
        outputs can be tied after swaps.
    """
    epsilon = (swaps.epsilons[first] + swaps.epsilons[second]) / 2
    if not is_linear(coefficient):
        columns = (swaps.as_columns(swaps.common[name]) for name in (first, second))
        if any(swaps.options[name].epsilon for name in (first, second)) or can_tie(*columns).any():
            return None
    scores, weights = _pair_scores(swaps, coefficient, of_ranks)
    if not weights.any():
        return np.full(swaps.permutations.count, np.nan)
    one, other = (_sorted_groups(swaps, name) for name in (first, second))
    crossed = scores.sums(one, other, epsilon) - scores.sums(other, one, epsilon)
    linear = (crossed * weights).reshape(swaps.human.shape) / 2
    own = [_own_total(swaps, coefficient, of_ranks, name) for name in (first, second)]
    return np.asarray(swaps.permutations.total(linear) + own[0] - own[1])


def is_linear(coefficient: GroupCoefficient) -> bool:
    """Returns whether a coefficient is linear in the sums over pairs, also with ties."""
    return isinstance(coefficient, PairCoefficient) and coefficient.is_linear


@once_per_draw
def _own_total(swaps: Swaps, coefficient: GroupCoefficient, of_ranks: bool, name: str) -> Floats:
    """Adds up the comparisons of the scores of one metric with each other, in every permutation."""
    scores, weights = _pair_scores(swaps, coefficient, of_ranks)
    metric = SortedGroups(swaps.as_columns(swaps.metrics[name]))
    linear = scores.sums(metric, metric, swaps.options[name].epsilon or 0.0) * weights / 2
    return swaps.permutations.total(linear.reshape(swaps.human.shape))


@once
def _sorted_groups(swaps: Swaps, name: str) -> SortedGroups:
    """Returns the scores of a metric on the common scale, whose groups are sorted once for all pairs."""
    return SortedGroups(swaps.as_columns(swaps.common[name]))


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
    return np.asarray(((ordered[1:] == ordered[:-1]) & (owners[1:] != owners[:-1])).any(axis=0))


@once
def _pair_scores(swaps: Swaps, coefficient: GroupCoefficient, of_ranks: bool) -> tuple[PairScores, Floats]:
    """Returns the scores of pairs, whose sum is the coefficient of each group, and the share of each in the mean."""
    if isinstance(coefficient, PairCoefficient) and coefficient.is_linear:
        scores, weights = _order_scores(coefficient, swaps)
    else:
        scores, weights = _untied_scores(coefficient, swaps, of_ranks=of_ranks)
    total = weights.sum()
    return scores, weights / total if total else weights


def _order_scores(coefficient: PairCoefficient, swaps: Swaps) -> tuple[PairScores, Floats]:
    """Finds the slopes of a linear coefficient in the sums over pairs from its values for four metrics.

    They tie all outputs; order all as people do, or the reverse; and order them as people do, with people's ties.
    """
    metric = next(iter(swaps.metrics))
    human, options = swaps.as_columns(swaps.human), swaps.options[metric]
    scores = ScorePair(human, swaps.as_columns(swaps.metrics[metric]))
    ties = coefficient.ties(options)
    blocks = [groups.pair_sums(ties) for _, groups in scores.groups("input", None, None)]
    points = np.concatenate([np.empty(0), *(sums.points[0] for sums in blocks)])
    untied = np.concatenate([np.empty(0), *(sums.untied_human[0] for sums in blocks)])
    pairs, none = points * (points - 1) / 2, np.zeros(len(points))
    tied, ordered, reverse, like_people = (
        coefficient.of_pairs(PairSums(points, untied, apart, both, surplus))
        for apart, both, surplus in (
            (none, none, none),
            (pairs, untied, untied),
            (pairs, untied, -untied),
            (untied, untied, untied),
        )
    )
    of_apart, of_order = _divided(ordered - like_people, pairs - untied), _divided(ordered - reverse, 2 * untied)
    of_both = _divided(like_people - tied, untied) - of_apart - of_order
    values, weights = coefficient.values_and_weights(scores, "input", options)
    weights = np.where(np.isnan(values), 0, weights)
    threshold = (options.threshold or 0.0) if "threshold" in coefficient.uses else 0.0
    return OrderScores(human, np.stack([of_apart, of_both, of_order]), threshold), weights


def _untied_scores(coefficient: GroupCoefficient, swaps: Swaps, *, of_ranks: bool) -> tuple[PairScores, Floats]:
    """Finds the slope of a coefficient from its values for metrics that order outputs as people do, or the reverse."""
    human = swaps.as_columns(swaps.human)
    order = np.argsort(np.argsort(human, axis=0, kind="stable"), axis=0).astype(np.float64)
    order = np.where(np.isnan(human), np.nan, order)
    options = next(iter(swaps.options.values()))
    values, weights = coefficient.values_and_weights(ScorePair(human, order), "input", options)
    reversed_values = coefficient.group_values(ScorePair(human, -order), "input", options)
    ones = np.ones(human.shape[1])
    unit: PairScores = RankScores(human, ones) if of_ranks else OrderScores(human, np.stack([0 * ones, 0 * ones, ones]))
    ordered = SortedGroups(order)
    slopes = _divided(values - reversed_values, unit.sums(ordered, ordered, 0.0).sum(axis=0))
    weights = np.where(np.isnan(values), 0, weights)
    if of_ranks:
        return RankScores(human, slopes), weights
    return OrderScores(human, np.stack([0 * ones, 0 * ones, slopes])), weights


def _divided(differences: Floats, counts: Floats) -> Floats:
    return np.divide(differences, counts, out=np.zeros(len(counts)), where=(counts > 0) & ~np.isnan(differences))


@dataclass(frozen=True)
class PairScores(ABC):
    """A score of each pair of outputs, given the human scores.

    Args:
        human: The human scores; columns are groups; NaN where missing.
    """

    human: Floats

    def sums(self, one: SortedGroups, other: SortedGroups, epsilon: float) -> Floats:
        """Sums the scores of each output's pairs, its score by one metric against those of all others by another.

        Args:
            one: The scores of one metric, NaN in the same cells as the human scores.
            other: The scores of the other metric on the same scale.
            epsilon: The largest difference that is a tie.

        Returns:
            Shape (outputs, groups); 0 where missing.
        """
        outputs, groups = self.human.shape[0], self.human.shape[1]
        found = np.zeros((outputs, groups))
        if outputs > MAX_DENSE:
            for group in range(groups):
                found[one.used(group), group] = self._sorted(group, one, other, epsilon)
            return found
        step = max(1, BLOCK_PAIRS // max(1, outputs**2))
        for start in range(0, groups, step):
            block = slice(start, start + step)
            with np.errstate(over="ignore"):  # of differences only the sign, and whether they are large, are used
                found[:, block] = self._dense(block, one.scores[:, block], other.scores[:, block], epsilon)
        return found

    @abstractmethod
    def _dense(self, block: slice, one: Floats, other: Floats, epsilon: float) -> Floats:
        """Compares all pairs of outputs of some groups, shape (outputs, groups)."""

    @abstractmethod
    def _sorted(self, group: int, one: SortedGroups, other: SortedGroups, epsilon: float) -> Floats:
        """Compares all pairs of outputs of a group by sorting them, shape (outputs,)."""


@dataclass(frozen=True)
class OrderScores(PairScores):
    """v = β₁ [apart in the metric] + β₂ [apart in both scores] + β₃ sign(h_a − h_b) sign(m_a − m_b), for each group.

    Args:
        human: The human scores; columns are groups; NaN where missing.
        slopes: β₁, β₂ and β₃ of each group, shape (3, groups).
        threshold: Human scores that differ by less are tied.
    """

    slopes: Floats
    threshold: float = 0.0
    _people: dict[int, SortedHuman] = field(default_factory=dict, repr=False)

    @overrides
    def _dense(self, block: slice, one: Floats, other: Floats, epsilon: float) -> Floats:
        human, (apart, both, order) = self.human[:, block], self.slopes[:, block]
        people = _signs(human, human, _largest_tie(self.threshold))
        signs = _signs(one, other, epsilon)
        signs[np.arange(len(human)), np.arange(len(human))] = 0
        sums = order * np.einsum("abg,abg->ag", people, signs)
        if both.any() or apart.any():
            np.abs(signs, out=signs)
            sums += apart * signs.sum(axis=1) + both * np.einsum("abg,abg->ag", np.abs(people), signs)
        return np.asarray(sums)

    @overrides
    def _sorted(self, group: int, one: SortedGroups, other: SortedGroups, epsilon: float) -> Floats:
        if group not in self._people:
            self._people[group] = SortedHuman.of(self.human[one.used(group), group], _largest_tie(self.threshold))
        apart, both, order = self.slopes[:, group]
        counts = compare_orders(self._people[group], one, other, group, epsilon)
        sums = order * (counts.concordant - counts.discordant) + both * (counts.concordant + counts.discordant)
        return np.asarray(sums + apart * counts.apart)


def _largest_tie(threshold: float) -> float:
    """Returns the largest difference of human scores that is a tie; those below the threshold are."""
    return float(np.nextafter(threshold, 0)) if threshold else 0.0


@dataclass(frozen=True)
class RankScores(PairScores):
    """v = β (r_a − r_b) sign(m_a − m_b), where r are the ranks of the human scores.

    Args:
        human: The human scores; columns are groups; NaN where missing.
        slopes: β of each group, shape (groups,).
    """

    slopes: Floats

    @overrides
    def _dense(self, block: slice, one: Floats, other: Floats, epsilon: float) -> Floats:
        ranks = np.nan_to_num(row_ranks(self.human[:, block].T).T)
        signs = _signs(one, other, epsilon)
        signs[np.arange(len(ranks)), np.arange(len(ranks))] = 0
        return np.asarray(self.slopes[block] * (ranks * signs.sum(axis=1) - np.einsum("bg,abg->ag", ranks, signs)))

    @overrides
    def _sorted(self, group: int, one: SortedGroups, other: SortedGroups, epsilon: float) -> Floats:
        ranks = row_ranks(self.human[None, one.used(group), group])[0]
        limits = one.limits_in(other, group, epsilon)
        sums = np.concatenate([[0], np.cumsum((ranks - ranks.mean())[other.of_group(group).order])])
        signed = sums[limits.below] - (sums[-1] - sums[limits.up_to])
        surplus = limits.below - (len(ranks) - limits.up_to)
        return np.asarray(self.slopes[group] * ((ranks - ranks.mean()) * surplus - signed))


def _signs(one: Floats, other: Floats, epsilon: float) -> Floats:
    """Returns the sign of one score minus another, 0 for ties, for all pairs; shape (outputs, outputs, groups)."""
    a, b = one[:, None], other[None]
    if not epsilon:
        return np.subtract(a > b, a < b, dtype=np.float64)
    differences = a - b
    return np.subtract(differences > epsilon, differences < -epsilon, dtype=np.float64)


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
