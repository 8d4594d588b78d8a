"""Correlation coefficients of many resamples in one pass, column by column and row by row.

A resample is a vector of integer weights, not a copy of the data: a point drawn twice has weight 2, a point not drawn
weight 0. Pearson's r follows from weighted sums of centred moments, Kendall's τ-b from signs of pairs times products of
weights, and Spearman's ρ from weighted mid-ranks, since the centred mid-rank of point i is ½ Σ_k w_k sign(x_i − x_k).
Counts are integers that floats represent exactly, so whether a coefficient is defined is decided by counting, not by a
variance with rounding errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from metrics_framework.meta_evaluation.coefficients.large_values import scaled_down
from metrics_framework.meta_evaluation.coefficients.weighted_pairs import PairSums, Ties, grouped_by_ties
from metrics_framework.meta_evaluation.coefficients.weighted_points import SortedPoints, point_sums
from metrics_framework.significance.arrays import Bools, Floats

Signs: TypeAlias = npt.NDArray[Any]

BLOCK_BYTES = 16_000_000
"""The memory that one array of a computation may take, in bytes."""

LARGEST_FOR_FLOAT32 = 256
"""Up to this many points, cubes of counts are below 2²⁴, which single precision represents exactly."""

CACHED_NUMBERS = 1 << 15
"""The size of arrays that stay in the cache of the CPU between operations."""

MOST_ROWS_OF_PAIRS = 96
"""Up to this many rows, all pairs of rows are compared; more are sorted."""

MOST_POINTS_OF_PAIRS = 24
"""The same for rows whose points differ in each resample."""

NUMBERS_OF_A_SORTED_POINT = 16
"""Memory for sorting a point, in numbers."""

CANCELLATION = 1e-4
"""A variance below this fraction of the second moment has lost digits, and is recomputed around its own mean."""


def columnwise(
    human: Floats, metric: Floats, weights: Floats, names: Sequence[str], epsilon: float = 0.0
) -> dict[str, Floats]:
    """Correlates each column of two matrices, for each vector of row weights.

    Args:
        human: The human scores, shape (rows, columns); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        weights: Integers, shape (resamples, rows).
        names: The coefficients: ``pearson``, ``spearman`` and names of `PAIR_COEFFICIENTS`.
        epsilon: The largest difference of tied scores; see `Ties`.

    Returns:
        Coefficient to values of shape (resamples, columns), NaN where undefined.
    """
    values = {name: np.empty((len(weights), human.shape[1])) for name in names}
    if len(human) > MOST_ROWS_OF_PAIRS:
        for column in range(human.shape[1]):
            for name, coefficients in _column(human[:, column], metric[:, column], weights, names, epsilon).items():
                values[name][:, column] = coefficients
        return values
    for block in column_blocks(human.shape):
        for name, coefficients in _columns(human[:, block], metric[:, block], weights, names, epsilon).items():
            values[name][:, block] = coefficients
    return values


def _column(x: Floats, z: Floats, weights: Floats, names: Sequence[str], epsilon: float) -> dict[str, Floats]:
    """Correlates one column of many rows, which are sorted once."""
    rows = np.flatnonzero(~np.isnan(x))
    values = {}
    for ties, group in grouped_by_ties(names, epsilon, of_ranks=True).items():
        points = SortedPoints.of(x[rows], z[rows], rows, ties)
        sums = point_sums(points, np.zeros(len(rows), dtype=np.int32), weights, np.ones((len(weights), 1)))
        values.update(sums.coefficients(group))
    if "pearson" in names:
        values["pearson"] = np.clip(_column_pearson(x[:, None], z[:, None], weights), -1, 1)[:, 0]
    return values


def _columns(x: Floats, z: Floats, weights: Floats, names: Sequence[str], epsilon: float) -> dict[str, Floats]:
    values = {}
    for ties, group in grouped_by_ties(names, epsilon).items():
        sums = _pair_sums(x, z, weights, ties, "kendall-c" in group)
        values.update({name: sums.coefficient(name) for name in group})
    if "spearman" in names:
        values["spearman"] = np.clip(_column_spearman(x, z, weights), -1, 1)
    if "pearson" in names:
        values["pearson"] = np.clip(_column_pearson(x, z, weights), -1, 1)
    return values


def column_blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    """Yields blocks of columns small enough to hold the signs of all pairs of rows in memory."""
    rows, columns = shape
    pairs = max(1, rows * (rows - 1) // 2)
    step = max(1, BLOCK_BYTES // (4 * pairs))
    for start in range(0, columns, step):
        yield slice(start, min(start + step, columns))


def pair_signs(values: Floats, first: Any, second: Any, dtype: Any = np.float32, least: float = 0.0) -> Signs:
    """Returns sign(values[first] − values[second]), 0 where one is missing or they differ by less than `least`."""
    a, b = values[first], values[second]
    signs: Signs = np.subtract(a > b, a < b, dtype=dtype)
    if least > 0:
        with np.errstate(over="ignore"):  # an infinite difference is no tie
            signs[~(np.abs(a - b) >= least)] = 0
    return signs


def _pair_sums(x: Floats, z: Floats, weights: Floats, ties: Ties, with_distinct: bool) -> PairSums:
    """Sums over the pairs of rows of each column; shapes (resamples, columns)."""
    first, second = np.triu_indices(len(x), 1)
    products = (weights[:, first] * weights[:, second]).astype(np.float32 if len(x) <= 4096 else np.float64)
    signs_x = pair_signs(x, first, second, least=ties.threshold)
    signs_z = pair_signs(z, first, second, least=np.nextafter(ties.epsilon, np.inf) if ties.epsilon > 0 else 0)
    signs = signs_x * signs_z
    return PairSums(
        weights @ ~np.isnan(x),
        untied_human=(products @ np.abs(signs_x)).astype(np.float64),
        untied_metric=(products @ np.abs(signs_z)).astype(np.float64),
        untied=(products @ np.abs(signs)).astype(np.float64),
        surplus=(products @ signs).astype(np.float64),
        distinct=np.minimum(_distinct(x, weights), _distinct(z, weights)) if with_distinct else None,
    )


def _distinct(values: Floats, weights: Floats) -> Floats:
    """Counts the distinct values of each column among the rows drawn; shape (resamples, columns)."""
    drawn = (weights > 0).astype(np.float32)
    present = ~np.isnan(values)
    counts = np.zeros((len(weights), values.shape[1]))
    for row in range(len(values)):
        earlier = drawn[:, :row] @ (values[:row] == values[row]).astype(np.float32)
        counts += (drawn[:, row, None] > 0) & present[row] & (earlier == 0)
    return counts


def _column_spearman(x: Floats, z: Floats, weights: Floats) -> Floats:
    dtype = np.float32 if len(x) <= LARGEST_FOR_FLOAT32 else np.float64
    w = weights.astype(dtype)
    rho = np.empty((len(weights), x.shape[1]))
    step = max(1, CACHED_NUMBERS // max(1, len(weights)))
    for start in range(0, x.shape[1], step):
        columns = slice(start, start + step)
        rho[:, columns] = ratio(*_rank_products(x[:, columns], z[:, columns], w))
    return rho


def _rank_products(x: Floats, z: Floats, w: Signs) -> tuple[Floats, Floats, Floats]:
    """Sums the products of the centred ranks of both variables, and their squares; shapes (resamples, columns)."""
    shape = (len(w), x.shape[1])
    sums = np.zeros((3, *shape), w.dtype)
    weighted, product = np.empty(shape, w.dtype), np.empty(shape, w.dtype)
    for row in range(len(x)):
        ranks_x = w @ pair_signs(x, slice(row, row + 1), slice(None), w.dtype)
        ranks_z = w @ pair_signs(z, slice(row, row + 1), slice(None), w.dtype)
        column = w[:, row, None]
        np.multiply(ranks_x, column, out=weighted)
        sums[0] += np.multiply(weighted, ranks_z, out=product)
        sums[1] += np.multiply(weighted, ranks_x, out=product)
        np.multiply(ranks_z, column, out=weighted)
        sums[2] += np.multiply(weighted, ranks_z, out=product)
    xz, xx, zz = sums.astype(np.float64)
    return xz, xx, zz


def ratio(xz: Floats, xx: Floats, zz: Floats) -> Floats:
    """Computes Σxz / √(Σx²Σz²); NaN or infinite where a sum of squares is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio: Floats = xz / np.sqrt(xx * zz)  # one root: exactly ±1 where the three sums are equal
    return ratio


def _column_pearson(x: Floats, z: Floats, weights: Floats) -> Floats:
    r = np.empty((len(weights), x.shape[1]))
    step = max(1, CACHED_NUMBERS // max(1, len(weights)))
    for start in range(0, x.shape[1], step):
        columns = slice(start, start + step)
        r[:, columns] = _pearson(x[:, columns], z[:, columns], weights)
    return r


def _pearson(x: Floats, z: Floats, weights: Floats) -> Floats:
    present = ~np.isnan(x)
    a, b = centred(x, 0), centred(z, 0)
    n = weights @ present
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_a, mean_b = weights @ a / n, weights @ b / n
        moment_a, moment_b = weights @ (a * a), weights @ (b * b)
        xx, zz = moment_a - n * mean_a**2, moment_b - n * mean_b**2
        r = ratio(weights @ (a * b) - n * mean_a * mean_b, np.maximum(xx, 0), np.maximum(zz, 0))
    # A constant column has lost all digits of its variance, so it is among the imprecise ones.
    imprecise = np.argwhere(~((xx > CANCELLATION * moment_a) & (zz > CANCELLATION * moment_b)))
    step = max(1, BLOCK_BYTES // (8 * len(x)))
    for start in range(0, len(imprecise), step):
        resample, column = imprecise[start : start + step].T
        r[resample, column] = rowwise_pearson(x[:, column].T, z[:, column].T, weights[resample] * present[:, column].T)
    return r


def centred(values: Floats, axis: int | None) -> Floats:
    """Subtracts the mean along an axis (or of all values), scales to at most 1, and replaces missing values by 0."""
    present = ~np.isnan(values)
    count = np.maximum(present.sum(axis=axis, keepdims=True), 1)
    filled = np.where(present, scaled_down(values, axis), 0)
    deviations = np.where(present, filled - filled.sum(axis=axis, keepdims=True) / count, 0)
    return _scaled(deviations, axis)


def _scaled(values: Floats, axis: int | None) -> Floats:
    largest = np.abs(values).max(axis=axis, keepdims=True, initial=0)
    scaled: Floats = values / np.where(largest > 0, largest, 1)
    return scaled


def rowwise(
    human: Floats, metric: Floats, weights: Floats, names: Sequence[str], epsilon: float = 0.0
) -> dict[str, Floats]:
    """Correlates each row of one matrix with the same row of another, each with its own weights.

    Args:
        human: The human scores, shape (resamples, points); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        weights: Integers, of the same shape.
        names: The coefficients, as in `columnwise`.
        epsilon: The largest difference of tied scores; see `Ties`.

    Returns:
        Coefficient to values of shape (resamples,), NaN where undefined.
    """
    values = {name: np.empty(len(human)) for name in names}
    points = human.shape[1]
    are_few = points <= MOST_POINTS_OF_PAIRS
    correlate = _rows if are_few else _sorted_rows
    step = max(1, BLOCK_BYTES // (8 * max(1, points) * (points if are_few else NUMBERS_OF_A_SORTED_POINT)))
    for start in range(0, len(human), step):
        block = slice(start, start + step)
        for name, coefficients in correlate(human[block], metric[block], weights[block], names, epsilon).items():
            values[name][block] = coefficients
    return values


def _rows(x: Floats, z: Floats, weights: Floats, names: Sequence[str], epsilon: float) -> dict[str, Floats]:
    w = np.where(np.isnan(x), 0, weights)
    signs_x, signs_z = _signs_within_rows(x), _signs_within_rows(z)
    values = {}
    for ties, group in grouped_by_ties(names, epsilon).items():
        wide_x = np.where(_apart(x, ties.threshold), signs_x, 0) if ties.threshold > 0 else signs_x
        wide_z = np.where(_apart(z, np.nextafter(ties.epsilon, np.inf)), signs_z, 0) if ties.epsilon > 0 else signs_z
        signs = wide_x * wide_z
        distinct = np.minimum(_distinct_in_rows(x, w), _distinct_in_rows(z, w)) if "kendall-c" in group else None
        pair_sums = PairSums(
            w.sum(axis=1),
            untied_human=_quadratic(np.abs(wide_x), w) / 2,
            untied_metric=_quadratic(np.abs(wide_z), w) / 2,
            untied=_quadratic(np.abs(signs), w) / 2,
            surplus=_quadratic(signs, w) / 2,
            distinct=distinct,
        )
        values.update({name: pair_sums.coefficient(name) for name in group})
    if "spearman" in names:
        ranks_x, ranks_z = (signs_x @ w[:, :, None])[:, :, 0], (signs_z @ w[:, :, None])[:, :, 0]
        values["spearman"] = np.clip(ratio(*((w * a * b).sum(axis=1) for a, b in _products(ranks_x, ranks_z))), -1, 1)
    if "pearson" in names:
        values["pearson"] = np.clip(rowwise_pearson(x, z, w), -1, 1)
    return values


def _sorted_rows(x: Floats, z: Floats, weights: Floats, names: Sequence[str], epsilon: float) -> dict[str, Floats]:
    """Correlates rows of many points, each of which is sorted."""
    w = np.where(np.isnan(x), 0, weights)
    x, z = _without_missing(x), _without_missing(z)
    rows = np.broadcast_to(np.arange(x.shape[1]), x.shape)
    values = {}
    for ties, group in grouped_by_ties(names, epsilon, of_ranks=True).items():
        points = SortedPoints.of(x, z, rows, ties)
        sums = point_sums(points, np.zeros(x.shape[1], dtype=np.int32), w, np.ones((len(x), 1)))
        values.update(sums.coefficients(group))
    if "pearson" in names:
        values["pearson"] = np.clip(rowwise_pearson(x, z, w), -1, 1)
    return values


def _without_missing(values: Floats) -> Floats:
    """Replaces missing values, which have no weight, by the largest value of their row."""
    missing = np.isnan(values)
    largest = np.max(values, axis=1, keepdims=True, initial=-np.inf, where=~missing)
    filled: Floats = np.where(missing, np.where(np.isfinite(largest), largest, 0), values)
    return filled


def _apart(values: Floats, least: float) -> Bools:
    """Returns whether v_i and v_k differ by at least a number, for each row; shape (resamples, points, points)."""
    with np.errstate(over="ignore"):  # an infinite difference is no tie
        return np.abs(values[:, :, None] - values[:, None, :]) >= least


def _distinct_in_rows(values: Floats, weights: Floats) -> Floats:
    """Counts the distinct values of each row among the points drawn; shape (resamples,)."""
    ordered = np.sort(np.where(weights > 0, values, np.nan), axis=1)  # NaN comes last
    new = ordered[:, 1:] > ordered[:, :-1]
    counts: Floats = new.sum(axis=1) + (weights > 0).any(axis=1).astype(np.float64)
    return counts


def _products(x: Floats, z: Floats) -> tuple[tuple[Floats, Floats], ...]:
    return (x, z), (x, x), (z, z)


def _signs_within_rows(values: Floats) -> Floats:
    """Returns sign(v_i − v_k) for each row, shape (resamples, points, points)."""
    a, b = values[:, :, None], values[:, None, :]
    signs: Floats = np.subtract(a > b, a < b, dtype=np.float64)
    return signs


def _quadratic(matrix: Floats, w: Floats) -> Floats:
    """Computes wᵀ M w for each row."""
    total: Floats = (w * (matrix @ w[:, :, None])[:, :, 0]).sum(axis=1)
    return total


def rowwise_pearson(x: Floats, z: Floats, weights: Floats) -> Floats:
    """Computes the weighted Pearson's r of each row, around the row's own mean; NaN if one is constant.

    Args:
        x: The first variable, shape (resamples, points).
        z: The second, of the same shape.
        weights: Integers, of the same shape; 0 where a score is missing.
    """
    a, b = _weighted_centred(x, weights), _weighted_centred(z, weights)
    r = ratio(*((weights * left * right).sum(axis=1) for left, right in _products(a, b)))
    r[_is_constant(x, weights) | _is_constant(z, weights)] = np.nan
    return r


def _is_constant(values: Floats, weights: Floats) -> Bools:
    """Returns in which rows all values of positive weight are equal, or there are none."""
    drawn = weights > 0
    least = np.min(values, axis=1, initial=np.inf, where=drawn)
    constant: Bools = least >= np.max(values, axis=1, initial=-np.inf, where=drawn)
    return constant


def _weighted_centred(values: Floats, weights: Floats) -> Floats:
    """Subtracts each row's weighted mean and scales to at most 1; 0 where the weight is 0."""
    values = np.where(weights > 0, scaled_down(values, 1), 0)
    total = np.maximum(weights.sum(axis=1, keepdims=True), 1)
    deviations = np.where(weights > 0, values - (weights * values).sum(axis=1, keepdims=True) / total, 0)
    return _scaled(deviations, 1)
