"""One-sided p-values that one system is no better than another, from sign flips and from the normal distribution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.sums.large_values import scaled_down

ROUNDING = 1e-9
"""Sums that differ by less than this fraction of Σ|d| are equal."""

BLOCK_NUMBERS = 1 << 21
"""The number of comparisons in memory at a time."""

MAX_FLOAT32 = 2.0**100
"""Values up to this size do not overflow when they are added in single precision."""


def drawn_signs(inputs: int, options: CoefficientOptions) -> Floats:
    """Draws signs, shape (sign flips, inputs)."""
    shape = (options.sign_flips, inputs)
    if options.stream == "mt-metrics-eval":
        drawn = np.random.default_rng(4).random(shape, dtype=np.float32)
        return np.asarray(np.rint(drawn) * 2 - 1)
    return np.where(np.random.default_rng(options.seed).random(shape) < 0.5, -1.0, 1.0)


def system_pairs(systems: int, width: int) -> Iterator[tuple[Indices, Indices]]:
    """Yields the pairs of systems i < j, row by row, in blocks that fit in memory with some numbers for each pair."""
    first, second = np.triu_indices(systems, 1)
    step = max(1, BLOCK_NUMBERS // max(1, width))
    for start in range(0, len(first), step):
        yield first[start : start + step], second[start : start + step]


@dataclass(frozen=True)
class Comparisons:
    """Sums of the scores of systems under sign flips, and as they are.

    Args:
        scores: Shape (systems, inputs), without NaN.
        sums: The sums of the scores of each system under each vector of signs, shape (sign flips, systems).
        observed: The sums of the scores as they are, shape (systems,).
        exact: Whether sums are compared as they are, without a tolerance for rounding.
    """

    scores: Floats
    sums: Floats
    observed: Floats
    exact: bool

    @classmethod
    def of(cls, scores: Floats, signs: Floats, options: CoefficientOptions) -> Comparisons:
        """Sums scores under each vector of signs.

        Args:
            scores: Shape (systems, inputs), without NaN.
            signs: Shape (sign flips, inputs).
            options: The options; the stream ``mt-metrics-eval`` repeats the sums of that program.
        """
        if options.stream == "mt-metrics-eval":
            single = scaled_down(scores, largest=MAX_FLOAT32).astype(np.float32)
            return cls(scores, signs @ single.T, single.sum(axis=1), exact=True)
        return cls(scores, signs @ scores.T, scores.sum(axis=1), exact=False)

    @classmethod
    def of_metric(cls, scores: Floats, signs: Floats, options: CoefficientOptions) -> Comparisons:
        """Sums scores that are only compared with each other, without losing digits beside a huge score.

        The median of each input, which changes no difference, is subtracted.
        """
        if options.stream != "mt-metrics-eval" and len(scores):
            scores = scaled_down(scores)
            scores = scores - np.median(scores, axis=0)
        return cls.of(scores, signs, options)

    def reached(self, first: Indices, second: Indices, other: Comparisons | None = None) -> Bools:
        """Returns which flips of the differences of pairs of systems have a sum at least as large as the observed one.

        Args:
            first: The first system of each pair.
            second: The second system of each pair.
            other: Another metric, whose scores the second system has; by default the same.

        Returns:
            Shape (sign flips, pairs).
        """
        later = other or self
        observed = self.observed[first] - later.observed[second]
        if not self.exact:
            sizes = np.abs(self.scores[first] - later.scores[second]).sum(axis=1)
            observed = observed - ROUNDING * sizes
        reached: Bools = self.sums[:, first] - later.sums[:, second] >= observed
        return reached

    def pairs(self) -> Iterator[tuple[Indices, Indices]]:
        """Yields the pairs of systems i < j in blocks that fit in memory."""
        return system_pairs(len(self.scores), max(len(self.sums), self.scores.shape[1]))

    def p_values(self, other: Comparisons | None = None) -> Floats:
        """Returns the proportion of sign flips that reach the observed sum, of every pair of systems i < j.

        Args:
            other: Another metric, whose scores system j has; by default the same.
        """
        return np.concatenate([np.empty(0), *(self.reached(*pairs, other).mean(axis=0) for pairs in self.pairs())])


def normal_p(scores: Floats, weights: Floats) -> Floats:
    """Computes p = Φ(−Σd/√Σd²) of the differences d of every pair of systems, .5 if all are 0.

    Args:
        scores: Shape (systems, inputs), without NaN.
        weights: Integers, shape (resamples, inputs); an input of weight w counts as w equal ones.

    Returns:
        Shape (resamples, pairs), the pairs i < j row by row.
    """
    parts = [np.empty((len(weights), 0))]
    for first, second in system_pairs(len(scores), max(scores.shape[1], len(weights))):
        differences = scores[first] / 2 - scores[second] / 2  # halves, as a difference could overflow
        largest = np.abs(differences).max(axis=1, keepdims=True, initial=0)
        differences = differences / np.where(largest > 0, largest, 1)
        parts.append(normal_p_of_sums(*(_products(weights, one) for one in (differences, differences**2))))
    return np.concatenate(parts, axis=1)


def normal_p_of_sums(sums: Floats, squares: Floats) -> Floats:
    """Returns Φ(−Σd/√Σd²), .5 if the sum of squares is 0."""
    from scipy.special import ndtr

    found: Floats = ndtr(np.divide(-sums, np.sqrt(squares), out=np.zeros(sums.shape), where=squares > 0))
    return found


def _products(weights: Floats, values: Floats) -> Floats:
    """Multiplies matrices, the second transposed; one row in a fixed order, as digits of BLAS depend on its threads."""
    products: Floats = (weights * values).sum(axis=1)[None] if len(weights) == 1 else weights @ values.T
    return products
