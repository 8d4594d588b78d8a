"""`Rows`: one group of points in each resample, whose scores differ from resample to resample."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.kernels.python.weighted_points import Wanted
from metrics_framework.meta_evaluation.sums.groups import Weighted, WeightedGroups, filled
from metrics_framework.meta_evaluation.sums.moments import BLOCK_BYTES, pearson_of_rows, ratio
from metrics_framework.meta_evaluation.sums.pair_sums import EQUAL, PairSums, Ties
from metrics_framework.meta_evaluation.sums.points import PointSums, SortedPoints, point_sums

MAX_POINTS_OF_PAIRS = 24
"""Up to this many points, all pairs are compared; more are sorted."""

NUMBERS_OF_A_SORTED_POINT = 16
"""Memory for sorting a point, in numbers."""


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
        distinct = [_distinct(values, self._weights) for values in (self._human, self._metric)]
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


def _distinct(values: Floats, weights: Floats) -> Floats:
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
