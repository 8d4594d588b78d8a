"""Human scores and those of metrics, degenerate ones too, and the power of tests, which several tests use."""

import math

import numpy as np

from metrics_framework.meta_evaluation.coefficients.lookup import checked_coefficient
from metrics_framework.meta_evaluation.differences.compared_metrics import compare_metrics
from metrics_framework.meta_evaluation.differences.difference_test import MetricTable, TestSettings

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
NAN = math.nan
RAMP = np.array([[1.0, 2, 3], [2, 4, 1], [3, 1, 6]])
ALONE = np.where(np.eye(3) > 0, [[1.0], [2], [4]], NAN)
DEGENERATE = {  # name: human, metric
    "one system an input": (ALONE, ALONE),
    "disjoint inputs": ([[1, 2, NAN, NAN], [NAN, NAN, 3, 1]], [[2, 1, NAN, NAN], [NAN, NAN, 3, 3]]),
    "no common output": ([[1, NAN], [NAN, 2]], [[NAN, 1], [2, NAN]]),
    "constant human": ([[0.1] * 3] * 3, RAMP),
    "constant metric": (RAMP, [[0.1] * 3] * 3),
    "both constant": ([[0.1] * 3] * 3, [[0.7] * 3] * 3),
    "constant inputs": ([[1, 2, 3]] * 3, [[3, 1, 2]] * 3),
    "constant systems": ([[1] * 3, [2] * 3, [3] * 3], [[1] * 3, [3] * 3, [2] * 3]),
    "single input": ([[1], [2], [3]], [[1], [3], [2]]),
    "single system": ([[1, 2, 3]], [[1, 3, 2]]),
    "single output": ([[1]], [[2]]),
    "no input": (np.empty((3, 0)), np.empty((3, 0))),
    "no system": (np.empty((0, 3)), np.empty((0, 3))),
    "all missing": ([[NAN] * 3] * 3, [[NAN] * 3] * 3),
    "huge": (RAMP * 1e300, RAMP * -1e300),
    "huge and tiny": (RAMP * 1e300, RAMP * 1e-300),
    "both signs near the limit": ([[1.7e308, -1.7e308], [-1.7e308, 1.7e308]], [[1.7e308, -1.7e308], [1, 2]]),
    "denormal": (RAMP * 5e-324, RAMP),
}


def power_of_test(human, metric1, metric2, name, *, level, test, clusters=None):
    """Returns what a test of two metrics can detect."""
    scores = MetricTable(human, {"metric1": metric1, "metric2": metric2}, clusters)
    coefficient, at, options = checked_coefficient(name, level)
    settings = TestSettings(test, power=True)
    compared = compare_metrics(scores, coefficient, at, dict.fromkeys(scores.metrics, options), settings)
    ((power,),) = compared.power.values()
    return power
