"""A jury against the best single judge: sign flips by hand and by SciPy, and how often an equal jury looks better."""

from __future__ import annotations

import numpy as np
import pytest
from benchmark_modules import benchmark

from metrics_framework.meta_evaluation.judge.jury import sign_flip_p
from metrics_framework.meta_evaluation.judge.rating_panels import Panel
from metrics_framework.meta_evaluation.judge.request import AltTestSettings
from metrics_framework.meta_evaluation.judge.study import judge_raters

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


@pytest.mark.slow
@pytest.mark.parametrize("scoring", ["accuracy", "neg_rmse", "ranks"])
def test_a_jury_as_good_as_the_best_judge_is_rarely_found_to_be_better(scoring) -> None:
    judging = benchmark("judging")
    equal, _, _ = judging.jury_better([0.3, 1.5, 1.5], 100, scoring, 400, seed=1)
    assert equal <= 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5
