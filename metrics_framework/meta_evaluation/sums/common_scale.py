"""Scores of different metrics on one scale, so that they can be swapped."""

from __future__ import annotations

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.sums.large_values import scaled_down


def standardized(values: Floats) -> Floats:
    """Subtracts the mean of all cells and divides by their standard deviation (population), so that scales are equal.

    >>> standardized(np.array([[1.0, 3.0, np.nan]])).tolist()
    [[-1.0, 1.0, nan]]
    """
    present = ~np.isnan(values)
    if not present.any():
        return values
    scaled = scaled_down(values)
    centred = scaled - scaled[present].mean()
    largest = float(np.abs(centred[present]).max())
    if not largest:
        return np.asarray(centred)
    centred = centred / largest
    return np.asarray(centred / np.sqrt((centred[present] ** 2).mean()))


def scale_of(values: Floats) -> float:
    """Returns the standard deviation of all cells (population); infinite if it exceeds the largest float.

    >>> scale_of(np.array([[1.0, 3.0, np.nan]]))
    1.0
    """
    present = values[~np.isnan(values)]
    largest = float(np.abs(present).max(initial=0))
    with np.errstate(over="ignore"):
        return float((present / largest).std() * largest) if largest else 0.0
