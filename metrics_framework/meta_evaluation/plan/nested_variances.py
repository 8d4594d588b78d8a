"""Variances of ratings between clusters of inputs, between outputs of a cluster, and between ratings of an output."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.errors import InputError


class NestedVariances(NamedTuple):
    """The variances of ratings of outputs in clusters.

    Attributes:
        clusters: The variance between clusters.
        outputs: The variance between outputs of a cluster.
        ratings: The variance between ratings of an output; `None` if no output has two ratings, so that it is part of
            the variance between outputs.
        degrees_of_freedom: Those of the variance between clusters.
    """

    clusters: float
    outputs: float
    ratings: float | None
    degrees_of_freedom: int


class _Sums(NamedTuple):
    """Sums of squares of one table, their degrees of freedom, and the factors of variances in what is expected of them.

    The expected sums are, for the variances A between clusters, B between outputs and W within them:
    ``between_clusters`` A · clusters + B · outputs_in_clusters + W · free_clusters, and ``between_outputs``
    B · outputs + W · free_outputs.
    """

    between_clusters: float
    between_outputs: float
    within: float
    free_clusters: int
    free_outputs: int
    free_within: int
    clusters: float
    outputs: float
    outputs_in_clusters: float


def nested_variances(tables: Iterable[Floats], clusters: Indices) -> NestedVariances:
    """Estimates variances by an analysis of variance for unequal sizes, pooled over tables; negative ones count as 0.

    Args:
        tables: Ratings, shape (outputs, raters) each, NaN where missing.
        clusters: The number of the cluster of each output.

    Raises:
        InputError: if there are fewer than two clusters, or no cluster has two outputs.

    Source: Searle, Casella and McCulloch, "Variance Components" (1992), the two-way nested classification.

    >>> ratings = np.array([[1.0, 3.0], [2.0, 2.0], [6.0, 8.0], [9.0, 9.0]])
    >>> nested_variances([ratings], np.array([0, 0, 1, 1]))
    NestedVariances(clusters=17.5, outputs=0.5, ratings=1.0, degrees_of_freedom=1)
    """
    found = [_sums(ratings, clusters) for ratings in tables]
    sums = _Sums._make(map(math.fsum, zip(*found, strict=True)))
    if sums.free_clusters < 1 or sums.free_outputs < 1:
        raise InputError(
            "the pilot must have two clusters or more, and two rated inputs or more of a cluster, to see how much "
            "inputs of a cluster have in common"
        )
    within = sums.within / sums.free_within if sums.free_within else None
    outputs = max(0.0, (sums.between_outputs - sums.free_outputs * (within or 0.0)) / sums.outputs)
    rest = sums.outputs_in_clusters * outputs + sums.free_clusters * (within or 0.0)
    between = max(0.0, (sums.between_clusters - rest) / sums.clusters)
    return NestedVariances(between, outputs, within, int(sums.free_clusters))


def _sums(ratings: Floats, clusters: Indices) -> _Sums:
    rated = ~np.isnan(ratings)
    used = rated.any(axis=1)
    ratings, rated = np.where(rated, ratings, 0.0)[used], rated[used]
    codes = np.unique(clusters[used], return_inverse=True)[1]
    sizes = rated.sum(axis=1).astype(np.float64)
    means = ratings.sum(axis=1) / sizes
    of_clusters = np.bincount(codes, weights=sizes)
    cluster_means = np.bincount(codes, weights=sizes * means) / of_clusters
    total = sizes.sum()
    squares = np.bincount(codes, weights=sizes**2)
    in_clusters = float((squares / of_clusters).sum())
    return _Sums(
        between_clusters=float((of_clusters * (cluster_means - (sizes * means).sum() / total) ** 2).sum()),
        between_outputs=float((sizes * (means - cluster_means[codes]) ** 2).sum()),
        within=float(((ratings - means[:, None]) ** 2 * rated).sum()),
        free_clusters=len(of_clusters) - 1,
        free_outputs=len(sizes) - len(of_clusters),
        free_within=int(total) - len(sizes),
        clusters=float(total - (of_clusters**2).sum() / total),
        outputs=float(total - in_clusters),
        outputs_in_clusters=float(in_clusters - squares.sum() / total),
    )
