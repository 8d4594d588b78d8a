"""Who is closer to the others by ranks, as a probability over random orders of tied values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics_framework.significance.arrays import Bools, Floats


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
        judge: The judgement of each unit, shape (units,).
        ratings: Shape (raters, units), NaN without a rating.
        rated: Where there is a rating.

    Returns:
        Shape (raters, units), NaN without a rating.
    """
    of_judge, of_raters = (_Spans(np.full(ratings.shape, np.nan), np.full(ratings.shape, np.nan)) for _ in range(2))
    for rater, mask in enumerate(rated):
        for spans, values in ((of_judge, judge[mask]), (of_raters, ratings[rater, mask])):
            spans.lower[rater, mask], spans.upper[rater, mask] = _spans(values)
    middles = (of_raters.lower + of_raters.upper) / 2
    others = np.where(rated, np.nansum(middles, axis=0) - middles, np.nan) / (rated.sum(axis=0) - 1)
    return probability_of_closer(others, of_judge, of_raters)


def _spans(values: Floats) -> tuple[Floats, Floats]:
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(sizes) / max(1, len(values))
    return (ends - sizes / max(1, len(values)))[group], ends[group]


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
