"""Half-width and power of means and differences: computed from variances, and in simulated studies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.estimate.predicted_means import predicted_mean
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

    Its variance is V = (B + W/R − E (1 − n/N)) / n, with the variances B between outputs, W within them and E explained
    by a judge that scores N outputs, and R ratings of each output. Intervals and tests are Student's, with n − 1
    degrees of freedom.

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
        return MAX_INPUTS if self.judged is None else self.judged

    @property
    def _alpha(self) -> float:
        alpha = 1 - as_fraction(self.confidence)
        return alpha if self.difference is None else alpha / self.tests

    def error(self, raters: int, inputs: int) -> float:
        """Returns the standard error √V."""
        unrated = 0.0 if self.judged is None else 1 - inputs / self.judged
        variance = self.assumptions.variance(raters) - self.assumptions.explained * unrated
        return math.sqrt(max(0.0, variance) / inputs)

    def achieved(self, raters: int, inputs: int) -> float:
        """Returns the half-width of the interval, or the power of the two-sided test."""
        error, quantile = self.error(raters, inputs), self._quantile(inputs)
        if self.difference is None:
            return quantile * error
        return _power(abs(self.difference) / error if error else math.inf, quantile, inputs - 1)

    def _quantile(self, inputs: int) -> float:
        from scipy.special import stdtrit

        return float(stdtrit(inputs - 1, 1 - self._alpha / 2))

    def inputs_for(self, raters: int, target: float) -> int | None:
        """Returns the smallest number of inputs that achieves a target; `None` if there is none."""

        def is_enough(inputs: int) -> bool:
            found = self.achieved(raters, inputs)
            return found <= target if self.difference is None else found >= target

        return smallest(is_enough, 2, self.most_inputs)

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
        spread, centre = math.sqrt(self.assumptions.variance(raters)), self.difference or 0.0
        if inputs > _MAX_DRAWN:
            variances = spread**2 * stream.chisquare(inputs - 1, simulations) / (inputs - 1)
            yield stream.normal(centre, spread / math.sqrt(inputs), simulations), np.sqrt(variances / inputs)
            return
        rows = max(1, _MAX_VALUES // inputs)
        for start in range(0, simulations, rows):
            values = stream.normal(centre, spread, (min(rows, simulations - start), inputs))
            yield values.mean(axis=1), values.std(axis=1, ddof=1) / math.sqrt(inputs)

    def _predicted(
        self, stream: np.random.Generator, raters: int, inputs: int, simulations: int
    ) -> Iterator[tuple[Floats, Floats]]:
        known, judged = self.assumptions, self.judged or inputs
        explained, centre = math.sqrt(known.explained), self.difference or 0.0
        rest = math.sqrt(max(0.0, known.variance(raters) - known.explained))
        for _ in range(simulations):
            scores = stream.standard_normal(judged)
            ratings = centre + explained * scores[:inputs] + rest * stream.standard_normal(inputs)
            mean = predicted_mean(ratings, scores[:inputs], scores[inputs:], interval="t")
            yield np.array([mean.value]), np.array([mean.standard_error])


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
