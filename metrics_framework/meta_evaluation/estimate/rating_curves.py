"""Estimates of a mean from fewer ratings: how an estimate and its interval change with the number of ratings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.meta_evaluation.estimate.predicted_means import predicted_mean
from metrics_framework.meta_evaluation.estimate.rated_scores import RatedScores
from metrics_framework.meta_evaluation.estimate.request import EstimateRequest
from metrics_framework.meta_evaluation.estimate.result import CurvePoint, RatingCurve
from metrics_framework.meta_evaluation.intervals.resamples import Interval
from metrics_framework.significance.clusters import Clusters

FEWEST = 5
"""Curves begin at this many ratings."""
SEED = 0
"""The seed of the order in which outputs are rated."""
_POINTS = 30


def rating_curves(data: RatedScores, request: EstimateRequest) -> Iterator[RatingCurve]:
    """Yields the curve of each system with enough ratings; clusters are rated one after the other.

    Args:
        data: Ratings and scores.
        request: What is estimated, and how.
    """
    order = _random_order(data)
    for system, ratings, scores in zip(data.systems, data.ratings[:, order], data.scores[:, order], strict=True):
        rated = np.flatnonzero(~np.isnan(ratings) & ~np.isnan(scores))
        if len(rated) > FEWEST:
            numbers = np.unique(np.rint(np.geomspace(FEWEST, len(rated), _POINTS)).astype(int)).tolist()
            points = [_point(data, request, order, (ratings, scores), rated[:number]) for number in numbers]
            yield RatingCurve(system, points)


def _random_order(data: RatedScores) -> Indices:
    inputs = data.ratings.shape[1]
    groups = Clusters.of(data.clusters, inputs)
    position = np.random.default_rng(SEED).permutation(groups.count)[groups.codes]
    return np.argsort(position, kind="stable")


def _point(
    data: RatedScores, request: EstimateRequest, order: Indices, values: Sequence[Floats], rated: Indices
) -> CurvePoint:
    ratings, scores = values
    others = np.setdiff1d(np.flatnonzero(~np.isnan(scores)), rated)
    clusters = None if data.clusters is None else [data.clusters[number] for number in order]
    mean = predicted_mean(
        ratings[rated],
        scores[rated],
        scores[others],
        tuning=request.tuning,
        interval=data.interval,
        confidence=request.confidence,
        clusters=None if clusters is None else [clusters[number] for number in rated],
        unlabelled_clusters=None if clusters is None else [clusters[number] for number in others],
    )
    return CurvePoint(len(rated), Interval(mean.value, mean.lower, mean.upper), mean.classical)
