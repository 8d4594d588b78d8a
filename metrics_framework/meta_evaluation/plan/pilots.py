"""What the ratings of a pilot show: how much outputs differ, how much raters do, and how much a judge explains."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.errors import InputError, counted
from metrics_framework.meta_evaluation.judge.panels import Panel, panel_of
from metrics_framework.meta_evaluation.plan.request import MAX_SIZE, PlanRequest
from metrics_framework.meta_evaluation.plan.result import Assumptions
from metrics_framework.meta_evaluation.scores.long_tables import LongTables, input_clusters
from metrics_framework.significance.clusters import Clusters

MIN_COMPLETE = 20
"""A pilot of the alternative annotator test needs this many outputs that all raters rated."""


class _Table(NamedTuple):
    """Ratings of outputs of one system, or differences of two.

    Attributes:
        ratings: Shape (outputs, raters), NaN where missing.
        scores: The scores of the judge, shape (outputs,), NaN where missing; `None` without one.
    """

    ratings: Floats
    scores: Floats | None = None


def assumptions_of(tables: LongTables, request: PlanRequest) -> Assumptions:
    """Estimates variances from a pilot, pooled over systems, or over pairs of systems for differences.

    A one-way analysis of variance for unequal numbers of ratings: outputs are groups, and the differences of raters are
    within them; a nested one for clusters of inputs. For differences of systems, the values are differences of the
    ratings of one rater.

    Args:
        tables: The rows of the pilot.
        request: The columns.

    Raises:
        InputError: if too few outputs are rated.
        UnknownNameError: if there is no column of a name.
        DataError: if a value is not a number.
    """
    ratings = tables.ratings(str(request.rating))
    systems, inputs, cube = ratings.cube()
    _check_size(str(request.rating), cube)
    if request.goal == "difference":
        if len(systems) < 2:
            raise InputError("the pilot must have ratings of two systems or more, to see how much they differ")
        found = [_Table(cube[a] - cube[b]) for a in range(len(systems)) for b in range(a + 1, len(systems))]
    elif request.judge is None:
        found = [_Table(values) for values in cube]
    else:
        scores = _scores(tables, request.judge, systems, inputs)
        _check_size(request.judge, scores)
        found = [_Table(values, row) for values, row in zip(cube, scores, strict=True)]
    known = _pooled(found, len(ratings.raters))
    labels = input_clusters(tables, request.cluster, inputs)
    return known if labels is None else _clustered(known, found, Clusters.of(labels, len(inputs)).codes, request)


def _clustered(known: Assumptions, tables: list[_Table], clusters: Indices, request: PlanRequest) -> Assumptions:
    ratings = [
        table.ratings if table.scores is None else np.where(np.isnan(table.scores)[:, None], np.nan, table.ratings)
        for table in tables
    ]
    used = np.any([~np.isnan(values).all(axis=1) for values in ratings], axis=0)
    count = len(np.unique(clusters[used]))
    found = nested_variances(ratings, clusters)
    between = found.clusters + found.outputs
    return replace(
        known,
        between=between,
        explained=min(known.explained, between),
        clustered=found.clusters,
        cluster_size=request.cluster_size or max(1, round(int(used.sum()) / count)),
        clusters=count,
        degrees_of_freedom=found.degrees_of_freedom,
    )


def _check_size(name: str, values: Floats) -> None:
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if largest > MAX_SIZE:
        raise InputError(f"'{name}' of a pilot must be numbers up to ±{MAX_SIZE:g}, got one of size {largest:g}")


def _scores(tables: LongTables, judge: str, systems: list[str], inputs: list[str]) -> Floats:
    numbers = tables.numbers(judge)
    return np.array([[numbers.get((instance, system), math.nan) for instance in inputs] for system in systems])


class _Sums(NamedTuple):
    """Sums of squares of one table, with their degrees of freedom."""

    between: float
    within: float
    free_between: int
    free_within: int
    size: float
    outputs: int
    products: tuple[float, float]


def _pooled(tables: list[_Table], raters: int) -> Assumptions:
    sums = [found for table in tables for found in _sums(table)]
    free_between = sum(one.free_between for one in sums)
    free_within = sum(one.free_within for one in sums)
    if free_between < 1:
        raise InputError("the pilot must have ratings of two outputs or more of a system")
    between = math.fsum(one.between for one in sums) / free_between
    within = math.fsum(one.within for one in sums) / free_within if free_within else None
    size = math.fsum(one.size for one in sums) / free_between
    covariance, variance = (math.fsum(one.products[number] for one in sums) / free_between for number in (0, 1))
    agreed = between if within is None else max(0.0, (between - within) / size)
    if not between:
        raise InputError("the ratings of the pilot are all equal, so they do not show how much outputs differ")
    return Assumptions(
        between=agreed,
        within=within,
        explained=min(covariance**2 / variance, agreed) if variance > 0 else 0.0,
        outputs=sum(one.outputs for one in sums),
        degrees_of_freedom=free_between,
        raters=raters,
    )


def _sums(table: _Table) -> Iterator[_Sums]:
    rated = ~np.isnan(table.ratings)
    used = rated.any(axis=1)
    if table.scores is not None:
        used &= ~np.isnan(table.scores)
    if used.sum() < 2:
        return
    values, rated = np.where(rated, table.ratings, 0.0)[used], rated[used]
    sizes = rated.sum(axis=1)
    total = int(sizes.sum())
    means = values.sum(axis=1) / sizes
    grand = values.sum() / total
    scores = np.zeros(len(means)) if table.scores is None else table.scores[used] - table.scores[used].mean()
    yield _Sums(
        between=float((sizes * (means - grand) ** 2).sum()),
        within=float(((values - means[:, None]) ** 2 * rated).sum()),
        free_between=len(means) - 1,
        free_within=total - len(means),
        size=total - float((sizes**2).sum()) / total,
        outputs=len(means),
        products=(float((scores * (means - means.mean())).sum()), float((scores**2).sum())),
    )


def complete_panel(tables: LongTables, request: PlanRequest) -> Panel:
    """Returns the outputs of a pilot that have a judgement and a rating by every rater.

    Raises:
        InputError: if there are fewer than 20, or fewer raters than are planned for.
    """
    panel = panel_of(tables, str(request.rating), [str(request.judge)], as_labels=False)
    complete = ~np.isnan(panel.ratings).any(axis=0) & ~np.isnan(panel.judges[str(request.judge)])
    if complete.sum() < MIN_COMPLETE:
        raise InputError(
            f"the pilot needs {MIN_COMPLETE} outputs with a judgement that all {len(panel.raters)} raters rated, got "
            f"{int(complete.sum())}; leave out raters of few outputs"
        )
    if max(request.planned_raters) > len(panel.raters):
        raise InputError(
            f"the pilot has {counted(len(panel.raters), 'rater')}, so it cannot show a test with "
            f"{max(request.planned_raters)}; use 'raters', or state 'agreement' and 'judge_agreement' instead"
        )
    return panel.of_units(complete)


def relative_error_of_inputs(known: Assumptions) -> float:
    """Returns how uncertain numbers of inputs are, as a fraction: 1.96 standard errors of a variance of normal values.

    >>> round(relative_error_of_inputs(Assumptions(1.0, 1.0, degrees_of_freedom=50)), 3)
    0.392
    """
    return 1.96 * math.sqrt(2 / known.degrees_of_freedom)


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


class _NestedSums(NamedTuple):
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
    found = [_nested_sums(ratings, clusters) for ratings in tables]
    sums = _NestedSums._make(map(math.fsum, zip(*found, strict=True)))
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


def _nested_sums(ratings: Floats, clusters: Indices) -> _NestedSums:
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
    return _NestedSums(
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
