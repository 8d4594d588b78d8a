"""Tie calibration: the ε up to which differences of a metric count as ties, chosen to make it agree best with people.

Source: Deutsch, Foster and Freitag (2023), "Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie
Calibration", with all pairs (a sample rate of 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_framework.meta_evaluation.coefficients.checks import checked_choice, checked_pair
from metrics_framework.meta_evaluation.coefficients.group_pairs import group_pairs, pair_blocks, pair_differences
from metrics_framework.meta_evaluation.coefficients.grouping import groups_of
from metrics_framework.meta_evaluation.names import LEVELS, Level
from metrics_framework.significance.arrays import Floats

ROUNDING = 1e-12
"""Accuracies that differ by no more than this are equal; the smallest ε that reaches the maximum is chosen."""


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


@dataclass(frozen=True)
class AccuracyCurve:
    """The mean accuracy over groups as ε grows.

    Args:
        epsilon: 0 and every difference of the metric at which the accuracy changes, ascending, shape (points,).
        accuracy: The accuracy at each ε.
    """

    epsilon: Floats
    accuracy: Floats


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


def calibrated_groups(human: Floats, metric: Floats) -> Calibration:
    """Chooses ε on groups.

    Args:
        human: The human scores, shape (groups, outputs); NaN where missing, in the same cells as the metric.
        metric: The scores of the metric, of the same shape.
    """
    curve = curve_of_groups(human, metric)
    if not len(curve.epsilon):
        return Calibration(*[math.nan] * 5)
    best = int(np.argmax(curve.accuracy >= curve.accuracy.max() - ROUNDING))
    epsilon = float(curve.epsilon[best])
    pairs = group_pairs(human, metric, epsilon)
    compared = pairs.total > 0
    return Calibration(
        epsilon=epsilon,
        accuracy=float(curve.accuracy[best]),
        accuracy_at_zero=float(curve.accuracy[0]),
        accuracy_all_tied=float((pairs.tied_human[compared] / pairs.total[compared]).mean()),
        tied=float(pairs.tied_metric.sum() / pairs.total.sum()),
    )


def curve_of_groups(human: Floats, metric: Floats) -> AccuracyCurve:
    """Computes the mean accuracy over groups at every ε at which it changes.

    The accuracy at ε is that of concordant pairs that differ by more than ε, plus that of pairs tied in the human
    scores that differ by at most ε.

    Args:
        human: The human scores, shape (groups, outputs); NaN where missing, in the same cells as the metric.
        metric: The scores of the metric, of the same shape.
    """
    sizes = (~np.isnan(human)).sum(axis=1)
    totals = (sizes * (sizes - 1) // 2)[sizes > 1]
    if not len(totals):
        return AccuracyCurve(np.empty(0), np.empty(0))
    equal = bool((totals == totals[0]).all())
    # Equal weights are added as integers, others in extended precision: sums of many must not differ by rounding.
    weights = (
        np.ones(len(sizes), np.int64) if equal else 1 / np.maximum(sizes * (sizes - 1) // 2, 1).astype(np.longdouble)
    )
    differences, changes = [np.zeros(1)], [np.zeros(1, weights.dtype)]
    concordant_weight = weights[:0].sum()
    for block in pair_blocks(human.shape):
        h, m = pair_differences(human[block]), pair_differences(metric[block])
        tied = h == 0
        concordant = ((h > 0) & (m > 0)) | ((h < 0) & (m < 0))
        weight = weights[block]
        differences += [np.abs(m[tied]), np.abs(m[concordant])]
        counts = np.count_nonzero(tied, axis=1), np.count_nonzero(concordant, axis=1)
        changes += [np.repeat(weight, counts[0]), -np.repeat(weight, counts[1])]
        concordant_weight += (weight * counts[1]).sum()
    every = np.concatenate(differences)
    order = np.argsort(every)
    ordered = every[order]
    accuracy = concordant_weight + np.cumsum(np.concatenate(changes)[order])
    last = np.append(ordered[1:] != ordered[:-1], True)
    scale = len(totals) * (int(totals[0]) if equal else 1)
    return AccuracyCurve(ordered[last], (accuracy[last] / scale).astype(np.float64))
