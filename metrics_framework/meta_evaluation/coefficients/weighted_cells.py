"""Correlation coefficients over all cells of two matrices, for many resamples of rows and columns in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from metrics_framework.meta_evaluation.coefficients.weighted_coefficients import (
    CANCELLATION,
    centred,
    ratio,
    rowwise_pearson,
)
from metrics_framework.meta_evaluation.coefficients.weighted_pairs import Ties, grouped_by_ties
from metrics_framework.meta_evaluation.coefficients.weighted_points import Codes, SortedPoints, point_sums
from metrics_framework.significance.arrays import Floats


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
    values = {}
    for ties, group in grouped_by_ties(names, epsilon, of_ranks=True).items():
        points, columns_of = cells.sorted_points(ties)
        sums = point_sums(points, columns_of, rows, columns)
        values.update(sums.coefficients(group))
    if "pearson" in names:
        values["pearson"] = _pearson(cells, rows, columns)
    return values


def _pearson(cells: Cells, rows: Floats, columns: Floats) -> Floats:
    """Computes Pearson's r from products of moment matrices with the weights."""
    present = ~np.isnan(cells.human)
    a, b = centred(cells.human, None), centred(cells.metric, None)
    total, sum_a, sum_b, aa, bb, ab = (
        ((rows @ one) * columns).sum(axis=1) for one in (present, a, b, a * a, b * b, a * b)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        xx, zz, xz = aa - sum_a**2 / total, bb - sum_b**2 / total, ab - sum_a * sum_b / total
        r = ratio(xz, np.maximum(xx, 0), np.maximum(zz, 0))
    # A constant has lost all digits of its variance, so it is among the imprecise ones.
    for resample in np.flatnonzero(~((xx > CANCELLATION * aa) & (zz > CANCELLATION * bb))):
        weights = rows[resample, :, None] * columns[resample] * present
        r[resample] = rowwise_pearson(*(one.reshape(1, -1) for one in (cells.human, cells.metric, weights)))[0]
    clipped: Floats = np.clip(r, -1, 1)
    return clipped
