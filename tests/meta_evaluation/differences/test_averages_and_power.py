"""Averages over data sets, presets of shared tasks, and power."""

from __future__ import annotations

import numpy as np
import pytest
from coefficient_values import coefficient
from difference_cases import FIRST, HUMAN, SECOND, power_of_test
from scipy import stats

from metrics_framework.meta_evaluation import PRESETS, Task, average_matrix, difference
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.differences.difference_test import PowerEstimator
from metrics_framework.meta_evaluation.groups.swaps import SignSource

DATA = (HUMAN, {"a": FIRST, "b": SECOND})


def study(
    seed: int, noise: float = 2.0, inputs: int = 60, systems: int = 8
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    generator = np.random.default_rng(seed)
    human = generator.normal(size=(systems, inputs)) + generator.normal(size=(systems, 1))
    return human, {
        "good": human + generator.normal(size=human.shape),
        "bad": human + noise * generator.normal(size=human.shape),
    }


def test_correlations_and_accuracies_are_averaged_on_one_scale():
    found = average_matrix(
        [Task("r", "pearson", "input", [DATA], weight=2), Task("acc", "acc-eq", "input", [DATA])], resamples=99
    )
    r, acc = (coefficient(HUMAN, FIRST, name, level="input") for name in ("pearson", "acc-eq"))
    assert found.averages["a"] == pytest.approx((2 * (r + 1) / 2 + acc) / 3)
    assert found.metrics == ("a", "b")
    assert [one.cluster for one in found.ranks.values()] == [1, 2] or found.p_in_favour[0, 1] > 0.05


@pytest.mark.parametrize(("preset", "tasks"), [("wmt23", 7), ("wmt24", 4), ("wmt25", 4)])
def test_presets_rank_the_better_metric_first(preset, tasks):
    listed = PRESETS[preset]({"en-de": study(3), "ja-zh": study(4)})
    assert len(listed) == tasks
    found = average_matrix(listed, resamples=50)
    assert found.metrics == ("good", "bad")


def test_metrics_that_a_task_lacks_are_left_out():
    other = (HUMAN, {"a": FIRST, "c": np.ones_like(FIRST)})
    found = average_matrix(
        [Task("1", "pearson", "global", [DATA]), Task("2", "pearson", "global", [other])], resamples=20
    )
    assert (found.metrics, set(found.left_out)) == (("a",), {"b", "c"})


def test_the_standard_error_of_inputs_is_that_of_a_mean():
    human, metrics = study(5, inputs=400)
    found = power_of_test(human, metrics["good"], metrics["bad"], "kendall-b", level="input", test="inputs")
    from metrics_framework.meta_evaluation import group_values

    values = [group_values(human, metric, "kendall-b", level="input") for metric in metrics.values()]
    error = (values[0] - values[1]).std() / np.sqrt(400)
    assert found.standard_error == pytest.approx(error, rel=0.1)
    best, mean = (float(of(np.nanmean(values, axis=1))) for of in (np.max, np.mean))
    distance = (np.arctanh(best) - np.arctanh(best - found.least_detectable)) * (1 - mean**2)
    assert distance == pytest.approx((1.959964 + 0.8416212) * found.standard_error, rel=0.005)  # t, not z


def test_the_standard_error_of_means_of_systems_is_that_of_points():
    human, metrics = study(7, systems=12)
    found = power_of_test(human, *metrics.values(), "pearson", level="system", test="systems")
    values = [coefficient(human, metric, "pearson", level="system") for metric in metrics.values()]
    best, mean = max(values), sum(values) / 2
    distance = (np.arctanh(best) - np.arctanh(best - found.least_detectable)) * (1 - mean**2)
    quantile, needed = stats.t.ppf(0.975, 11), 11 / 9
    assert stats.nct.sf(quantile, 11, distance / found.standard_error / needed**0.5) == pytest.approx(0.8, abs=1e-3)
    few = power_of_test(human[:9], *(one[:9] for one in metrics.values()), "pearson", level="system", test="systems")
    assert np.isnan(few.least_detectable)
    assert few.reason == "it can be estimated from 10 systems on"
    assert few.needed >= 10
    inputs = power_of_test(human[:9], *(one[:9] for one in metrics.values()), "pearson", level="system", test="inputs")
    assert inputs.reason == ""


@pytest.mark.parametrize(("test", "unit"), [("inputs", "clusters"), ("systems", "systems"), ("cells", "cells")])
def test_clusters_are_the_units_of_a_test_of_inputs(test, unit):
    human, metrics = study(5)
    options = {"level": "input", "test": test, "clusters": [number // 6 for number in range(60)]}
    found = power_of_test(human, *metrics.values(), "pearson", **options)
    assert found.unit == unit
    if test == "inputs":
        assert found.units == 10


def test_a_standard_error_of_zero_is_undefined():
    drawn = SignSource(count=100, seed=0, is_exact=False, units=30).permutations()
    plan = PowerEstimator(load_coefficient("kendall-b"), "system", "inputs", "for other inputs", "inputs", 0.05)
    found = plan.of_permutations((0.9, 0.1), np.full(100, 0.1), drawn)
    assert np.isnan([found.standard_error, found.least_detectable]).all()
    assert (found.needed, found.reason) == (None, "its standard error cannot be estimated")


def test_the_needed_sample_detects_the_difference_as_often_as_promised():
    human, metrics = study(6, noise=1.2, inputs=2000)
    plan = power_of_test(human, metrics["good"], metrics["bad"], "pearson", level="input", test="inputs")
    assert plan.needed is not None
    detected = 0
    for start in range(100):
        columns = np.random.default_rng(start).choice(2000, plan.needed)
        sample = [values[:, columns] for values in (human, *metrics.values())]
        detected += difference(*sample, "pearson", level="input", test="inputs", resamples=199).p_value <= 0.05
    assert 65 <= detected <= 95
