"""Sums and means of scores near the largest float, which would overflow (a perplexity that diverged, for example)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats

MAX_SAFE = 2.0**900
"""Values up to this size do not overflow when they are added."""


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
