"""The value of each coefficient of two scores, with what it reports beside its value: ε, or its Monte-Carlo error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, cast

import numpy as np

from metrics_framework.meta_evaluation.coefficients.calibration import Calibration, calibrate, cross_fit
from metrics_framework.meta_evaluation.coefficients.groups import group_values, group_weights, weighted_mean
from metrics_framework.meta_evaluation.coefficients.soft_pairwise import soft_pairwise_accuracy
from metrics_framework.meta_evaluation.correlation.settings import StudySettings, TieSettings
from metrics_framework.meta_evaluation.names import Coefficient, Level, Stream
from metrics_framework.significance.arrays import Floats

TIED_BY_EPSILON = ("tau-23", "acc-23", "acc-eq")
"""Coefficients for which metric scores within ε are tied."""


@dataclass(frozen=True)
class CoefficientValue:
    """A coefficient at one level.

    Args:
        value: The coefficient; NaN if undefined.
        groups: Its value in each group; empty at levels without groups.
        epsilon: The ε or threshold used.
        details: What to report beside the value.
    """

    value: float
    groups: Floats = field(default_factory=lambda: np.empty(0))
    epsilon: float = 0.0
    details: Mapping[str, Any] = field(default_factory=dict)


def coefficient_value(
    human: Floats, metric: Floats, name: str, level: str, settings: StudySettings
) -> CoefficientValue:
    """Computes a coefficient at a level.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing, in the same cells as the metric.
        metric: The scores of the metric, of the same shape.
        name: The coefficient.
        level: The level.
        settings: The settings of the study.
    """
    ties = settings.ties
    if name == "spa":
        return _soft_pairwise(human, metric, settings)
    if name == "acc-eq" and ties.folds:
        return _cross_fitted(human, metric, level, ties.folds)
    if name == "acc-eq" and level not in ties.epsilons:
        calibration = calibrate(human, metric, level=cast("Level", level))
        details = {"epsilon": calibration.epsilon, "epsilon_source": "calibrated on these data"}
        details |= _calibration_details(calibration)
        epsilon = 0.0 if math.isnan(calibration.epsilon) else calibration.epsilon
        return _averaged(human, metric, "acc-23", level, epsilon, details)
    epsilon = epsilon_at(name, level, ties)
    details = {}
    if name in TIED_BY_EPSILON and level in ties.epsilons:
        details = {"epsilon": epsilon, "epsilon_source": ties.source}
        if name == "acc-eq":
            details |= _given_details(human, metric, level, epsilon)
    elif name == "kendall-like":
        details = {"threshold": ties.threshold}
    return _averaged(human, metric, "acc-23" if name == "acc-eq" else name, level, epsilon, details)


def epsilon_at(name: str, level: str, ties: TieSettings) -> float:
    """Returns the ε of a coefficient, or the threshold of ``kendall-like``; 0 for coefficients without one."""
    if name == "kendall-like":
        return ties.threshold
    return ties.epsilons.get(level, 0.0) if name in TIED_BY_EPSILON else 0.0


def _calibration_details(calibration: Calibration) -> dict[str, float]:
    found = asdict(calibration)
    return {name: found[name] for name in ("accuracy_at_zero", "accuracy_all_tied", "tied")}


def _given_details(human: Floats, metric: Floats, level: str, epsilon: float) -> dict[str, float]:
    """Returns the accuracies at ε = 0 and of tying all pairs, which do not depend on the ε given."""
    calibration = calibrate(human, metric, level=cast("Level", level))
    return {
        "accuracy_at_zero": calibration.accuracy_at_zero,
        "accuracy_all_tied": calibration.accuracy_all_tied,
    }


def _averaged(
    human: Floats, metric: Floats, name: str, level: str, epsilon: float, details: Mapping[str, Any]
) -> CoefficientValue:
    of = human, metric, cast("Coefficient", name)
    values = group_values(*of, level=cast("Level", level), epsilon=epsilon)
    weights = group_weights(*of, level=cast("Level", level), epsilon=epsilon)
    return CoefficientValue(weighted_mean(values, weights), values, epsilon, details)


def _soft_pairwise(human: Floats, metric: Floats, settings: StudySettings) -> CoefficientValue:
    interval = settings.interval
    found = soft_pairwise_accuracy(
        human, metric, resamples=interval.resamples, seed=interval.seed, stream=cast("Stream", settings.stream)
    )
    details = {
        "monte_carlo_error": found.monte_carlo_error,
        "num_instances": found.inputs,
        "num_instances_left_out": found.inputs_left_out,
        "sign_flips": interval.resamples,
    }
    return CoefficientValue(found.value, details=details)


def _cross_fitted(human: Floats, metric: Floats, level: str, folds: int) -> CoefficientValue:
    found = cross_fit(human, metric, folds=folds, level=cast("Level", level))
    details = {"epsilon": found.epsilon.tolist(), "epsilon_source": f"cross-fitted over {folds} folds of inputs"}
    return CoefficientValue(found.accuracy, found.values.reshape(-1), details=details)
