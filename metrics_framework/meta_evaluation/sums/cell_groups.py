"""`CellSums`: all cells of two matrices as one group, for many resamples of rows and columns in one pass."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.kernels.python.weighted_points import Wanted
from metrics_framework.meta_evaluation.sums.groups import Weighted, WeightedGroups, filled
from metrics_framework.meta_evaluation.sums.moments import pearson_of_cells
from metrics_framework.meta_evaluation.sums.pair_sums import EQUAL, PairSums, Ties
from metrics_framework.meta_evaluation.sums.points import Codes, PointSums, SortedPoints, point_sums


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
