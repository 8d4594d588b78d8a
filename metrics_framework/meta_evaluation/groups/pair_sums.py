"""The numbers of pairs of outputs that two scores order alike, differently, or tie: what Kendall's family needs.

One set of sums serves all these coefficients, in every resample of a block: an output of weight w is w copies of it,
and two copies are a pair that is tied in both scores. Sums over pairs of many points, for many vectors of weights, take
O(n log n) each: points are sorted once, and a kernel adds them up.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.kernels.dispatch import native_points
from metrics_framework.kernels.python.weighted_points import SUMS, Wanted, weighted_points

Codes: TypeAlias = "npt.NDArray[np.int32]"
WholeWeights: TypeAlias = "Floats | Codes"
"""Integers; 32-bit integers are not copied."""
BLOCK_WEIGHTS = 1 << 21
"""The largest number of weights of points in memory without the native kernel."""
RESAMPLES_AT_ONCE = 32
"""The native kernel is fastest if the number of resamples is a multiple of this number."""


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

    def accuracy(self) -> Floats:
        """Returns (C + T_hm)/T, the share of pairs that the metric orders, or ties, as people do; NaN without pairs.

        C are concordant pairs, T_hm pairs tied in both scores, T all pairs.
        """
        tied_both = self.total - self.untied_human - self.untied_metric + self.untied
        return shares((self.untied + self.surplus) / 2 + tied_both, self.total)


def shares(parts: Floats, totals: Floats) -> Floats:
    """Divides, clips to [−1, 1] and returns NaN where the divisor is 0."""
    divided = np.divide(parts, totals, out=np.full(np.shape(totals), np.nan), where=totals > 0)
    return np.asarray(np.clip(divided, -1, 1))


@dataclass(frozen=True)
class SortedPoints:
    """Points sorted by one of two variables; arrays have the shape (points,), or (resamples, points) if points vary.

    Args:
        codes: The number of the value of the other variable, ascending with the value.
        groups: The number of the value of the variable that points are sorted by.
        limits: The number of points that are apart from each point and sorted before it.
        rows: The row of each point.
        by_human: Whether points are sorted by the human scores, not by the metric.
    """

    codes: Codes
    groups: Codes
    limits: Codes
    rows: Codes
    by_human: bool

    @classmethod
    def of(cls, human: Floats, metric: Floats, rows: Indices, ties: Ties) -> SortedPoints:
        """Sorts points by the variable whose ties have a width; else by the one with more distinct values.

        Args:
            human: The human scores, without NaN; shape (points,), or (resamples, points) if they vary.
            metric: The scores of the metric, of the same shape.
            rows: The row of each point, of the same shape.
            ties: Which scores are tied.
        """
        codes_human, codes_metric = codes_of(human), codes_of(metric)
        more_distinct = codes_human.max(initial=0) > codes_metric.max(initial=0)
        by_human = ties.threshold > 0 or (more_distinct and not ties.epsilon)
        codes, groups = (codes_metric, codes_human) if by_human else (codes_human, codes_metric)
        order = np.argsort(groups, axis=-1, kind="stable")
        groups = np.take_along_axis(groups, order, axis=-1)
        if ties == EQUAL:
            limits = np.broadcast_to(np.arange(groups.shape[-1], dtype=np.int32), groups.shape).copy()
            limits[..., 1:][groups[..., 1:] == groups[..., :-1]] = 0
            limits = np.maximum.accumulate(limits, axis=-1)  # the position of the first point of the group
        else:
            ordered = np.take_along_axis(human if by_human else metric, order, axis=-1)
            least = ties.threshold if by_human else ties.epsilon
            each = [limits_of(row, least, exclusive=not by_human) for row in np.atleast_2d(ordered)]
            limits = np.array(each, dtype=np.int32).reshape(ordered.shape)
        return cls(
            codes=np.ascontiguousarray(np.take_along_axis(codes, order, axis=-1)),
            groups=np.ascontiguousarray(groups),
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


def limits_of(values: Floats, least: float, *, exclusive: bool = False) -> Indices:
    """Returns how many of ascending values are below each value by at least a number; shape (points,).

    Differences are rounded to floats before they are compared, as in the definition of a tie.

    Args:
        values: Shape (points,).
        least: The number.
        exclusive: Whether the difference must be greater than the number.

    >>> limits_of(np.array([0.0, 1.0, 2.0, 4.0]), 2.0).tolist()
    [0, 0, 1, 3]
    """
    distinct, starts, inverse = np.unique(values, return_index=True, return_inverse=True)

    def is_apart(index: Indices) -> Bools:
        difference = distinct - distinct[np.clip(index, 0, len(distinct) - 1)]
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
        found: Floats = self.sums[list(SUMS).index(name)][:, None]
        return found


def point_sums(
    points: SortedPoints,
    columns: Codes,
    row_weights: WholeWeights,
    column_weights: WholeWeights,
    wanted: Wanted,
    jobs: int = 1,
) -> PointSums:
    """Sums over the pairs of points in every resample.

    Args:
        points: The points.
        columns: The column of each point, in their order, shape (points,).
        row_weights: Integers, shape (resamples, rows).
        column_weights: Integers, shape (resamples, columns).
        wanted: The sums to compute.
        jobs: The number of threads of the native kernel; sums do not depend on it.
    """
    native, weights = native_points(), (row_weights, column_weights)
    sums = None if native is None else _native_sums(native, points, columns, weights, wanted, jobs)
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
    jobs: int,
) -> Floats | None:
    """Sums with the native kernel; `None` if the weights are too large for it."""
    whole = [np.ascontiguousarray(one, dtype=np.int32) for one in weights]
    resamples = len(whole[0])
    sums = np.zeros((resamples, len(SUMS)), dtype=np.int64)

    def fill(block: slice) -> bool:
        each = (points.codes, points.groups, points.limits, points.rows)
        arrays = [one[block] if one.ndim > 1 else one for one in each]
        found = sums[block]
        return native(*arrays, columns, *(one[block] for one in whole), found, len(found), int(wanted))

    step = RESAMPLES_AT_ONCE * max(1, -(-resamples // (RESAMPLES_AT_ONCE * jobs)))
    blocks = [slice(start, start + step) for start in range(0, resamples, step)]
    if len(blocks) < 2:
        fits = all(map(fill, blocks))
    else:
        with ThreadPoolExecutor(len(blocks)) as threads:
            fits = all(threads.map(fill, blocks))
    return sums.T.astype(np.float64) if fits else None


def _blocks(points: SortedPoints, resamples: int) -> list[slice]:
    step = 1 if points.codes.ndim > 1 else max(1, BLOCK_WEIGHTS // max(1, len(points.codes)))
    return [slice(start, start + step) for start in range(0, resamples, step)]


def _python_sums(
    points: SortedPoints, columns: Codes, weights: tuple[WholeWeights, WholeWeights], wanted: Wanted, block: slice
) -> Floats:
    each = (points.codes, points.groups, points.limits, points.rows)
    codes, groups, limits, rows = (one[block.start] if one.ndim > 1 else one for one in each)
    of_rows, of_columns = (one[block].T.astype(np.float64) for one in weights)
    return weighted_points(codes, groups, limits, of_rows[rows] * of_columns[columns], wanted)
