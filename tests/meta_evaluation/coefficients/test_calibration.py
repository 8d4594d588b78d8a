"""Tie calibration: brute force over all candidates, other data, and many pairs."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from brute_force import coefficients as definitions
from coefficient_values import coefficient
from hypothesis import given, settings
from strategies import score_matrices

from metrics_framework.meta_evaluation import accuracy_curve, calibrate
from metrics_framework.meta_evaluation.coefficients.calibration import PairChanges, accuracy_curve_of, groups_of


def accuracy_at(matrices, level, epsilon):
    """The mean accuracy over groups by its definition."""
    return definitions.coefficient("acc-eq", *matrices, level, definitions.Options(epsilon=epsilon))


def without_missing(drawn):
    missing = np.isnan(drawn[0] + drawn[1])
    return [np.where(missing, math.nan, scores) for scores in drawn]


@settings(deadline=None, max_examples=5)
@given(score_matrices())
@pytest.mark.parametrize("level", ["input", "within-system", "global"])
def test_epsilon_is_the_first_maximum_over_all_candidates(level, drawn):
    found, matrices = calibrate(*drawn, level=level), without_missing(drawn)
    epsilon = definitions.calibrated(*matrices, level)
    accuracies = [accuracy_at(matrices, level, one) for one in (epsilon, 0.0, math.inf)]
    assert (found.epsilon, found.accuracy) == pytest.approx((epsilon, accuracies[0]), abs=1e-12, nan_ok=True)
    assert found.accuracy_at_zero == pytest.approx(accuracies[1], abs=1e-12, nan_ok=True)
    assert found.accuracy_all_tied == pytest.approx(accuracies[2], abs=1e-12, nan_ok=True)
    assert math.isnan(found.tied) == math.isnan(found.accuracy)
    changes = PairChanges(*groups_of(*matrices, level))
    if changes.groups:
        by_histogram = accuracy_curve_of(changes, has_maximum_only=True, max_sorted=0).first_maximum()
        assert by_histogram == pytest.approx((epsilon, accuracies[0]), abs=1e-12)


@settings(deadline=None, max_examples=5)
@given(score_matrices())
@pytest.mark.parametrize("level", ["input", "within-system", "global"])
def test_the_curve_is_the_accuracy_at_each_epsilon(level, drawn):
    curve, matrices = accuracy_curve(*drawn, level=level), without_missing(drawn)
    expected = [accuracy_at(matrices, level, float(epsilon)) for epsilon in curve.epsilon]
    assert curve.accuracy.tolist() == pytest.approx(expected, abs=1e-12)
    assert curve.epsilon[:1].tolist() in ([0.0], [])
    assert (np.diff(curve.epsilon) > 0).all()
    found = calibrate(*drawn, level=level)
    if len(curve.epsilon):
        assert found.accuracy == pytest.approx(curve.accuracy.max(), abs=1e-12)
        assert coefficient(*drawn, "acc-eq", level=level) == pytest.approx(found.accuracy, abs=1e-12)


def test_share_of_tied_pairs():
    assert calibrate([[1, 2, 2, 3, 4]], [[2, 1, 1.5, 5, 3]], level="global").tied == 0.2


@pytest.mark.parametrize("levels", [None, 1, 100])
def test_many_pairs_are_calibrated_by_a_histogram_as_by_sorting(levels):
    generator = np.random.default_rng(3)
    human = generator.integers(0, 5, (1, 300)).astype(float)
    metric = human + generator.normal(size=human.shape)
    metric = np.round(metric * levels) / levels if levels else metric
    changes = PairChanges(human, metric)
    curve, coarse = accuracy_curve_of(changes), accuracy_curve_of(changes, max_sorted=1000)
    found = accuracy_curve_of(changes, has_maximum_only=True, max_sorted=1000)
    assert found.first_maximum() == curve.first_maximum()
    assert set(zip(coarse.epsilon, coarse.accuracy, strict=True)) <= set(
        zip(curve.epsilon, curve.accuracy, strict=True)
    )
    assert len(coarse.epsilon) < len(curve.epsilon) or levels


@pytest.mark.slow
def test_groups_of_many_outputs_are_compared_in_parts():
    generator = np.random.default_rng(3)
    human, metric = generator.integers(0, 3, (2, 1, 2200)).astype(float)
    found = calibrate(human, metric, level="global")
    assert found.accuracy_at_zero == pytest.approx(coefficient(human, metric, "acc-23", level="global"))


@pytest.mark.timing
@pytest.mark.slow
def test_calibration_of_15_systems_by_1000_inputs_takes_less_than_30_ms():
    generator = np.random.default_rng(0)
    quality = generator.normal(size=(15, 1000))
    human = np.round(2 * (quality + generator.normal(size=quality.shape)))
    metric = quality + generator.normal(size=quality.shape)
    times = []
    for _ in range(5):
        start = time.process_time()
        calibrate(human, metric)
        times.append(time.process_time() - start)
    assert min(times) < 0.03
