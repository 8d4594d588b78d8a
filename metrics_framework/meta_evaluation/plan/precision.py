"""Half-width and power of means and differences: from variances that are stated or that the ratings of a pilot show."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.errors import InputError
from metrics_framework.inputs.ratings import LongTables, input_clusters
from metrics_framework.meta_evaluation.estimate.estimators import FEWEST_RATINGS, predicted_mean, share_ends
from metrics_framework.meta_evaluation.groups.moments import row_means
from metrics_framework.meta_evaluation.plan.request import DEFAULT_ASSURANCE, MAX_INPUTS, MAX_SIZE, PlanRequest
from metrics_framework.meta_evaluation.study import OMITTED_IF_NONE, Finding
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.confidence_level import as_fraction
from metrics_framework.significance.interval_methods import student_quantile

_MAX_VALUES = 1 << 21
_NORMAL = 100_000
"""From this many degrees of freedom, Student's t is normal."""
_NODES, _NODES_OF_DRAWS = 2000, 40
"""The numbers of chances of a study, without a pilot and for each draw from the posterior of one."""
_DRAWS = 500
_GOLDEN = (5**0.5 - 1) / 2
_MAX_R = 1 - 1e-9
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
        share: The share of good outputs if single ratings are 0 or 1 and are given a score interval, else `None`.
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
    share: float | None = field(default=None, metadata=OMITTED_IF_NONE)

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
    inputs whose quality, and what the judge knows of it, correlates by ρ. Intervals and tests are those of `estimate`:
    Student's, with n − 1 degrees of freedom, or one less than clusters, and one less with a judge; of single ratings of
    0 and 1, score intervals for (B + W)/V independent ratings.

    Half-widths are those that are reached with a chance, the assurance: the variance that a study estimates varies, as
    χ². With a pilot, the variances are drawn from their posterior, for half-widths and power.

    Args:
        assumptions: The variances.
        judged: The number of outputs that the judge scores, N; `None` without a judge.
        difference: The difference to detect; `None` to plan the half-width of intervals.
        confidence: The level of the intervals, in percent.
        tests: The number of tests among which the level is divided (Bonferroni).
        simulations: The number of simulated studies.
        seed: Their seed.
        assurance: The chance.
        posterior: Assumptions that are drawn from what a pilot leaves open; empty without a pilot.
    """

    assumptions: Assumptions
    judged: int | None
    difference: float | None
    confidence: float
    tests: int = 1
    simulations: int = 1000
    seed: int = 0
    assurance: float = DEFAULT_ASSURANCE
    posterior: Sequence[Assumptions] = ()
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
        return (2 if self.judged is None else FEWEST_RATINGS) * self.cluster_size

    @property
    def most_inputs(self) -> int:
        """The largest number of inputs that is tried."""
        return (MAX_INPUTS if self.judged is None else self.judged) // self.cluster_size * self.cluster_size

    def error(self, raters: int, inputs: int, known: Assumptions | None = None) -> float:
        """Returns the standard error √V."""
        known = known or self.assumptions
        unrated = 0.0 if self.judged is None else 1 - inputs / self.judged
        quality = known.inflation * (known.between - known.explained * unrated)
        return math.sqrt(max(0.0, quality + (known.within or 0.0) / raters) / inputs)

    def achieved(self, raters: int, inputs: int) -> float:
        """Returns the half-width that is reached with the chance, or the power of the two-sided test."""
        quantile = self._quantile(raters, inputs)
        if self.difference is None:
            drawn = self.posterior or [self.assumptions]
            nodes = np.arange(_NODES if len(drawn) == 1 else _NODES_OF_DRAWS) + 0.5
            chances = nodes / len(nodes)
            widths = [self._half_widths(raters, inputs, known, quantile, chances) for known in drawn]
            return float(np.quantile(widths, self.assurance))
        known = self._assured(raters, inputs)
        error = self.error(raters, inputs, known)
        if not error:
            return 1.0
        quantile *= math.sqrt(math.fsum(self._variance_parts(raters, inputs, known))) / error
        return _power(abs(self.difference) / error, quantile, self._freedom(raters, inputs))

    def _assured(self, raters: int, inputs: int) -> Assumptions:
        """Returns the drawn assumptions whose error is not exceeded with the chance."""
        drawn = sorted(self.posterior, key=lambda known: self.error(raters, inputs, known))
        return drawn[math.floor(self.assurance * len(drawn))] if drawn else self.assumptions

    def _half_widths(self, raters: int, inputs: int, known: Assumptions, quantile: float, chances: Floats) -> Floats:
        """Returns the half-widths that a study has with chances, shape (chances,)."""
        from scipy.special import bdtrik, gammaincinv

        if self._is_share(raters):
            share, units = known.share or 0.0, inputs // self.cluster_size
            error = self.error(raters, inputs, known)
            independent = max(2, round((known.between + (known.within or 0.0)) / error**2)) if error else MAX_INPUTS
            good = np.clip(np.ceil(bdtrik(chances, independent, share)), 0, independent) / independent
            errors = np.sqrt(good * (1 - good) / (independent - 1))
            if self.cluster_size > 1:  # in another order
                errors *= np.sqrt(
                    2 * gammaincinv((units - 1) / 2, (chances * len(chances) * _GOLDEN) % 1) / (units - 1)
                )
            _, lower, upper = share_ends(good, errors, quantile, inputs, units)
            return np.asarray((upper - lower) / 2)
        rated, rest = self._variance_parts(raters, inputs, known)
        freedom = self._freedom(raters, inputs)
        spread = 2 * gammaincinv(freedom / 2, chances) / freedom
        return np.asarray(quantile * np.sqrt(rated * spread + rest))

    def _variance_parts(self, raters: int, inputs: int, known: Assumptions) -> tuple[float, float]:
        """Returns what a study estimates V to be on average: a part that varies as χ², and the rest.

        With a judge, both are those of `predicted_mean`, for λ by regression.
        """
        total = self.error(raters, inputs, known) ** 2
        if not self._fitted(raters, inputs):
            return total, 0.0
        units, judged = inputs // self.cluster_size, self.judged or inputs
        rest = known.inflation * known.explained * (1 - inputs / judged) / judged
        return (total - rest) * (units - 2) / (units - 3), rest

    def _is_share(self, raters: int) -> bool:
        return self.assumptions.share is not None and raters == 1

    def _fitted(self, raters: int, inputs: int) -> bool:
        """Returns whether λ is found by regression."""
        return self.judged is not None and inputs < self.judged and not self._is_share(raters)

    def _freedom(self, raters: int, inputs: int) -> int:
        return inputs // self.cluster_size - 1 - self._fitted(raters, inputs)

    @property
    def _level(self) -> float:
        alpha = 1 - as_fraction(self.confidence)
        return 1 - (alpha if self.difference is None else alpha / self.tests)

    def _quantile(self, raters: int, inputs: int) -> float:
        return student_quantile((1 + self._level) / 2, self._freedom(raters, inputs))

    def inputs_for(self, raters: int, target: float) -> int | None:
        """Returns the smallest number of inputs, of whole clusters, that achieves a target; `None` if there is none."""
        size = self.cluster_size

        def is_enough(clusters: int) -> bool:
            found = self.achieved(raters, clusters * size)
            return found <= target if self.difference is None else found >= target

        found = smallest(is_enough, self.least_inputs // size, self.most_inputs // size)
        return None if found is None else found * size

    def simulated(self, raters: int, inputs: int) -> float:
        """Returns the same as `achieved` in simulated studies of normal ratings, or of ratings of 0 and 1."""
        stream = np.random.default_rng((self.seed, raters, inputs))
        drawn = self.posterior[: self.simulations] or [self.assumptions]
        if self.difference is not None:
            drawn = [self._assured(raters, inputs)]
        studies = -(-self.simulations // len(drawn))
        draw = self._means if self.judged is None else self._predicted
        blocks = [block for known in drawn for block in draw(stream, known, raters, inputs, studies)]
        lower, upper = np.concatenate(blocks, axis=1)
        if self.difference is None:
            return float(np.quantile((upper - lower) / 2, self.assurance))
        return float(((lower > 0) | (upper < 0)).mean())

    def _means(
        self, stream: np.random.Generator, known: Assumptions, raters: int, inputs: int, studies: int
    ) -> Iterator[Floats]:
        """Yields intervals of blocks of studies, shape (2, studies)."""
        clusters, quantile = inputs // self.cluster_size, self._quantile(raters, inputs)
        spread = math.sqrt(known.variance(raters) * known.design_effect(raters) / self.cluster_size)
        rows = studies if inputs > _MAX_DRAWN else max(1, _MAX_VALUES // inputs)
        for start in range(0, studies, rows):
            count = min(rows, studies - start)
            if inputs > _MAX_DRAWN:
                centre = (known.share or 0.0) if self._is_share(raters) else self.difference or 0.0
                means = stream.normal(centre, spread / math.sqrt(clusters), count)
                errors = spread * np.sqrt(stream.chisquare(clusters - 1, count) / (clusters - 1) / clusters)
            else:
                values = self._ratings(stream, known, raters, (count, clusters)).mean(axis=2)
                means, errors = values.mean(axis=1), values.std(axis=1, ddof=1) / math.sqrt(clusters)
            if not self._is_share(raters):
                yield np.array([means - quantile * errors, means + quantile * errors])
            else:
                ends = share_ends(means, errors, quantile, inputs, clusters)[1:]
                yield np.array(ends) - self._fixed(known)

    def _fixed(self, known: Assumptions) -> float:
        """Returns the share from which a study should differ, or 0 for half-widths."""
        return 0.0 if self.difference is None else (known.share or 0.0) - self.difference

    def _ratings(self, stream: np.random.Generator, known: Assumptions, raters: int, shape: tuple[int, int]) -> Floats:
        """Draws mean ratings of clusters of inputs, shape (studies, clusters, inputs of a cluster)."""
        size = (*shape, self.cluster_size)
        if self._is_share(raters):
            share = known.share or 0.0
            odds = (1 - known.correlation) / known.correlation if known.correlation else math.inf
            shares = np.full(shape, share) if odds == math.inf else stream.beta(share * odds, (1 - share) * odds, shape)
            return (stream.random(size) < shares[..., None]).astype(np.float64)
        rest = math.sqrt(max(0.0, known.variance(raters) - known.clustered))
        values = stream.normal(self.difference or 0.0, rest, size)
        return values + stream.normal(0.0, math.sqrt(known.clustered), shape)[..., None] if known.clustered else values

    def _predicted(
        self, stream: np.random.Generator, known: Assumptions, raters: int, inputs: int, studies: int
    ) -> Iterator[Floats]:
        labels = (np.arange(self.judged or inputs) // self.cluster_size).tolist()
        for _ in range(studies):
            ratings, scores = self._judged(stream, known, raters, inputs)
            mean = predicted_mean(
                ratings,
                scores[:inputs],
                scores[inputs:],
                interval="score" if self._is_share(raters) else "t",
                confidence=self._level,
                clusters=None if self.cluster_size == 1 else labels[:inputs],
                unlabelled_clusters=None if self.cluster_size == 1 else labels[inputs:],
            )
            yield np.array([[mean.lower], [mean.upper]]) - (self._fixed(known) if self._is_share(raters) else 0.0)

    def _judged(
        self, stream: np.random.Generator, known: Assumptions, raters: int, inputs: int
    ) -> tuple[Floats, Floats]:
        """Draws ratings of some outputs, and the scores of a judge of all."""
        judged = self.judged or inputs
        if self._is_share(raters):  # verdicts that correlate with ratings as the judge does
            good = self._ratings(stream, known, 1, (1, -(-judged // self.cluster_size))).ravel()[:judged]
            share = known.share or 0.0
            correlation = math.sqrt(known.explained / (known.between + (known.within or 0.0)))
            verdicts = stream.random(judged) < share + correlation * (good - share)
            return good[:inputs], verdicts.astype(np.float64)
        scores = self._quality(stream, judged, known)
        unexplained = math.sqrt(max(0.0, known.between - known.explained)) * self._quality(stream, inputs, known)
        noise = math.sqrt((known.within or 0.0) / raters) * stream.standard_normal(inputs)
        return (self.difference or 0.0) + math.sqrt(known.explained) * scores[:inputs] + unexplained + noise, scores

    def _quality(self, stream: np.random.Generator, inputs: int, known: Assumptions) -> Floats:
        """Draws standard normal numbers that correlate within clusters as the quality of outputs does."""
        own, size = stream.standard_normal(inputs), self.cluster_size
        if size == 1:
            return own
        shared = np.repeat(stream.standard_normal(-(-inputs // size)), size)[:inputs]
        return np.asarray(math.sqrt(1 - known.correlation) * own + math.sqrt(known.correlation) * shared)


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


def assumptions_of(tables: LongTables, request: PlanRequest) -> tuple[Assumptions, list[Assumptions]]:
    """Estimates variances from a pilot, pooled over systems, or over pairs of systems for differences.

    A one-way analysis of variance for unequal numbers of ratings: outputs are groups, and the differences of raters are
    within them; a nested one for clusters of inputs. For differences of systems, the values are differences of the
    ratings of one rater.

    Args:
        tables: The rows of the pilot.
        request: The columns.

    Returns:
        The estimates, and draws from their posterior: sums of squares divided by χ², the correlation of the judge on
        Fisher's scale, and Jeffreys' posterior of a share.

    Raises:
        InputError: if too few outputs are rated.
        UnknownNameError: if there is no column of a name.
        DataError: if a value is not a number.
    """
    ratings = tables.ratings(str(request.rating))
    systems, inputs, cube = ratings.cube()
    _check_size(str(request.rating), cube)
    scores, repeats = None, 1.0
    if request.goal == "difference":
        if len(systems) < 2:
            raise InputError("the pilot must have ratings of two systems or more, to see how much they differ")
        cube = np.array([first - second for first, second in combinations(cube, 2)])
        repeats = len(systems) / 2  # pairs for each independent difference
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
    sums = _pooled_sums(cube[used], codes, has_clusters=labels is not None)
    rated_inputs = is_rated.any(axis=0)
    clusters = 0 if labels is None else len(np.unique(codes[rated_inputs]))
    values = cube[used][~np.isnan(cube[used])]
    has_share = request.goal != "difference" and bool(np.isin(values, (0, 1)).all())
    known = _Pilot(
        sums,
        (0.0, 0.0, 0.0) if scores is None else _products(cube[used], scores[used]),
        float(values.mean()) if has_share else None,
        repeats,
        Assumptions(
            between=0.0,
            within=None,
            cluster_size=request.cluster_size or max(1, round(int(rated_inputs.sum()) / clusters) if clusters else 1),
            clusters=clusters,
            outputs=outputs,
            degrees_of_freedom=int(sums.free_clusters if labels is not None else sums.free_outputs),
            raters=len(ratings.raters),
        ),
    )
    found = known.assumptions()
    if not found.between + (found.within or 0.0):
        raise InputError("the ratings of the pilot are all equal, so they do not show how much outputs differ")
    return found, [known.assumptions(chances) for chances in _lattice(_DRAWS, 5).tolist()]


class _Pilot(NamedTuple):
    """What a pilot shows.

    Attributes:
        sums: Sums of squares of the ratings.
        products: The variance of the scores of the judge, that of mean ratings, and their covariance.
        share: The share of good outputs, if ratings are 0 or 1.
        repeats: How often the same ratings are in the sums.
        counts: The numbers of outputs, clusters and raters.
    """

    sums: _NestedSums
    products: tuple[float, float, float]
    share: float | None
    repeats: float
    counts: Assumptions

    def assumptions(self, chances: Sequence[float] = ()) -> Assumptions:
        """Returns the estimates, or those that are not exceeded with some chances."""
        from scipy.special import betaincinv, gammaincinv, ndtri

        def factor(number: int, freedom: float) -> float:
            half = freedom / self.repeats / 2
            return float(half / gammaincinv(half, chances[number])) if chances and half else 1.0

        sums, counts = self.sums, self.counts
        free = sums.free_clusters, sums.free_outputs, sums.free_within
        of_clusters, of_outputs, of_ratings = (factor(number, one) for number, one in enumerate(free))
        found = _variances_of(
            sums._replace(
                between_clusters=sums.between_clusters * of_clusters,
                between_outputs=sums.between_outputs * of_outputs,
                within=sums.within * of_ratings,
            )
        )
        between = found.clusters + found.outputs
        of_scores, of_means, covariance = self.products
        r, share = (covariance / math.sqrt(of_scores * of_means) if of_scores * of_means else 0.0), self.share
        if chances:
            of_means *= of_clusters if counts.clusters else of_outputs
            z = math.atanh(min(_MAX_R, max(-_MAX_R, r))) + ndtri(chances[3]) / math.sqrt(
                max(1, counts.degrees_of_freedom - 2)
            )
            r = math.tanh(z)
            if share is not None:
                independent = counts.outputs / replace(counts, between=between, within=found.ratings).design_effect(1)
                share = float(betaincinv(independent * share + 0.5, independent * (1 - share) + 0.5, chances[4]))
        return replace(
            counts,
            between=between,
            within=found.ratings,
            explained=min(r * r * of_means, between),
            clustered=found.clusters,
            share=share,
        )


def _lattice(points: int, dimensions: int) -> Floats:
    """Returns points that fill the unit cube evenly, shape (points, dimensions): multiples of a golden ratio."""
    root = 2.0
    for _ in range(50):
        root = (1 + root) ** (1 / (dimensions + 1))
    steps: Floats = root ** -np.arange(1.0, dimensions + 1)
    return (0.5 + np.arange(1, points + 1)[:, None] * steps) % 1


def _check_size(name: str, values: Floats) -> None:
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if largest > MAX_SIZE:
        raise InputError(f"'{name}' of a pilot must be numbers up to ±{MAX_SIZE:g}, got one of size {largest:g}")


def _products(cube: Floats, scores: Floats) -> tuple[float, float, float]:
    """Returns the variances of scores and of mean ratings, and their covariance, pooled over systems."""
    products = np.zeros(3)
    for ratings, row in zip(cube, scores, strict=True):
        rated = ~np.isnan(ratings).all(axis=1)
        means = row_means(ratings[rated])
        means, own = means - means.mean(), row[rated] - row[rated].mean()
        products += own @ own, means @ means, own @ means
    of_scores, of_means, covariance = products / ((~np.isnan(cube)).any(axis=2).sum() - len(cube))
    return float(of_scores), float(of_means), float(covariance)


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
    return _variances_of(_pooled_sums(tables, clusters, has_clusters=True))


def _pooled_sums(tables: Iterable[Floats], clusters: Indices, *, has_clusters: bool) -> _NestedSums:
    found = [_nested_sums(ratings, clusters) for ratings in tables]
    sums = _NestedSums._make(map(math.fsum, zip(*found, strict=True)))
    if has_clusters and (sums.free_clusters < 1 or sums.free_outputs < 1):
        raise InputError(
            "the pilot must have two clusters or more, and two rated inputs or more of a cluster, to see how much "
            "inputs of a cluster have in common"
        )
    return sums


def _variances_of(sums: _NestedSums) -> NestedVariances:
    """Returns the variances that sums of squares mean: a one-way analysis if all outputs are in one cluster."""
    within = sums.within / sums.free_within if sums.free_within else None
    outputs = max(0.0, (sums.between_outputs - sums.free_outputs * (within or 0.0)) / sums.outputs)
    if not sums.free_clusters:
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
