"""Sums over pairs of many points, for many vectors of weights, in O(n log n) each: sorted points and the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from metrics_framework.kernels.dispatch import native_points
from metrics_framework.kernels.python.weighted_points import SUMS, weighted_points
from metrics_framework.meta_evaluation.coefficients.weighted_pairs import PairSums, Ties
from metrics_framework.significance.arrays import Bools, Floats, Indices

Codes: TypeAlias = "npt.NDArray[np.int32]"

BLOCK_WEIGHTS = 1 << 21
"""The largest number of weights of points in memory without the native kernel."""


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
        if ties == Ties():
            limits = _starts(groups)
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


def _starts(groups: Codes) -> Codes:
    """Returns the position of the first point of the group of each point."""
    positions = np.broadcast_to(np.arange(groups.shape[-1], dtype=np.int32), groups.shape).copy()
    positions[..., 1:][groups[..., 1:] == groups[..., :-1]] = 0
    starts: Codes = np.maximum.accumulate(positions, axis=-1)
    return starts


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
        sums: Shape (11, resamples).
        by_human: Whether points are sorted by the human scores.
    """

    sums: Floats
    by_human: bool

    def __getitem__(self, name: str) -> Floats:
        found: Floats = self.sums[SUMS.index(name)]
        return found

    def pair_sums(self) -> PairSums:
        """Returns the sums that coefficients of pairs follow from."""
        untied = self["less"] + self["greater"]
        untied_sorted = untied + self["equal"]
        untied_other = (self["points"] ** 2 - self["squares_codes"]) / 2
        return PairSums(
            self["points"],
            untied_human=untied_sorted if self.by_human else untied_other,
            untied_metric=untied_other if self.by_human else untied_sorted,
            untied=untied,
            surplus=self["less"] - self["greater"],
            distinct=np.minimum(self["distinct_codes"], self["distinct_groups"]),
        )

    def coefficients(self, names: Sequence[str]) -> dict[str, Floats]:
        """Returns the values of ``spearman`` and coefficients of pairs, shape (resamples,); NaN where undefined."""
        pairs = self.pair_sums()
        return {name: self.spearman() if name == "spearman" else pairs.coefficient(name) for name in names}

    def spearman(self) -> Floats:
        """Returns Spearman's ρ; NaN if a variable is constant."""
        constant = (self["distinct_codes"] < 2) | (self["distinct_groups"] < 2)
        with np.errstate(invalid="ignore", divide="ignore"):
            rho = self["rank_products"] / np.sqrt(self["rank_codes"] * self["rank_groups"])
        return np.where(constant, np.nan, np.clip(rho, -1, 1))


def point_sums(points: SortedPoints, columns: Codes, row_weights: Floats, column_weights: Floats) -> PointSums:
    """Sums over the pairs of points in every resample.

    Args:
        points: The points.
        columns: The column of each point, in their order, shape (points,).
        row_weights: Integers, shape (resamples, rows).
        column_weights: Integers, shape (resamples, columns).
    """
    native = native_points()
    resamples = len(row_weights)
    sums = np.zeros((resamples, len(SUMS)), dtype=np.int64)
    arrays: list[Any] = [points.codes, points.groups, points.limits, points.rows, columns]
    arrays += [np.ascontiguousarray(one, dtype=np.int32) for one in (row_weights, column_weights)]
    if not resamples or (native is not None and native(*arrays, sums, resamples)):
        return PointSums(sums.T.astype(np.float64), points.by_human)
    blocks = _blocks(points, resamples)
    parts = [_python_sums(points, columns, row_weights, column_weights, block) for block in blocks]
    return PointSums(np.concatenate(parts, axis=1), points.by_human)


def _blocks(points: SortedPoints, resamples: int) -> list[slice]:
    step = 1 if points.codes.ndim > 1 else max(1, BLOCK_WEIGHTS // max(1, len(points.codes)))
    return [slice(start, start + step) for start in range(0, resamples, step)]


def _python_sums(
    points: SortedPoints, columns: Codes, row_weights: Floats, column_weights: Floats, block: slice
) -> Floats:
    each = (points.codes, points.groups, points.limits, points.rows)
    codes, groups, limits, rows = (one[block.start] if one.ndim > 1 else one for one in each)
    weights = row_weights[block].T[rows] * column_weights[block].T[columns]
    return weighted_points(codes, groups, limits, weights)
