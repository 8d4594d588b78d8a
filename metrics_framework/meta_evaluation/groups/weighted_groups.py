"""`WeightedGroups`: groups of outputs in many resamples, with the sums that coefficients share.

All cells of two matrices are one group (`CellSums`), their columns are groups with the weights of their rows
(`Columns`), or each row is the group of one resample (`Rows`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.kernels.python.weighted_points import Wanted
from metrics_framework.meta_evaluation.groups.moments import (
    BLOCK_BYTES,
    CACHED_NUMBERS,
    pearson_of_cells,
    pearson_of_columns,
    pearson_of_rows,
    ratio,
)
from metrics_framework.meta_evaluation.groups.pair_sums import (
    EQUAL,
    Codes,
    PairSums,
    PointSums,
    SortedPoints,
    Ties,
    point_sums,
)

Signs: TypeAlias = npt.NDArray[Any]
MAX_FLOAT32 = 1 << 24
"""Single precision represents all integers up to this one exactly."""
MAX_ROWS_OF_PAIRS = 96
"""Up to this many rows, all pairs of rows are compared; more are sorted."""
MAX_POINTS_OF_PAIRS = 24
"""Up to this many points, all pairs are compared; more are sorted."""
NUMBERS_OF_A_SORTED_POINT = 16
"""Memory for sorting a point, in numbers."""


class Weighted(Protocol):
    """Computes a coefficient of groups of weighted outputs."""

    def __call__(self, human: Floats, metric: Floats, weights: Floats, /) -> Floats:
        """Returns the coefficient of each group, shape (groups,).

        Args:
            human: The human scores, shape (groups, outputs).
            metric: The scores of the metric, of the same shape.
            weights: Integers of the same shape; 0 for missing outputs.
        """


class WeightedGroups(ABC):
    """Groups of outputs with human scores and scores of a metric, weighted in each of several resamples.

    A resample is a vector of integer weights, not a copy of the data: an output drawn twice has weight 2, one not drawn
    weight 0. All results have the shape (resamples, groups), NaN where undefined. Sums are computed when they are first
    asked for, and kept, so that coefficients share them.
    """

    def __init__(self) -> None:
        self._pair_sums: dict[Ties, PairSums] = {}

    def pair_sums(self, ties: Ties) -> PairSums:
        """Returns sums over the pairs of outputs of each group.

        Args:
            ties: Which scores are tied.
        """
        if ties not in self._pair_sums:
            self._pair_sums[ties] = self.compare_pairs(ties)
        return self._pair_sums[ties]

    @abstractmethod
    def compare_pairs(self, ties: Ties) -> PairSums:
        """Computes `pair_sums`."""

    @abstractmethod
    def least_distinct(self) -> Floats:
        """Returns the number of distinct human scores or scores of the metric, whichever is smaller."""

    @abstractmethod
    def pearson(self) -> Floats:
        """Returns Pearson's r."""

    @abstractmethod
    def spearman(self) -> Floats:
        """Returns Spearman's ρ, Pearson's r of the mid-ranks."""

    @abstractmethod
    def map(self, weighted: Weighted) -> Floats:
        """Computes a coefficient of each group in each resample by a function of scores and weights.

        Args:
            weighted: The function. Missing scores are 0, with weight 0.
        """


def filled(values: Floats) -> Floats:
    """Replaces missing scores by 0."""
    return np.where(np.isnan(values), 0, values)


@dataclass(frozen=True)
class Cells:
    """Two matrices, with their cells in sorted order.

    Args:
        human: The human scores, shape (rows, columns); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
    """

    human: Floats
    metric: Floats
    _sorted: dict[Ties, tuple[SortedPoints, Codes]] = field(default_factory=dict)

    def sorted_points(self, ties: Ties) -> tuple[SortedPoints, Codes]:
        """Returns the cells, sorted once for each rule of ties, and the column of each."""
        if ties not in self._sorted:
            rows, columns = np.nonzero(~np.isnan(self.human))
            cells = rows, columns
            points = SortedPoints.of(self.human[cells], self.metric[cells], np.arange(len(rows)), ties)
            order = points.rows
            by_row = SortedPoints(
                points.codes, points.groups, points.limits, rows[order].astype(np.int32), points.by_human
            )
            self._sorted[ties] = by_row, columns[order].astype(np.int32)
        return self._sorted[ties]


class CellSums(WeightedGroups):
    """All cells, for each pair of row and column weights.

    Args:
        cells: The cells.
        rows: Integers, shape (resamples, rows).
        columns: Integers, shape (resamples, columns).
    """

    def __init__(self, cells: Cells, rows: Floats, columns: Floats) -> None:
        super().__init__()
        self._cells, self._rows, self._columns = cells, rows, columns

    def _sums(self, ties: Ties, wanted: Wanted) -> PointSums:
        return point_sums(*self._cells.sorted_points(ties), self._rows, self._columns, wanted)

    @overrides
    def compare_pairs(self, ties: Ties) -> PairSums:
        return self._sums(ties, Wanted.PAIRS).pair_sums()

    @overrides
    def least_distinct(self) -> Floats:
        return self._sums(EQUAL, Wanted.DISTINCT).least_distinct()

    @overrides
    def pearson(self) -> Floats:
        return pearson_of_cells(self._cells.human, self._cells.metric, self._rows, self._columns)[:, None]

    @overrides
    def spearman(self) -> Floats:
        return self._sums(EQUAL, Wanted.RANKS).spearman()

    @overrides
    def map(self, weighted: Weighted) -> Floats:
        present = ~np.isnan(self._cells.human)
        human, metric = (filled(one).reshape(1, -1) for one in (self._cells.human, self._cells.metric))
        products = (rows[:, None] * columns for rows, columns in zip(self._rows, self._columns, strict=True))
        values = [weighted(human, metric, (present * one).reshape(1, -1)) for one in products]
        return np.reshape(values, (len(self._rows), 1))


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
        return np.minimum(
            _distinct_in_columns(self._human, self._weights), _distinct_in_columns(self._metric, self._weights)
        )

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


def _distinct_in_columns(values: Floats, weights: Floats) -> Floats:
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


def row_groups(human: Floats, metric: Floats, weights: Floats) -> Iterator[tuple[slice, WeightedGroups]]:
    """Yields each row of two matrices as the group of one resample, in blocks that fit in memory.

    Args:
        human: The human scores, shape (resamples, points); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        weights: Integers, of the same shape.

    Yields:
        The resamples of a block, and their groups.
    """
    points = max(1, human.shape[1])
    are_few = points <= MAX_POINTS_OF_PAIRS
    step = max(1, BLOCK_BYTES // (8 * points * (points if are_few else NUMBERS_OF_A_SORTED_POINT)))
    kind = Rows if are_few else SortedRows
    for start in range(0, max(1, len(human)), step):
        block = slice(start, start + step)
        yield block, kind(human[block], metric[block], weights[block])


class Rows(WeightedGroups):
    """Rows of few points, all of whose pairs are compared.

    Args:
        human: The human scores, shape (resamples, points); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        weights: Integers, of the same shape.
    """

    def __init__(self, human: Floats, metric: Floats, weights: Floats) -> None:
        super().__init__()
        self._human, self._metric = human, metric
        self._weights = np.where(np.isnan(human), 0, weights)

    @overrides
    def compare_pairs(self, ties: Ties) -> PairSums:
        x, z, w = self._human, self._metric, self._weights
        signs_x, signs_z = _signs(x), _signs(z)
        wide_x = np.where(_apart(x, ties.threshold), signs_x, 0) if ties.threshold > 0 else signs_x
        wide_z = np.where(_apart(z, np.nextafter(ties.epsilon, np.inf)), signs_z, 0) if ties.epsilon > 0 else signs_z
        signs = wide_x * wide_z
        return PairSums(
            w.sum(axis=1)[:, None],
            untied_human=_quadratic(np.abs(wide_x), w) / 2,
            untied_metric=_quadratic(np.abs(wide_z), w) / 2,
            untied=_quadratic(np.abs(signs), w) / 2,
            surplus=_quadratic(signs, w) / 2,
        )

    @overrides
    def least_distinct(self) -> Floats:
        distinct = [_distinct_in_rows(values, self._weights) for values in (self._human, self._metric)]
        return np.minimum(*distinct)[:, None]

    @overrides
    def pearson(self) -> Floats:
        return pearson_of_rows(self._human, self._metric, self._weights)[:, None]

    @overrides
    def spearman(self) -> Floats:
        w = self._weights
        x, z = ((_signs(values) @ w[:, :, None])[:, :, 0] for values in (self._human, self._metric))
        rho = ratio(*((w * a * b).sum(axis=1) for a, b in ((x, z), (x, x), (z, z))))
        return np.clip(rho, -1, 1)[:, None]

    @overrides
    def map(self, weighted: Weighted) -> Floats:
        return weighted(filled(self._human), filled(self._metric), self._weights)[:, None]


class SortedRows(Rows):
    """Rows of many points, each of which is sorted."""

    def __init__(self, human: Floats, metric: Floats, weights: Floats) -> None:
        super().__init__(human, metric, weights)
        self._sorted: dict[Ties, SortedPoints] = {}

    def _sums(self, ties: Ties, wanted: Wanted) -> PointSums:
        if ties not in self._sorted:
            x, z = _without_missing(self._human), _without_missing(self._metric)
            self._sorted[ties] = SortedPoints.of(x, z, np.broadcast_to(np.arange(x.shape[1]), x.shape), ties)
        columns = np.zeros(self._human.shape[1], dtype=np.int32)
        return point_sums(self._sorted[ties], columns, self._weights, np.ones((len(self._human), 1)), wanted)

    @overrides
    def compare_pairs(self, ties: Ties) -> PairSums:
        return self._sums(ties, Wanted.PAIRS).pair_sums()

    @overrides
    def least_distinct(self) -> Floats:
        return self._sums(EQUAL, Wanted.DISTINCT).least_distinct()

    @overrides
    def spearman(self) -> Floats:
        return self._sums(EQUAL, Wanted.RANKS).spearman()


def _without_missing(values: Floats) -> Floats:
    """Replaces missing values, which have no weight, by the largest value of their row."""
    missing = np.isnan(values)
    largest = np.max(values, axis=1, keepdims=True, initial=-np.inf, where=~missing)
    known: Floats = np.where(missing, np.where(np.isfinite(largest), largest, 0), values)
    return known


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


def _signs(values: Floats) -> Floats:
    """Returns sign(v_i − v_k) for each row, shape (resamples, points, points)."""
    a, b = values[:, :, None], values[:, None, :]
    signs: Floats = np.subtract(a > b, a < b, dtype=np.float64)
    return signs


def _quadratic(matrix: Floats, w: Floats) -> Floats:
    """Computes wᵀ M w for each row, shape (resamples, 1)."""
    total: Floats = (w * (matrix @ w[:, :, None])[:, :, 0]).sum(axis=1)
    return total[:, None]
