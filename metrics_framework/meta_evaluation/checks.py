"""Checks of the arguments of public functions on matrices of scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError


def checked_scores(values: Any, argument: str) -> Floats:
    """Converts scores to a matrix of floats.

    Args:
        values: An array-like, shape (systems, inputs); NaN where missing.
        argument: The name of the argument, for error messages.

    Raises:
        InputError: if the values are not a matrix of numbers, or one of them is infinite.

    >>> checked_scores([[1, None], [2, 3]], "human").tolist()
    [[1.0, nan], [2.0, 3.0]]
    """
    try:
        given = np.ma.filled(values.astype(float), np.nan) if np.ma.isMaskedArray(values) else np.asarray(values)
        if given.dtype.kind not in "biufO":
            raise ValueError(f"its type is {given.dtype}")
        matrix = given.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"'{argument}' must be a matrix of numbers with NaN for missing ones: {error}") from None
    if matrix.ndim != 2:
        raise InputError(
            f"'{argument}' must have the shape (systems, inputs), got {matrix.shape}; "
            "pass two vectors of outputs as matrices with one row, [x] and [y]"
        )
    if np.isinf(matrix).any():
        raise InputError(f"'{argument}' must be finite, or NaN where missing, got infinite values")
    return matrix


def checked_pair(human: Any, metric: Any) -> tuple[Floats, Floats]:
    """Converts two matrices of scores, and makes both NaN where one of them is.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.

    Raises:
        InputError: if a matrix is invalid, or their shapes differ.
    """
    x, z = checked_scores(human, "human"), checked_scores(metric, "metric")
    if x.shape != z.shape:
        raise InputError(f"'human' and 'metric' must have the same shape, got {x.shape} and {z.shape}")
    missing = np.isnan(x) | np.isnan(z)
    return np.where(missing, np.nan, x), np.where(missing, np.nan, z)
