"""Coefficients of matrices: `coefficient`, its value in each group of outputs, and in resamples."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.choices import (
    FOLDS,
    INTERVAL_METHODS,
    SIGN_FLIPS,
    CoefficientOptions,
    Level,
    checked_choice,
)
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.coefficients.lookup import checked_coefficient, load_coefficient
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair, Weights, as_matrices, checked_scores
from metrics_framework.meta_evaluation.intervals import Interval, IntervalRequest, shared_intervals
from metrics_framework.significance.clusters import shared_labels


def coefficient(
    human: Any,
    metric: Any,
    name: str,
    *,
    level: Level = "global",
    epsilon: float = 0.0,
    sign_flips: int = SIGN_FLIPS,
    ci: str = "default",
    confidence: float = 95,
    resamples: int = 1000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
    threshold: float | None = None,
    folds: int = FOLDS,
    draws: bool = False,
) -> Interval:
    """Computes how well a metric agrees with human scores, with its p-value and its confidence interval.

    Args:
        human: The human scores, shape (systems, inputs), NaN where missing; or a vector of points.
        metric: The scores of the metric, of the same shape; an output counts if it has both scores. At the level
            ``system``, the two may have different inputs of the same systems, whose means are correlated.
        name: The coefficient; ``fw list coefficients`` shows all.
        level: The level: at levels ``input`` and ``within-system``, the mean over the groups where the coefficient is
            defined (``kendall-like`` pools their pairs). Coefficients with a single level ignore the default. Vectors
            are correlated as the means of systems are.
        epsilon: The largest difference of the metric that is a tie; for a coefficient with a threshold, the least
            difference of human scores that counts. ``acc-eq`` calibrates ε on the data.
        sign_flips: The number of sign flips of ``spa``.
        ci: The interval: a name of `INTERVAL_METHODS`, ``default`` for the one that covers best, or ``none``.
        confidence: The confidence level, in percent or as a fraction.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap and of the sign flips.
        clusters: The cluster of each input, such as its document; clusters are drawn and left out as a whole.
        threshold: The score from which on ``f1`` and ``mcc`` call outputs good; by default, it is cross-fitted.
        folds: The number of folds of inputs, or of clusters, of cross-fitting.
        draws: Whether to return the value in each resample, or without each unit.

    Returns:
        The coefficient; NaN where undefined. Averages over groups have no p-value.

    Raises:
        InputError: if an argument is invalid, or the interval is undefined for the coefficient.

    >>> found = coefficient([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 3, 7], "pearson")
    >>> [round(one, 6) for one in (found.value, found.p_value, found.lower, found.upper)]
    [0.776324, 0.069451, -0.095245, 0.974142]
    >>> human = [[3, 1, 4, 1, 5, 2], [2, 2, 3, 3, 4, 1], [5, 3, 4, 2, 5, 4], [1, 2, 2, 1, 3, 1]]
    >>> metric = [[61, 22, 75, 31, 88, 40], [45, 38, 52, 60, 71, 29], [83, 55, 70, 36, 93, 77],
    ...           [30, 41, 35, 18, 66, 15]]
    >>> found = coefficient(human, metric, "pearson", level="input")
    >>> round(found.value, 6), round(found.lower, 6), round(found.upper, 6)
    (0.974258, 0.770756, 0.999042)
    """
    if ci not in ("none", "default"):
        checked_choice(ci, INTERVAL_METHODS, "ci")
    if not isinstance(name, str) and any(isinstance(scores, str) for scores in (human, metric)):
        raise InputError("the order of the arguments is coefficient(human, metric, name), with the name as the third")
    (human, metric), where = as_matrices((human, metric), level)
    if where != level and where not in load_coefficient(name).levels:  # vectors of outputs, not of systems
        human, metric, where = human.T, metric.T, level
    found, at, options = checked_coefficient(name, where, epsilon, sign_flips=sign_flips, seed=seed)
    if threshold is not None and "threshold" not in found.uses:
        raise InputError(f"'threshold' is no option of '{found.name}'")
    options = replace(options, threshold=options.threshold if threshold is None else threshold, folds=folds)
    scores, options, _ = found.prepared(ScorePair(human, metric), options, clusters)
    measured = found.measure(scores, at, options)
    estimate = Interval(measured.value)
    if ci != "none":
        method = found.default_interval(at) if ci == "default" else ci
        request = IntervalRequest(method, confidence, resamples, seed, clusters)
        estimate = shared_intervals([(scores, {(at, name): (found, measured.options)})], request)[0][at, name]
    p_value = found.p_value_at(scores, at, clustered=shared_labels(clusters) is not None)
    return replace(estimate, p_value=p_value, draws=estimate.draws if draws else None)


def group_values(human: Any, metric: Any, name: str, *, level: Level, epsilon: float = 0.0) -> Floats:
    """Computes a coefficient in each group of outputs.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape; an output counts if it has both scores.
        name: The coefficient; ``spa`` has its default draws, ``acc-eq`` one ε for all groups.
        level: The level.
        epsilon: As in `coefficient`.

    Returns:
        Shape (inputs,) at the level ``input``, (systems,) at ``within-system``, otherwise, and for coefficients that
        are no averages over groups, (1,). NaN where undefined: in groups with fewer than two outputs or a constant
        score. Accuracies and ``tau-23`` are defined in constant groups, and ``kendall-like`` if the human scores are
        not constant.

    Raises:
        InputError: if an argument is invalid.

    >>> group_values([[1, 2, 3], [4, 5, 6]], [[2, 1, 4], [3, 3, 4]], "pearson", level="input").tolist()
    [1.0, 1.0, nan]
    """
    found, scores, at, options = _fitted(human, metric, name, level, epsilon)
    return found.group_values(scores, at, options)


def _fitted(
    human: Any, metric: Any, name: str, level: str, epsilon: float
) -> tuple[Coefficient, ScorePair, Level, CoefficientOptions]:
    """Returns a coefficient, and its scores, level and options with what is fitted to the data."""
    found, at, options = checked_coefficient(name, level, epsilon)
    scores, options, _ = found.prepared(ScorePair(human, metric), options)
    return found, scores, at, found.fitted(scores, at, options)[0]


def group_weights(human: Any, metric: Any, name: str, *, level: Level, epsilon: float = 0.0) -> Floats:
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
    found, scores, at, options = _fitted(human, metric, name, level, epsilon)
    return found.group_weights(scores, at, options)


def resampled(
    human: Any, metric: Any, name: str, *, level: str, rows: Any, columns: Any, epsilon: float = 0.0
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
    found, scores, at, options = _fitted(human, metric, name, level, epsilon)
    weights = _checked_weights(rows, "rows", scores.shape[0]), _checked_weights(columns, "columns", scores.shape[1])
    if len({len(one) for one in weights if one is not None}) > 1:
        raise InputError("'rows' and 'columns' must have one row for each resample, the same number of both")
    return found.resampled(scores, at, *weights, options)


def _checked_weights(weights: Any, argument: str, size: int) -> Weights:
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
