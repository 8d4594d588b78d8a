"""Differences between the soft pairwise accuracies of two metrics after swaps of systems or of inputs.

If whole systems swap, there are four comparisons of each pair of systems, one for each choice of metrics, and the
difference is linear in the signs (see `sums.pair_scores`). If whole inputs swap, all sums over inputs are those of one
metric over the inputs that stay, plus those of the other over the inputs that swap.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.coefficients.sign_flips import (
    ROUNDING,
    Comparisons,
    drawn_signs,
    normal_p_of_sums,
    system_pairs,
)
from metrics_framework.meta_evaluation.coefficients.soft_pairwise import soft_pairwise_accuracy
from metrics_framework.meta_evaluation.sums.swaps import Swaps


def swaps_systems(swaps: Swaps) -> bool:
    """Returns whether each permutation swaps whole systems, and nothing else."""
    drawn = swaps.permutations
    return drawn.rows is not None and drawn.columns is None and drawn.cells is None


def swaps_inputs(swaps: Swaps) -> bool:
    """Returns whether each permutation swaps whole inputs, and nothing else."""
    drawn = swaps.permutations
    return drawn.columns is not None and drawn.rows is None and drawn.cells is None


class PValues(NamedTuple):
    """The p-values of each pair of systems i < j, shapes (pairs,).

    Attributes:
        human: Those of the human scores.
        metric: Those of a metric.
    """

    human: Floats
    metric: Floats


def differences_of_systems(
    swaps: Swaps, first: str, second: str, own: Callable[[str], PValues], between: Callable[[str, str], Floats]
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
    systems, signs = swaps.shape[0], swaps.permutations.rows
    one, other = (swaps.once(("own", name), partial(own, name)) for name in (first, second))
    if signs is None or not len(one.human):
        return np.full(swaps.permutations.count, np.nan)
    crossed, reverse = (1 - np.abs(one.human - between(*names)) for names in ((first, second), (second, first)))
    kept = np.abs(other.metric - other.human) - np.abs(one.metric - one.human)
    earlier, later = np.triu_indices(systems, 1)
    linear = np.bincount(earlier, kept + crossed - reverse, systems)
    linear += np.bincount(later, kept - crossed + reverse, systems)
    return np.asarray(signs @ linear / (2 * len(earlier)))


def flipped_p_values(swaps: Swaps, name: str) -> PValues:
    """Returns the p-values of a metric from sign flips."""
    options = swaps.options[name]
    found = soft_pairwise_accuracy(
        swaps.human,
        swaps.metrics[name],
        sign_flips=options.sign_flips,
        seed=options.seed,
        stream=options.stream,
    )
    return PValues(found.human_p, found.metric_p)


def normal_p_values(swaps: Swaps, name: str) -> PValues:
    """Returns the p-values of a metric from the normal distribution."""
    found = soft_pairwise_accuracy(swaps.human, swaps.metrics[name], normal=True)
    return PValues(found.human_p, found.metric_p)


def flipped_between(swaps: Swaps, one: str, other: str) -> Floats:
    """Returns the p-values from sign flips, with the earlier system's scores by one metric, the later's by another."""
    return _comparisons(swaps, one).p_values(_comparisons(swaps, other))


def _comparisons(swaps: Swaps, name: str) -> Comparisons:
    def compute() -> Comparisons:
        options = swaps.options[name]
        return Comparisons.of(_complete_scores(swaps, name), _flips(swaps, options), options)

    return swaps.once(("comparisons", name), compute)


def _complete_scores(swaps: Swaps, name: str) -> Floats:
    return swaps.common(name)[:, swaps.present.all(axis=0)]


def _flips(swaps: Swaps, options: CoefficientOptions) -> Floats:
    inputs = int(swaps.present.all(axis=0).sum())
    key = "flips", options.sign_flips, options.seed, options.stream
    return swaps.once(key, lambda: drawn_signs(inputs, options))


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
    pairs = swaps.shape[0] * (swaps.shape[0] - 1) // 2
    return swaps.of_all_pairs("normal", 4 * pairs * len(swaps.metrics), _normal_differences, first, second)


def _normal_differences(swaps: Swaps, first: str, second: str) -> Floats:
    human = swaps.once(("own", first), lambda: normal_p_values(swaps, first)).human
    if not len(human):
        return np.full(swaps.permutations.count, np.nan)
    sums = [_difference_sums(swaps, name) for name in (first, second)]
    distances = []
    for one, other in (sums, sums[::-1]):
        p_values = normal_p_of_sums(one.stay + other.swap, one.stay_squares + other.swap_squares)
        distances.append(np.abs(p_values - human).mean(axis=1))
    return np.asarray(distances[1] - distances[0])


class _DifferenceSums(NamedTuple):
    """Sums over inputs of the differences of each pair of systems i < j, shapes (permutations, pairs).

    Attributes:
        stay: Of the inputs that stay.
        swap: Of the inputs that swap.
        stay_squares: The squared differences of the inputs that stay.
        swap_squares: Those of the inputs that swap.
    """

    stay: Floats
    swap: Floats
    stay_squares: Floats
    swap_squares: Floats


def _difference_sums(swaps: Swaps, name: str) -> _DifferenceSums:
    def compute() -> _DifferenceSums:
        scores = _complete_scores(swaps, name)
        earlier, later = np.triu_indices(len(scores), 1)
        differences = (scores[earlier] - scores[later]).T
        stay, swap = _weights(swaps)  # 0 and 1, so that sums of zeros are exactly 0
        squares = differences**2
        return _DifferenceSums(stay @ differences, swap @ differences, stay @ squares, swap @ squares)

    return swaps.once_per_draw(("differences", name), compute)


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
    systems, inputs = swaps.shape
    numbers = options.sign_flips * (inputs + 2 * systems * len(swaps.metrics))
    return swaps.of_all_pairs("flipped", numbers, _flipped_differences, first, second)


def _flipped_differences(swaps: Swaps, first: str, second: str) -> Floats:
    human = swaps.once(("own", first), lambda: flipped_p_values(swaps, first)).human
    if not len(human):
        return np.full(swaps.permutations.count, np.nan)
    sums = [_flipped_sums(swaps, name) for name in (first, second)]
    distances = np.empty((2, swaps.permutations.count))
    for side, (one, other) in enumerate((sums, sums[::-1])):
        for number in range(swaps.permutations.count):
            flipped = one.stay[number] + other.swap[number]
            observed = one.observed_stay[number] + other.observed_swap[number]
            sizes = one.sizes_stay[number] + other.sizes_swap[number]
            p_values = _reached(flipped, observed, ROUNDING * sizes)
            distances[side, number] = np.abs(p_values - human).mean()
    return np.asarray(distances[1] - distances[0])


def _reached(flipped: Floats, observed: Floats, rounding: Floats) -> Floats:
    """Returns the proportion of sign flips, in columns, that reach the observed sum, of every pair of systems i < j."""
    parts, start = [], 0
    for earlier in range(len(observed) - 1):
        later = slice(earlier + 1, None)
        end = start + len(observed) - 1 - earlier
        least = observed[earlier] - observed[later] - rounding[start:end]
        parts.append(np.count_nonzero(flipped[earlier] - flipped[later] >= least[:, None], axis=1))
        start = end
    return np.asarray(np.concatenate(parts) / flipped.shape[1])


class _FlippedSums(NamedTuple):
    """Sums of the scores of each system over inputs, and what they are compared with.

    Attributes:
        stay: Under each sign flip, of the inputs that stay, shape (permutations, systems, sign flips).
        swap: The same of the inputs that swap.
        observed_stay: As they are, of the inputs that stay, shape (permutations, systems).
        observed_swap: The same of the inputs that swap.
        sizes_stay: Of the absolute differences of each pair of systems i < j, shape (permutations, pairs).
        sizes_swap: The same of the inputs that swap.
    """

    stay: Floats
    swap: Floats
    observed_stay: Floats
    observed_swap: Floats
    sizes_stay: Floats
    sizes_swap: Floats


def _flipped_sums(swaps: Swaps, name: str) -> _FlippedSums:
    def compute() -> _FlippedSums:
        scores, (stay, swap) = _complete_scores(swaps, name), _weights(swaps)
        flips = _flips(swaps, swaps.options[name])
        earlier, later = np.triu_indices(len(scores), 1)
        sizes = np.abs(scores[earlier] - scores[later]).T
        every = scores @ flips.T
        of_stay = scores @ swaps.once_per_draw("stay", lambda: (stay[:, None] * flips).transpose(0, 2, 1))
        return _FlippedSums(of_stay, every - of_stay, stay @ scores.T, swap @ scores.T, stay @ sizes, swap @ sizes)

    return swaps.once_per_draw(("flipped", name), compute)
