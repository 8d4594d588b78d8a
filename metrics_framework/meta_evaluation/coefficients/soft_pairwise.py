"""Soft pairwise accuracy: how well a metric reproduces the human confidence in every comparison of two systems.

Source: Thompson et al. (2024), "Improving Statistical Significance in Human Evaluation of Automatic Metrics via Soft
Pairwise Accuracy".
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.checks import checked_pair
from metrics_framework.meta_evaluation.choices import SIGN_FLIPS, Stream
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.coefficients.sign_flips import Comparisons, drawn_signs, normal_p
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair, Weights


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
    human: Any,
    metric: Any,
    *,
    sign_flips: int = SIGN_FLIPS,
    seed: int = 0,
    stream: Stream = "default",
    normal: bool = False,
) -> SoftPairwiseAccuracy:
    """Computes 1 − mean |p_h − p_m|, p the one-sided p-values that system i is no better than system j, for all i < j.

    p is the proportion of random sign flips f of the differences d of the two systems with Σ f·d ≥ Σ d, the same flips
    for human scores and metric. As ties count, p depends on the order of the two systems by up to 1/B: sort systems by
    id. Inputs that a system lacks are left out.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        sign_flips: The number of sign flips B.
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
    options = CoefficientOptions(sign_flips=sign_flips, seed=seed, stream=stream)
    complete = ~np.isnan(x).any(axis=0)
    used, left_out = int(complete.sum()), int((~complete).sum())
    if len(x) < 2 or not used:
        return SoftPairwiseAccuracy(math.nan, math.nan, np.empty(0), np.empty(0), used, left_out)
    x, z = x[:, complete], z[:, complete]
    if normal:
        p_x, p_z = (normal_p(scores, np.ones((1, used)))[0] for scores in (x, z))
        error = 0.0
    else:
        signs = drawn_signs(used, options)
        compared = [Comparisons.of_metric(scores, signs, options) for scores in (x, z)]
        p_x, p_z = (comparisons.p_values() for comparisons in compared)
        error = _monte_carlo_error(compared[0], compared[1], np.sign(p_x - p_z))
    return SoftPairwiseAccuracy(1 - float(np.abs(p_x - p_z).mean()), error, p_x, p_z, used, left_out)


def _monte_carlo_error(human: Comparisons, metric: Comparisons, directions: Floats) -> float:
    """Estimates the standard deviation of 1 − mean |p_h − p_m| over repeated draws.

    Each sign flip contributes the mean of sign(p_h − p_m)·(reached_h − reached_m) over pairs of systems.
    """
    sign_flips = len(human.sums)
    contributions = np.zeros(sign_flips)
    start = 0
    for pairs in human.pairs():
        block = directions[start : start + len(pairs[0])]
        contributions += human.reached(*pairs) @ block - metric.reached(*pairs) @ block
        start += len(pairs[0])
    return float((contributions / len(directions)).std() / math.sqrt(sign_flips))


class SoftPairwise(Coefficient):
    """1 − mean |p_h − p_m|, of p-values that one system is no better than another, over the inputs that all have."""

    levels: ClassVar[tuple[Level, ...]] = ("system",)
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    ceiling_splits: ClassVar[int] = 0  # it compares the confidence in systems, which single raters do not have

    @abstractmethod
    def distances(self, human: Floats, metric: Floats, weights: Floats, options: CoefficientOptions) -> Floats:
        """Computes |p_h − p_m| of every pair of systems i < j in every resample of inputs.

        Args:
            human: The human scores, shape (systems, inputs), without NaN.
            metric: The scores of the metric, of the same shape.
            weights: Integers, shape (resamples, inputs).
            options: The options.

        Returns:
            Shape (resamples, pairs).
        """

    @overrides
    def resampled(
        self, scores: ScorePair, level: Level, rows: Weights, columns: Weights, options: CoefficientOptions
    ) -> Floats:
        complete = scores.present.all(axis=0)
        weights = np.ones((1, int(complete.sum()))) if columns is None else columns[:, complete]
        distances = self.distances(scores.human[:, complete], scores.metric[:, complete], weights, options)
        values = _one_minus_mean(distances, rows, scores.shape[0])
        return np.where(weights.sum(axis=1) > 0, values, np.nan)


def _one_minus_mean(distances: Floats, rows: Weights, systems: int) -> Floats:
    """Computes 1 − the mean distance over pairs of the systems drawn; copies of a system have no distance.

    Args:
        distances: Shape (resamples or 1, pairs).
        rows: The weights of systems, shape (resamples, systems); `None` if all are kept.
        systems: The number of systems.

    Returns:
        Shape (resamples,); NaN with fewer than two systems.
    """
    first, second = np.triu_indices(systems, 1)
    weights = np.ones((1, systems)) if rows is None else rows
    drawn = weights.sum(axis=1)
    pairs = drawn * (drawn - 1) / 2
    sums = (weights[:, first] * weights[:, second] * distances).sum(axis=1)
    return np.where(pairs > 0, 1 - sums / np.where(pairs > 0, pairs, 1), np.nan)
