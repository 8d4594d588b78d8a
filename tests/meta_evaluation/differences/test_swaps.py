"""Differences after swaps equal those of coefficients of matrices that were swapped cell by cell."""

from __future__ import annotations

import numpy as np
import pytest
from coefficient_values import coefficient
from samples import sampled

from metrics_framework.meta_evaluation.choices import CoefficientOptions
from metrics_framework.meta_evaluation.coefficients.lookup import coefficient_names, load_coefficient
from metrics_framework.meta_evaluation.differences.difference_test import (
    MetricSet,
    TestSettings,
    difference_test_names,
    load_test,
    measured_metrics,
)
from metrics_framework.meta_evaluation.differences.permutation_tests import PermutationTest, null_differences, swaps_of

NAMES = [name for name in coefficient_names() if not load_coefficient(name).fits]
CASES = [(name, level) for name in NAMES for level in load_coefficient(name).levels]
TESTS = [name for name in difference_test_names() if isinstance(load_test(name), PermutationTest)]


def scores(kind: str, systems: int = 5, inputs: int = 7) -> MetricSet:
    generator = np.random.default_rng(3)
    quality = generator.normal(size=(systems, inputs)) + generator.normal(size=(systems, 1))
    matrices = [quality + generator.normal(size=quality.shape) for _ in range(3)]
    matrices[0] = np.round(matrices[0])
    if "tied" in kind:
        matrices[1:] = [np.round(values) for values in matrices[1:]]
    if "missing" in kind:
        matrices[0][generator.random(quality.shape) < 0.15] = np.nan
        matrices[0][:, 2] = np.nan
        matrices[0][1:, 3] = np.nan
    return MetricSet.of(matrices[0], {"a": matrices[1], "b": matrices[2]})


def swapped(data: MetricSet, name: str, level: str, test: str, count: int, **options):
    """Returns the null differences, and the signs of the permutations."""
    found = load_coefficient(name)
    drawn = load_test(test).draw([data], TestSettings(test, count), [1], enumerate_all=count > 12)[0]
    each = {metric: CoefficientOptions(**options) for metric in data.metrics}
    swaps = swaps_of(data, found, level, drawn, each)
    return null_differences(found, swaps, "a", "b"), drawn.dense(data.shape)


def swapped_by_hand(data: MetricSet, name: str, level: str, signs: np.ndarray, epsilon: float = 0.0) -> float:
    is_raw = load_coefficient(name).depends_on_scale
    first, second = (data.metrics[metric] if is_raw else data.standardized(metric) for metric in "ab")
    one, other = np.where(signs > 0, first, second), np.where(signs > 0, second, first)
    return coefficient(data.human, one, name, level=level, epsilon=epsilon) - coefficient(
        data.human, other, name, level=level, epsilon=epsilon
    )


@pytest.mark.parametrize("kind", ["continuous", "tied, missing"])
@pytest.mark.parametrize("test", TESTS)
def test_differences_equal_those_of_swapped_matrices(test, kind):
    data = scores(kind)
    for name, level in CASES:
        found, signs = swapped(data, name, level, test, 4)
        expected = [swapped_by_hand(data, name, level, one) for one in signs]
        np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=f"{name} {level}")


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    "name", ["kendall-a", "kendall-b", "kendall-c", "spearman", "tau-23", "acc-23", "kendall-like"]
)
def test_large_groups_equal_small_ones(name, test):
    data = scores("continuous", systems=9, inputs=15)
    found, signs = swapped(data, name, "global", test, 10)
    expected = [swapped_by_hand(data, name, "global", one) for one in signs]
    np.testing.assert_allclose(found, expected, atol=1e-12)


OPTIONS = [  # coefficient, options
    *((name, {}) for name in coefficient_names()),
    ("acc-23", {"epsilon": 0.3}),
    ("kendall-b", {"epsilon": 0.3}),
    ("kendall-like", {"threshold": 1.5}),
    ("spa", {"stream": "mt-metrics-eval", "sign_flips": 50}),
]


@pytest.mark.parametrize("kind", ["continuous", "tied, missing"])
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(("name", "asked"), sampled(OPTIONS, 5))
def test_without_swaps_differences_are_those_of_the_values(name, asked, test, kind):
    data, found = scores(kind, 2, 4), load_coefficient(name)
    drawn = load_test(test).draw([data], TestSettings(test, 2**8), [1])[0]
    for level in found.levels:
        used, measured = measured_metrics(data, found, level, dict.fromkeys("ab", CoefficientOptions(**asked)))
        options = {metric: one.options for metric, one in measured.items()}
        trials = null_differences(found, swaps_of(used, found, level, drawn, options), "a", "b")
        observed = measured["a"].value - measured["b"].value
        assert trials[0] == pytest.approx(observed, abs=1e-12, nan_ok=True)
        np.testing.assert_allclose(trials[drawn.dense(data.shape).max(axis=(1, 2)) < 0], -observed, atol=1e-12)
