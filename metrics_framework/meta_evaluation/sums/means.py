"""Means of scores: of systems, as sums that do not overflow, and of values that differ only by rounding as equal ones.

Scores near the largest float would overflow (a perplexity that diverged, for example). The means of equal scores can
differ in their last digits, because a sum of floats depends on its order, and a coefficient of ranks would take such a
difference for a preference: means of systems that differ only by rounding are equal (decision 0012).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats

MAX_SAFE = 2.0**900
"""Values up to this size do not overflow when they are added."""
EPSILON = float(np.finfo(np.float64).eps)


def scaled_down(values: Floats, axis: int | None = None, largest: float = MAX_SAFE) -> Floats:
    """Divides values by a power of two if their sum could overflow, which changes neither order nor correlation.

    Args:
        values: The values, with NaN where missing.
        axis: The axis along which values are added, each with a separate divisor; `None` for all values.
        largest: Values up to this size do not overflow.

    >>> scaled_down(np.array([1.5e308, 1e308, np.nan])).tolist()
    [0.8344026969402005, 0.5562684646268004, nan]
    """
    exponents = _exponents(values, axis, largest)
    return values if exponents is None else np.ldexp(values, -exponents)


def _exponents(values: Floats, axis: int | None, safe: float = MAX_SAFE) -> Any:
    """Returns the exponents of the divisors; `None` if no value is large, which is the usual case."""
    largest = np.max(np.abs(values), axis=axis, keepdims=True, initial=0, where=~np.isnan(values))
    return np.where(largest > safe, np.frexp(largest)[1], 0) if (largest > safe).any() else None


def row_means(values: Floats) -> Floats:
    """Averages the values of each row that are not NaN; NaN for a row without values.

    >>> row_means(np.array([[1.5e308, 1e308], [1.0, np.nan]])).tolist()
    [1.25e+308, 1.0]
    """
    means: Floats = weighted_row_means(values, np.ones((1, values.shape[1])))[0]
    return means


def weighted_row_means(values: Floats, weights: Floats) -> Floats:
    """Averages the values of each row that are not NaN, with several vectors of weights.

    Args:
        values: Shape (rows, columns).
        weights: Shape (resamples, columns).

    Returns:
        The means, shape (resamples, rows); NaN where all weights are 0.
    """
    present = ~np.isnan(values)
    counts = weights @ present.T
    exponents = _exponents(values, 1)
    filled = np.where(present, values if exponents is None else np.ldexp(values, -exponents), 0)
    means = np.where(counts > 0, _weighted_sums(filled, weights) / np.maximum(counts, 1), np.nan)
    return means if exponents is None else np.ldexp(means, exponents[:, 0])


def _weighted_sums(values: Floats, weights: Floats) -> Floats:
    """Sums each row with several vectors of weights, rounded once, so that the order of the columns does not matter.

    Values are split into multiples of a unit, whose sums are exact, and small rests.
    """
    largest = np.abs(values).max(axis=1, keepdims=True, initial=0) * weights.sum(axis=1).max(initial=0)
    unit = np.ldexp(1.0, np.frexp(largest)[1] - 52)
    rounds = 3 * 2.0**51 * unit  # a sum with it is a multiple of the unit
    upper = (values + rounds) - rounds
    return np.asarray(weights @ upper.T + weights @ (values - upper).T)


def power_of_two(*arrays: Floats) -> float:
    """Returns a power of two near the largest value: values divided by it keep their digits and can be squared.

    Args:
        arrays: The values, with NaN where missing.

    >>> power_of_two(np.array([3.0, np.nan]), np.array([-9.0])), power_of_two(np.zeros(2))
    (8.0, 0.5)
    """
    largest = max(float(np.max(np.abs(values), initial=0, where=~np.isnan(values))) for values in arrays)
    return math.ldexp(1.0, math.frexp(largest)[1] - 1)


def system_means(values: Floats) -> Floats:
    """Averages the scores of each system; means that differ only by rounding become equal.

    Args:
        values: Shape (systems, inputs); NaN where missing.

    Returns:
        Shape (systems,); NaN for a system without scores.

    >>> means = system_means(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [1e13, 1e13, 1e13]]))
    >>> bool(means[0] == means[1]), float(means[2])
    (True, 10000000000000.0)
    """
    counts = (~np.isnan(values)).sum(axis=1)
    return without_rounding(row_means(values), _rounding(row_means(np.abs(values)), counts))


def weighted_system_means(values: Floats, weights: Floats) -> Floats:
    """Averages the scores of each system in every resample; means that differ only by rounding become equal.

    Args:
        values: Shape (systems, inputs); NaN where missing.
        weights: Integers, shape (resamples, inputs).

    Returns:
        Shape (resamples, systems); NaN where a system has no score.
    """
    counts = weights @ (~np.isnan(values)).T
    rounding = _rounding(weighted_row_means(np.abs(values), weights), counts)
    return without_rounding(weighted_row_means(values, weights), rounding)


def _rounding(sizes: Floats, counts: Floats) -> Floats:
    """Bounds the rounding error of means: (4 + √n)·ε·Σ|x|/n.

    The first part covers the decimals of the scores, which floats represent inexactly; the second the n additions,
    whose errors grow like a random walk (Higham and Mary 2019, "A New Approach to Probabilistic Rounding Error
    Analysis").

    Args:
        sizes: The means of the absolute scores.
        counts: The numbers of scores.
    """
    bounds: Floats = EPSILON * (4 + np.sqrt(counts)) * sizes
    return bounds


def without_rounding(means: Floats, rounding: Floats) -> Floats:
    """Makes neighbours in each row equal that differ by no more than the sum of their rounding errors.

    Each pair is judged by the errors of its two means, so that one huge mean does not tie the rest.

    Args:
        means: Shape (…, systems); NaN where undefined.
        rounding: The bounds of their rounding errors, of the same shape.

    >>> without_rounding(np.array([0.1 + 0.2, np.nan, 0.3, 1e13]), np.array([1e-15, np.nan, 1e-15, 0.01])).tolist()
    [0.3, nan, 0.3, 10000000000000.0]
    """
    order = np.argsort(means, axis=-1)
    ordered = np.take_along_axis(means, order, axis=-1)
    bounds = np.take_along_axis(rounding, order, axis=-1)
    with np.errstate(over="ignore", invalid="ignore"):
        tied = np.diff(ordered, axis=-1) <= bounds[..., 1:] + bounds[..., :-1]
    if not tied.any():
        return means
    positions = np.broadcast_to(np.arange(means.shape[-1]), means.shape).copy()
    positions[..., 1:][tied] = 0
    representatives = np.take_along_axis(ordered, np.maximum.accumulate(positions, axis=-1), axis=-1)
    equal = np.empty_like(means)
    np.put_along_axis(equal, order, representatives, axis=-1)
    return equal
