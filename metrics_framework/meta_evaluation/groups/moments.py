"""Means of scores, mid-ranks and Pearson's r, also for many vectors of weights.

Scores near the largest float would overflow (a perplexity that diverged, for example), so they are scaled down before
they are added. The means of equal scores can differ in their last digits, because a sum of floats depends on its order,
and a coefficient of ranks would take such a difference for a preference: means of systems that differ only by rounding
are equal (decision 0012).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.data.sums import MAX_INTEGER, inexact_sizes, rounding_error

MAX_SAFE = 2.0**900
"""Values up to this size do not overflow when they are added."""
UNIT = 2.0**-10
"""Sums of multiples of this unit are exact."""
BLOCK_BYTES = 16_000_000
"""The memory that one array of a computation may take, in bytes."""
CACHED_NUMBERS = 1 << 15
"""The size of arrays that stay in the cache of the CPU between operations."""
CANCELLATION = 1e-4
"""A variance below this fraction of the second moment has lost digits, and is recomputed around its own mean."""


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
    return np.asarray(weighted_row_means(values, np.ones((1, values.shape[1])))[0])


def weighted_row_means(values: Floats, weights: Floats) -> Floats:
    """Averages the values of each row that are not NaN, with several vectors of weights.

    Args:
        values: Shape (rows, columns).
        weights: Shape (resamples, columns).

    Returns:
        The means, shape (resamples, rows); NaN where all weights are 0.
    """
    return _means_and_counts(values, weights)[0]


def _means_and_counts(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Returns `weighted_row_means`, and the sums of the weights of the values that are not NaN, of the same shape."""
    present = ~np.isnan(values)
    counts = np.broadcast_to(weights.sum(axis=1, keepdims=True), (len(weights), len(values)))
    if not present.all():
        counts = weights @ present.T
    exponents = _exponents(values, 1)
    filled = np.where(present, values if exponents is None else np.ldexp(values, -exponents), 0)
    # Sums are rounded once, so that the order of the columns does not matter: multiples of a unit add up exactly.
    largest = np.abs(filled).max(axis=1, keepdims=True, initial=0) * weights.sum(axis=1).max(initial=0)
    rounds = 3 * 2.0**51 * np.ldexp(1.0, np.frexp(largest)[1] - 52)  # a sum with it is a multiple of the unit
    upper = (filled + rounds) - rounds
    sums = weights @ upper.T + weights @ (filled - upper).T
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means if exponents is None else np.ldexp(means, exponents[:, 0]), counts


def power_of_two(*arrays: Floats) -> float:
    """Returns a power of two near the largest value: values divided by it keep their digits and can be squared.

    Args:
        arrays: The values, with NaN where missing.

    >>> power_of_two(np.array([3.0, np.nan]), np.array([-9.0])), power_of_two(np.zeros(2))
    (8.0, 0.5)
    """
    largest = max(float(np.max(np.abs(values), initial=0, where=~np.isnan(values))) for values in arrays)
    return math.ldexp(1.0, math.frexp(largest)[1] - 1)


def system_means(values: Floats, weights: Floats | None = None) -> Floats:
    """Averages the scores of each system; means that differ only by rounding become equal.

    Args:
        values: Shape (systems, inputs); NaN where missing.
        weights: Integers, shape (resamples, inputs); `None` for the means of all inputs.

    Returns:
        Shape (systems,), or (resamples, systems) with weights; NaN where a system has no score.

    >>> means = system_means(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [1e13, 1e13, 1e13]]))
    >>> bool(means[0] == means[1]), float(means[2])
    (True, 10000000000000.0)
    """
    return means_and_rounding(values, weights)[0]


def means_and_rounding(values: Floats, weights: Floats | None = None) -> tuple[Floats, Floats]:
    """Returns `system_means`, and how much rounding may change each of them: 0 for means that floats represent."""
    drawn = np.ones((1, values.shape[1])) if weights is None else weights
    found, of_both = _means_and_counts(np.concatenate([values, np.abs(values)]), drawn)
    means, counts = found[:, : len(values)], of_both[:, : len(values)]
    rounding = rounding_error(found[:, len(values) :], counts)
    with np.errstate(over="ignore", invalid="ignore"):
        is_whole = inexact_sizes(np.nan_to_num(values / UNIT)).max(axis=1, initial=0) == 0
        sums = np.rint(means * counts / UNIT)
        divides = (np.abs(sums) < MAX_INTEGER) & (np.remainder(sums, np.maximum(counts, 1)) == 0)
    rounding = np.where(is_whole & divides, 0.0, rounding)
    means = without_rounding(means, rounding)
    return (means[0], rounding[0]) if weights is None else (means, rounding)


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


def tie_ends(ordered: Floats) -> tuple[Indices, Indices]:
    """Returns the positions of the first and the last of the values that equal each one, along the last axis.

    >>> [ends.tolist() for ends in tie_ends(np.array([4.0, 4.0, 5.0, np.nan, np.nan]))]
    [[0, 0, 2, 3, 4], [1, 1, 2, 3, 4]]
    """
    count = ordered.shape[-1]
    starts, ends = np.ones(ordered.shape, dtype=bool), np.ones(ordered.shape, dtype=bool)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    ends[..., :-1] = starts[..., 1:]
    first = np.maximum.accumulate(np.where(starts, np.arange(count), 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, np.arange(count), count)[..., ::-1], axis=-1)[..., ::-1]
    return first, last


def row_ranks(values: Floats) -> Floats:
    """Ranks the values of each row from 1; ties get the mean of their ranks, NaN stays NaN.

    Args:
        values: Shape (groups, outputs).

    >>> row_ranks(np.array([[10.0, 30, 20, 20], [5, np.nan, 4, 4]])).tolist()
    [[1.0, 4.0, 2.5, 2.5], [3.0, nan, 1.5, 1.5]]
    """
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, sum(tie_ends(ordered)) / 2 + 1, axis=1)
    ranks[np.isnan(values)] = np.nan
    return ranks


def ratio(xz: Floats, xx: Floats, zz: Floats) -> Floats:
    """Computes Σxz / √(Σx²Σz²); NaN or infinite where a sum of squares is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = xz / np.sqrt(xx * zz)  # one root: exactly ±1 where the three sums are equal
    return found


def pearson_of_columns(human: Floats, metric: Floats, weights: Floats) -> Floats:
    """Computes Pearson's r of each column for each vector of row weights, in blocks that fit in the cache.

    Args:
        human: The human scores, shape (rows, columns); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        weights: Integers, shape (resamples, rows).

    Returns:
        Shape (resamples, columns); NaN where undefined.
    """
    r = np.empty((len(weights), human.shape[1]))
    step = max(1, CACHED_NUMBERS // max(1, len(weights)))
    for start in range(0, human.shape[1], step):
        columns = slice(start, start + step)
        x, z = human[:, columns], metric[:, columns]
        present = ~np.isnan(x)
        if len(weights) == 1:  # the last digits of products of BLAS depend on its number of threads
            r[:, columns] = pearson_of_rows(x.T, z.T, weights * present.T)
            continue
        a, b = centred(x, 0), centred(z, 0)
        n = weights @ present
        with np.errstate(invalid="ignore", divide="ignore"):
            mean_a, mean_b = weights @ a / n, weights @ b / n
            moment_a, moment_b = weights @ (a * a), weights @ (b * b)
            xx, zz = moment_a - n * mean_a**2, moment_b - n * mean_b**2
            found = ratio(weights @ (a * b) - n * mean_a * mean_b, np.maximum(xx, 0), np.maximum(zz, 0))
        # A constant column has lost all digits of its variance, so it is among the imprecise ones.
        imprecise = np.argwhere(~((xx > CANCELLATION * moment_a) & (zz > CANCELLATION * moment_b)))
        block = max(1, BLOCK_BYTES // (8 * max(1, len(x))))
        for first in range(0, len(imprecise), block):
            resample, column = imprecise[first : first + block].T
            drawn = weights[resample] * present[:, column].T
            found[resample, column] = pearson_of_rows(x[:, column].T, z[:, column].T, drawn)
        r[:, columns] = found
    return np.clip(r, -1, 1)


def pearson_of_rows(human: Floats, metric: Floats, weights: Floats) -> Floats:
    """Computes the weighted Pearson's r of each row, around the row's own mean; NaN if one score is constant.

    Args:
        human: The human scores, shape (rows, points).
        metric: The scores of the metric, of the same shape.
        weights: Integers, of the same shape; 0 where a score is missing.
    """
    a, b = weighted_centred(human, weights), weighted_centred(metric, weights)
    r = ratio(*((weights * left * right).sum(axis=1) for left, right in ((a, b), (a, a), (b, b))))
    return np.clip(r, -1, 1)


def pearson_of_cells(human: Floats, metric: Floats, rows: Floats, columns: Floats) -> Floats:
    """Computes Pearson's r of all cells from products of moment matrices with the weights.

    Args:
        human: The human scores, shape (rows, columns); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        rows: Integers, shape (resamples, rows).
        columns: Integers, shape (resamples, columns).

    Returns:
        Shape (resamples,); NaN where undefined.
    """
    present = ~np.isnan(human)
    r, recomputed = np.empty(len(rows)), np.ones(len(rows), dtype=bool)
    if len(rows) > 1:  # as above
        a, b = centred(human, None), centred(metric, None)
        total, sum_a, sum_b, aa, bb, ab = (
            ((rows @ one) * columns).sum(axis=1) for one in (present, a, b, a * a, b * b, a * b)
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            xx, zz, xz = aa - sum_a**2 / total, bb - sum_b**2 / total, ab - sum_a * sum_b / total
            r = ratio(xz, np.maximum(xx, 0), np.maximum(zz, 0))
        recomputed = ~((xx > CANCELLATION * aa) & (zz > CANCELLATION * bb))
    for resample in np.flatnonzero(recomputed):
        weights = rows[resample, :, None] * columns[resample] * present
        r[resample] = pearson_of_rows(*(one.reshape(1, -1) for one in (human, metric, weights)))[0]
    return np.asarray(np.clip(r, -1, 1))


def centred(values: Floats, axis: int | None) -> Floats:
    """Subtracts the mean along an axis (or of all values), scales to at most 1, and replaces missing values by 0."""
    present = ~np.isnan(values)
    count = np.maximum(present.sum(axis=axis, keepdims=True), 1)
    known = np.where(present, scaled_down(values, axis), 0)
    deviations = np.where(present, known - known.sum(axis=axis, keepdims=True) / count, 0)
    return _scaled(deviations, axis)


def _scaled(values: Floats, axis: int | None) -> Floats:
    largest = np.abs(values).max(axis=axis, keepdims=True, initial=0)
    return np.asarray(values / np.where(largest > 0, largest, 1))


def is_constant(values: Floats) -> bool:
    """Returns whether all values are equal, or there are none."""
    return values.size == 0 or bool((values == values.flat[0]).all())


def weighted_centred(values: Floats, weights: Floats, axis: int | None = 1) -> Floats:
    """Subtracts each row's weighted mean and scales to at most 1; exactly 0 in constant rows.

    Args:
        values: The values, shape (rows, points).
        weights: Integers, of the same shape; 0 where a value is missing.
        axis: 1 to scale each row by itself, `None` to scale all rows by one number.

    Returns:
        The shape of the values; 0 where the weight is 0.
    """
    used = weights > 0
    known = np.where(used, scaled_down(np.where(used, values, np.nan), axis), 0)
    total = np.maximum(weights.sum(axis=1, keepdims=True), 1)
    least = np.min(values, axis=1, initial=np.inf, where=used)
    largest = np.max(values, axis=1, initial=-np.inf, where=used)
    varying = used & (least < largest)[:, None]
    deviations = np.where(varying, known - (weights * known).sum(axis=1, keepdims=True) / total, 0)
    return _scaled(deviations, axis)
