"""Tests of a mean difference between two runs: worked numbers, and laws that all of them keep."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.non_inferiority import Answer, Bets, Question, answer, flip_p_values, tango_z

NAN = math.nan


def outcomes(inputs: int, gained: int, lost: int, margin: float = NAN, **options: Any) -> Answer:
    differences = np.repeat([1.0, -1.0, 0.0], [gained, lost, inputs - gained - lost])
    return answer(differences, Question(margin, **options), is_binary=True)


def graded(differences: Any, margin: float = NAN, width: float = NAN, **options: Any) -> Answer:
    return answer(np.asarray(differences, dtype=float), Question(margin), width, **options)


# ---- outcomes of 0 and 1 ---------------------------------------------------------------------------------------------


def test_the_example_of_outcomes() -> None:
    found = outcomes(500, 30, 45, 0.05)
    assert (round(found.lower, 4), round(found.upper, 4)) == (-0.0590, -0.0015)
    assert round(found.p_worse, 4) == 0.0527
    assert round(tango_z(500, 30, 45, -0.05), 4) == 1.1433
    assert found.p_no_worse == pytest.approx(stats.norm.sf(1.1433), abs=1e-5)
    assert (found.needed, round(found.detectable, 4)) == (389, 0.0438)
    assert outcomes(500, 30, 45, 0.08).p_no_worse < 0.05 < found.p_no_worse


@pytest.mark.parametrize(("inputs", "passes"), [(51, False), (52, True)])
def test_without_changes_a_margin_of_5_points_needs_52_inputs(inputs: int, passes: bool) -> None:
    found = outcomes(inputs, 0, 0, 0.05)
    assert (found.p_no_worse <= 0.05) is passes
    assert (found.p_better, found.p_worse, found.needed) == (1.0, 1.0, 52)


@pytest.mark.parametrize(("gained", "lost"), [(5, 3), (0, 4), (7, 0), (10, 10), (0, 0)])
def test_the_p_values_of_better_and_worse_are_those_of_the_binomial_test(gained: int, lost: int) -> None:
    found = outcomes(60, gained, lost)
    for p, alternative in ((found.p_better, "greater"), (found.p_worse, "less")):
        changed = gained + lost
        expected = stats.binomtest(gained, changed, alternative=alternative).pvalue if changed else 1.0
        assert p == pytest.approx(expected, rel=1e-12)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 200))
def test_the_interval_of_outcomes_inverts_the_score_test(gained: int, lost: int, same: int) -> None:
    inputs = gained + lost + same
    if not inputs:
        return
    found = outcomes(inputs, gained, lost)
    z = stats.norm.ppf(0.95)
    for end, expected in ((found.lower, z), (found.upper, -z)):
        assert abs(end) > 1 - 1e-9 or tango_z(inputs, gained, lost, end) == pytest.approx(expected, abs=1e-6)
    mirrored = outcomes(inputs, lost, gained)
    assert (mirrored.lower, mirrored.upper) == pytest.approx((-found.upper, -found.lower), abs=1e-9)


# ---- means of scores -------------------------------------------------------------------------------------------------

SKEWED = [-0.4, -0.2, -0.1, -0.05, *(number / 100 for number in range(16))]


def test_the_example_of_hall() -> None:
    found = graded(SKEWED, 0.05)
    assert round(found.p_no_worse, 4) == 0.1361
    assert (round(found.lower, 4), round(found.upper, 4)) == (-0.1801, 0.0732)
    assert stats.ttest_1samp(SKEWED, -0.05, alternative="greater").pvalue == pytest.approx(0.0115, abs=5e-5)
    assert found.method.startswith("Student's t-test")


def test_without_skewness_the_test_is_that_of_student() -> None:
    differences = [*range(-12, 13)]
    found = graded([(one + 3) / 100 for one in differences], 0.05)
    shifted = [(one + 3) / 100 for one in differences]
    assert found.p_better == pytest.approx(stats.ttest_1samp(shifted, 0, alternative="greater").pvalue)
    assert found.p_worse == pytest.approx(stats.ttest_1samp(shifted, 0, alternative="less").pvalue)
    ends = stats.t.interval(0.9, 24, np.mean(shifted), stats.sem(shifted))
    assert (found.lower, found.upper) == pytest.approx(ends)


def test_the_needed_number_of_a_standard_deviation_of_a_quarter_is_157() -> None:
    differences = np.tile([0.25, -0.25, 0.3, -0.3, 0.19, -0.19], 10)
    differences *= 0.25 / differences.std(ddof=1)
    found = graded(differences, 0.05)
    assert found.needed == 157
    assert graded(differences, found.detectable * (1 + 1e-9)).needed == len(differences)


# ---- few changes -----------------------------------------------------------------------------------------------------


def test_the_example_of_bets() -> None:
    # x is .5, .25, .5, 1 and μ .4; all stakes are .9 / .4 = 2.25, so that wealth is 1.225, .8116, .9942, 2.3363.
    assert round(Bets(np.array([0, -0.5, 0, 1]), 1.0, 0.05).p_value(0.2), 4) == 0.4280
    assert 1 / Bets(np.array([0, -0.5, 0, 1]), 1.0, 0.05).p_value(0.2) == pytest.approx(2.3363, abs=5e-5)


def test_stakes_depend_on_what_was_seen_before() -> None:
    differences, width, alpha, margin = np.array([0.2, -0.1, 0.0, 0.3, 0.1]), 1.0, 0.05, 0.1
    wealth, largest, seen = 1.0, 1.0, []
    variance, mu, squares = 0.25, (width - margin) / 2, 0.25
    for number, difference in enumerate(differences, 1):
        x = (difference + width) / 2
        wealth *= 1 + min(math.sqrt(2 * math.log(1 / alpha) / (len(differences) * variance)), 0.9 / mu) * (x - mu)
        largest = max(largest, wealth)
        seen.append(x)
        mean = (0.5 + sum(seen)) / (number + 1)
        squares += (x - mean) ** 2
        variance = squares / (number + 1)
    assert Bets(differences, width, alpha).p_value(margin) == pytest.approx(1 / largest)


UNCHANGED = [(20, 0.139), (30, 0.095), (50, 0.058)]


@pytest.mark.parametrize(("inputs", "ruled_out"), UNCHANGED)
def test_unchanged_outputs_rule_out_a_loss(inputs: int, ruled_out: float) -> None:
    found = graded([0.0] * inputs, 0.05, 1.0)
    assert (round(-found.lower, 3), round(found.upper, 3), round(found.detectable, 3)) == (ruled_out,) * 3
    assert (found.p_better, found.p_worse, found.unlike, found.needed) == (1.0, 1.0, 0, 59)


@pytest.mark.parametrize(("inputs", "passes"), [(58, False), (59, True)])
def test_unchanged_outputs_pass_a_margin_of_5_points_from_59_inputs_on(inputs: int, passes: bool) -> None:
    assert (graded([0.0] * inputs, 0.05, 1.0).p_no_worse <= 0.05) is passes


def test_equal_gains() -> None:
    found = graded([0.1] * 30, 0.05, 1.0)
    assert (round(found.p_no_worse, 4), round(found.p_better, 4), found.p_worse) == (0.0123, 0.0573, 1.0)
    assert [graded([0.1] * n, NAN, 1.0).p_better <= 0.05 for n in (31, 32)] == [False, True]
    mirrored = graded([-0.1] * 30, 0.05, 1.0)
    assert (mirrored.p_worse, mirrored.lower, mirrored.upper) == pytest.approx(
        (found.p_better, -found.upper, -found.lower)
    )
    assert (mirrored.p_no_worse, mirrored.needed) == (1.0, pytest.approx(NAN, nan_ok=True))


@pytest.mark.parametrize(
    ("differences", "has_bets"),
    [
        (np.arange(19) / 100, True),  # fewer than 20 inputs
        (np.arange(20) / 100, False),
        (np.r_[np.zeros(6), np.arange(1, 15) / 100], True),  # 14 of 20 are below ¾
        (np.r_[np.zeros(5), np.arange(1, 16) / 100], False),
        (np.r_[np.zeros(971), np.arange(1, 30) / 100], True),  # fewer than 30
        (np.r_[np.zeros(970), np.arange(1, 31) / 100], False),
    ],
)
def test_when_few_outputs_change(differences: Any, has_bets: bool) -> None:
    assert ("bet" in graded(differences, NAN, 1.0).method) is has_bets


def test_few_changes() -> None:
    differences = [-1.0, -0.5, -0.5, -0.25, *[0.0] * 36]
    found = graded(differences, 0.05, 1.0)
    assert found.unlike == 4
    assert found.needed >= 30 * 40 / 4
    assert found.p_worse >= flip_p_values(np.array(differences), 0)[0]
    bounds = [Bets(np.random.default_rng(0).permutation(sign * np.array(differences)), 1.0, 0.05) for sign in (1, -1)]
    assert bounds[0].p_value(-found.lower) == pytest.approx(0.05, rel=1e-6)
    assert bounds[1].p_value(found.upper) == pytest.approx(0.05, rel=1e-6)
    without_range = graded(differences, 0.05)
    assert without_range.p_worse == found.p_worse
    assert (without_range.reason, math.isnan(without_range.p_no_worse)) == ("range unknown", True)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=7))
def test_sign_flips_are_enumerated(numbers: list[int]) -> None:
    differences = np.array(numbers) / 4
    flipped = [np.dot(signs, differences) for signs in itertools.product((1, -1), repeat=len(numbers))]
    total = differences.sum()
    expected = np.mean([one <= total for one in flipped]), np.mean([one >= total for one in flipped])
    assert flip_p_values(differences, 0) == pytest.approx(expected)


def test_many_sign_flips_are_drawn() -> None:
    differences = np.arange(-20, 12) / 40
    lower, higher = flip_p_values(differences, 3)
    exact = stats.norm.cdf(differences.sum() / math.sqrt((differences**2).sum()))
    assert (lower, higher) == pytest.approx((exact, 1 - exact), abs=0.02)
    assert (lower * 10_001) == pytest.approx(round(lower * 10_001))
    assert flip_p_values(differences, 3) == (lower, higher) != flip_p_values(differences, 4)


# ---- clusters --------------------------------------------------------------------------------------------------------


def test_clusters_are_left_out_one_at_a_time() -> None:
    sizes = [3, 1, 2, 4, 2, 5]
    labels = np.repeat([*range(6)], sizes)
    differences = np.random.default_rng(1).normal(0.1, 0.2, len(labels))
    found = answer(differences, Question(0.05), clusters=Clusters.of(labels.tolist(), len(labels)))
    left_out = np.array([differences[labels != one].mean() for one in range(6)])
    error = math.sqrt(5 / 6 * ((left_out - left_out.mean()) ** 2).sum())
    freedom = 6 / (1 + np.var(sizes) / np.mean(sizes) ** 2) - 1
    mean = differences.mean()
    assert found.p_better == pytest.approx(stats.t.sf(mean / error, freedom))
    assert found.p_no_worse == pytest.approx(stats.t.sf((mean + 0.05) / error, freedom))
    assert (found.lower, found.upper) == pytest.approx(stats.t.interval(0.9, freedom, mean, error))
    assert found.detectable == pytest.approx((stats.t.ppf(0.95, freedom) + stats.t.ppf(0.8, freedom)) * error)
    assert found.needed == math.ceil(17 * (found.detectable / 0.05) ** 2)


def test_clusters_of_one_input_have_the_standard_error_of_inputs() -> None:
    differences = np.random.default_rng(2).normal(0.0, 0.1, 40)
    found = answer(differences, Question(), clusters=Clusters.of([*range(40)], 40))
    assert found.p_worse == pytest.approx(stats.ttest_1samp(differences, 0, alternative="less").pvalue)


def test_few_changed_clusters_bet_on_weighted_means() -> None:
    labels = [*"aaabbbcccdddeeefff"]
    differences = np.zeros(18)
    differences[:3] = 0.5
    found = answer(differences, Question(0.1), 1.0, clusters=Clusters.of(labels, 18))
    weighted = answer(np.array([0.5, 0, 0, 0, 0, 0]), Question(0.1), 1.0)  # six clusters of equal sizes
    assert "bet" in found.method
    assert (found.p_no_worse, found.lower, found.unlike) == (weighted.p_no_worse, weighted.lower, 1)
    assert found.needed == 30 * 18
    assert all(
        type(number) in (float, int, str)
        for number in (*found, *answer(-differences, Question(0.1), 1.0, clusters=Clusters.of(labels, 18)))
    )


@given(st.lists(st.integers(-10, 10), min_size=3, max_size=60), st.booleans())
def test_the_mirror_of_a_gain_is_a_loss(numbers: list[int], has_clusters: bool) -> None:
    differences = np.array(numbers) / 10
    clusters = Clusters.of([index // 2 for index in range(len(numbers))], len(numbers)) if has_clusters else None
    found, mirrored = (answer(sign * differences, Question(), 1.0, clusters=clusters) for sign in (1, -1))
    assert (mirrored.lower, mirrored.upper) == pytest.approx((-found.upper, -found.lower), abs=1e-9)
    for p in (found.p_better, found.p_worse, mirrored.p_better, mirrored.p_worse):
        assert 0 <= p <= 1
