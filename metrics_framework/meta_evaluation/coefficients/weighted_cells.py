"""Correlation coefficients over all cells of two matrices, for many resamples of rows and columns in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics_framework.meta_evaluation.coefficients.weighted_coefficients import (
    BLOCK_BYTES,
    CANCELLATION,
    centred,
    ratio,
    rowwise_pearson,
)
from metrics_framework.significance.arrays import Bools, Floats, Indices

DENSE_CELLS = 1024
"""The number of adjacent cells whose pairs are compared directly, in one matrix product."""


@dataclass(frozen=True)
class Cells:
    """The cells with both variables, sorted by the first, then by the second.

    Args:
        rows: The row of each cell, shape (cells,).
        columns: Its column.
        x: The first variable, ascending.
        z: The second.
        starts_x: The first index of each group of equal x.
        starts_both: The first index of each group of equal x and z.
        order_z: The indices of the cells in ascending order of z.
        starts_z: The first position in that order of each group of equal z.
        group_z: The group of equal z of each cell.
    """

    rows: Indices
    columns: Indices
    x: Floats
    z: Floats
    starts_x: Indices
    starts_both: Indices
    order_z: Indices
    starts_z: Indices
    group_z: Indices

    @staticmethod
    def of(x: Floats, z: Floats) -> Cells:
        """Sorts the cells of two matrices (rows, columns) that are NaN in the same cells."""
        rows, columns = np.nonzero(~np.isnan(x))
        order = np.lexsort((z[rows, columns], x[rows, columns]))
        rows, columns = rows[order], columns[order]
        xs, zs = x[rows, columns], z[rows, columns]
        order_z = np.argsort(zs, kind="stable")
        group_z = np.empty_like(order_z)
        new_z = _differ(zs[order_z])
        group_z[order_z] = np.cumsum(new_z) - 1
        starts_x, starts_both = np.flatnonzero(_differ(xs)), np.flatnonzero(_differ(xs) | _differ(zs))
        return Cells(rows, columns, xs, zs, starts_x, starts_both, order_z, np.flatnonzero(new_z), group_z)


def _differ(values: Floats) -> Bools:
    """Returns which values differ from the previous one; the first always does."""
    first = np.ones(len(values), dtype=bool)
    first[1:] = values[1:] != values[:-1]
    return first


def cellwise(cells: Cells, rows: Floats, columns: Floats, names: Sequence[str]) -> dict[str, Floats]:
    """Correlates all cells, for each pair of row and column weights.

    Args:
        cells: The cells.
        rows: Integers, shape (resamples, rows).
        columns: Integers, shape (resamples, columns).
        names: The coefficients.

    Returns:
        Coefficient to values of shape (resamples,), NaN where undefined.
    """
    values = {name: np.full(len(rows), np.nan) for name in names}
    if not len(cells.x):
        return values
    step = max(1, BLOCK_BYTES // (8 * len(cells.x)))
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        # Shape (cells, resamples): the weights of one cell are contiguous.
        weights = rows[block].T[cells.rows] * columns[block].T[cells.columns]
        for name, coefficients in _cellwise_block(cells, weights, names).items():
            values[name][block] = coefficients
    return values


def _cellwise_block(cells: Cells, weights: Floats, names: Sequence[str]) -> dict[str, Floats]:
    total = weights.sum(axis=0)
    sizes_x = np.add.reduceat(weights, cells.starts_x, axis=0)
    sizes_z = np.add.reduceat(weights[cells.order_z], cells.starts_z, axis=0)
    undefined = (sizes_x.max(axis=0) == total) | (sizes_z.max(axis=0) == total)
    values = {}
    for name in names:
        if name == "kendall":
            coefficients = _kendall(cells, weights, total, [(sizes**2).sum(axis=0) for sizes in (sizes_x, sizes_z)])
        elif name == "spearman":
            coefficients = _spearman(cells, weights, total, sizes_x, sizes_z)
        else:
            coefficients = _pearson(cells, weights, total)
        coefficients[undefined] = np.nan
        values[name] = np.clip(coefficients, -1, 1)
    return values


def _pearson(cells: Cells, weights: Floats, total: Floats) -> Floats:
    a, b = centred(cells.x, None), centred(cells.z, None)
    sum_a, sum_b, aa, bb, ab = np.stack([a, b, a * a, b * b, a * b]) @ weights
    with np.errstate(invalid="ignore", divide="ignore"):
        xx, zz, xz = aa - sum_a**2 / total, bb - sum_b**2 / total, ab - sum_a * sum_b / total
    r = ratio(xz, np.maximum(xx, 0), np.maximum(zz, 0))
    for resample in np.flatnonzero((xx < CANCELLATION * aa) | (zz < CANCELLATION * bb)):
        r[resample] = rowwise_pearson(cells.x[None], cells.z[None], weights[None, :, resample])[0]
    return r


def _spearman(cells: Cells, weights: Floats, total: Floats, sizes_x: Floats, sizes_z: Floats) -> Floats:
    ranks_x, ranks_z = _centred_ranks(sizes_x, total), _centred_ranks(sizes_z, total)
    within_x = np.add.reduceat(weights * ranks_z[cells.group_z], cells.starts_x, axis=0)
    xz = (ranks_x * within_x).sum(axis=0)
    xx, zz = (sizes_x * ranks_x**2).sum(axis=0), (sizes_z * ranks_z**2).sum(axis=0)
    return ratio(xz, xx, zz)


def _centred_ranks(sizes: Floats, total: Floats) -> Floats:
    """Returns the mid-ranks of groups in ascending order, minus the mean rank; shape (groups, resamples)."""
    ranks: Floats = np.cumsum(sizes, axis=0) - sizes / 2 - total / 2
    return ranks


def _kendall(cells: Cells, weights: Floats, total: Floats, squares: Sequence[Floats]) -> Floats:
    """Computes τ-b from weighted counts of pairs: all, tied in x, in z and in both, discordant."""
    squares_x, squares_z = squares
    both = np.add.reduceat(weights, cells.starts_both, axis=0)
    surplus = (total**2 - squares_x - squares_z + (both**2).sum(axis=0)) / 2 - 2 * _inversions(cells.group_z, weights)
    return ratio(surplus, (total**2 - squares_x) / 2, (total**2 - squares_z) / 2)


def _inversions(values: Indices, weights: Floats) -> Floats:
    """Sums the products of the weights of the pairs whose first value is greater.

    Within a block all pairs are compared; then adjacent blocks are merged, as in a merge sort. The order of the values
    is the same in every resample, so each block is sorted once.

    Args:
        values: Shape (cells,).
        weights: Shape (cells, resamples).
    """
    single = weights.astype(np.float32)  # exact: sums of integers below 2²⁴
    n = len(values)
    total = np.zeros(weights.shape[1])
    for start in range(0, n, DENSE_CELLS):
        block = slice(start, start + DENSE_CELLS)
        greater = np.triu(values[block, None] > values[block], 1).astype(np.float32)
        total += np.einsum("cr,cr->r", weights[block], greater @ single[block])
    width = DENSE_CELLS
    while width < n:
        for start in range(0, n - width, 2 * width):
            left, right = slice(start, start + width), slice(start + width, start + 2 * width)
            total += _crossings(values[left], values[right], weights[left], weights[right])
        width *= 2
    return total


def _crossings(left: Indices, right: Indices, left_weights: Floats, right_weights: Floats) -> Floats:
    """Sums the products of the weights of the pairs whose left value is greater than the right one."""
    order = np.argsort(left)
    up_to = np.zeros((len(left) + 1, left_weights.shape[1]))
    np.cumsum(left_weights[order], axis=0, out=up_to[1:])
    greater = up_to[-1] - up_to[np.searchsorted(left[order], right, side="right")]
    total: Floats = np.einsum("cr,cr->r", right_weights, greater)
    return total
