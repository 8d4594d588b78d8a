"""Tie calibration: the ε up to which differences of a metric count as ties, chosen to make it agree best with people.

Source: Deutsch, Foster and Freitag (2023), "Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie
Calibration", with all pairs (a sample rate of 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.coefficients.accuracy_curves import (
    AccuracyCurve,
    PairChanges,
    accuracy_curve_of,
    calibrated_curve,
)
from metrics_framework.meta_evaluation.coefficients.checks import checked_choice, checked_pair
from metrics_framework.meta_evaluation.coefficients.group_pairs import group_pairs, kendall_values
from metrics_framework.meta_evaluation.coefficients.grouping import groups_of
from metrics_framework.meta_evaluation.names import LEVELS, Level
from metrics_framework.significance.arrays import Floats


@dataclass(frozen=True)
class Calibration:
    """The ε that maximizes the mean accuracy of a metric over groups of outputs; all numbers are NaN if undefined.

    Args:
        epsilon: The largest difference of the metric that is a tie.
        accuracy: The accuracy at that ε, acc-eq.
        accuracy_at_zero: The accuracy if only equal scores are ties.
        accuracy_all_tied: The accuracy if all outputs are tied: the share of pairs tied in the human scores.
        tied: The share of all pairs of outputs that ε ties.
    """

    epsilon: float
    accuracy: float
    accuracy_at_zero: float
    accuracy_all_tied: float
    tied: float


def calibrate(human: Any, metric: Any, *, level: Level = "input") -> Calibration:
    """Chooses the ε of acc-eq: the first maximum of the mean of (C + T_hm) / T over groups of two or more outputs.

    Candidates are 0 and the differences of the metric of all pairs of outputs within groups. C counts concordant pairs,
    T_hm pairs tied in the human scores and in the metric, T all pairs. Constant groups count.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        level: What a group is: the outputs for an ``input``, of a system (``within-system``), all (``global``), or the
            means of the systems (``system``).

    Raises:
        InputError: if an argument is invalid.

    >>> human = [[1, 2, 3, 4], [2, 2, 5, 3], [4, 1, 3, 3]]
    >>> metric = [[0.1, 0.4, 0.35, 0.8], [0.3, 0.2, 0.9, 0.5], [0.7, 0.1, 0.6, 0.55]]
    >>> found = calibrate(human, metric)
    >>> round(found.epsilon, 9), round(found.accuracy, 9), found.accuracy_at_zero
    (0.05, 0.833333333, 0.75)
    """
    x, z = checked_pair(human, metric)
    return calibrated_groups(*groups_of(x, z, checked_choice(level, LEVELS, "level")))


def accuracy_curve(human: Any, metric: Any, *, level: Level = "input") -> AccuracyCurve:
    """Computes the mean accuracy over groups against ε; its first maximum is the one of `calibrate`.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        level: The level, as in `calibrate`.

    Raises:
        InputError: if an argument is invalid.

    >>> curve = accuracy_curve([[1, 2, 2, 3, 4]], [[2, 1, 1.5, 5, 3]], level="global")
    >>> curve.epsilon.tolist(), curve.accuracy.round(9).tolist()
    ([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 3.5, 4.0], [0.6, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
    """
    x, z = checked_pair(human, metric)
    return accuracy_curve_of(PairChanges(*groups_of(x, z, checked_choice(level, LEVELS, "level"))))


def calibrated_groups(human: Floats, metric: Floats) -> Calibration:
    """Chooses ε on groups.

    Args:
        human: The human scores, shape (groups, outputs); NaN where missing, in the same cells as the metric.
        metric: The scores of the metric, of the same shape.
    """
    curve = calibrated_curve(PairChanges(human, metric))
    if not len(curve.epsilon):
        return Calibration(*[math.nan] * 5)
    epsilon, accuracy = curve.first_maximum()
    pairs = group_pairs(human, metric, epsilon)
    compared = pairs.total > 0
    return Calibration(
        epsilon=epsilon,
        accuracy=accuracy,
        accuracy_at_zero=float(curve.accuracy[0]),
        accuracy_all_tied=float((pairs.tied_human[compared] / pairs.total[compared]).mean()),
        tied=float(pairs.tied_metric.sum() / pairs.total.sum()),
    )


@dataclass(frozen=True)
class CrossFit:
    """The accuracy of a metric with ε calibrated on other inputs than those it is applied to.

    Args:
        accuracy: The mean of the values that are defined; NaN if none is.
        epsilon: The ε of each fold of inputs, calibrated on the other folds; shape (folds,).
        values: The accuracy of each group: at the level ``input`` in the order of the inputs, shape (inputs,), at other
            levels of the groups within each fold, shape (folds, groups).
    """

    accuracy: float
    epsilon: Floats
    values: Floats


def cross_fit(human: Any, metric: Any, *, folds: int, level: Level = "input") -> CrossFit:
    """Computes acc-eq with cross-fitted ε: the input with index j is in the fold j mod K.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        folds: The number of folds K, from 2 to the number of inputs.
        level: The level, as in `calibrate`; groups contain inputs of one fold only.

    Raises:
        InputError: if an argument is invalid.

    >>> human = [[1, 2, 3, 4], [2, 2, 5, 3], [4, 1, 3, 3]]
    >>> metric = [[0.1, 0.4, 0.35, 0.8], [0.3, 0.2, 0.9, 0.5], [0.7, 0.1, 0.6, 0.55]]
    >>> found = cross_fit(human, metric, folds=2)
    >>> found.epsilon.round(9).tolist(), found.values.round(3).tolist()
    ([0.05, 0.0], [1.0, 0.667, 0.667, 0.667])
    """
    x, z = checked_pair(human, metric)
    at = checked_choice(level, LEVELS, "level")
    if not 2 <= folds <= x.shape[1]:
        raise InputError(f"'folds' must be from 2 to the number of inputs, {x.shape[1]}, got {folds}")
    fold_of = np.arange(x.shape[1]) % folds
    epsilons, values = np.full(folds, np.nan), []
    for fold in range(folds):
        held_out = fold_of == fold
        epsilons[fold] = calibrated_groups(*groups_of(x[:, ~held_out], z[:, ~held_out], at)).epsilon
        pairs = group_pairs(*groups_of(x[:, held_out], z[:, held_out], at), epsilons[fold])
        accuracies = kendall_values("acc-23", pairs)
        values.append(accuracies if not np.isnan(epsilons[fold]) else np.full_like(accuracies, np.nan))
    every = (
        np.array(values) if at != "input" else np.concatenate(values)[np.argsort(np.argsort(fold_of, kind="stable"))]
    )
    return CrossFit(float(every[~np.isnan(every)].mean()) if (~np.isnan(every)).any() else math.nan, epsilons, every)
