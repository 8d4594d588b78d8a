"""Least-squares lines through scores, with a bootstrap band."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Floats, Indices

RESAMPLES = 500
MIN_GROUPS = 6
"""Resamples of fewer groups are mostly degenerate."""
_BLOCK = 4_000_000


class Band(NamedTuple):
    """The percentiles of the height of a fitted line.

    Attributes:
        x: Where the line is evaluated, shape (points,).
        lower: The lower percentile, of the same shape.
        upper: The upper percentile.
    """

    x: Floats
    lower: Floats
    upper: Floats


def fit_band(x: Floats, z: Floats, groups: Indices, grid: Floats, confidence: float = 0.95) -> Band | None:
    """Resamples groups of points with replacement, fits z = a + b·x to each resample, and takes percentiles.

    Args:
        x: The first variable, shape (points,), finite.
        z: The second, of the same shape.
        groups: The group of each point, numbered from 0: the inputs at the global level, or clusters of
            them, or each point its own.
        grid: Where to evaluate the lines.
        confidence: The confidence level, a fraction.

    Returns:
        The band; `None` for fewer than six groups, or if x is constant.
    """
    count = int(groups.max(initial=-1)) + 1
    if count < MIN_GROUPS or np.ptp(x) == 0:
        return None
    middle_x, middle_z = x.mean(), z.mean()
    a, b = x - middle_x, z - middle_z
    moments = np.stack([np.bincount(groups, values, count) for values in (np.ones(len(x)), a, b, a * a, a * b)])
    generator = np.random.default_rng(0)
    lines = []
    step = max(1, _BLOCK // count)
    for start in range(0, RESAMPLES, step):
        size = min(step, RESAMPLES - start)
        weights = generator.multinomial(count, np.full(count, 1 / count), size=size)
        n, sum_a, sum_b, squares, products = moments @ weights.T
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = (products - sum_a * sum_b / n) / (squares - sum_a**2 / n)
        lines.append((sum_b / n + middle_z)[:, None] + slope[:, None] * ((grid - middle_x) - (sum_a / n)[:, None]))
    heights = np.concatenate(lines)
    heights = heights[np.isfinite(heights).all(axis=1)]
    if not len(heights):
        return None
    tail = 50 * (1 - confidence)
    lower, upper = np.percentile(heights, [tail, 100 - tail], axis=0)
    return Band(grid, lower, upper)
