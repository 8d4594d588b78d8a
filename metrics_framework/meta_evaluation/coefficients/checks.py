"""Checks of the arguments of public functions on matrices of scores."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.common.suggestions import advice
from metrics_framework.meta_evaluation.names import COEFFICIENTS, LEVELS, SINGLE_LEVEL, Coefficient, Level
from metrics_framework.significance.arrays import Floats

Name = TypeVar("Name", bound=str)

EPSILON_NAMES = ("kendall-a", "kendall-b", "tau-23", "acc-23", "pairwise-accuracy", "kendall-like")
"""Coefficients with a threshold: on differences of the metric, for ``kendall-like`` on those of the human scores."""


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


def checked_choice(value: str, choices: tuple[Name, ...], argument: str) -> Name:
    """Returns a value if it is one of the choices.

    Raises:
        InputError: if it is not; the message lists the choices.
    """
    if value not in choices:
        usual = "kendall-b" if value == "kendall" else str(value)  # the variant that most programs call Kendall's τ
        raise InputError(f"'{argument}' must be one of {', '.join(choices)}, got {value!r}{advice(usual, [*choices])}")
    return value


def checked_coefficient(name: str, level: str, epsilon: float = 0.0) -> tuple[Coefficient, Level]:
    """Checks the name of a coefficient, its level and its threshold.

    Returns:
        The name, and the level: of a coefficient that is defined at one level only, that level.

    Raises:
        InputError: if the name or the level is unknown, the coefficient is undefined at the level, or the threshold is
            negative or given for a coefficient without threshold.

    >>> checked_coefficient("spa", "global")
    ('spa', 'system')
    """
    coefficient = checked_choice(name, COEFFICIENTS, "name")
    checked_level = checked_choice(level, LEVELS, "level")
    only = SINGLE_LEVEL.get(coefficient)
    if only and checked_level not in ("global", only):
        raise InputError(f"'{name}' is defined at the {only} level only, got level={level!r}")
    if not (isinstance(epsilon, Real) and epsilon >= 0 and math.isfinite(epsilon)):
        raise InputError(f"'epsilon' must be a number of at least 0, got {epsilon!r}")
    if epsilon and coefficient not in EPSILON_NAMES:
        hint = "; it calibrates epsilon on the data: pass a given one to 'acc-23'" if name == "acc-eq" else ""
        raise InputError(f"'epsilon' must be 0 for '{name}', got {epsilon}{hint}")
    return coefficient, only or checked_level
