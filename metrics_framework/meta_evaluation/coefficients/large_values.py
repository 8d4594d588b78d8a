"""Sums and means of scores near the largest float, which would overflow (a perplexity that diverged, for example)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from metrics_framework.significance.arrays import Floats

LARGEST_SAFE = 2.0**900
"""Values up to this size do not overflow when they are added."""


def scaled_down(values: Floats, axis: int | None = None) -> Floats:
    """Divides values by a power of two if their sum could overflow, which changes neither order nor correlation.

    Args:
        values: The values, with NaN where missing.
        axis: The axis along which values are added, each with a separate divisor; `None` for all values.

    >>> scaled_down(np.array([1.5e308, 1e308, np.nan])).tolist()
    [0.8344026969402005, 0.5562684646268004, nan]
    """
    exponents = _exponents(values, axis)
    return values if exponents is None else np.ldexp(values, -exponents)


def _exponents(values: Floats, axis: int | None) -> Any:
    """Returns the exponents of the divisors; `None` if no value is large, which is the usual case."""
    largest = np.max(np.abs(values), axis=axis, keepdims=True, initial=0, where=~np.isnan(values))
    return np.where(largest > LARGEST_SAFE, np.frexp(largest)[1], 0) if (largest > LARGEST_SAFE).any() else None


def row_means(values: Floats) -> Floats:
    """Averages the values of each row that are not NaN; NaN for a row without values.

    >>> row_means(np.array([[1.5e308, 1e308], [1.0, np.nan]])).tolist()
    [1.25e+308, 1.0]
    """
    exponents = _exponents(values, 1)
    present = ~np.isnan(values)
    counts = present.sum(axis=1)
    sums = np.where(present, values if exponents is None else np.ldexp(values, -exponents), 0).sum(axis=1)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means if exponents is None else np.ldexp(means, exponents[:, 0])


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
    sums = np.einsum("rc,sc->rs", weights, filled)  # unlike BLAS, rounds alike for any number of rows and threads
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means if exponents is None else np.ldexp(means, exponents[:, 0])


def power_of_two(*arrays: Floats) -> float:
    """Returns a power of two near the largest value: values divided by it keep their digits and can be squared.

    Args:
        arrays: The values, with NaN where missing.

    >>> power_of_two(np.array([3.0, np.nan]), np.array([-9.0])), power_of_two(np.zeros(2))
    (8.0, 0.5)
    """
    largest = max(float(np.max(np.abs(values), initial=0, where=~np.isnan(values))) for values in arrays)
    return math.ldexp(1.0, math.frexp(largest)[1] - 1)
