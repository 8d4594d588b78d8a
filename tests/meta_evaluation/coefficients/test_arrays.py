"""Every coefficient at every level: published numbers, hand cases, other programs and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from coefficient_values import coefficient
from difference_cases import FIRST, SECOND
from difference_cases import HUMAN as FOUR
from scipy import stats

from metrics_framework.meta_evaluation import calibrate
from metrics_framework.meta_evaluation.coefficients.lookup import coefficient_names

COEFFICIENTS = coefficient_names()
# The hand case of mt-metrics-eval (3 systems × 4 inputs); the numbers are those of that program. Pearson at the global
# level is .957751960610 in exact arithmetic; that program has .957751962.
HUMAN = np.array([[1, 2, 3, 4], [2, 2, 5, 3], [4, 1, 3, 3]], float)
METRIC = np.array([[0.1, 0.4, 0.35, 0.8], [0.3, 0.2, 0.9, 0.5], [0.7, 0.1, 0.6, 0.55]])

TABLE = [  # coefficient, ε, global, input, within-system
    ("pearson", 0, 0.957751962, 0.908700055, 0.962508083),
    ("spearman", 0, 0.948094083, 0.899519053, 0.899122199),
    ("kendall-b", 0, 0.886416531, 0.862372436, 0.830802842),
    ("kendall-c", 0, 0.920138889, 0.916666667, 0.847222222),
    ("tau-23", 0, 0.666666667, 0.5, 0.666666667),
    ("acc-23", 0, 0.833333333, 0.75, 0.833333333),
    ("acc-23", 0.1, 0.803030303, 0.75, 0.888888889),
    ("acc-eq", 0, 0.848484848, 0.833333333, 0.888888889),
    ("kendall-like", 1, 0.963636364, 1, 0.875),
]


@pytest.mark.parametrize(("name", "epsilon", "at_global", "at_input", "within"), TABLE)
def test_three_systems_by_four_inputs(name, epsilon, at_global, at_input, within):
    for level, expected in (("global", at_global), ("input", at_input), ("within-system", within)):
        found = coefficient(HUMAN, METRIC, name, level=level, epsilon=epsilon)
        assert found == pytest.approx(expected, abs=1.5e-9), level


def test_tau_23_is_one_quotient_of_integers():
    """As mt-metrics-eval computes it: (agreeing pairs − other pairs) / all pairs, to the last bit."""
    generator = np.random.default_rng(2)
    for n in range(2, 12):
        human, metric = generator.integers(0, 3, (2, n))
        first, second = np.triu_indices(n, 1)
        agreeing = int((np.sign(human[first] - human[second]) == np.sign(metric[first] - metric[second])).sum())
        total = len(first)
        assert coefficient([human], [metric], "tau-23", level="global") == (agreeing - (total - agreeing)) / total


def test_calibrated_epsilon_of_three_systems_by_four_inputs():
    for level in ("global", "input", "within-system"):
        assert calibrate(HUMAN, METRIC, level=level).epsilon == pytest.approx(0.05)


def test_coefficients_with_one_level_of_three_systems_by_four_inputs():
    assert coefficient(HUMAN, METRIC, "pdp") == pytest.approx(0.933843673, abs=1e-9)
    assert coefficient(HUMAN, METRIC, "spa:normal") == pytest.approx(0.881437786, abs=1e-9)
    assert coefficient(HUMAN, METRIC, "pairwise-accuracy") == pytest.approx(2 / 3)
    assert coefficient(HUMAN, METRIC, "pdp", level="input") == coefficient(HUMAN, METRIC, "pdp")


def test_calibrated_epsilon_of_two_metrics():
    assert calibrate(FOUR, FIRST).epsilon == pytest.approx(0.14)
    assert calibrate(FOUR, SECOND).epsilon == 0


@pytest.mark.parametrize(
    ("called", "name"), [("kendalltau", "kendall-b"), ("pearsonr", "pearson"), ("spearmanr", "spearman")]
)
def test_names_of_scipy_are_accepted(called: str, name: str) -> None:
    human, metric = [3, 2, 1, 4, 4], [1, 2, 3, 5, 4]
    assert coefficient(human, metric, called) == coefficient(human, metric, name)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall-b"])
def test_a_huge_mean_does_not_tie_other_means(name):
    human, metric = [[3, 3], [2, 2], [1, 1], [4, 4]], [[1, 1], [2, 2], [3, 3], [1e13, 1e13]]
    expected = {"pearson": stats.pearsonr([3, 2, 1, 4], [1, 2, 3, 1e13])[0], "spearman": 0.2, "kendall-b": 0}[name]
    assert coefficient(human, metric, name, level="system") == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall-b"])
def test_equal_means_of_systems_are_ties_whatever_the_rounding(name):
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    assert scores[0].mean() != scores[1].mean()
    assert math.isnan(coefficient(scores, [[1.0] * 3, [2.0] * 3], name, level="system"))


@pytest.mark.parametrize("level", ["global", "system", "input", "within-system"])
def test_values_near_the_largest_float_do_not_overflow(level):
    x, z = np.array([1, 1.5, -1, 1.7]) * 1e308, np.array([3.0, 2, 1, 4])
    if level in ("global", "within-system"):
        matrices = x[None], z[None]
    else:
        matrices = np.repeat(x[:, None], 2, axis=1), np.repeat(z[:, None], 2, axis=1)
    assert coefficient(*matrices, "pearson", level=level) == pytest.approx(0.794082921, abs=1e-9)
    for name in ("spearman", "kendall-b", "kendall-c", "acc-23", "acc-eq", "tau-23"):
        small = [matrix / np.abs(matrix).max() for matrix in matrices]
        found, expected = (coefficient(*pair, name, level=level) for pair in (matrices, small))
        assert found == pytest.approx(expected, abs=1e-12), name


# --- arguments --------------------------------------------------------------------------------------------------------


def test_lists_masked_arrays_and_data_frames_are_accepted():
    pandas = pytest.importorskip("pandas")
    listed = [[1, 2, None, 4], [3, 3, 1, 2]]
    masked = np.ma.MaskedArray([[1, 2, 9, 4], [3, 3, 1, 2]], mask=[[0, 0, 1, 0], [0] * 4])
    other = [[2, 2, 5, 7], [1, 3, 4, 1]]
    expected = coefficient(np.array(listed, float), other, "pearson")
    for scores in (listed, masked, pandas.DataFrame(listed)):
        assert coefficient(scores, other, "pearson") == expected


def test_arguments_are_not_changed():
    human, metric = HUMAN.copy(), METRIC.copy()
    human[0, 0] = metric[1, 1] = math.nan
    copies = human.copy(), metric.copy()
    for name in COEFFICIENTS:
        coefficient(human, metric, name)
    np.testing.assert_array_equal(human, copies[0])
    np.testing.assert_array_equal(metric, copies[1])
