"""Soft pairwise accuracy: how well a metric reproduces the human confidence in every comparison of two systems.

Source: Thompson et al. (2024), "Improving Statistical Significance in Human Evaluation of Automatic Metrics via Soft
Pairwise Accuracy".
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.coefficients.checks import checked_choice, checked_pair
from metrics_framework.meta_evaluation.coefficients.large_values import scaled_down
from metrics_framework.meta_evaluation.names import STREAMS, Stream
from metrics_framework.significance.arrays import Bools, Floats, Indices

ROUNDING = 1e-9
"""Sums that differ by less than this fraction of Σ|d| are equal."""

BLOCK_NUMBERS = 1 << 21
"""The number of comparisons in memory at a time."""


@dataclass(frozen=True)
class SoftPairwiseAccuracy:
    """Soft pairwise accuracy, with what it was computed from.

    Args:
        value: 1 − mean |p_h − p_m| over pairs of systems; NaN if undefined.
        monte_carlo_error: The standard deviation of the value over repeated draws; 0 without draws, NaN if undefined.
        human_p: The p-value of each pair of systems i < j, in the order (0, 1), (0, 2), …, (1, 2), …
        metric_p: The same for the metric.
        inputs: The number of inputs that all systems have, which are used.
        inputs_left_out: The number of inputs left out.
    """

    value: float
    monte_carlo_error: float
    human_p: Floats
    metric_p: Floats
    inputs: int
    inputs_left_out: int


def soft_pairwise_accuracy(
    human: Any, metric: Any, *, resamples: int = 1000, seed: int = 0, stream: Stream = "default", normal: bool = False
) -> SoftPairwiseAccuracy:
    """Computes 1 − mean |p_h − p_m|, p the one-sided p-values that system i is no better than system j, for all i < j.

    p is the proportion of random sign flips f of the differences d of the two systems with Σ f·d ≥ Σ d, the same flips
    for human scores and metric. As ties count, p depends on the order of the two systems by up to 1/B: sort systems by
    id. Inputs that a system lacks are left out.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        resamples: The number of sign flips B.
        seed: The seed of the flips; ``mt-metrics-eval`` has a fixed one.
        stream: How flips are drawn: ``default`` or ``mt-metrics-eval``.
        normal: Whether p = Φ(−Σd / √Σd²) instead, without draws.

    Returns:
        The accuracy; undefined with fewer than two systems, or without an input that all systems have.

    Raises:
        InputError: if an argument is invalid.

    >>> human = [[1, 2, 3, 4], [2, 2, 5, 3], [4, 1, 3, 3]]
    >>> metric = [[0.1, 0.4, 0.35, 0.8], [0.3, 0.2, 0.9, 0.5], [0.7, 0.1, 0.6, 0.55]]
    >>> round(soft_pairwise_accuracy(human, metric, normal=True).value, 9)
    0.881437786
    """
    x, z = checked_pair(human, metric)
    checked_choice(stream, STREAMS, "stream")
    if not (isinstance(resamples, Integral) and isinstance(seed, Integral) and resamples >= 1 and seed >= 0):
        raise InputError(
            f"'resamples' must be an integer of at least 1 and 'seed' of at least 0, got {resamples!r} and {seed!r}"
        )
    complete = ~np.isnan(x).any(axis=0)
    used, left_out = int(complete.sum()), int((~complete).sum())
    if len(x) < 2 or not used:
        return SoftPairwiseAccuracy(math.nan, math.nan, np.empty(0), np.empty(0), used, left_out)
    x, z = x[:, complete], z[:, complete]
    if normal:
        p_x, p_z = _normal_p(x), _normal_p(z)
        error = 0.0
    else:
        signs = _signs(resamples, used, seed, stream)
        compared = [_Comparisons.of(scores, signs, exact=stream == "mt-metrics-eval") for scores in (x, z)]
        p_x, p_z = (comparisons.p_values() for comparisons in compared)
        error = _monte_carlo_error(compared[0], compared[1], np.sign(p_x - p_z))
    return SoftPairwiseAccuracy(1 - float(np.abs(p_x - p_z).mean()), error, p_x, p_z, used, left_out)


def _signs(resamples: int, inputs: int, seed: int, stream: Stream) -> Floats:
    """Draws signs, shape (resamples, inputs)."""
    if stream == "mt-metrics-eval":
        drawn = np.random.default_rng(4).random((resamples, inputs), dtype=np.float32)
        return np.asarray(np.rint(drawn) * 2 - 1)
    generator = np.random.default_rng(seed)
    return np.where(generator.random((resamples, inputs)) < 0.5, -1.0, 1.0)


def _pair_blocks(systems: int, width: int) -> Iterator[tuple[Indices, Indices]]:
    """Yields the pairs of systems i < j, row by row, in blocks that fit in memory with some numbers for each pair."""
    first, second = np.triu_indices(systems, 1)
    step = max(1, BLOCK_NUMBERS // max(1, width))
    for start in range(0, len(first), step):
        yield first[start : start + step], second[start : start + step]


@dataclass(frozen=True)
class _Comparisons:
    """Which sign flips of the differences of two systems have a sum at least as large as the observed one.

    Args:
        scores: Shape (systems, inputs), without NaN.
        sums: The sums of the scores of each system under each vector of signs, shape (resamples, systems).
        observed: The sums of the scores as they are, shape (systems,).
        exact: Whether sums are compared as they are, without a tolerance for rounding.
    """

    scores: Floats
    sums: Floats
    observed: Floats
    exact: bool

    @classmethod
    def of(cls, scores: Floats, signs: Floats, *, exact: bool) -> _Comparisons:
        if exact:
            single = scores.astype(np.float32)
            return cls(scores, signs @ single.T, single.sum(axis=1), exact)
        scores = scaled_down(scores)
        scores = scores - scores.mean(axis=0)  # changes no difference, and keeps digits of the sums
        return cls(scores, signs @ scores.T, scores.sum(axis=1), exact)

    def reached(self, first: Indices, second: Indices) -> Bools:
        """Compares some pairs of systems; shape (resamples, pairs)."""
        observed = self.observed[first] - self.observed[second]
        if not self.exact:
            sizes = np.abs(self.scores[first] - self.scores[second]).sum(axis=1)
            observed = observed - ROUNDING * sizes
        reached: Bools = self.sums[:, first] - self.sums[:, second] >= observed
        return reached

    def p_values(self) -> Floats:
        """Returns the proportion of sign flips that reach the observed sum, of every pair of systems."""
        resamples, systems = self.sums.shape
        width = max(resamples, self.scores.shape[1])
        return np.concatenate([self.reached(*pairs).mean(axis=0) for pairs in _pair_blocks(systems, width)])


def _monte_carlo_error(human: _Comparisons, metric: _Comparisons, directions: Floats) -> float:
    """Estimates the standard deviation of 1 − mean |p_h − p_m| over repeated draws.

    Each sign flip contributes the mean of sign(p_h − p_m)·(reached_h − reached_m) over pairs of systems.
    """
    resamples, systems = human.sums.shape
    contributions = np.zeros(resamples)
    start = 0
    for pairs in _pair_blocks(systems, max(resamples, human.scores.shape[1])):
        block = directions[start : start + len(pairs[0])]
        contributions += human.reached(*pairs) @ block - metric.reached(*pairs) @ block
        start += len(pairs[0])
    return float((contributions / len(directions)).std() / math.sqrt(resamples))


def _normal_p(scores: Floats) -> Floats:
    from scipy.special import ndtr

    scores = scaled_down(scores)
    parts = []
    for first, second in _pair_blocks(len(scores), scores.shape[1]):
        differences = scores[first] - scores[second]
        largest = np.abs(differences).max(axis=1, keepdims=True)
        differences = differences / np.where(largest > 0, largest, 1)
        norms = np.sqrt((differences**2).sum(axis=1))
        parts.append(ndtr(-differences.sum(axis=1) / np.where(norms > 0, norms, 1)))
    return np.concatenate(parts)
