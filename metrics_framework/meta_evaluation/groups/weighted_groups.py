"""`WeightedGroups`: groups of outputs in many resamples, with the sums that coefficients share.

The columns of two matrices are groups with the weights of their rows (`Columns`), each row is the group of one resample
(`Rows`), or all cells are one group (`AllCells`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from metrics_framework.common.arrays import Floats
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

Numbers: TypeAlias = npt.NDArray[Any]
"""Numbers in single or double precision."""
LARGEST_EXACT_FLOAT32 = 1 << 24
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


@dataclass
class WeightedGroups(ABC):
    """Groups of outputs with human scores and scores of a metric, weighted in each of several resamples.

    A resample is a vector of integer weights, not a copy of the data: an output drawn twice has weight 2, one not drawn
    weight 0. All results have the shape (resamples, groups), NaN where undefined. Sums are computed when they are first
    asked for, and kept, so that coefficients share them.
    """

    _pair_sums: dict[Ties, PairSums] = field(default_factory=dict, init=False, repr=False)

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


class _Sorted(WeightedGroups):
    """One group in each resample, whose points are sorted."""

    @abstractmethod
    def point_sums(self, ties: Ties, wanted: Wanted) -> PointSums:
        """Sums over the points and their pairs in every resample."""

    @overrides
    def compare_pairs(self, ties: Ties) -> PairSums:
        sums = self.point_sums(ties, Wanted.PAIRS)
        untied = sums["less"] + sums["greater"]
        untied_sorted = untied + sums["equal"]
        untied_other = (sums["points"] ** 2 - sums["squares_codes"]) / 2
        return PairSums(
            sums["points"],
            untied_human=untied_sorted if sums.by_human else untied_other,
            untied_metric=untied_other if sums.by_human else untied_sorted,
            untied=untied,
            surplus=sums["less"] - sums["greater"],
        )

    @overrides
    def least_distinct(self) -> Floats:
        sums = self.point_sums(EQUAL, Wanted.DISTINCT)
        return np.minimum(sums["distinct_codes"], sums["distinct_groups"])

    @overrides
    def spearman(self) -> Floats:
        sums = self.point_sums(EQUAL, Wanted.RANKS)
        constant = (sums["rank_codes"] == 0) | (sums["rank_groups"] == 0)
        rho = ratio(sums["rank_products"], sums["rank_codes"], sums["rank_groups"])
        return np.where(constant, np.nan, np.clip(rho, -1, 1))


@dataclass
class AllCells(_Sorted):
    """All cells, for each pair of row and column weights.

    Args:
        cells: The cells.
        rows: Integers, shape (resamples, rows).
        columns: Integers, shape (resamples, columns).
    """

    cells: Cells
    rows: Floats
    columns: Floats

    @overrides
    def point_sums(self, ties: Ties, wanted: Wanted) -> PointSums:
        return point_sums(*self.cells.sorted_points(ties), self.rows, self.columns, wanted)

    @overrides
    def pearson(self) -> Floats:
        return pearson_of_cells(self.cells.human, self.cells.metric, self.rows, self.columns)[:, None]

    @overrides
    def map(self, weighted: Weighted) -> Floats:
        present = ~np.isnan(self.cells.human)
        human, metric = (filled(one).reshape(1, -1) for one in (self.cells.human, self.cells.metric))
        products = (rows[:, None] * columns for rows, columns in zip(self.rows, self.columns, strict=True))
        values = [weighted(human, metric, (present * one).reshape(1, -1)) for one in products]
        return np.reshape(values, (len(self.rows), 1))


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
            yield block, AllCells(Cells(human[:, block], metric[:, block]), weights, np.ones((len(weights), 1)))


@dataclass
class Columns(WeightedGroups):
    """The columns of two matrices of few rows, all of whose pairs are compared.

    Args:
        human: The human scores, shape (rows, columns); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        weights: Integers, shape (resamples, rows).
    """

    human: Floats
    metric: Floats
    weights: Floats

    def _sums(self, weights: Numbers, values: Numbers) -> Numbers:
        """Sums each column, a row for each weight, in every resample; shape (resamples, groups)."""
        # A product rarely reports an invalid value although all numbers are finite:
        # https://github.com/numpy/numpy/issues/28227
        with np.errstate(invalid="ignore"):
            return weights @ values

    @overrides
    def compare_pairs(self, ties: Ties) -> PairSums:
        first, second = np.triu_indices(len(self.human), 1)
        products = self.weights[:, first] * self.weights[:, second]
        if self.weights.sum(axis=1).max(initial=0) ** 2 <= LARGEST_EXACT_FLOAT32:
            products = products.astype(np.float32)
        people = pair_signs(self.human, first, second, least=ties.threshold)
        least = np.nextafter(ties.epsilon, np.inf) if ties.epsilon > 0 else 0
        metric = pair_signs(self.metric, first, second, least=least)
        both = people * metric
        return PairSums(
            self._sums(self.weights, ~np.isnan(self.human)),
            untied_human=self._sums(products, np.abs(people)).astype(np.float64),
            untied_metric=self._sums(products, np.abs(metric)).astype(np.float64),
            untied=self._sums(products, np.abs(both)).astype(np.float64),
            surplus=self._sums(products, both).astype(np.float64),
        )

    @overrides
    def least_distinct(self) -> Floats:
        drawn = (self.weights > 0).astype(np.float32)
        counts = np.zeros((2, len(drawn), self.human.shape[1]))
        for values, count in zip((self.human, self.metric), counts, strict=True):
            present = ~np.isnan(values)
            for row in range(len(values)):  # a value counts where its first row is drawn
                earlier = self._sums(drawn[:, :row], (values[:row] == values[row]).astype(np.float32))
                count += (drawn[:, row, None] > 0) & present[row] & (earlier == 0)
        return np.asarray(np.minimum(counts[0], counts[1]))

    @overrides
    def pearson(self) -> Floats:
        return pearson_of_columns(self.human, self.metric, self.weights)

    @overrides
    def spearman(self) -> Floats:
        step = max(1, CACHED_NUMBERS // max(1, len(self.weights)))
        blocks = [slice(start, start + step) for start in range(0, self.human.shape[1], step)]
        found = [np.empty((len(self.weights), 0)), *map(self._rank_correlation, blocks)]
        return np.concatenate(found, axis=1)

    def _rank_correlation(self, columns: slice) -> Floats:
        """Correlates the centred mid-ranks: half the sums of the signs of the differences from all rows."""
        x, z, w = self.human[:, columns], self.metric[:, columns], self.weights
        if w.sum(axis=1).max(initial=0) ** 3 <= LARGEST_EXACT_FLOAT32:
            w = w.astype(np.float32)
        products = np.zeros((3, *self._sums(w, np.isnan(x)).shape), w.dtype)
        weighted = np.empty_like(products[0])
        for row in range(len(x)):
            of_row, weight = slice(row, row + 1), w[:, row, None]
            ranks_x, ranks_z = (self._sums(w, pair_signs(one, of_row, slice(None), w.dtype)) for one in (x, z))
            np.multiply(ranks_x, weight, out=weighted)
            products[0] += weighted * ranks_z
            products[1] += weighted * ranks_x
            np.multiply(ranks_z, weight, out=weighted)
            products[2] += weighted * ranks_z
        return np.clip(ratio(*products.astype(np.float64)), -1, 1)

    @overrides
    def map(self, weighted: Weighted) -> Floats:
        present = ~np.isnan(self.human.T)
        human, metric = filled(self.human.T), filled(self.metric.T)
        values = [weighted(human, metric, present * weights) for weights in self.weights]
        return np.reshape(values, (len(self.weights), len(human)))


def pair_signs(values: Floats, first: Any, second: Any, dtype: Any = np.float32, least: float = 0.0) -> Numbers:
    """Returns sign(values[first] − values[second]), 0 where one is missing or they differ by less than `least`."""
    a, b = values[first], values[second]
    signs: Numbers = np.subtract(a > b, a < b, dtype=dtype)
    if least > 0:
        with np.errstate(over="ignore"):  # an infinite difference is no tie
            signs[~(np.abs(a - b) >= least)] = 0
    return signs


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
        known = np.asfortranarray(np.where(np.isnan(human[block]), 0, weights[block]))
        yield block, kind(human[block].T, metric[block].T, known)


@dataclass
class Rows(Columns):
    """The group of each resample, of few points, all of whose pairs are compared.

    Args:
        human: The human scores, shape (points, resamples); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        weights: Integers, shape (resamples, points); 0 for missing scores.
    """

    @overrides
    def _sums(self, weights: Numbers, values: Numbers) -> Numbers:
        sums: Numbers = np.einsum("rp,pr->r", weights, values)
        return sums[:, None]

    @overrides
    def least_distinct(self) -> Floats:
        drawn = self.weights > 0
        counts = np.empty((2, len(drawn), 1))
        for values, count in zip((self.human.T, self.metric.T), counts, strict=True):
            ordered = np.sort(np.where(drawn, values, np.nan), axis=1)  # NaN comes last
            count[:, 0] = (ordered[:, 1:] > ordered[:, :-1]).sum(axis=1) + drawn.any(axis=1)
        return np.asarray(np.minimum(counts[0], counts[1]))

    @overrides
    def pearson(self) -> Floats:
        return pearson_of_rows(self.human.T, self.metric.T, np.ascontiguousarray(self.weights))[:, None]

    @overrides
    def spearman(self) -> Floats:
        return self._rank_correlation(slice(None))

    @overrides
    def map(self, weighted: Weighted) -> Floats:
        return weighted(filled(self.human.T), filled(self.metric.T), np.ascontiguousarray(self.weights))[:, None]


@dataclass
class SortedRows(_Sorted, Rows):
    """The group of each resample, of many points, which are sorted."""

    _points: dict[Ties, SortedPoints] = field(default_factory=dict, init=False, repr=False)

    @overrides
    def point_sums(self, ties: Ties, wanted: Wanted) -> PointSums:
        if ties not in self._points:
            x, z = _without_missing(self.human.T), _without_missing(self.metric.T)
            self._points[ties] = SortedPoints.of(x, z, np.broadcast_to(np.arange(x.shape[1]), x.shape), ties)
        columns, ones = np.zeros(len(self.human), dtype=np.int32), np.ones((len(self.weights), 1))
        return point_sums(self._points[ties], columns, self.weights, ones, wanted)


def _without_missing(values: Floats) -> Floats:
    """Replaces missing values, which have no weight, by the largest value of their row."""
    missing = np.isnan(values)
    largest = np.max(values, axis=1, keepdims=True, initial=-np.inf, where=~missing)
    known: Floats = np.where(missing, np.where(np.isfinite(largest), largest, 0), values)
    return known
