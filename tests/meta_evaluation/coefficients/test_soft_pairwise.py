"""Soft pairwise accuracy: published numbers, all sign flips, mt-metrics-eval's draws, its Monte-Carlo error."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from metrics_framework.meta_evaluation import soft_pairwise_accuracy
from metrics_framework.meta_evaluation.coefficients.spa import system_pairs

HUMAN = np.array([[1, 2, 3, 4], [2, 2, 5, 3], [4, 1, 3, 3]], float)
METRIC = np.array([[0.1, 0.4, 0.35, 0.8], [0.3, 0.2, 0.9, 0.5], [0.7, 0.1, 0.6, 0.55]])


def every_flip(scores):
    """The p-values of all pairs of systems from all vectors of signs."""
    p_values = []
    for first, second in combinations(scores, 2):
        d = first - second
        sums = [np.dot(signs, d) for signs in product([1, -1], repeat=len(d))]
        p_values.append(np.mean([total >= d.sum() - 1e-9 * np.abs(d).sum() for total in sums]))
    return p_values


def test_draws_of_mt_metrics_eval():
    found = soft_pairwise_accuracy(HUMAN, METRIC, stream="mt-metrics-eval")
    assert found.human_p == pytest.approx([0.867, 0.598, 0.494], abs=1e-12)
    assert found.metric_p == pytest.approx([0.646, 0.654, 0.604], abs=1e-12)
    assert found.value == pytest.approx(0.871, abs=1e-12)
    assert (found.inputs, found.inputs_left_out) == (4, 0)


def test_normal_p_values():
    found = soft_pairwise_accuracy(HUMAN, METRIC, normal=True)
    assert found.value == pytest.approx(0.881437786, abs=1e-9)
    assert found.monte_carlo_error == 0
    expected = [ndtr(-(a - b).sum() / math.sqrt(((a - b) ** 2).sum())) for a, b in combinations(HUMAN, 2)]
    assert found.human_p == pytest.approx(expected, abs=1e-12)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 6), st.sampled_from([0.1, 1.0]))
def test_p_values_are_those_of_all_flips_up_to_sampling(seed, systems, inputs, unit):
    generator = np.random.default_rng(seed)
    human, metric = generator.integers(0, 4, (2, systems, inputs)) * unit  # decimals: ties differ by rounding
    found = soft_pairwise_accuracy(human, metric, sign_flips=20_000)
    assert found.human_p == pytest.approx(every_flip(human), abs=0.02)
    assert found.metric_p == pytest.approx(every_flip(metric), abs=0.02)


def test_a_huge_difference_ties_no_others():
    """Integers, so that sums are exact: with the first difference kept, only flips that keep the next two reach it."""
    scores = [[10**10, 3, 1, 5], [0, 1, 0, 5]]
    found = soft_pairwise_accuracy(scores, scores, sign_flips=20_000)
    assert found.human_p == pytest.approx([1 / 8], abs=0.02)


def test_equal_systems_have_a_p_value_of_one_or_one_half():
    scores = np.ones((2, 5)) * 0.1
    assert soft_pairwise_accuracy(scores, scores).human_p.tolist() == [1]
    assert soft_pairwise_accuracy(scores, scores, normal=True).human_p.tolist() == [0.5]


def test_the_monte_carlo_error_is_the_spread_over_seeds():
    generator = np.random.default_rng(5)
    quality = generator.normal(size=(6, 1)) / 8
    human, metric = quality + generator.normal(size=(2, 6, 60))
    found = [soft_pairwise_accuracy(human, metric, sign_flips=500, seed=seed) for seed in range(200)]
    spread = np.std([one.value for one in found])
    assert np.mean([one.monte_carlo_error for one in found]) == pytest.approx(spread, rel=0.15)


def test_inputs_that_a_system_lacks_are_left_out():
    human = np.column_stack([HUMAN, [9, 9, math.nan], [1, 2, 3]])
    metric = np.column_stack([METRIC, [1, 2, 3], [math.nan, 2, 3]])
    found = soft_pairwise_accuracy(human, metric)
    assert found.value == soft_pairwise_accuracy(HUMAN, METRIC).value
    assert (found.inputs, found.inputs_left_out) == (4, 2)


def test_blocks_have_all_pairs_of_systems():
    blocks = [*system_pairs(5, 700_000)]
    assert len(blocks) > 1
    pairs = [pair for block in blocks for pair in zip(*(one.tolist() for one in block), strict=True)]
    assert pairs == [*combinations(range(5), 2)]


def test_scales_and_shifts_of_inputs_do_not_matter():
    shifted = METRIC * 1e300 / 4 + np.array([0, 1, 2, 3]) * 1e300
    expected = soft_pairwise_accuracy(HUMAN, METRIC)
    assert soft_pairwise_accuracy(HUMAN, shifted).metric_p.tolist() == expected.metric_p.tolist()
    assert soft_pairwise_accuracy(HUMAN, METRIC * 1e-300).metric_p.tolist() == expected.metric_p.tolist()
    assert soft_pairwise_accuracy(HUMAN, METRIC * 1e-300, normal=True).metric_p == pytest.approx(
        soft_pairwise_accuracy(HUMAN, METRIC, normal=True).metric_p, abs=1e-12
    )


@pytest.mark.parametrize("huge", [1e13, 1e300])
@pytest.mark.parametrize("options", [{}, {"normal": True}])
def test_a_huge_score_of_one_system_keeps_the_digits_of_the_others(huge, options):
    generator = np.random.default_rng(7)
    human, metric = generator.integers(0, 5, (2, 5, 30)).astype(float)
    expected = soft_pairwise_accuracy(human, metric, **options)
    pairs = [4 not in pair for pair in combinations(range(5), 2)]
    metric[4] = huge * generator.normal(size=30)
    found = soft_pairwise_accuracy(human, metric, **options)
    assert found.metric_p[pairs] == pytest.approx(expected.metric_p[pairs], abs=1e-12)


def test_huge_scores_do_not_overflow_in_single_precision():
    expected = soft_pairwise_accuracy(HUMAN, METRIC, stream="mt-metrics-eval")
    found = soft_pairwise_accuracy(HUMAN, METRIC * 2.0**1000, stream="mt-metrics-eval")
    assert found.metric_p.tolist() == expected.metric_p.tolist()


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (1, 3), (3, 0)])
def test_fewer_than_two_systems_or_no_input_are_undefined(shape):
    found = soft_pairwise_accuracy(np.zeros(shape), np.zeros(shape))
    assert math.isnan(found.value)
    assert math.isnan(found.monte_carlo_error)
