"""The coefficients of several metrics, and the tests of all pairs of them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, Measured
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.differences.metric_set import MetricSet
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair


def measured_metrics(
    scores: MetricSet, coefficient: Coefficient, level: Level, options: Mapping[str, CoefficientOptions]
) -> dict[str, Measured]:
    """Computes the coefficient of each metric; ε is calibrated here, once, unless it is given.

    Args:
        scores: The scores.
        coefficient: The coefficient.
        level: The level.
        options: Metric to the options of the coefficient.
    """
    return {
        name: coefficient.measure(ScorePair(scores.human, values), level, options[name])
        for name, values in scores.metrics.items()
    }


def ranked_metrics(values: Mapping[str, float]) -> list[str]:
    """Returns the metrics with a value, the best first; equal values by name.

    >>> ranked_metrics({"b": 0.5, "a": 0.5, "c": float("nan"), "d": 0.7})
    ['d', 'a', 'b']
    """
    return sorted((name for name in values if not math.isnan(values[name])), key=lambda name: (-values[name], name))
