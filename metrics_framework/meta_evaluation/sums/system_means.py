"""The mean scores of systems, in which means that differ only by rounding are equal (decision 0012).

The means of equal scores can differ in their last digits, because a sum of floats depends on its order, and a
coefficient of ranks would take such a difference for a preference.
"""

from __future__ import annotations

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.sums.large_values import row_means, weighted_row_means

EPSILON = float(np.finfo(np.float64).eps)


def system_means(values: Floats) -> Floats:
    """Averages the scores of each system; means that differ only by rounding become equal.

    Args:
        values: Shape (systems, inputs); NaN where missing.

    Returns:
        Shape (systems,); NaN for a system without scores.

    >>> means = system_means(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [1e13, 1e13, 1e13]]))
    >>> bool(means[0] == means[1]), float(means[2])
    (True, 10000000000000.0)
    """
    counts = (~np.isnan(values)).sum(axis=1)
    return without_rounding(row_means(values), _rounding(row_means(np.abs(values)), counts))


def weighted_system_means(values: Floats, weights: Floats) -> Floats:
    """Averages the scores of each system in every resample; means that differ only by rounding become equal.

    Args:
        values: Shape (systems, inputs); NaN where missing.
        weights: Integers, shape (resamples, inputs).

    Returns:
        Shape (resamples, systems); NaN where a system has no score.
    """
    counts = weights @ (~np.isnan(values)).T
    rounding = _rounding(weighted_row_means(np.abs(values), weights), counts)
    return without_rounding(weighted_row_means(values, weights), rounding)


def _rounding(sizes: Floats, counts: Floats) -> Floats:
    """Bounds the rounding error of means: (4 + √n)·ε·Σ|x|/n.

    The first part covers the decimals of the scores, which floats represent inexactly; the second the n additions,
    whose errors grow like a random walk (Higham and Mary 2019, "A New Approach to Probabilistic Rounding Error
    Analysis").

    Args:
        sizes: The means of the absolute scores.
        counts: The numbers of scores.
    """
    bounds: Floats = EPSILON * (4 + np.sqrt(counts)) * sizes
    return bounds


def without_rounding(means: Floats, rounding: Floats) -> Floats:
    """Makes neighbours in each row equal that differ by no more than the sum of their rounding errors.

    Each pair is judged by the errors of its two means, so that one huge mean does not tie the rest.

    Args:
        means: Shape (…, systems); NaN where undefined.
        rounding: The bounds of their rounding errors, of the same shape.

    >>> without_rounding(np.array([0.1 + 0.2, np.nan, 0.3, 1e13]), np.array([1e-15, np.nan, 1e-15, 0.01])).tolist()
    [0.3, nan, 0.3, 10000000000000.0]
    """
    order = np.argsort(means, axis=-1)
    ordered = np.take_along_axis(means, order, axis=-1)
    bounds = np.take_along_axis(rounding, order, axis=-1)
    with np.errstate(over="ignore", invalid="ignore"):
        tied = np.diff(ordered, axis=-1) <= bounds[..., 1:] + bounds[..., :-1]
    if not tied.any():
        return means
    positions = np.broadcast_to(np.arange(means.shape[-1]), means.shape).copy()
    positions[..., 1:][tied] = 0
    representatives = np.take_along_axis(ordered, np.maximum.accumulate(positions, axis=-1), axis=-1)
    equal = np.empty_like(means)
    np.put_along_axis(equal, order, representatives, axis=-1)
    return equal
