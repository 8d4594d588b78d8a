"""Four systems and six inputs with human scores and two metrics, and the power of tests, used by several tests."""

import numpy as np

from metrics_framework.meta_evaluation.coefficients.lookup import checked_coefficient
from metrics_framework.meta_evaluation.differences.compared_metrics import compare_metrics
from metrics_framework.meta_evaluation.differences.difference_test import TestSettings
from metrics_framework.meta_evaluation.differences.metric_set import MetricSet

HUMAN = np.array([[3, 1, 4, 1, 5, 2], [2, 2, 3, 3, 4, 1], [5, 3, 4, 2, 5, 4], [1, 2, 2, 1, 3, 1]], dtype=float)
FIRST = np.array(
    [
        [0.61, 0.22, 0.75, 0.31, 0.88, 0.40],
        [0.45, 0.38, 0.52, 0.60, 0.71, 0.29],
        [0.83, 0.55, 0.70, 0.36, 0.93, 0.77],
        [0.30, 0.41, 0.35, 0.18, 0.66, 0.15],
    ]
)
SECOND = np.array(
    [
        [0.50, 0.41, 0.58, 0.44, 0.69, 0.52],
        [0.62, 0.30, 0.47, 0.39, 0.80, 0.35],
        [0.71, 0.38, 0.66, 0.58, 0.74, 0.49],
        [0.44, 0.57, 0.28, 0.33, 0.52, 0.46],
    ]
)


def power_of_test(human, metric1, metric2, name, *, level, test, clusters=None):
    """Returns what a test of two metrics can detect."""
    scores = MetricSet.of(human, {"metric1": metric1, "metric2": metric2}, clusters)
    coefficient, at, options = checked_coefficient(name, level)
    settings = TestSettings(test, power=True)
    compared = compare_metrics(scores, coefficient, at, dict.fromkeys(scores.metrics, options), settings)
    ((power,),) = compared.power.values()
    return power
