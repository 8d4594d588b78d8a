"""Score intervals of proportions: their values, their coverage under clusters, and the test that belongs to them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.significance.proportions import EffectiveTrials, binomial_p

outcomes = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=40)


@given(outcomes, st.randoms(use_true_random=False))
def test_effective_trials_by_hand(values, random):
    labels = [random.randrange(4) for _ in values]
    n, p, groups = len(values), math.fsum(values) / len(values), set(labels)
    sums = [math.fsum(x - p for x, label in zip(values, labels, strict=True) if label == group) for group in groups]
    found = EffectiveTrials.of(values, labels)
    assert found.proportion == pytest.approx(p)
    if len(groups) == n:
        assert found == EffectiveTrials.of(values)
        return
    assert found.clusters == len(groups)
    if len(groups) == 1:
        assert math.isnan(found.interval().lower)
        assert math.isnan(found.even_p)
        return
    variance = len(groups) / (len(groups) - 1) * math.fsum(one**2 for one in sums) / n**2
    if p * (1 - p) > 0 and variance > 1e-20:
        assert found.effective == pytest.approx(min(n, p * (1 - p) / variance))
    elif p in (0, 1):
        assert found.effective == len(groups)


@given(outcomes.filter(lambda values: len(values) > 1), st.integers(2, 6))
def test_the_test_of_one_half_belongs_to_the_interval(values, clusters):
    found = EffectiveTrials.of(values + values, [index % clusters for index in range(2 * len(values))])
    if found.clusters is None or abs(found.even_p - 0.05) < 1e-9:
        return
    interval = found.interval(95)
    assert (interval.lower <= 0.5 <= interval.upper) == (found.even_p > 0.05)


def test_equal_clusters_count_as_one_trial_each():
    for one in ([1, 0, 0], [1, 0], [1, 1, 0, 0, 0, 0, 0]):
        labels = [index // len(one) for index in range(20 * len(one))]
        assert EffectiveTrials.of(one * 20, labels).effective == 20


def test_independent_trials_have_the_exact_test():
    assert EffectiveTrials.of([1] * 9 + [0] * 3).even_p == binomial_p(9, 12)
    assert EffectiveTrials.of([]).even_p == 1
    assert math.isnan(EffectiveTrials.of([]).interval().value)


@pytest.mark.parametrize(
    ("clusters", "size", "shape"), [(15, 8, (0.5, 0.5)), (30, 4, (1, 1)), (12, 10, (1, 9)), (10, 20, (2, 2))]
)
def test_intervals_of_dependent_outcomes_cover(clusters, size, shape):
    random = np.random.default_rng(1)
    labels, true, covered = np.repeat(np.arange(clusters), size), shape[0] / sum(shape), 0
    for _ in range(400):
        chances = np.repeat(random.beta(*shape, clusters), size)
        interval = EffectiveTrials.of(random.random(len(chances)) < chances, labels.tolist()).interval()
        covered += interval.lower <= true <= interval.upper
    assert 0.92 <= covered / 400 <= 0.99
