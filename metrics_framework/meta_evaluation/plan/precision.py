"""Half-width and power of means and differences: computed from variances, and in simulated studies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.estimate.estimators import predicted_mean
from metrics_framework.meta_evaluation.plan.request import MAX_INPUTS
from metrics_framework.meta_evaluation.plan.result import Assumptions
from metrics_framework.significance.confidence_level import as_fraction

_MAX_VALUES = 1 << 21
_NORMAL = 100_000
"""From this many degrees of freedom, Student's t is normal."""
_NODES = 2000
_MAX_DRAWN = 10_000
"""Of studies with more inputs, means and variances are drawn instead of ratings: normal, and χ²."""


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
    """

    assumptions: Assumptions
    judged: int | None
    difference: float | None
    confidence: float
    tests: int = 1

    @property
    def most_inputs(self) -> int:
        """The largest number of inputs that is tried."""
        size = self.assumptions.cluster_size
        return (MAX_INPUTS if self.judged is None else self.judged) // size * size

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

    def simulated(self, raters: int, inputs: int, simulations: int, seed: int) -> float:
        """Returns the mean half-width, or the share of significant tests, in simulated studies of normal ratings."""
        stream = np.random.default_rng((seed, raters, inputs))
        draw = self._means if self.judged is None else self._predicted
        found = list(draw(stream, raters, inputs, simulations))
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
