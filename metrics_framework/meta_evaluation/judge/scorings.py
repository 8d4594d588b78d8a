"""How a judge and a rater are scored against the other raters of a unit, and which of them is at least as good."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.groups.moments import power_of_two
from metrics_framework.meta_evaluation.judge.request import Scoring

_TIE = 1e-12


class Wins(NamedTuple):
    """Who is at least as good as the other; shape (raters, units) each, NaN where a rater has no rating.

    Attributes:
        judge: 1 where the judge is at least as good as the rater, else 0; for ranks, a probability.
        rater: 1 where the rater is at least as good as the judge, else 0; for ranks, a probability.
    """

    judge: Floats
    rater: Floats


class ScoringRule(ABC):
    """Compares a judge with each rater, by how well both agree with the other raters of the same unit.

    Scores that differ by rounding error only are tied, and both are then at least as good as the other.

    Attributes:
        name: The name of the scoring.
        compares_labels: Whether it compares labels, which are numbered.
    """

    name: ClassVar[Scoring]
    compares_labels: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def wins(cls, judge: Floats, ratings: Floats) -> Wins:
        """Compares a judge with each rater.

        Args:
            judge: The judgement of each unit, shape (units,), or (studies, units), without NaN.
            ratings: Shape (raters, units), or (raters, studies, units); NaN is no rating. Each unit has at least two
                ratings.
        """


class Accuracy(ScoringRule):
    """The share of the other raters who gave the same label."""

    name: ClassVar[Scoring] = "accuracy"
    compares_labels: ClassVar[bool] = True

    @classmethod
    @overrides
    def wins(cls, judge: Floats, ratings: Floats) -> Wins:
        rated = ~np.isnan(ratings)
        by_judge, by_rater = _agreements(judge, ratings, rated)
        return _masked(by_judge >= by_rater, by_rater >= by_judge, rated)


class NegativeError(ScoringRule):
    """The negative root mean squared error, −√(mean squared difference from the other ratings).

    With m the mean of the other ratings, the mean squared difference is (x − m)² plus their variance, so that the
    closer one to m is better.
    """

    name: ClassVar[Scoring] = "neg_rmse"

    @classmethod
    @overrides
    def wins(cls, judge: Floats, ratings: Floats) -> Wins:
        rated = ~np.isnan(ratings)
        scale = power_of_two(judge, ratings)
        judge, ratings = judge / scale, ratings / scale  # sums of ratings near 1e308 would overflow
        means = _means_of_the_others(ratings, rated)
        by_judge, by_rater = np.abs(judge - means), np.abs(ratings - means)
        tolerance = _TIE * np.maximum(np.abs(judge), np.maximum(np.abs(ratings), np.abs(means)))
        return _masked(by_judge <= by_rater + tolerance, by_rater <= by_judge + tolerance, rated)


class Ranks(ScoringRule):
    """The negative error of ranks instead of ratings, for a random order of tied values; see `rank_wins`."""

    name: ClassVar[Scoring] = "ranks"

    @classmethod
    @overrides
    def wins(cls, judge: Floats, ratings: Floats) -> Wins:
        closer = rank_wins(judge, ratings, ~np.isnan(ratings))
        return Wins(closer, 1 - closer)


RULES: dict[Scoring, type[ScoringRule]] = {rule.name: rule for rule in (Accuracy, NegativeError, Ranks)}
"""Name to scoring."""


def _masked(judge: Bools, rater: Bools, rated: Bools) -> Wins:
    return Wins(np.where(rated, judge, np.nan), np.where(rated, rater, np.nan))


def _agreements(judge: Floats, ratings: Floats, rated: Bools) -> tuple[Floats, Floats]:
    """Counts the other raters of each unit who agree with the judge, and with each rater; shape (raters, units)."""
    same = rated & (ratings == judge)
    by_judge = same.sum(axis=0) - same
    units = np.broadcast_to(np.arange(judge.size).reshape(judge.shape), ratings.shape)[rated]
    labels = np.unique(ratings[rated], return_inverse=True)[1]
    pairs = units * (labels.max(initial=0) + 1) + labels
    _, group, sizes = np.unique(pairs, return_inverse=True, return_counts=True)
    by_rater = np.zeros(ratings.shape)
    by_rater[rated] = sizes[group] - 1
    return by_judge.astype(np.float64), by_rater


def _means_of_the_others(ratings: Floats, rated: Bools) -> Floats:
    """Returns for each rating the mean of the other ratings of its unit, shape (raters, units)."""
    others = np.where(rated, np.nansum(ratings, axis=0) - ratings, np.nan)
    means: Floats = others / (rated.sum(axis=0) - 1)
    return means


class _Spans(NamedTuple):
    """The ranks that values may have when ties are broken at random, as fractions: any between two ends."""

    lower: Floats
    upper: Floats


def rank_wins(judge: Floats, ratings: Floats, rated: Bools) -> Floats:
    """Returns the probability that the judge's rank is closer than the rater's to the other raters' mean rank.

    Ranks are fractions, among the units of one rater. The judge is ranked among the units of the rater it is compared
    with. Tied values share a span of ranks, and the probability is that for ranks drawn from both spans. The mean rank
    alone would not do: that of a constant is ½ everywhere, and closer to the others than most raters' ranks.

    Args:
        judge: The judgement of each unit, shape (units,) or (studies, units).
        ratings: Shape (raters, …) of the same units, NaN without a rating.
        rated: Where there is a rating.

    Returns:
        The shape of the ratings, NaN without a rating.
    """
    of_raters = _spans(ratings, rated)
    if rated.all():
        of_judge = _Spans(*(np.broadcast_to(ends, ratings.shape) for ends in _spans(judge, rated[0])))
    else:
        of_judge = _spans(np.where(rated, judge, np.nan), rated)
    middles = (of_raters.lower + of_raters.upper) / 2
    others = np.where(rated, np.nansum(middles, axis=0) - middles, np.nan) / (rated.sum(axis=0) - 1)
    return probability_of_closer(others, of_judge, of_raters)


def _spans(values: Floats, rated: Bools) -> _Spans:
    """Returns the spans of ranks along the last axis, NaN for values that are NaN."""
    order = np.argsort(values, axis=-1)  # NaN last
    ranked = np.take_along_axis(values, order, axis=-1)
    starts = np.ones(values.shape, dtype=bool)
    starts[..., 1:] = ranked[..., 1:] != ranked[..., :-1]
    ends = np.ones(values.shape, dtype=bool)
    ends[..., :-1] = starts[..., 1:]
    positions = np.arange(values.shape[-1])
    first = np.maximum.accumulate(np.where(starts, positions, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, positions, len(positions))[..., ::-1], axis=-1)[..., ::-1]
    number = np.maximum(1, rated.sum(axis=-1, keepdims=True))
    found = []
    for edge in (first, last + 1):
        spans = np.empty(values.shape)
        np.put_along_axis(spans, order, edge / number, axis=-1)
        found.append(np.where(rated, spans, np.nan))
    return _Spans(*found)


def probability_of_closer(target: Floats, first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> Floats:
    """Returns the probability that a uniform number is closer to a target than another one; arrays of one shape.

    The distance of a uniform number from a target is uniform on up to two pieces: twice as dense where both sides of
    the target are in the span.

    Args:
        target: The targets.
        first: The ends of the spans of the first numbers, which differ.
        second: The ends of the spans of the second numbers.

    >>> import numpy as np
    >>> first, second = (np.array([0.4]), np.array([0.6])), (np.array([0.0]), np.array([1.0]))
    >>> probability_of_closer(np.array([0.5]), first, second).round(3)
    array([0.9])
    """
    total = np.zeros(np.shape(target))
    for weight, start, end in _pieces(target, *first):
        for other_weight, other_start, other_end in _pieces(target, *second):
            total = total + weight * other_weight * _smaller(start, end, other_start, other_end)
    return total


def _pieces(target: Floats, lower: Floats, upper: Floats) -> list[tuple[Floats, Floats, Floats]]:
    """Returns the pieces on which a distance is uniform: probability, start and end."""
    below, above = target - lower, upper - target
    near, far = np.minimum(np.abs(below), np.abs(above)), np.maximum(np.abs(below), np.abs(above))
    inside = (below > 0) & (above > 0)
    both_sides = np.where(inside, 2 * near / (upper - lower), 0.0)
    return [(both_sides, np.zeros_like(near), near), (1 - both_sides, near, far)]


def _smaller(start: Floats, end: Floats, other_start: Floats, other_end: Floats) -> Floats:
    """Returns the probability that a uniform number is smaller than another one."""
    width = np.where(end > start, end - start, 1.0)
    other_width = np.where(other_end > other_start, other_end - other_start, 1.0)

    def area(at: Floats) -> Floats:
        """Integrates the distribution function of the first number."""
        within: Floats = np.clip(at - start, 0.0, width) ** 2 / (2 * width) + np.maximum(at - end, 0.0)
        return within

    mean: Floats = (area(other_end) - area(other_start)) / other_width
    return mean
