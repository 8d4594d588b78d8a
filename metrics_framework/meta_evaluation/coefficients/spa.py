"""Soft pairwise accuracy (SPA): how well a metric reproduces the human confidence in every comparison of two systems.

The confidence is the one-sided p-value that one system is no better than another, from sign flips or from the normal
distribution.

Differences between two metrics after swaps: if whole systems swap, there are four comparisons of each pair of systems,
one for each choice of metrics, and the difference is linear in the signs (see `rank_swaps`). If whole inputs
swap, all sums over inputs are those of one metric over the inputs that stay, plus those of the other over the inputs
that swap.

Source: Thompson et al. (2024), "Improving Statistical Significance in Human Evaluation of Automatic Metrics via Soft
Pairwise Accuracy".
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.common.overriding import overrides
from metrics_framework.data.sums import inexact_sizes, rounding_error
from metrics_framework.meta_evaluation.choices import SIGN_FLIPS, CoefficientOptions, Level, Stream
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, CoefficientValue
from metrics_framework.meta_evaluation.groups.moments import scaled_down
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair, Weights, checked_pair
from metrics_framework.meta_evaluation.groups.swaps import Swaps, once, once_per_draw

BLOCK_NUMBERS = 1 << 21
"""The number of comparisons in memory at a time."""

MAX_SAFE_FLOAT32 = 2.0**100
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
        rounding: How much rounding may change the sums of each system, shape (systems,); 0 to compare them as they are.
    """

    scores: Floats
    sums: Floats
    observed: Floats
    rounding: Floats

    @classmethod
    def of(cls, scores: Floats, signs: Floats, options: CoefficientOptions, given: Floats | None = None) -> Comparisons:
        """Sums scores under each vector of signs.

        Args:
            scores: Shape (systems, inputs), without NaN.
            signs: Shape (sign flips, inputs).
            options: The options; the stream ``mt-metrics-eval`` repeats the sums of that program.
            given: The scores of which these are differences, if they are, of the same shape.
        """
        if options.stream == "mt-metrics-eval":
            single = scaled_down(scores, largest=MAX_SAFE_FLOAT32).astype(np.float32)
            return cls(scores, signs @ single.T, single.sum(axis=1), np.zeros(len(scores)))
        given = inexact_sizes(scores if given is None else given).sum(axis=1)
        rounding = rounding_error(np.abs(scores).sum(axis=1), scores.shape[1], given)
        return cls(scores, signs @ scores.T, scores.sum(axis=1), 2 * rounding)

    @classmethod
    def of_metric(cls, scores: Floats, signs: Floats, options: CoefficientOptions) -> Comparisons:
        """Sums scores that are only compared with each other, without losing digits beside a huge score.

        The median of each input, which changes no difference, is subtracted.
        """
        if options.stream == "mt-metrics-eval" or not len(scores):
            return cls.of(scores, signs, options)
        scores = scaled_down(scores)
        return cls.of(scores - np.median(scores, axis=0), signs, options, scores)

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
        observed = self.observed[first] - later.observed[second] - (self.rounding[first] + later.rounding[second])
        return np.asarray(self.sums[:, first] - later.sums[:, second] >= observed)

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

    return np.asarray(ndtr(np.divide(-sums, np.sqrt(squares), out=np.zeros(sums.shape), where=squares > 0)))


def _products(weights: Floats, values: Floats) -> Floats:
    """Multiplies matrices, the second transposed; one row in a fixed order, as digits of BLAS depend on its threads."""
    return np.asarray((weights * values).sum(axis=1)[None] if len(weights) == 1 else weights @ values.T)


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

    citation = "thompson-etal-2024-improving"
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


class PValues(NamedTuple):
    """The p-values of each pair of systems i < j, shapes (pairs,).

    Attributes:
        human: Those of the human scores.
        metric: Those of a metric.
    """

    human: Floats
    metric: Floats


def differences_of_systems(
    swaps: Swaps,
    first: str,
    second: str,
    own: Callable[[Swaps, str], PValues],
    between: Callable[[Swaps, str, str], Floats],
) -> Floats:
    """Computes the differences after swaps of whole systems.

    Args:
        swaps: The metrics and the permutations.
        first: The name of the first metric.
        second: The name of the second.
        own: Returns the p-values of a metric.
        between: Returns the p-value of each pair of systems i < j, with the scores of i by one metric and those of j by
            another.

    Returns:
        Shape (permutations,); NaN where undefined.
    """
    systems, signs = swaps.human.shape[0], swaps.permutations.rows
    one, other = (own(swaps, name) for name in (first, second))
    if signs is None or not len(one.human):
        return np.full(swaps.permutations.count, np.nan)
    crossed, reverse = (1 - np.abs(one.human - between(swaps, *names)) for names in ((first, second), (second, first)))
    kept = np.abs(other.metric - other.human) - np.abs(one.metric - one.human)
    earlier, later = np.triu_indices(systems, 1)
    linear = np.bincount(earlier, kept + crossed - reverse, systems)
    linear += np.bincount(later, kept - crossed + reverse, systems)
    return np.asarray(signs @ linear / (2 * len(earlier)))


@once
def flipped_p_values(swaps: Swaps, name: str) -> PValues:
    """Returns the p-values of a metric from sign flips."""
    options = swaps.options[name]
    found = soft_pairwise_accuracy(
        swaps.human, swaps.metrics[name], sign_flips=options.sign_flips, seed=options.seed, stream=options.stream
    )
    return PValues(found.human_p, found.metric_p)


@once
def normal_p_values(swaps: Swaps, name: str) -> PValues:
    """Returns the p-values of a metric from the normal distribution."""
    found = soft_pairwise_accuracy(swaps.human, swaps.metrics[name], normal=True)
    return PValues(found.human_p, found.metric_p)


def flipped_between(swaps: Swaps, one: str, other: str) -> Floats:
    """Returns the p-values from sign flips, with the earlier system's scores by one metric, the later's by another."""
    return _comparisons(swaps, one).p_values(_comparisons(swaps, other))


@once
def _comparisons(swaps: Swaps, name: str) -> Comparisons:
    options = swaps.options[name]
    return Comparisons.of(_complete_scores(swaps, name), _flips(swaps, options), options)


def _complete_scores(swaps: Swaps, name: str) -> Floats:
    return swaps.common[name][:, swaps.present.all(axis=0)]


@once
def _flips(swaps: Swaps, options: CoefficientOptions) -> Floats:
    return drawn_signs(int(swaps.present.all(axis=0).sum()), options)


def normal_between(swaps: Swaps, one: str, other: str) -> Floats:
    """Returns the p-values from the normal distribution, for scores by two metrics as in `flipped_between`."""
    x, z = _complete_scores(swaps, one), _complete_scores(swaps, other)
    parts = []
    for earlier, later in system_pairs(len(x), x.shape[1]):
        differences = x[earlier] - z[later]
        parts.append(normal_p_of_sums(differences.sum(axis=1), (differences**2).sum(axis=1)))
    return np.concatenate(parts)


def normal_differences_of_inputs(swaps: Swaps, first: str, second: str) -> Floats:
    """Computes the differences with normal p-values after swaps of whole inputs.

    Args:
        swaps: The metrics and the permutations.
        first: The name of the first metric.
        second: The name of the second.

    Returns:
        Shape (permutations,); NaN where undefined.
    """
    pairs = swaps.human.shape[0] * (swaps.human.shape[0] - 1) // 2
    return swaps.of_all_pairs(4 * pairs * len(swaps.metrics), _normal_differences, first, second)


def _normal_differences(swaps: Swaps, first: str, second: str) -> Floats:
    human = normal_p_values(swaps, first).human
    if not len(human):
        return np.full(swaps.permutations.count, np.nan)
    sums = [_difference_sums(swaps, name) for name in (first, second)]
    distances = []
    for (one, _), (_, other) in (sums, sums[::-1]):
        p_values = normal_p_of_sums(one[0] + other[0], one[1] + other[1])
        distances.append(np.abs(p_values - human).mean(axis=1))
    return np.asarray(distances[1] - distances[0])


@once_per_draw
def _difference_sums(swaps: Swaps, name: str) -> list[tuple[Floats, Floats]]:
    """Sums the differences of each pair of systems i < j, and their squares, over the inputs that stay and that swap.

    Returns:
        Both sums over the inputs that stay, and over those that swap, shapes (permutations, pairs).
    """
    scores = _complete_scores(swaps, name)
    earlier, later = np.triu_indices(len(scores), 1)
    differences = (scores[earlier] - scores[later]).T
    squares = differences**2
    # The weights are 0 and 1, so that sums of zeros are exactly 0.
    return [(weights @ differences, weights @ squares) for weights in _weights(swaps)]


def _weights(swaps: Swaps) -> tuple[Floats, Floats]:
    """Returns which inputs that all systems have stay in each permutation, and which swap."""
    signs = swaps.permutations.columns
    if signs is None:
        raise ValueError("no inputs swap")
    signs = signs[:, swaps.present.all(axis=0)]
    return (1 + signs) / 2, (1 - signs) / 2


def flipped_differences_of_inputs(swaps: Swaps, first: str, second: str) -> Floats | None:
    """Computes the differences with p-values from sign flips after swaps of whole inputs.

    Args:
        swaps: The metrics and the permutations.
        first: The name of the first metric.
        second: The name of the second.

    Returns:
        Shape (permutations,), NaN where undefined; `None` if sums are those of mt-metrics-eval, whose rounding depends
        on their order.
    """
    options = swaps.options[first]
    if options.stream == "mt-metrics-eval":
        return None
    systems, inputs = swaps.human.shape
    numbers = options.sign_flips * (inputs + 2 * systems * len(swaps.metrics))
    return swaps.of_all_pairs(numbers, _flipped_differences, first, second)


def _flipped_differences(swaps: Swaps, first: str, second: str) -> Floats:
    human = flipped_p_values(swaps, first).human
    if not len(human):
        return np.full(swaps.permutations.count, np.nan)
    sums = [_flipped_sums(swaps, name) for name in (first, second)]
    distances = np.empty((2, swaps.permutations.count))
    for side, ((one, _), (_, other)) in enumerate((sums, sums[::-1])):
        for number in range(swaps.permutations.count):
            flipped, observed, sizes = (stay[number] + swap[number] for stay, swap in zip(one, other, strict=True))
            p_values = _reached(flipped, observed, 2 * rounding_error(sizes, swaps.human.shape[1]))
            distances[side, number] = np.abs(p_values - human).mean()
    return np.asarray(distances[1] - distances[0])


def _reached(flipped: Floats, observed: Floats, rounding: Floats) -> Floats:
    """Returns the proportion of sign flips, in columns, that reach the observed sum, of every pair of systems i < j."""
    parts = []
    for earlier in range(len(observed) - 1):
        later = slice(earlier + 1, None)
        least = observed[earlier] - observed[later] - (rounding[earlier] + rounding[later])
        parts.append(np.count_nonzero(flipped[earlier] - flipped[later] >= least[:, None], axis=1))
    return np.asarray(np.concatenate(parts) / flipped.shape[1])


@once_per_draw
def _flipped_sums(swaps: Swaps, name: str) -> list[tuple[Floats, Floats, Floats]]:
    """Sums the scores of each system over inputs, and what they are compared with.

    Returns:
        For the inputs that stay, and for those that swap: the sums under each sign flip, shape (permutations, systems,
        sign flips), those of the scores as they are, and of absolute scores, shapes (permutations, systems).
    """
    scores, (stay, swap), options = _complete_scores(swaps, name), _weights(swaps), swaps.options[name]
    sizes = np.abs(scores).T
    of_stay = scores @ _flips_of_stay(swaps, options)
    of_swap = scores @ _flips(swaps, options).T - of_stay
    return [(of_stay, stay @ scores.T, stay @ sizes), (of_swap, swap @ scores.T, swap @ sizes)]


@once_per_draw
def _flips_of_stay(swaps: Swaps, options: CoefficientOptions) -> Floats:
    """Returns the sign flips of the inputs that stay, 0 for others, shape (permutations, inputs, sign flips)."""
    return np.asarray((_weights(swaps)[0][:, None] * _flips(swaps, options)).transpose(0, 2, 1))


@Coefficient.register("spa")
class Spa(SoftPairwise):
    """SPA = 1 − mean |p_h − p_m|, p the p-values by sign flips that one system is no better than another.

    In resamples, copies of an input have their own signs. All resamples share the sign flips, which are those of the
    data, continued for more inputs.

    Source: Thompson et al. (2024), "Improving Statistical Significance in Human Evaluation of Automatic Metrics via
    Soft Pairwise Accuracy".
    """

    title = "SPA"
    uses: ClassVar[frozenset[str]] = frozenset({"sign_flips", "seed", "stream"})

    @overrides
    def distances(self, human: Floats, metric: Floats, weights: Floats, options: CoefficientOptions) -> Floats:
        copies = weights.astype(np.intp)
        longest = int(copies.sum(axis=1).max(initial=0))
        signs = drawn_signs(longest, options)
        found = np.empty((len(copies), len(human) * (len(human) - 1) // 2))
        for index, counts in enumerate(copies):
            drawn = np.repeat(np.arange(len(counts)), counts)
            flipped = (Comparisons.of_metric(one[:, drawn], signs[:, : len(drawn)], options) for one in (human, metric))
            p_human, p_metric = (one.p_values() for one in flipped)
            found[index] = np.abs(p_human - p_metric)
        return found

    @overrides
    def swapped_differences(self, swaps: Swaps, first: str, second: str) -> Floats | None:
        if swaps.permutations.kinds == ["rows"]:
            return differences_of_systems(swaps, first, second, flipped_p_values, flipped_between)
        return flipped_differences_of_inputs(swaps, first, second) if swaps.permutations.kinds == ["columns"] else None

    @overrides
    def measure(self, scores: ScorePair, level: Level, options: CoefficientOptions) -> CoefficientValue:
        found = soft_pairwise_accuracy(
            scores.human, scores.metric, sign_flips=options.sign_flips, seed=options.seed, stream=options.stream
        )
        details = {
            "monte_carlo_error": found.monte_carlo_error,
            "num_instances": found.inputs,
            "num_instances_left_out": found.inputs_left_out,
            "sign_flips": options.sign_flips,
        }
        return CoefficientValue(found.value, np.empty(0), options, details)


@Coefficient.register("spa:normal")
class NormalSpa(SoftPairwise):
    """SPA with p = Φ(−Σd/√Σd²) of the differences d of two systems, without draws.

    Source: the normal approximation of Thompson et al. (2024).
    """

    title = "SPA (normal)"

    @overrides
    def distances(self, human: Floats, metric: Floats, weights: Floats, options: CoefficientOptions) -> Floats:
        return np.abs(normal_p(human, weights) - normal_p(metric, weights))

    @overrides
    def swapped_differences(self, swaps: Swaps, first: str, second: str) -> Floats | None:
        if swaps.permutations.kinds == ["rows"]:
            return differences_of_systems(swaps, first, second, normal_p_values, normal_between)
        return normal_differences_of_inputs(swaps, first, second) if swaps.permutations.kinds == ["columns"] else None
