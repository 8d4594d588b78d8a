"""How a judge and a rater are scored against the other raters of a unit, and which of them is at least as good."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics_framework.meta_evaluation.coefficients.large_values import power_of_two
from metrics_framework.meta_evaluation.judges.names import Scoring
from metrics_framework.meta_evaluation.judges.rank_wins import rank_wins
from metrics_framework.significance.arrays import Bools, Floats

_TIE = 1e-12


class Wins(NamedTuple):
    """Who is at least as good as the other; shape (raters, units) each, NaN where a rater has no rating.

    Attributes:
        judge: 1 where the judge is at least as good as the rater, else 0; for ranks, a probability.
        rater: 1 where the rater is at least as good as the judge, else 0; for ranks, a probability.
    """

    judge: Floats
    rater: Floats


def wins(judge: Floats, ratings: Floats, scoring: Scoring) -> Wins:
    """Compares a judge with each rater, by how well both agree with the other raters of the same unit.

    Scores that differ by rounding error only are tied, and both are then at least as good as the other:

    - ``accuracy``: the share of the other raters who gave the same label.
    - ``neg_rmse``: −√(mean squared difference from the other ratings). With m the mean of the other ratings, this
      mean is (x − m)² plus their variance, so that the closer one to m is better.
    - ``ranks``: ``neg_rmse`` of ranks instead of ratings, for a random order of tied values; see `rank_wins`.

    Args:
        judge: The judgement of each unit, shape (units,), without NaN.
        ratings: Shape (raters, units); NaN is no rating. Each unit has at least two ratings. For ``accuracy``, labels
            are numbered.
        scoring: The scoring.
    """
    rated = ~np.isnan(ratings)
    if scoring == "accuracy":
        by_judge, by_rater = _agreements(judge, ratings, rated)
        return _masked(by_judge >= by_rater, by_rater >= by_judge, rated)
    if scoring == "ranks":
        closer = rank_wins(judge, ratings, rated)
        return Wins(closer, 1 - closer)
    scale = power_of_two(judge, ratings)
    judge, ratings = judge / scale, ratings / scale  # sums of ratings near 1e308 would overflow
    means = _means_of_the_others(ratings, rated)
    by_judge, by_rater = np.abs(judge - means), np.abs(ratings - means)
    tolerance = _TIE * np.maximum(np.abs(judge), np.maximum(np.abs(ratings), np.abs(means)))
    return _masked(by_judge <= by_rater + tolerance, by_rater <= by_judge + tolerance, rated)


def _masked(judge: Bools, rater: Bools, rated: Bools) -> Wins:
    return Wins(np.where(rated, judge, np.nan), np.where(rated, rater, np.nan))


def _agreements(judge: Floats, ratings: Floats, rated: Bools) -> tuple[Floats, Floats]:
    """Counts the other raters of each unit who agree with the judge, and with each rater; shape (raters, units)."""
    same = rated & (ratings == judge)
    by_judge = same.sum(axis=0) - same
    units = np.broadcast_to(np.arange(len(judge)), ratings.shape)[rated]
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
