"""Half-width and power of means and differences: from variances that are stated or that the ratings of a pilot show."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.errors import InputError
from metrics_framework.inputs.ratings import LongTables, input_clusters
from metrics_framework.meta_evaluation.estimate.estimators import predicted_mean
from metrics_framework.meta_evaluation.groups.moments import row_means
from metrics_framework.meta_evaluation.plan.request import MAX_INPUTS, MAX_SIZE, PlanRequest
from metrics_framework.meta_evaluation.study import Finding
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.confidence_level import as_fraction

_MAX_VALUES = 1 << 21
_NORMAL = 100_000
"""From this many degrees of freedom, Student's t is normal."""
_NODES = 2000
_MAX_DRAWN = 10_000
"""Of studies with more inputs, means and variances are drawn instead of ratings: normal, and χ²."""


@dataclass(frozen=True)
class Assumptions(Finding):
    """What is known about ratings before the study.

    Attributes:
        between: The variance between outputs of what raters agree on; for differences of systems, of the differences.
        within: The variance of a single rating of an output around it; `None` if no output of a pilot has two ratings.
        explained: How much of the variance between outputs the judge explains; 0 without a judge.
        clustered: How much of the variance between outputs is variance between clusters of inputs; 0 without clusters.
        cluster_size: The number of inputs of a planned cluster; 1 without clusters.
        clusters: The number of clusters of the pilot; 0 without clusters or pilot.
        outputs: The number of rated outputs of the pilot, or of inputs on which two systems are rated; 0 without one.
        degrees_of_freedom: Those of the variance between outputs, or clusters, in the pilot; 0 without one.
        raters: The number of raters of the pilot.
    """

    between: float
    within: float | None
    explained: float = 0.0
    clustered: float = 0.0
    cluster_size: int = 1
    clusters: int = 0
    outputs: int = 0
    degrees_of_freedom: int = 0
    raters: int = 0

    def variance(self, raters: int) -> float:
        """Returns the variance between outputs of the mean of some ratings of each output."""
        return self.between + (self.within or 0.0) / raters

    @property
    def correlation(self) -> float:
        """The correlation of the quality of two outputs of a cluster."""
        return self.clustered / self.between if self.between else 0.0

    @property
    def inflation(self) -> float:
        """The factor by which clusters multiply the variance of a mean quality."""
        return 1 + (self.cluster_size - 1) * self.correlation

    def design_effect(self, raters: int) -> float:
        """Returns the factor by which clusters multiply the variance of a mean of ratings."""
        variance = self.variance(raters)
        return 1 + self.between * (self.inflation - 1) / variance if variance else 1.0


@dataclass(frozen=True)
class Precision:
    """The precision of a mean, or of a mean difference, of n inputs.

    Its variance is V = (D (B − E (1 − n/N)) + W/R) / n, with the variances B between outputs, W within them and E
    explained by a judge that scores N outputs, and R ratings of each output. D is 1 + (m − 1) ρ for clusters of m
    inputs whose quality, and what the judge knows of it, correlates by ρ. Intervals and tests are Student's, with n − 1
    degrees of freedom, or one less than clusters.

    Args:
        assumptions: The variances.
        judged: The number of outputs that the judge scores, N; `None` without a judge.
        difference: The difference to detect; `None` to plan the half-width of intervals.
        confidence: The level of the intervals, in percent.
        tests: The number of tests among which the level is divided (Bonferroni).
        simulations: The number of simulated studies.
        seed: Their seed.
    """

    assumptions: Assumptions
    judged: int | None
    difference: float | None
    confidence: float
    tests: int = 1
    simulations: int = 1000
    seed: int = 0
    curve_points: ClassVar[int] = 25

    @property
    def pilot_outputs(self) -> int:
        """The number of outputs of the pilot; 0 without one."""
        return self.assumptions.outputs

    @property
    def cluster_size(self) -> int:
        """The number of inputs of a cluster."""
        return self.assumptions.cluster_size

    @property
    def least_inputs(self) -> int:
        """The smallest number of inputs that is tried."""
        return 2 * self.cluster_size

    @property
    def most_inputs(self) -> int:
        """The largest number of inputs that is tried."""
        return (MAX_INPUTS if self.judged is None else self.judged) // self.cluster_size * self.cluster_size

    @property
    def _alpha(self) -> float:
        alpha = 1 - as_fraction(self.confidence)
        return alpha if self.difference is None else alpha / self.tests

    def error(self, raters: int, inputs: int) -> float:
        """Returns the standard error √V."""
        known = self.assumptions
        unrated = 0.0 if self.judged is None else 1 - inputs / self.judged
        quality = known.inflation * (known.between - known.explained * unrated)
        return math.sqrt(max(0.0, quality + (known.within or 0.0) / raters) / inputs)

    def achieved(self, raters: int, inputs: int) -> float:
        """Returns the half-width of the interval, or the power of the two-sided test."""
        error, quantile = self.error(raters, inputs), self._quantile(inputs)
        if self.difference is None:
            return quantile * error
        return _power(abs(self.difference) / error if error else math.inf, quantile, self._freedom(inputs))

    def _freedom(self, inputs: int) -> int:
        return inputs // self.assumptions.cluster_size - 1

    def _quantile(self, inputs: int) -> float:
        from scipy.special import stdtrit

        return float(stdtrit(self._freedom(inputs), 1 - self._alpha / 2))

    def inputs_for(self, raters: int, target: float) -> int | None:
        """Returns the smallest number of inputs, of whole clusters, that achieves a target; `None` if there is none."""
        size = self.assumptions.cluster_size

        def is_enough(clusters: int) -> bool:
            found = self.achieved(raters, clusters * size)
            return found <= target if self.difference is None else found >= target

        found = smallest(is_enough, 2, self.most_inputs // size)
        return None if found is None else found * size

    def simulated(self, raters: int, inputs: int) -> float:
        """Returns the mean half-width, or the share of significant tests, in simulated studies of normal ratings."""
        stream = np.random.default_rng((self.seed, raters, inputs))
        draw = self._means if self.judged is None else self._predicted
        found = list(draw(stream, raters, inputs, self.simulations))
        means, errors = (np.concatenate([block[number] for block in found]) for number in (0, 1))
        quantile = self._quantile(inputs)
        if self.difference is None:
            return float(quantile * errors.mean())
        return float((np.abs(means) > quantile * errors).mean())

    def _means(
        self, stream: np.random.Generator, raters: int, inputs: int, simulations: int
    ) -> Iterator[tuple[Floats, Floats]]:
        """Yields estimates and standard errors of blocks of studies."""
        known, centre = self.assumptions, self.difference or 0.0
        size, clusters = known.cluster_size, inputs // known.cluster_size
        spread = math.sqrt(known.variance(raters) * known.design_effect(raters) / size)
        if inputs > _MAX_DRAWN:
            variances = spread**2 * stream.chisquare(clusters - 1, simulations) / (clusters - 1)
            yield stream.normal(centre, spread / math.sqrt(clusters), simulations), np.sqrt(variances / clusters)
            return
        rows = max(1, _MAX_VALUES // inputs)
        for start in range(0, simulations, rows):
            means = self._cluster_means(stream, raters, (min(rows, simulations - start), clusters)) + centre
            yield means.mean(axis=1), means.std(axis=1, ddof=1) / math.sqrt(clusters)

    def _cluster_means(self, stream: np.random.Generator, raters: int, shape: tuple[int, int]) -> Floats:
        """Draws ratings of clusters of inputs, and returns the mean of each cluster."""
        known = self.assumptions
        rest = math.sqrt(max(0.0, known.variance(raters) - known.clustered))
        values: Floats = stream.normal(0.0, rest, (*shape, known.cluster_size)).mean(axis=2)
        return values + stream.normal(0.0, math.sqrt(known.clustered), shape) if known.clustered else values

    def _predicted(
        self, stream: np.random.Generator, raters: int, inputs: int, simulations: int
    ) -> Iterator[tuple[Floats, Floats]]:
        known, judged = self.assumptions, self.judged or inputs
        explained, centre = math.sqrt(known.explained), self.difference or 0.0
        unexplained = math.sqrt(max(0.0, known.between - known.explained))
        noise = math.sqrt((known.within or 0.0) / raters)
        labels = None if known.cluster_size == 1 else np.arange(judged) // known.cluster_size
        for _ in range(simulations):
            scores = self._quality(stream, judged)
            ratings = centre + explained * scores[:inputs] + unexplained * self._quality(stream, inputs)
            ratings += noise * stream.standard_normal(inputs)
            mean = predicted_mean(
                ratings,
                scores[:inputs],
                scores[inputs:],
                tuning="free",
                variances="population",
                interval="t",
                clusters=None if labels is None else labels[:inputs].tolist(),
                unlabelled_clusters=None if labels is None else labels[inputs:].tolist(),
            )
            yield np.array([mean.value]), np.array([mean.standard_error])

    def _quality(self, stream: np.random.Generator, inputs: int) -> Floats:
        """Draws standard normal numbers that correlate within clusters as the quality of outputs does."""
        own, size = stream.standard_normal(inputs), self.assumptions.cluster_size
        if size == 1:
            return own
        shared = np.repeat(stream.standard_normal(-(-inputs // size)), size)[:inputs]
        quality: Floats = math.sqrt(1 - self.assumptions.correlation) * own
        return quality + math.sqrt(self.assumptions.correlation) * shared


def _power(noncentrality: float, quantile: float, freedom: int) -> float:
    """Returns the probability that noncentral t is beyond ± a quantile, as a mean over quantiles of its denominator.

    SciPy's noncentral t returns NaN for some large noncentralities.
    """
    from scipy.special import gammaincinv, ndtr

    if freedom > _NORMAL:
        return float(ndtr(noncentrality - quantile) + ndtr(-noncentrality - quantile))
    chances = (np.arange(_NODES) + 0.5) / _NODES
    limits = quantile * np.sqrt(2 * gammaincinv(freedom / 2, chances) / freedom)
    return float((ndtr(noncentrality - limits) + ndtr(-noncentrality - limits)).mean())


def smallest(is_enough: Callable[[int], bool], least: int, most: int, coarseness: float = 0.0) -> int | None:
    """Returns the smallest number for which a monotone condition is true; `None` if it is false for the largest one.

    Args:
        is_enough: The condition.
        least: The smallest number tried.
        most: The largest number tried.
        coarseness: How much larger the returned number may be, as a fraction.

    >>> smallest(lambda number: number >= 1234, 2, 10_000), smallest(lambda number: False, 2, 10)
    (1234, None)
    """
    low, high = least - 1, least
    while not is_enough(high):
        if high >= most:
            return None
        low, high = high, min(most, 2 * high)
    while high - low > max(1, coarseness * high):
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


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
    scores = None
    if request.goal == "difference":
        if len(systems) < 2:
            raise InputError("the pilot must have ratings of two systems or more, to see how much they differ")
        cube = np.array([first - second for first, second in combinations(cube, 2)])
    elif request.judge is not None:
        numbers = tables.numbers(request.judge)
        scores = np.array([[numbers.get((one, system), math.nan) for one in inputs] for system in systems])
        _check_size(request.judge, scores)
        cube = np.where(np.isnan(scores)[:, :, None], np.nan, cube)
    labels = input_clusters(tables, request.cluster, inputs)
    codes = np.zeros(len(inputs), np.intp) if labels is None else Clusters.of(labels, len(inputs)).codes
    is_rated = np.asarray((~np.isnan(cube)).any(axis=2))
    used = is_rated.sum(axis=1) > 1
    outputs = int(is_rated[used].sum())
    if not outputs:
        raise InputError("the pilot must have ratings of two outputs or more of a system")
    found = nested_variances(cube[used], codes, has_clusters=labels is not None)
    if not found.clusters + found.outputs + (found.ratings or 0.0):
        raise InputError("the ratings of the pilot are all equal, so they do not show how much outputs differ")
    between, rated_inputs = found.clusters + found.outputs, is_rated.any(axis=0)
    clusters = 0 if labels is None else len(np.unique(codes[rated_inputs]))
    return Assumptions(
        between=between,
        within=found.ratings,
        explained=0.0 if scores is None else min(_explained(cube[used], scores[used]), between),
        clustered=found.clusters,
        cluster_size=request.cluster_size or max(1, round(int(rated_inputs.sum()) / clusters) if clusters else 1),
        clusters=clusters,
        outputs=outputs,
        degrees_of_freedom=found.degrees_of_freedom,
        raters=len(ratings.raters),
    )


def _check_size(name: str, values: Floats) -> None:
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if largest > MAX_SIZE:
        raise InputError(f"'{name}' of a pilot must be numbers up to ±{MAX_SIZE:g}, got one of size {largest:g}")


def _explained(cube: Floats, scores: Floats) -> float:
    """Returns how much of the variance of mean ratings the scores explain, pooled over systems."""
    products = np.zeros(2)
    for ratings, row in zip(cube, scores, strict=True):
        rated = ~np.isnan(ratings).all(axis=1)
        means, own = row_means(ratings[rated]), row[rated] - row[rated].mean()
        products += own @ (means - means.mean()), own @ own
    covariance, variance = products / ((~np.isnan(cube)).any(axis=2).sum() - len(cube))
    return float(covariance**2 / variance) if variance > 0 else 0.0


def relative_error_of_inputs(known: Assumptions) -> float:
    """Returns how uncertain numbers of inputs are, as a fraction: 1.96 standard errors of a variance of normal values.

    >>> round(relative_error_of_inputs(Assumptions(1.0, 1.0, degrees_of_freedom=50)), 3)
    0.392
    """
    return 1.96 * math.sqrt(2 / known.degrees_of_freedom)


class NestedVariances(NamedTuple):
    """The variances of ratings of outputs in clusters.

    Attributes:
        clusters: The variance between clusters; 0 without clusters.
        outputs: The variance between outputs of a cluster.
        ratings: The variance between ratings of an output; `None` if no output has two ratings, so that it is part of
            the variance between outputs.
        degrees_of_freedom: Those of the variance between clusters, or else outputs.
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


def nested_variances(tables: Iterable[Floats], clusters: Indices, *, has_clusters: bool = True) -> NestedVariances:
    """Estimates variances by an analysis of variance for unequal sizes, pooled over tables; negative ones count as 0.

    Args:
        tables: Ratings, shape (outputs, raters) each, NaN where missing.
        clusters: The number of the cluster of each output.
        has_clusters: Whether clusters may differ; otherwise, all outputs are in one, and the analysis is one-way.

    Raises:
        InputError: if there are fewer than two clusters, or no cluster has two outputs.

    Source: Searle, Casella and McCulloch, "Variance Components" (1992), the two-way nested classification.

    >>> ratings = np.array([[1.0, 3.0], [2.0, 2.0], [6.0, 8.0], [9.0, 9.0]])
    >>> nested_variances([ratings], np.array([0, 0, 1, 1]))
    NestedVariances(clusters=17.5, outputs=0.5, ratings=1.0, degrees_of_freedom=1)
    """
    found = [_nested_sums(ratings, clusters) for ratings in tables]
    sums = _NestedSums._make(map(math.fsum, zip(*found, strict=True)))
    if has_clusters and (sums.free_clusters < 1 or sums.free_outputs < 1):
        raise InputError(
            "the pilot must have two clusters or more, and two rated inputs or more of a cluster, to see how much "
            "inputs of a cluster have in common"
        )
    within = sums.within / sums.free_within if sums.free_within else None
    outputs = max(0.0, (sums.between_outputs - sums.free_outputs * (within or 0.0)) / sums.outputs)
    if not has_clusters:
        return NestedVariances(0.0, outputs, within, int(sums.free_outputs))
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
