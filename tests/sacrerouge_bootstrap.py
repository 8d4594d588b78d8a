"""The resamples of SacreROUGE from its draws of rows and columns, to compare with its recorded results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from coefficient_values import coefficient

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.meta_evaluation import resampled

COEFFICIENTS = ("pearson", "spearman", "kendall")

Draw: TypeAlias = "Indices | None"
Resample: TypeAlias = "tuple[Draw, Draw]"
"""The indices of the rows and columns drawn; `None` if all are kept."""


def percentile_interval(values: Floats, tail: float) -> tuple[float, float]:
    """Returns the percentiles of the defined values of resamples, shape (resamples,)."""
    lower, upper = np.percentile(values[~np.isnan(values)], [100 * tail, 100 * (1 - tail)])
    return float(lower), float(upper)


def bootstrap(x: Floats, z: Floats, resamples: Sequence[Resample], level: str, name: str) -> Floats:
    """Computes a coefficient in every resample.

    Means of systems are tied if they are equal floats, summed over the drawn inputs in the order drawn; in the package,
    also if they differ only by rounding (decision 0012).

    Args:
        x: The first metric, shape (systems, inputs); NaN where missing, in the same cells as z.
        z: The second, of the same shape.
        resamples: The draws; either all or none of them draw rows, and likewise columns.
        level: The level.
        name: The coefficient.

    Returns:
        Shape (resamples,), NaN where undefined.
    """
    if level == "system":
        return np.array([_of_copies(x, z, draw, name) for draw in resamples])
    rows, columns = (_weights(draws, size) for draws, size in zip(zip(*resamples, strict=True), x.shape, strict=True))
    return resampled(x, z, name, level=level, rows=rows, columns=columns)


def _of_copies(x: Floats, z: Floats, draw: Resample, name: str) -> float:
    """Copies the drawn rows and columns, averages the copies, and compares the resulting floats."""
    rows, columns = draw
    means = []
    for scores in (x, z):
        drawn = scores if rows is None else scores[rows]
        drawn = drawn if columns is None else drawn[:, columns]
        empty = np.isnan(drawn).all(axis=1)
        # Removing empty rows changes the memory layout and so the order of the sum; do it only where necessary.
        drawn = drawn[~empty] if empty.any() else drawn
        means.append(np.nansum(drawn, axis=1) / (~np.isnan(drawn)).sum(axis=1))
    return coefficient(*(one[None] for one in means), name)


def _weights(draws: Sequence[Draw], size: int) -> Floats | None:
    counts = [np.bincount(draw, minlength=size) for draw in draws if draw is not None]
    return np.array(counts, dtype=np.float64) if counts else None
