"""Tie calibration: the ε up to which differences of a metric count as ties, chosen to make it agree best with people.

Source: Deutsch, Foster and Freitag (2023), "Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie
Calibration", with all pairs (a sample rate of 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.checks import checked_pair
from metrics_framework.meta_evaluation.choices import checked_choice
from metrics_framework.meta_evaluation.coefficients.accuracy_curves import (
    AccuracyCurve,
    PairChanges,
    accuracy_curve_of,
    calibrated_curve,
)
from metrics_framework.meta_evaluation.grouping import groups_of
from metrics_framework.meta_evaluation.levels import LEVELS, Level
from metrics_framework.meta_evaluation.sums.pair_sums import Ties
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair


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
    return calibrated(ScorePair(human, metric), checked_choice(level, LEVELS, "level"))


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


def calibrated(scores: ScorePair, level: Level) -> Calibration:
    """Chooses ε on the groups of a level, as `calibrate` does."""
    curve = calibrated_curve(PairChanges(*groups_of(scores.human, scores.metric, level)))
    if not len(curve.epsilon):
        return Calibration(*[math.nan] * 5)
    epsilon, accuracy = curve.first_maximum()
    tied_human, tied_metric, totals = _tied_pairs(scores, level, epsilon)
    compared = totals > 0
    return Calibration(
        epsilon=epsilon,
        accuracy=accuracy,
        accuracy_at_zero=float(curve.accuracy[0]),
        accuracy_all_tied=float((tied_human[compared] / totals[compared]).mean()),
        tied=float(tied_metric.sum() / totals.sum()),
    )


def _tied_pairs(scores: ScorePair, level: Level, epsilon: float) -> tuple[Floats, Floats, Floats]:
    """Counts the pairs tied in the human scores, those tied in the metric, and all pairs of each group."""
    blocks = [groups.pair_sums(Ties(epsilon)) for _, groups in scores.groups(level, None, None)]
    totals, human, metric = (
        np.concatenate([np.empty(0), *(getattr(sums, name)[0] for sums in blocks)])
        for name in ("total", "untied_human", "untied_metric")
    )
    return totals - human, totals - metric, totals
