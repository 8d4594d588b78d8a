"""Coefficients in many resamples: each resample is a vector of weights of systems, of inputs, or of both."""

from __future__ import annotations

from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.checks import checked_scores
from metrics_framework.meta_evaluation.coefficients.lookup import checked_coefficient
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair, Weights


def resampled(
    human: Any,
    metric: Any,
    name: str,
    *,
    level: str,
    rows: Any,
    columns: Any,
    epsilon: float = 0.0,
) -> Floats:
    """Computes a coefficient in every resample.

    A system of weight 2 is in the resample twice, with the same scores; one of weight 0 is not in it. An ε that is
    calibrated is that of all data.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        name: The coefficient.
        level: The level.
        rows: The weights of systems, integers of shape (resamples, systems); `None` if all systems are kept.
        columns: The weights of inputs, integers of shape (resamples, inputs); `None` if all inputs are kept.
        epsilon: The largest difference of tied scores; for a coefficient with a threshold, that threshold.

    Returns:
        Shape (resamples,); NaN where undefined.

    Raises:
        InputError: if a name is unknown, shapes differ, weights are no integers of at least 0, or both are `None`.

    >>> resampled([[1, 2], [3, 5], [2, 1]], [[1, 3], [2, 4], [4, 2]], "pearson", level="global",
    ...           rows=[[1, 1, 1], [2, 1, 0]], columns=None).round(6).tolist()
    [0.621582, 0.8044]
    """
    if rows is None and columns is None:
        raise InputError("'rows' or 'columns' must be an array of weights, got None for both")
    found, at, options = checked_coefficient(name, level, epsilon)
    scores = ScorePair(human, metric)
    weights = _checked(rows, "rows", scores.shape[0]), _checked(columns, "columns", scores.shape[1])
    if len({len(one) for one in weights if one is not None}) > 1:
        raise InputError("'rows' and 'columns' must have one row for each resample, the same number of both")
    return found.resampled(scores, at, *weights, found.fitted(scores, at, options)[0])


def _checked(weights: Any, argument: str, size: int) -> Weights:
    """Converts weights to floats, shape (resamples, size).

    Raises:
        InputError: if they have another shape, or are no integers of at least 0.
    """
    if weights is None:
        return None
    found = checked_scores(weights, argument)
    if found.shape[1] != size or not ((found >= 0) & (found == np.floor(found))).all():
        raise InputError(
            f"'{argument}' must be integers of at least 0, shape (resamples, {size}); got the shape {found.shape}"
        )
    return found
