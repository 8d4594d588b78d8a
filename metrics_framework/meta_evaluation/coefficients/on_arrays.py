"""Coefficients of matrices: `coefficient`, and its value in each group of outputs."""

from __future__ import annotations

from typing import Any

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.choices import SIGN_FLIPS
from metrics_framework.meta_evaluation.coefficients.lookup import checked_coefficient
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair


def coefficient(
    human: Any,
    metric: Any,
    name: str,
    *,
    level: Level = "global",
    epsilon: float = 0.0,
    sign_flips: int = SIGN_FLIPS,
    seed: int = 0,
) -> float:
    """Computes how well a metric agrees with human scores.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape; an output counts if it has both scores.
        name: The coefficient; ``fw list coefficients`` shows all.
        level: The level: at levels ``input`` and ``within-system``, the mean over the groups where the coefficient is
            defined (``kendall-like`` pools their pairs). Coefficients with a single level ignore the default.
        epsilon: The largest difference of the metric that is a tie; for a coefficient with a threshold, the least
            difference of human scores that counts. ``acc-eq`` calibrates ε on the data.
        sign_flips: The number of sign flips of ``spa``.
        seed: The seed of the sign flips.

    Returns:
        The coefficient; NaN if undefined.

    Raises:
        InputError: if an argument is invalid.

    >>> round(coefficient([[1, 2, 3], [4, 5, 6]], [[2, 1, 4], [3, 3, 7]], "kendall-b"), 9)
    0.552052447
    """
    found, at, options = checked_coefficient(name, level, epsilon, sign_flips=sign_flips, seed=seed)
    return found.measure(ScorePair(human, metric), at, options).value


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
    found, at, options = checked_coefficient(name, level, epsilon)
    scores = ScorePair(human, metric)
    return found.group_values(scores, at, found.fitted(scores, at, options)[0])


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
    found, at, options = checked_coefficient(name, level, epsilon)
    scores = ScorePair(human, metric)
    return found.group_weights(scores, at, found.fitted(scores, at, options)[0])
