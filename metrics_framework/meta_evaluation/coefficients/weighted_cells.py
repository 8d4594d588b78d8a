"""Correlation coefficients over points that are sorted once, for many resamples: in O(n log n) each."""

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
from metrics_framework.meta_evaluation.coefficients.weighted_pairs import PairSums, Ties, grouped_by_ties
from metrics_framework.significance.arrays import Bools, Floats, Indices

DENSE_CELLS = 1024
"""The number of adjacent cells whose pairs are compared directly, in one matrix product."""


@dataclass(frozen=True)
class Cells:
    """The cells that have both scores.

    Args:
        rows: The row of each cell, shape (cells,).
        columns: Its column.
        human: The human scores.
        metric: The scores of the metric.
    """

    rows: Indices
    columns: Indices
    human: Floats
    metric: Floats

    @classmethod
    def of(cls, human: Floats, metric: Floats) -> Cells:
        """Collects the cells of two matrices (rows, columns) that are NaN in the same cells, sorted by the metric."""
        rows, columns = np.nonzero(~np.isnan(human))
        order = np.lexsort((human[rows, columns], metric[rows, columns]))
        rows, columns = rows[order], columns[order]
        return cls(rows, columns, human[rows, columns], metric[rows, columns])


@dataclass(frozen=True)
class Groups:
    """The groups of equal values of a variable, in ascending order.

    Args:
        order: The points in ascending order, shape (points,).
        starts: The first position in that order of each group.
        codes: The group of each point.
    """

    order: Indices
    starts: Indices
    codes: Indices

    @classmethod
    def of(cls, values: Floats) -> Groups:
        """Groups values without NaN, shape (points,)."""
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        new = np.ones(len(values), dtype=bool)
        new[1:] = ordered[1:] != ordered[:-1]
        codes = np.empty_like(order)
        codes[order] = np.cumsum(new) - 1
        return cls(order, np.flatnonzero(new), codes)

    def sizes(self, weights: Floats) -> Floats:
        """Adds the weights of each group; shapes (points, resamples) and (groups, resamples)."""
        sizes: Floats = np.add.reduceat(weights[self.order], self.starts, axis=0)
        return sizes


def cellwise(
    cells: Cells, rows: Floats, columns: Floats, names: Sequence[str], epsilon: float = 0.0
) -> dict[str, Floats]:
    """Correlates all cells, for each pair of row and column weights.

    Args:
        cells: The cells.
        rows: Integers, shape (resamples, rows).
        columns: Integers, shape (resamples, columns).
        names: The coefficients: ``pearson``, ``spearman`` and names of `PAIR_COEFFICIENTS`.
        epsilon: The largest difference of tied scores; see `Ties`.

    Returns:
        Coefficient to values of shape (resamples,), NaN where undefined.
    """
    values = {name: np.full(len(rows), np.nan) for name in names}
    if not len(cells.human):
        return values
    groups = Groups.of(cells.human), Groups.of(cells.metric)
    step = max(1, BLOCK_BYTES // (8 * len(cells.human)))
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        # Shape (cells, resamples): the weights of one cell are contiguous.
        weights = rows[block].T[cells.rows] * columns[block].T[cells.columns]
        for name, coefficients in _block(cells, groups, weights, names, epsilon).items():
            values[name][block] = coefficients
    return values


def _block(
    cells: Cells, groups: tuple[Groups, Groups], weights: Floats, names: Sequence[str], epsilon: float
) -> dict[str, Floats]:
    total = weights.sum(axis=0)
    sizes = groups[0].sizes(weights), groups[1].sizes(weights)
    values = {}
    for ties, group in grouped_by_ties(names, epsilon).items():
        sums = _pair_sums(cells, groups, weights, ties, total, sizes)
        values.update({name: sums.coefficient(name) for name in group})
    constant = (sizes[0].max(axis=0) == total) | (sizes[1].max(axis=0) == total)
    if "spearman" in names:
        values["spearman"] = _spearman(groups, weights, total, sizes)
    if "pearson" in names:
        values["pearson"] = _pearson(cells, weights, total)
    for name in {"spearman", "pearson"} & values.keys():
        values[name] = np.where(constant, np.nan, np.clip(values[name], -1, 1))
    return values


def _pearson(cells: Cells, weights: Floats, total: Floats) -> Floats:
    a, b = centred(cells.human, None), centred(cells.metric, None)
    sum_a, sum_b, aa, bb, ab = np.stack([a, b, a * a, b * b, a * b]) @ weights
    with np.errstate(invalid="ignore", divide="ignore"):
        xx, zz, xz = aa - sum_a**2 / total, bb - sum_b**2 / total, ab - sum_a * sum_b / total
    r = ratio(xz, np.maximum(xx, 0), np.maximum(zz, 0))
    for resample in np.flatnonzero((xx < CANCELLATION * aa) | (zz < CANCELLATION * bb)):
        r[resample] = rowwise_pearson(cells.human[None], cells.metric[None], weights[None, :, resample])[0]
    return r


def _spearman(groups: tuple[Groups, Groups], weights: Floats, total: Floats, sizes: tuple[Floats, Floats]) -> Floats:
    human, metric = groups
    ranks_x, ranks_z = _centred_ranks(sizes[0], total), _centred_ranks(sizes[1], total)
    xz = (ranks_z * metric.sizes(weights * ranks_x[human.codes])).sum(axis=0)
    return ratio(xz, (sizes[0] * ranks_x**2).sum(axis=0), (sizes[1] * ranks_z**2).sum(axis=0))


def _centred_ranks(sizes: Floats, total: Floats) -> Floats:
    """Returns the mid-ranks of groups in ascending order, minus the mean rank; shape (groups, resamples)."""
    ranks: Floats = np.cumsum(sizes, axis=0) - sizes / 2 - total / 2
    return ranks


def _pair_sums(
    cells: Cells,
    groups: tuple[Groups, Groups],
    weights: Floats,
    ties: Ties,
    total: Floats,
    sizes: tuple[Floats, Floats],
) -> PairSums:
    """Sums over pairs: sorts by the variable whose ties have a width, and compares the ranks of the other one."""
    by_human = ties.threshold > 0
    sorted_by, other = groups if by_human else groups[::-1]
    values = (cells.human if by_human else cells.metric)[sorted_by.order]
    limits = _limits(values, ties.threshold) if by_human else _limits(values, ties.epsilon, exclusive=True)
    pairs = prefix_pairs(other.codes[sorted_by.order], limits, weights[sorted_by.order])
    untied_other = (total**2 - (sizes[by_human] ** 2).sum(axis=0)) / 2
    untied = pairs.less + pairs.greater
    untied_sorted = untied + pairs.equal
    return PairSums(
        total,
        untied_sorted if by_human else untied_other,
        untied_other if by_human else untied_sorted,
        untied,
        pairs.less - pairs.greater,
        np.minimum((sizes[0] > 0).sum(axis=0), (sizes[1] > 0).sum(axis=0)),
    )


def _limits(values: Floats, least: float, *, exclusive: bool = False) -> Indices:
    """Returns how many of ascending values are below each value by at least a number; shape (points,).

    Differences are rounded to floats before they are compared, as in the definition of a tie.

    Args:
        values: Shape (points,).
        least: The number.
        exclusive: Whether the difference must be greater than the number.
    """
    distinct, starts, inverse = np.unique(values, return_index=True, return_inverse=True)

    def is_apart(index: Indices) -> Bools:
        difference = distinct - distinct[np.minimum(index, len(distinct) - 1)]
        apart: Bools = (difference > 0) & (difference > least if exclusive else difference >= least)
        return apart

    with np.errstate(over="ignore"):
        counts = np.searchsorted(distinct, distinct - least)
        while (more := is_apart(counts) & (counts < len(distinct))).any():
            counts[more] += 1
        while (fewer := ~is_apart(counts - 1) & (counts > 0)).any():
            counts[fewer] -= 1
    limits: Indices = np.append(starts, len(values))[counts][inverse.reshape(-1)]
    return limits


@dataclass(frozen=True)
class PrefixPairs:
    """Sums over pairs of points of which one is in the prefix of the other, by the order of their codes.

    Args:
        less: The code of the point in the prefix is less, shape (resamples,).
        equal: Both are equal.
        greater: It is greater.
    """

    less: Floats
    equal: Floats
    greater: Floats


def prefix_pairs(codes: Indices, limits: Indices, weights: Floats) -> PrefixPairs:
    """Sums the products of the weights of all pairs of a point and a point of its prefix.

    Args:
        codes: Shape (points,).
        limits: The length of the prefix of each point, ascending and at most its own index, shape (points,).
        weights: Integers, shape (points, resamples).
    """
    sums = np.zeros((3, weights.shape[1]))
    # As in a merge sort, a prefix is a union of aligned blocks, whose codes are sorted once for all resamples.
    width = DENSE_CELLS
    while width <= len(codes):
        for start in range(0, len(codes) - width + 1, 2 * width):
            points = np.flatnonzero((limits // width % 2 == 1) & (limits // (2 * width) * 2 * width == start))
            block = slice(start, start + width)
            sums += _compared(codes[block], weights[block], codes[points], weights[points])
        width *= 2
    for start in range(0, len(codes), DENSE_CELLS):
        points = np.flatnonzero((limits // DENSE_CELLS * DENSE_CELLS == start) & (limits % DENSE_CELLS > 0))
        for part in np.array_split(points, len(points) // DENSE_CELLS + 1):
            sums += _compared_densely(codes, limits, weights, start, part)
    return PrefixPairs(*sums)


def _compared(block: Indices, block_weights: Floats, codes: Indices, weights: Floats) -> Floats:
    order = np.argsort(block, kind="stable")
    up_to = np.zeros((len(block) + 1, block_weights.shape[1]))
    np.cumsum(block_weights[order], axis=0, out=up_to[1:])
    below = up_to[np.searchsorted(block[order], codes)]
    through = up_to[np.searchsorted(block[order], codes, side="right")]
    parts = below, through - below, up_to[-1] - through
    return np.stack([np.einsum("cr,cr->r", weights, part) for part in parts])


def _compared_densely(codes: Indices, limits: Indices, weights: Floats, start: int, points: Indices) -> Floats:
    block = slice(start, start + DENSE_CELLS)
    inside = np.arange(start, min(start + DENSE_CELLS, len(codes))) < limits[points, None]
    single = weights[block].astype(np.float32)  # exact: sums of integers below 2²⁴
    comparisons = [op(codes[block], codes[points, None]) & inside for op in (np.less, np.equal, np.greater)]
    return np.stack([np.einsum("cr,cr->r", weights[points], one.astype(np.float32) @ single) for one in comparisons])
