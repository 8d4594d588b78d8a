"""`Columns`: the columns of two matrices as groups, which share the weights of their rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.sums.cell_groups import Cells, CellSums
from metrics_framework.meta_evaluation.sums.groups import Weighted, WeightedGroups, filled
from metrics_framework.meta_evaluation.sums.moments import BLOCK_BYTES, CACHED_NUMBERS, pearson_of_columns, ratio
from metrics_framework.meta_evaluation.sums.pair_sums import PairSums, Ties

Signs: TypeAlias = npt.NDArray[Any]

MAX_FLOAT32 = 1 << 24
"""Single precision represents all integers up to this one exactly."""

MAX_ROWS_OF_PAIRS = 96
"""Up to this many rows, all pairs of rows are compared; more are sorted."""


def column_groups(human: Floats, metric: Floats, weights: Floats) -> Iterator[tuple[slice, WeightedGroups]]:
    """Yields the columns of two matrices as groups, in blocks that fit in memory.

    Args:
        human: The human scores, shape (rows, columns); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        weights: Integers, shape (resamples, rows).

    Yields:
        The columns of a block, and their groups.
    """
    rows, columns = human.shape
    if not columns:  # a block of no groups, so that results have a row for each resample
        yield slice(0), Columns(human[:0], metric[:0], weights[:, :0])
    pairs = max(1, rows * (rows - 1) // 2)
    step = max(1, BLOCK_BYTES // (4 * pairs)) if rows <= MAX_ROWS_OF_PAIRS else 1
    for start in range(0, columns, step):
        block = slice(start, min(start + step, columns))
        if rows <= MAX_ROWS_OF_PAIRS:
            yield block, Columns(human[:, block], metric[:, block], weights)
        else:  # many rows are sorted
            yield block, CellSums(Cells(human[:, block], metric[:, block]), weights, np.ones((len(weights), 1)))


class Columns(WeightedGroups):
    """The columns of two matrices of few rows, all of whose pairs are compared.

    Args:
        human: The human scores, shape (rows, columns); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        weights: Integers, shape (resamples, rows).
    """

    def __init__(self, human: Floats, metric: Floats, weights: Floats) -> None:
        super().__init__()
        self._human, self._metric, self._weights = human, metric, weights

    @overrides
    def compare_pairs(self, ties: Ties) -> PairSums:
        weights = self._weights
        first, second = np.triu_indices(len(self._human), 1)
        products = (weights[:, first] * weights[:, second]).astype(self._precision(2))
        signs_x = pair_signs(self._human, first, second, least=ties.threshold)
        least = np.nextafter(ties.epsilon, np.inf) if ties.epsilon > 0 else 0
        signs_z = pair_signs(self._metric, first, second, least=least)
        signs = signs_x * signs_z
        return PairSums(
            weights @ ~np.isnan(self._human),
            untied_human=_finite_product(products, np.abs(signs_x)).astype(np.float64),
            untied_metric=_finite_product(products, np.abs(signs_z)).astype(np.float64),
            untied=_finite_product(products, np.abs(signs)).astype(np.float64),
            surplus=_finite_product(products, signs).astype(np.float64),
        )

    @overrides
    def least_distinct(self) -> Floats:
        return np.minimum(_distinct(self._human, self._weights), _distinct(self._metric, self._weights))

    @overrides
    def pearson(self) -> Floats:
        return pearson_of_columns(self._human, self._metric, self._weights)

    @overrides
    def spearman(self) -> Floats:
        x, z = self._human, self._metric
        w = self._weights.astype(self._precision(3))
        rho = np.empty((len(w), x.shape[1]))
        step = max(1, CACHED_NUMBERS // max(1, len(w)))
        for start in range(0, x.shape[1], step):
            columns = slice(start, start + step)
            rho[:, columns] = ratio(*_rank_products(x[:, columns], z[:, columns], w))
        return np.clip(rho, -1, 1)

    @overrides
    def map(self, weighted: Weighted) -> Floats:
        present = ~np.isnan(self._human.T)
        human, metric = filled(self._human.T), filled(self._metric.T)
        values = [weighted(human, metric, present * weights) for weights in self._weights]
        return np.reshape(values, (len(self._weights), len(human)))

    def _precision(self, power: int) -> type[np.floating[Any]]:
        """Returns single precision where it represents a power of the number of outputs exactly, else double."""
        largest = self._weights.sum(axis=1).max(initial=0)
        return np.float32 if largest**power <= MAX_FLOAT32 else np.float64


def pair_signs(values: Floats, first: Any, second: Any, dtype: Any = np.float32, least: float = 0.0) -> Signs:
    """Returns sign(values[first] − values[second]), 0 where one is missing or they differ by less than `least`."""
    a, b = values[first], values[second]
    signs: Signs = np.subtract(a > b, a < b, dtype=dtype)
    if least > 0:
        with np.errstate(over="ignore"):  # an infinite difference is no tie
            signs[~(np.abs(a - b) >= least)] = 0
    return signs


def _finite_product(weights: Signs, values: Signs) -> Signs:
    """Multiplies matrices of finite numbers.

    A multiplication rarely reports an invalid value although all operands and results are finite; see
    https://github.com/numpy/numpy/issues/28227.
    """
    with np.errstate(invalid="ignore"):
        return weights @ values


def _distinct(values: Floats, weights: Floats) -> Floats:
    """Counts the distinct values of each column among the rows drawn; shape (resamples, columns)."""
    drawn = (weights > 0).astype(np.float32)
    present = ~np.isnan(values)
    counts = np.zeros((len(weights), values.shape[1]))
    for row in range(len(values)):
        earlier = _finite_product(drawn[:, :row], (values[:row] == values[row]).astype(np.float32))
        counts += (drawn[:, row, None] > 0) & present[row] & (earlier == 0)
    return counts


def _rank_products(x: Floats, z: Floats, w: Signs) -> tuple[Floats, Floats, Floats]:
    """Sums the products of the centred ranks of both variables, and their squares; shapes (resamples, columns).

    The centred mid-rank of a point is half the sum of the signs of its differences from all points.
    """
    shape = (len(w), x.shape[1])
    sums = np.zeros((3, *shape), w.dtype)
    weighted, product = np.empty(shape, w.dtype), np.empty(shape, w.dtype)
    for row in range(len(x)):
        ranks_x = _finite_product(w, pair_signs(x, slice(row, row + 1), slice(None), w.dtype))
        ranks_z = _finite_product(w, pair_signs(z, slice(row, row + 1), slice(None), w.dtype))
        column = w[:, row, None]
        np.multiply(ranks_x, column, out=weighted)
        sums[0] += np.multiply(weighted, ranks_z, out=product)
        sums[1] += np.multiply(weighted, ranks_x, out=product)
        np.multiply(ranks_z, column, out=weighted)
        sums[2] += np.multiply(weighted, ranks_z, out=product)
    xz, xx, zz = sums.astype(np.float64)
    return xz, xx, zz
