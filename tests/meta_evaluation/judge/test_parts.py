"""The parts of a judgement: pairs, ranks, and a jury against the best single judge."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.meta_evaluation import agreement
from metrics_framework.meta_evaluation.judge.alternative_annotator import probability_of_closer, rank_wins
from metrics_framework.meta_evaluation.judge.judge_agreement import judge_pairs, rater_pairs
from metrics_framework.meta_evaluation.judge.jury import sign_flip_p
from metrics_framework.meta_evaluation.judge.panels import Panel
from metrics_framework.meta_evaluation.judge.request import AltTestSettings
from metrics_framework.meta_evaluation.judge.study import judge_raters

scales = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=2, max_size=15)


def of_pair(x, y, as_labels, weights=None):
    x, y = np.asarray(x, float), np.asarray(y, float)
    sums = judge_pairs(x, y[None], as_labels=as_labels).sums(np.ones(len(x)) if weights is None else weights)
    return sums.alpha()[0], sums.kappa()[0]


@pytest.mark.parametrize(("as_labels", "level", "weights"), [(False, "interval", "quadratic"), (True, "nominal", None)])
@settings(max_examples=30)
@given(pairs=scales)
def test_the_other_programs_compute_the_same(as_labels, level, weights, pairs):
    krippendorff = pytest.importorskip("krippendorff")
    sklearn = pytest.importorskip("sklearn.metrics")
    x, y = zip(*pairs, strict=True)
    alpha, kappa = of_pair(x, y, as_labels)
    if len({*x, *y}) < 2:
        assert math.isnan(alpha)
        assert math.isnan(kappa)
        return
    assert alpha == pytest.approx(krippendorff.alpha([x, y], level_of_measurement=level), abs=1e-9)
    if len(set(x)) > 1 or len(set(y)) > 1:
        assert kappa == pytest.approx(sklearn.cohen_kappa_score(x, y, weights=weights, labels=[1, 2, 3, 4]), abs=1e-9)


def test_the_published_example_and_the_functions_for_many_raters():
    x = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 3, 3, 2, 4, 1, 5, 2, 2, 4, 3]
    y = [1, 2, 3, 5, 5, 2, 2, 3, 3, 5, 3, 2, 2, 4, 1, 4, 3, 2, 5, 3]
    assert [round(value, 9) for value in of_pair(x, y, False)] == [0.894959600, 0.892307692]
    assert [round(value, 9) for value in of_pair(x, y, True)] == [0.5625, 0.554140127]
    both = np.array([x, y], float)
    assert agreement(both, "krippendorff", weights="interval").value == pytest.approx(of_pair(x, y, False)[0])
    assert agreement(both, "cohen", weights="quadratic").value == pytest.approx(of_pair(x, y, False)[1])


@settings(max_examples=30)
@given(scales, st.randoms(use_true_random=False))
def test_weights_are_copies(pairs, random):
    x, y = zip(*pairs, strict=True)
    weights = [random.randint(0, 3) for _ in x]
    copied = [np.repeat(values, weights) for values in (x, y)]
    if sum(weights) < 2:
        return
    for as_labels in (False, True):
        found = of_pair(x, y, as_labels, np.array(weights, float))
        assert found == pytest.approx(of_pair(*copied, as_labels), abs=1e-9, nan_ok=True)


def test_scale_and_size_do_not_matter():
    x, y = np.array([1, 2, 3, 3, 5.0]), np.array([1, 3, 3, 2, 5.0])
    expected = of_pair(x, y, False)
    for scale, shift in ((1e300, 0), (1e-300, 0), (1, 1e9)):
        assert of_pair(x * scale + shift, y * scale + shift, False) == pytest.approx(expected)


def test_pairs_of_raters_share_enough_units():
    ratings = np.array([[1, 2, 3, np.nan, 1], [2, 2, 3, 1, np.nan], [np.nan, np.nan, np.nan, 1, 2]])
    pairs, names = rater_pairs(ratings, 2, as_labels=False)
    assert names == [(0, 1)]
    assert pairs.sums(np.ones(5)).n == [3]
    assert pairs.sums(np.ones(5)).kappa() == [of_pair([1, 2, 3], [2, 2, 3], False)[1]]
    assert rater_pairs(ratings, 4, as_labels=False)[1] == []


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
    target = stream.random(100)
    first, second = np.sort(stream.random((2, 2, 100)), axis=1)
    drawn = [lower + (upper - lower) * stream.random((20000, 100)) for lower, upper in (first, second)]
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


FLIPS = [  # differences, p, why
    ([3.0, 1.0, 2.0], 1 / 8, "all have one sign, so no other flip is as large"),
    ([3.0, -1.0, 2.0], 2 / 8, "3 − 1 + 2 and 3 + 1 + 2"),
    ([-3.0, -1.0], 1.0, "the jury is worse everywhere"),
    ([0.0, 0.0], 1.0, "equal judges: every flip is as large"),
    ([0.1, 0.2, -0.3], 5 / 8, "sums that differ by rounding only are equal: 0, three positive ones, and −0"),
]


@pytest.mark.parametrize(("differences", "expected", "why"), FLIPS)
def test_few_clusters_are_enumerated(differences, expected, why) -> None:
    assert sign_flip_p(np.array(differences), trials=1000, seed=0) == expected, why


def test_random_flips_are_close_to_all_flips_and_repeatable() -> None:
    differences = np.random.default_rng(4).normal(0.3, 1, 12)
    exact = sign_flip_p(differences, trials=2**12, seed=0)
    found = [sign_flip_p(differences, trials=4000, seed=seed) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]
    assert found == pytest.approx([exact] * 3, abs=0.03)
    assert sign_flip_p(np.full(200, 0.5), trials=99, seed=0) == 1 / 100


def panel(units=120, clusters=None):
    stream = np.random.default_rng(1)
    quality = stream.normal(size=units)
    ratings = np.round(quality + stream.normal(0, 0.8, (3, units)) + 3)
    ratings[stream.random(ratings.shape) < 0.1] = np.nan
    singles = np.round(quality + stream.normal(0, [[0.6], [0.7], [1.5]], (3, units)) + 3)
    judges = {**dict(zip("abc", singles, strict=True)), "jury": np.median(singles, axis=0)}
    return Panel(judges, ratings, ["1", "2", "3"], clusters=clusters)


def test_the_jury_is_compared_with_every_judge_and_the_largest_p_counts() -> None:
    judging = judge_raters(panel(), AltTestSettings("neg_rmse", 0.1), resamples=200, jury="jury")
    found = judging.jury
    assert found is not None
    assert [one.judge for one in found.differences] == ["a", "b", "c"]
    reports = {report.name: report.advantage.value for report in judging.judges}
    for one in found.differences:
        assert one.advantage.value == pytest.approx(reports["jury"] - reports[one.judge])
        assert one.advantage.lower < one.advantage.value < one.advantage.upper
    assert found.best.judge == max("abc", key=reports.__getitem__)
    assert found.p_value == max(one.p_value for one in found.differences)
    assert found.differences[2].p_value < 0.01, "the third judge is bad"
    assert (found.trials, found.is_exact) == (200, False)


def test_clusters_change_sign_together() -> None:
    clusters = [number // 20 for number in range(120)]
    found = judge_raters(panel(clusters=clusters), AltTestSettings("ranks", 0.1), resamples=100, jury="jury").jury
    assert found is not None
    assert (found.trials, found.is_exact) == (64, True)
    assert all(one.p_value * 64 == round(one.p_value * 64) for one in found.differences)


def test_without_a_jury_nothing_is_compared() -> None:
    assert judge_raters(panel(), AltTestSettings("neg_rmse", 0.1), resamples=20).jury is None
