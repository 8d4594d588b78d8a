"""Every coefficient at every level: its value in each group of outputs, and the mean over groups."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from metrics_framework.meta_evaluation.coefficients.calibration import calibrated_groups
from metrics_framework.meta_evaluation.coefficients.checks import checked_coefficient, checked_pair
from metrics_framework.meta_evaluation.coefficients.group_pairs import (
    group_pairs,
    kendall_c,
    kendall_like,
    kendall_values,
)
from metrics_framework.meta_evaluation.coefficients.grouping import groups_of
from metrics_framework.meta_evaluation.coefficients.row_correlations import (
    pairwise_difference_pearson,
    row_pearson,
    row_spearman,
)
from metrics_framework.meta_evaluation.coefficients.soft_pairwise import soft_pairwise_accuracy
from metrics_framework.meta_evaluation.names import Coefficient, Level
from metrics_framework.significance.arrays import Floats


def coefficient(
    human: Any,
    metric: Any,
    name: Coefficient,
    *,
    level: Level = "global",
    epsilon: float = 0.0,
    resamples: int = 1000,
    seed: int = 0,
) -> float:
    """Computes how well a metric agrees with human scores.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape; an output counts if it has both scores.
        name: The coefficient.
        level: The level: at levels ``input`` and ``within-system``, the mean over the groups where the coefficient is
            defined (``kendall-like`` pools their pairs). Coefficients with a single level (``spa``, ``spa:normal``,
            ``pairwise-accuracy``, ``pdp``) ignore the default.
        epsilon: The largest difference of the metric that is a tie; for ``kendall-like``, the least difference of
            human scores that counts. ``acc-eq`` calibrates it on the data.
        resamples: The number of sign flips of ``spa``.
        seed: The seed of ``spa``.

    Returns:
        The coefficient; NaN if undefined.

    Raises:
        InputError: if an argument is invalid.

    >>> round(coefficient([[1, 2, 3], [4, 5, 6]], [[2, 1, 4], [3, 3, 7]], "kendall-b"), 9)
    0.552052447
    """
    checked, at = checked_coefficient(name, level, epsilon)
    x, z = checked_pair(human, metric)
    if checked == "spa":
        return soft_pairwise_accuracy(x, z, resamples=resamples, seed=seed).value
    values = _values(x, z, checked, at, epsilon)
    return weighted_mean(values, _weights(x, z, checked, at, epsilon))


def group_values(human: Any, metric: Any, name: Coefficient, *, level: Level, epsilon: float = 0.0) -> Floats:
    """Computes a coefficient in each group of outputs.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape; an output counts if it has both scores.
        name: The coefficient; ``spa`` has its default draws, ``acc-eq`` one ε for all groups.
        level: The level.
        epsilon: As in `coefficient`.

    Returns:
        Shape (inputs,) at the level ``input``, (systems,) at ``within-system``, otherwise and for ``pdp`` (1,). NaN
        where undefined: in groups with fewer than two outputs or a constant score. Accuracies and ``tau-23`` are
        defined in constant groups, and ``kendall-like`` if the human scores are not constant.

    Raises:
        InputError: if an argument is invalid.

    >>> group_values([[1, 2, 3], [4, 5, 6]], [[2, 1, 4], [3, 3, 4]], "pearson", level="input").tolist()
    [1.0, 1.0, nan]
    """
    checked, at = checked_coefficient(name, level, epsilon)
    return _values(*checked_pair(human, metric), checked, at, epsilon)


def group_weights(human: Any, metric: Any, name: Coefficient, *, level: Level, epsilon: float = 0.0) -> Floats:
    """Returns the weight of each group in the coefficient, which is the weighted mean of the defined values.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        name: The coefficient.
        level: The level.
        epsilon: As in `coefficient`.

    Returns:
        The shape of `group_values`. All weights are 1 but those of ``kendall-like``, the numbers of pairs that count,
        which depend on the human scores only: it pools the pairs of all groups.

    Raises:
        InputError: if an argument is invalid.

    >>> group_weights([[1, 2], [4, 2], [1, 2]], [[2, 1], [3, 3], [4, 5]], "kendall-like", level="input").tolist()
    [2.0, 0.0]
    """
    checked, at = checked_coefficient(name, level, epsilon)
    return _weights(*checked_pair(human, metric), checked, at, epsilon)


def weighted_mean(values: Floats, weights: Floats) -> float:
    """Averages the values that are not NaN; NaN if their weights add up to 0."""
    defined = ~np.isnan(values) & (weights > 0)
    return float(np.average(values[defined], weights=weights[defined])) if defined.any() else math.nan


def _weights(human: Floats, metric: Floats, name: Coefficient, level: Level, epsilon: float) -> Floats:
    if name == "kendall-like":
        return kendall_like(*groups_of(human, metric, level), epsilon)[1]
    if name == "pdp" or level in ("system", "global"):
        return np.ones(1)
    return np.ones(human.shape[1] if level == "input" else human.shape[0])


def _values(human: Floats, metric: Floats, name: Coefficient, level: Level, epsilon: float) -> Floats:
    if name in ("spa", "spa:normal"):
        return np.array([soft_pairwise_accuracy(human, metric, normal=name == "spa:normal").value])
    groups = groups_of(human, metric, level)
    if name == "pdp":
        return np.array([pairwise_difference_pearson(*groups)])
    if name == "pearson":
        return row_pearson(*groups)
    if name == "spearman":
        return row_spearman(*groups)
    if name == "kendall-c":
        return kendall_c(*groups)
    if name == "kendall-like":
        return kendall_like(*groups, epsilon)[0]
    if name == "acc-eq":
        epsilon = calibrated_groups(*groups).epsilon
    return kendall_values(name, group_pairs(*groups, epsilon))
