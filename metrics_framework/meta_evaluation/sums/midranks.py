"""Mid-ranks: equal values share the mean of their ranks."""

from __future__ import annotations

import numpy as np

from metrics_framework.common.arrays import Floats


def row_ranks(values: Floats) -> Floats:
    """Ranks the values of each row from 1; ties get the mean of their ranks, NaN stays NaN.

    Args:
        values: Shape (groups, outputs).

    >>> row_ranks(np.array([[10.0, 30, 20, 20], [5, np.nan, 4, 4]])).tolist()
    [[1.0, 4.0, 2.5, 2.5], [3.0, nan, 1.5, 1.5]]
    """
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    positions = np.broadcast_to(np.arange(values.shape[1]), values.shape)
    new = np.ones(values.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    last = np.ones(values.shape, dtype=bool)
    last[:, :-1] = new[:, 1:]
    starts = np.maximum.accumulate(np.where(new, positions, 0), axis=1)
    ends = np.minimum.accumulate(np.where(last, positions, values.shape[1])[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (starts + ends) / 2 + 1, axis=1)
    ranks[np.isnan(values)] = np.nan
    return ranks
