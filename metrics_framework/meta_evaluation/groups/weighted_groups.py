"""`WeightedGroups`: groups of outputs in many resamples, with the sums that coefficients share.

The columns of two matrices are groups with the weights of their rows (`Columns`), each row is the group of one resample
(`Rows`), or all cells are one group (`AllCells`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.common.overriding import overrides
from metrics_framework.kernels.dispatch import native_function
from metrics_framework.kernels.python.weighted_points import SUMS, Wanted, weighted_points
from metrics_framework.meta_evaluation.groups.moments import (
    BLOCK_BYTES,
    CACHED_NUMBERS,
    pearson_of_cells,
    pearson_of_columns,
    pearson_of_rows,
    ratio,
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


@dataclass(frozen=True, eq=False)
class Cells:
    """Two matrices, with their cells in sorted order.

    Args:
        human: The human scores, shape (rows, columns); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        rounding: How much rounding may change either, if they are means.
    """

    human: Floats
    metric: Floats
    rounding: Sequence[Floats] = ()
    _sorted: dict[Ties, tuple[SortedPoints, Codes]] = field(default_factory=dict)

    def sorted_points(self, ties: Ties) -> tuple[SortedPoints, Codes]:
        """Returns the cells, sorted once for each rule of ties, and the column of each."""
        if ties not in self._sorted:
            rows, columns = np.nonzero(~np.isnan(self.human))
            cells = rows, columns
            rounding = [errors[cells] for errors in self.rounding]
            points = SortedPoints.of(self.human[cells], self.metric[cells], np.arange(len(rows)), ties, rounding)
            order = points.rows
            by_row = SortedPoints(
                points.codes, points.sorted_codes, points.limits, rows[order].astype(np.int32), points.by_human
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


def column_groups(
    human: Floats, metric: Floats, weights: Floats, rounding: Sequence[Floats] = ()
) -> Iterator[tuple[slice, WeightedGroups]]:
    """Yields the columns of two matrices as groups, in blocks that fit in memory.

    Args:
        human: The human scores, shape (rows, columns); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        weights: Integers, shape (resamples, rows).
        rounding: How much rounding may change either scores, of the same shape, if they are means.

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
        errors = [each[:, block] for each in rounding]
        if rows <= MAX_ROWS_OF_PAIRS:
            yield block, Columns(human[:, block], metric[:, block], weights, errors)
        else:  # many rows are sorted
            yield block, AllCells(Cells(human[:, block], metric[:, block], errors), weights, np.ones((len(weights), 1)))


@dataclass
class Columns(WeightedGroups):
    """The columns of two matrices of few rows, all of whose pairs are compared.

    Args:
        human: The human scores, shape (rows, columns); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        weights: Integers, shape (resamples, rows).
        rounding: How much rounding may change either scores, of the same shape, if they are means.
    """

    human: Floats
    metric: Floats
    weights: Floats
    rounding: Sequence[Floats] = ()

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
        of_human, of_metric = (
            (errors[first] + errors[second] for errors in self.rounding) if self.rounding else (0.0, 0.0)
        )
        people = pair_signs(self.human, first, second, least=ties.threshold - of_human if ties.threshold > 0 else 0)
        least = np.nextafter(ties.epsilon + of_metric, np.inf) if ties.epsilon > 0 else 0
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


def pair_signs(values: Floats, first: Any, second: Any, dtype: Any = np.float32, least: Any = 0.0) -> Numbers:
    """Returns sign(values[first] − values[second]), 0 where one is missing or they differ by less than `least`."""
    a, b = values[first], values[second]
    signs: Numbers = np.subtract(a > b, a < b, dtype=dtype)
    if np.any(least > 0):
        with np.errstate(over="ignore"):  # an infinite difference is no tie
            signs[~(np.abs(a - b) >= least)] = 0
    return signs


def row_groups(
    human: Floats, metric: Floats, weights: Floats, rounding: Sequence[Floats] = ()
) -> Iterator[tuple[slice, WeightedGroups]]:
    """Yields each row of two matrices as the group of one resample, in blocks that fit in memory.

    Args:
        human: The human scores, shape (resamples, points); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        weights: Integers, of the same shape.
        rounding: How much rounding may change either scores, of the same shape, if they are means.

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
        yield block, kind(human[block].T, metric[block].T, known, [errors[block].T for errors in rounding])


@dataclass
class Rows(Columns):
    """The group of each resample, of few points, all of whose pairs are compared.

    Args:
        human: The human scores, shape (points, resamples); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        weights: Integers, shape (resamples, points); 0 for missing scores.
        rounding: How much rounding may change either scores, of the same shape, if they are means.
    """

    @overrides
    def _sums(self, weights: Numbers, values: Numbers) -> Numbers:
        return np.asarray(np.einsum("rp,pr->r", weights, values)[:, None])

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
            rows, rounding = np.broadcast_to(np.arange(x.shape[1]), x.shape), [errors.T for errors in self.rounding]
            self._points[ties] = SortedPoints.of(x, z, rows, ties, rounding)
        columns, ones = np.zeros(len(self.human), dtype=np.int32), np.ones((len(self.weights), 1))
        return point_sums(self._points[ties], columns, self.weights, ones, wanted)


def _without_missing(values: Floats) -> Floats:
    """Replaces missing values, which have no weight, by the largest value of their row."""
    missing = np.isnan(values)
    largest = np.max(values, axis=1, keepdims=True, initial=-np.inf, where=~missing)
    return np.asarray(np.where(missing, np.where(np.isfinite(largest), largest, 0), values))


Codes: TypeAlias = "npt.NDArray[np.int32]"
WholeWeights: TypeAlias = "Floats | Codes"
"""Integers; 32-bit integers are not copied."""
BLOCK_WEIGHTS = 1 << 21
"""The largest number of weights of points in memory without the native kernel."""


@dataclass(frozen=True)
class Ties:
    """When two scores are tied.

    Args:
        epsilon: Two metric scores are tied if they differ by at most this number.
        threshold: Two human scores are tied if they differ by less than this number, or not at all.
    """

    epsilon: float = 0.0
    threshold: float = 0.0


EQUAL = Ties()
"""Only equal scores are tied."""


@dataclass(frozen=True)
class PairSums:
    """Sums over pairs of outputs, each weighted by the product of the weights of its outputs; arrays of one shape.

    Args:
        points: The number of outputs n, with their copies.
        untied_human: Pairs that are not tied in the human scores.
        untied_metric: Pairs that are not tied in the metric.
        untied: Pairs that are tied in neither.
        surplus: Concordant minus discordant pairs.
    """

    points: Floats
    untied_human: Floats
    untied_metric: Floats
    untied: Floats
    surplus: Floats

    @property
    def total(self) -> Floats:
        """The number of pairs T."""
        return self.points * (self.points - 1) / 2

    def agreeing(self) -> Floats:
        """Returns C + T_hm, the number of concordant pairs, and of pairs tied in both scores."""
        tied_both = self.total - self.untied_human - self.untied_metric + self.untied
        return (self.untied + self.surplus) / 2 + tied_both


def shares(parts: Floats, totals: Floats) -> Floats:
    """Divides, clips to [−1, 1] and returns NaN where the divisor is 0."""
    divided = np.divide(parts, totals, out=np.full(np.shape(totals), np.nan), where=totals > 0)
    return np.asarray(np.clip(divided, -1, 1))


@dataclass(frozen=True)
class SortedPoints:
    """Points sorted by one of two variables; arrays have the shape (points,), or (resamples, points) if points vary.

    Args:
        codes: The number of the value of the other variable, ascending with the value.
        sorted_codes: The number of the value of the variable that points are sorted by.
        limits: The number of points that are apart from each point and sorted before it.
        rows: The row of each point.
        by_human: Whether points are sorted by the human scores, not by the metric.
    """

    codes: Codes
    sorted_codes: Codes
    limits: Codes
    rows: Codes
    by_human: bool

    @classmethod
    def of(
        cls, human: Floats, metric: Floats, rows: Indices, ties: Ties, rounding: Sequence[Floats] = ()
    ) -> SortedPoints:
        """Sorts points by the variable whose ties have a width; else by the one with more distinct values.

        Args:
            human: The human scores, without NaN; shape (points,), or (resamples, points) if they vary.
            metric: The scores of the metric, of the same shape.
            rows: The row of each point, of the same shape.
            ties: Which scores are tied.
            rounding: How much rounding may change either scores, of the same shape, if they are means.
        """
        codes_human, codes_metric = codes_of(human), codes_of(metric)
        more_distinct = codes_human.max(initial=0) > codes_metric.max(initial=0)
        by_human = ties.threshold > 0 or (more_distinct and not ties.epsilon)
        codes, sorted_codes = (codes_metric, codes_human) if by_human else (codes_human, codes_metric)
        order = np.argsort(sorted_codes, axis=-1, kind="stable")
        sorted_codes = np.take_along_axis(sorted_codes, order, axis=-1)
        if ties == EQUAL:
            limits = np.broadcast_to(np.arange(sorted_codes.shape[-1], dtype=np.int32), sorted_codes.shape).copy()
            limits[..., 1:][sorted_codes[..., 1:] == sorted_codes[..., :-1]] = 0
            limits = np.maximum.accumulate(limits, axis=-1)  # the position of the first point with the same code
        else:
            ordered = np.take_along_axis(human if by_human else metric, order, axis=-1)
            errors = np.take_along_axis(rounding[not by_human], order, axis=-1) if rounding else np.zeros_like(ordered)
            least = ties.threshold if by_human else ties.epsilon
            each = [
                limits_of(*row, least, exclusive=not by_human)
                for row in zip(np.atleast_2d(ordered), np.atleast_2d(errors), strict=True)
            ]
            limits = np.array(each, dtype=np.int32).reshape(ordered.shape)
        return cls(
            codes=np.ascontiguousarray(np.take_along_axis(codes, order, axis=-1)),
            sorted_codes=np.ascontiguousarray(sorted_codes),
            limits=np.ascontiguousarray(limits),
            rows=np.ascontiguousarray(np.take_along_axis(rows, order, axis=-1), dtype=np.int32),
            by_human=bool(by_human),
        )


def codes_of(values: Floats) -> Codes:
    """Numbers the distinct values along the last axis in ascending order, from 0."""
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    numbers = np.zeros(values.shape, dtype=np.int32)
    np.cumsum(ordered[..., 1:] > ordered[..., :-1], axis=-1, out=numbers[..., 1:])
    codes = np.empty_like(numbers)
    np.put_along_axis(codes, order, numbers, axis=-1)
    return codes


def limits_of(values: Floats, rounding: Floats, least: float, *, exclusive: bool = False) -> Indices:
    """Returns how many of ascending values are below each value by at least a number; shape (points,).

    Differences are rounded to floats before they are compared, as in the definition of a tie.

    Args:
        values: Shape (points,).
        rounding: How much rounding may change each, shape (points,).
        least: The number.
        exclusive: Whether the difference must be greater than the number.

    >>> limits_of(np.array([0.0, 1.0, 2.0, 4.0]), np.zeros(4), 2.0).tolist()
    [0, 0, 1, 3]
    """
    distinct, starts, inverse = np.unique(values, return_index=True, return_inverse=True)

    errors = np.nan_to_num(rounding)[starts]

    def is_apart(index: Indices) -> Bools:
        other = np.clip(index, 0, len(distinct) - 1)
        difference, slack = distinct - distinct[other], errors + errors[other]
        return np.asarray((difference > 0) & (difference > least + slack if exclusive else difference >= least - slack))

    with np.errstate(over="ignore"):
        counts = np.searchsorted(distinct, distinct - least)
        while (more := is_apart(counts) & (counts < len(distinct))).any():
            counts[more] += 1
        while (fewer := ~is_apart(counts - 1) & (counts > 0)).any():
            counts[fewer] -= 1
    return np.asarray(np.append(starts, len(values))[counts][inverse.reshape(-1)])


@dataclass(frozen=True)
class PointSums:
    """The sums of `SUMS` in every resample, with what they were computed from.

    Args:
        sums: Shape (10, resamples).
        by_human: Whether points are sorted by the human scores.
        wanted: The sums that were computed.
    """

    sums: Floats
    by_human: bool
    wanted: Wanted

    def __getitem__(self, name: str) -> Floats:
        if SUMS[name] not in self.wanted:
            raise KeyError(name)
        return np.asarray(self.sums[list(SUMS).index(name)][:, None])


def point_sums(
    points: SortedPoints, columns: Codes, row_weights: WholeWeights, column_weights: WholeWeights, wanted: Wanted
) -> PointSums:
    """Sums over the pairs of points in every resample.

    Args:
        points: The points.
        columns: The column of each point, in their order, shape (points,).
        row_weights: Integers, shape (resamples, rows).
        column_weights: Integers, shape (resamples, columns).
        wanted: The sums to compute.
    """
    native, weights = native_function("weighted_points"), (row_weights, column_weights)
    sums = None if native is None else _native_sums(native, points, columns, weights, wanted)
    if sums is None:
        blocks = _blocks(points, len(row_weights))
        parts = [_python_sums(points, columns, weights, wanted, block) for block in blocks]
        sums = np.concatenate([np.zeros((len(SUMS), 0)), *parts], axis=1)
    return PointSums(sums, points.by_human, wanted)


def _native_sums(
    native: Callable[..., bool],
    points: SortedPoints,
    columns: Codes,
    weights: tuple[WholeWeights, WholeWeights],
    wanted: Wanted,
) -> Floats | None:
    """Sums with the native kernel; `None` if the weights are too large for it."""
    whole = [np.ascontiguousarray(one, dtype=np.int32) for one in weights]
    sums = np.zeros((len(whole[0]), len(SUMS)), dtype=np.int64)
    arrays = points.codes, points.sorted_codes, points.limits, points.rows, columns, *whole
    fits = not len(sums) or native(*arrays, sums, len(sums), int(wanted))
    return sums.T.astype(np.float64) if fits else None


def _blocks(points: SortedPoints, resamples: int) -> list[slice]:
    step = 1 if points.codes.ndim > 1 else max(1, BLOCK_WEIGHTS // max(1, len(points.codes)))
    return [slice(start, start + step) for start in range(0, resamples, step)]


def _python_sums(
    points: SortedPoints, columns: Codes, weights: tuple[WholeWeights, WholeWeights], wanted: Wanted, block: slice
) -> Floats:
    each = (points.codes, points.sorted_codes, points.limits, points.rows)
    codes, sorted_codes, limits, rows = (one[block.start] if one.ndim > 1 else one for one in each)
    of_rows, of_columns = (one[block].T.astype(np.float64) for one in weights)
    return weighted_points(codes, sorted_codes, limits, of_rows[rows] * of_columns[columns], wanted)
