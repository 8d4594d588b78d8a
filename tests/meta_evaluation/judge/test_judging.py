"""`judge_raters`: sentinels, differences, agreement, intervals and degenerate data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.judge.panels import Panel
from metrics_framework.meta_evaluation.judge.request import AltTestSettings
from metrics_framework.meta_evaluation.judge.study import SWEEP, judge_raters

NUMBERS = AltTestSettings("neg_rmse", 0.15)


def example(units=60, raters=4, noise=1.0, seed=0):
    stream = np.random.default_rng(seed)
    quality = stream.normal(size=units)
    ratings = np.round(quality + stream.normal(0, noise, (raters, units)) + 3)
    ratings[stream.random(ratings.shape) < 0.1] = np.nan
    judges = {"good": np.round(quality + stream.normal(0, 0.3, units) + 3), "noise": stream.normal(3, 2, units)}
    return Panel(judges, ratings, [f"r{rater}" for rater in range(raters)], lengths=stream.uniform(5, 50, units))


def by_name(judging):
    return {report.name: report for report in judging.judges}


def test_sentinels_stand_below_every_judge():
    names = [report.name for report in judge_raters(example(), NUMBERS, resamples=50).judges]
    assert names == ["good", "noise", "constant", "median", "length", "shuffled good", "shuffled noise"]
    labels = judge_raters(example(), AltTestSettings("accuracy", 0.15), resamples=50)
    assert [report.name for report in labels.judges if report.is_sentinel][:2] == ["constant", "length"]


def test_judges_are_compared_with_the_better_constant():
    found = by_name(judge_raters(example(), NUMBERS, resamples=200))
    best = max(found[name].advantage.value for name in ("constant", "median"))
    assert found["good"].above_constant.value == pytest.approx(found["good"].advantage.value - best)
    assert found["constant"].above_constant is None
    assert found["good"].verdict == "passes"
    assert found["noise"].verdict.endswith("worse than a constant")


def test_the_sweep_finds_the_least_epsilon():
    report = by_name(judge_raters(example(), NUMBERS, resamples=50))["noise"]
    passing = [epsilon for epsilon, rate in zip(SWEEP, report.sweep, strict=True) if rate >= 0.5]
    assert report.least_epsilon == passing[0]
    assert list(report.sweep) == sorted(report.sweep), "a larger ε is easier"


def test_the_difference_of_two_judges_leaves_out_the_same_units():
    judging = judge_raters(example(), NUMBERS, resamples=200)
    pair = judging.differences[0]
    found = by_name(judging)
    assert pair.advantage.value == pytest.approx(found["good"].advantage.value - found["noise"].advantage.value)
    assert pair.advantage.lower > 0
    twice = Panel({"a": example().judges["good"], "b": example().judges["good"]}, example().ratings, example().raters)
    same = judge_raters(twice, NUMBERS, resamples=50).differences[0].advantage
    assert (same.value, same.reason) == (0, "the value is the same without each unit")


def test_the_interval_of_rho_is_that_of_the_jackknife():
    panel = example()
    report = by_name(judge_raters(panel, NUMBERS))["good"]
    rated = ~np.isnan(panel.ratings)
    others = (np.nansum(panel.ratings, axis=0) - panel.ratings) / (rated.sum(axis=0) - 1)
    won = np.abs(panel.judges["good"] - others) <= np.abs(panel.ratings - others) + 1e-9
    raters, units = range(len(panel.raters)), np.arange(rated.shape[1])
    rho = [np.mean([won[one][rated[one] & (units != unit)].mean() for one in raters]) for unit in units]
    pseudo = len(units) * report.advantage.value - (len(units) - 1) * np.array(rho)
    ends = stats.t.interval(0.95, len(units) - 1, pseudo.mean(), stats.sem(pseudo))
    assert (report.advantage.lower, report.advantage.upper) == pytest.approx((ends[0], min(1, ends[1])))


def test_a_cluster_for_each_unit_changes_nothing_and_larger_ones_do():
    panel = example()
    plain = by_name(judge_raters(panel, NUMBERS, resamples=100))["good"]

    def clustered(clusters):
        return by_name(
            judge_raters(Panel(panel.judges, panel.ratings, panel.raters, clusters=clusters), NUMBERS, resamples=100)
        )["good"]

    assert clustered(list(range(60))).advantage == plain.advantage
    other = clustered([unit // 6 for unit in range(60)])
    assert other.advantage.value == plain.advantage.value
    assert other.advantage.lower != plain.advantage.lower


def test_signed_error_and_spread():
    ratings = np.tile(np.array([1.0, 2, 3, 4, 5]), (2, 8))
    judges = {"lenient": ratings[0] + 1, "narrow": ratings[0] / 2}
    found = by_name(judge_raters(Panel(judges, ratings, ["a", "b"]), NUMBERS, resamples=50))
    assert found["lenient"].agreement.signed_error.value == 1
    assert found["lenient"].agreement.spread.value == pytest.approx(1)
    assert found["narrow"].agreement.spread.value == pytest.approx(0.5)
    assert found["narrow"].agreement.signed_error.value == pytest.approx(-1.5)


def test_units_are_those_that_all_judges_judged():
    panel = example()
    panel.judges["good"][:7] = np.nan
    judging = judge_raters(panel, NUMBERS, resamples=20)
    assert judging.units == 53
    assert judging.unjudged == {"good": 7, "noise": 0}


def test_lengths_of_labels_and_constant_lengths():
    panel = example()
    same = Panel(panel.judges, panel.ratings, panel.raters, np.full(60, 7.0))
    found = by_name(judge_raters(same, NUMBERS, resamples=20))
    assert found["length"].advantage.value == found["constant"].advantage.value
    missing = Panel(panel.judges, panel.ratings, panel.raters, np.where(np.arange(60) == 3, np.nan, 7.0))
    assert "length" not in by_name(judge_raters(missing, NUMBERS, resamples=20))


DEGENERATE = [  # judges, ratings, why
    ({"j": np.full(30, 3.0)}, np.full((2, 30), 3.0), "all values equal"),
    ({"j": np.arange(30) * 5e306}, np.tile(np.arange(30) * 5e306, (2, 1)), "near the largest float"),
    ({"j": np.arange(30) * 1e-307}, np.tile(np.arange(30) * 1e-307, (2, 1)), "near the smallest float"),
]


@pytest.mark.parametrize(("judges", "ratings", "why"), DEGENERATE)
@pytest.mark.parametrize("scoring", ["neg_rmse", "ranks", "accuracy"])
def test_degenerate_data_have_defined_answers(judges, ratings, why, scoring):
    report = judge_raters(Panel(judges, ratings, ["a", "b"]), AltTestSettings(scoring, 0.2)).judges[0]
    assert report.advantage.value == pytest.approx(0.5 if scoring == "ranks" else 1), why
    assert report.test.passes, why
    alpha = report.agreement.alpha.value
    assert alpha == pytest.approx(1) or (math.isnan(alpha) and len(np.unique(ratings)) == 1), why


def test_raters_who_share_nothing_are_refused():
    ratings = np.full((2, 40), np.nan)
    ratings[0, :20] = ratings[1, 20:] = 1.0
    with pytest.raises(InputError, match="40 have the former, 0 the latter"):
        judge_raters(Panel({"j": np.ones(40)}, ratings, ["a", "b"]), NUMBERS)
