"""Probabilities of being closer by ranks: against random draws, and what a constant can reach."""

from __future__ import annotations

import numpy as np
import pytest

from metrics_framework.meta_evaluation.judge.scorings import probability_of_closer, rank_wins

CASES = [  # target, ends of the first and of the second span, probability, why
    (0.5, (0.4, 0.6), (0.0, 1.0), 0.9, "around the target"),
    (0.0, (0.1, 0.2), (0.3, 0.4), 1.0, "always closer"),
    (0.0, (0.3, 0.4), (0.1, 0.2), 0.0, "never closer"),
    (0.7, (0.2, 0.3), (0.2, 0.3), 0.5, "the same span"),
    (0.5, (0.5, 0.7), (0.3, 0.5), 0.5, "on both sides"),
    (0.2, (0.2, 0.2 + 1e-12), (0.0, 0.5), 1.0, "a narrow span"),
]


@pytest.mark.parametrize(("target", "first", "second", "expected", "why"), CASES)
def test_probabilities_known_by_geometry(target, first, second, expected, why):
    spans = [tuple(np.array([end]) for end in ends) for ends in (first, second)]
    assert probability_of_closer(np.array([target]), *spans)[0] == pytest.approx(expected), why


def test_random_draws_have_these_probabilities():
    stream = np.random.default_rng(0)
    target = stream.random(300)
    first, second = np.sort(stream.random((2, 2, 300)), axis=1)
    drawn = [lower + (upper - lower) * stream.random((20000, 300)) for lower, upper in (first, second)]
    shares = (np.abs(drawn[0] - target) <= np.abs(drawn[1] - target)).mean(axis=0)
    found = probability_of_closer(target, tuple(first), tuple(second))
    assert np.abs(found - shares).max() < 0.02
    assert probability_of_closer(target, tuple(second), tuple(first)) == pytest.approx(1 - found)


def test_a_constant_is_as_good_as_a_shuffled_judge():
    stream = np.random.default_rng(1)
    quality = stream.normal(size=400)
    ratings = np.round(quality + stream.normal(0, 1, (5, 400)))
    rated = np.ones(ratings.shape, dtype=bool)
    constant = rank_wins(np.zeros(400), ratings, rated).mean()
    shuffled = np.mean([rank_wins(stream.permutation(400).astype(float), ratings, rated).mean() for _ in range(10)])
    assert constant == pytest.approx(shuffled, abs=0.02)
    assert rank_wins(quality, ratings, rated).mean() > 0.5
    assert rank_wins(ratings[0], ratings, rated)[0] == pytest.approx(np.full(400, 0.5))
