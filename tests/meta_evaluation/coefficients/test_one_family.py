"""Functions on arrays return one kind of result: value, p-value, ends of the interval, reason, and draws on request."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import metrics_framework as fw
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation import coefficient, difference, partial_conjunction_test, stat_sig_test
from metrics_framework.meta_evaluation.choices import SACREROUGE_TESTS

DRAW = np.random.default_rng(3)
HUMAN = DRAW.normal(size=(9, 1)) + DRAW.normal(size=(9, 12))
FIRST, SECOND = HUMAN + DRAW.normal(size=(9, 12)), HUMAN + 2 * DRAW.normal(size=(9, 12))
X, Z, OTHER = HUMAN[:, 0], FIRST[:, 0], SECOND[:, 0]


def test_pearson_of_vectors_is_that_of_scipy():
    found, expected = coefficient(X, Z, "pearson"), stats.pearsonr(X, Z)
    assert [found.value, found.p_value] == pytest.approx([expected.statistic, expected.pvalue])
    assert [found.lower, found.upper] == pytest.approx([*expected.confidence_interval()])
    assert coefficient(X.tolist(), Z.tolist(), "kendall").p_value == pytest.approx(stats.kendalltau(X, Z).pvalue)


def test_scores_and_ratings_of_different_inputs_are_correlated_by_the_means_of_systems():
    found = coefficient(HUMAN[:, :5], FIRST[:, 5:], "pearson", level="system")
    expected = stats.pearsonr(HUMAN[:, :5].mean(axis=1), FIRST[:, 5:].mean(axis=1))
    assert [found.value, found.p_value] == pytest.approx([*expected])
    tested = difference(HUMAN[:, :5], FIRST[:, 5:], SECOND[:, 2:], "pearson", level="system", test="systems")
    assert tested.value1 == pytest.approx(expected.statistic)
    with pytest.raises(InputError, match="same shape"):
        coefficient(HUMAN[:, :5], FIRST[:, 5:], "pearson", level="input")


def test_the_result_of_a_table_is_that_of_the_arrays():
    study = fw.correlate({"a": FIRST}, HUMAN, levels=["input", "system", "global"], log=[].append).study
    for level, result in study.correlations[0].levels.items():
        for name, estimate in result.estimates.items():
            found = coefficient(HUMAN, FIRST, name, level=level)
            mine = [found.value, found.lower, found.upper, found.p_value or 0]
            assert mine == pytest.approx([estimate.value, estimate.lower, estimate.upper, estimate.p_value or 0])


@pytest.mark.parametrize(("ci", "count"), [("bootstrap-inputs", 50), ("jackknife-systems", 9), ("fisher", None)])
def test_draws_are_returned_on_request(ci, count):
    options = {"level": "input", "ci": ci, "resamples": 50}
    assert coefficient(HUMAN, FIRST, "pearson", **options).draws is None
    draws = coefficient(HUMAN, FIRST, "pearson", **options, draws=True).draws
    assert (None if draws is None else len(draws)) == count


@pytest.mark.parametrize(("level", "test"), [("input", "inputs"), ("system", "systems"), ("input", "bootstrap-inputs")])
def test_a_difference_has_the_interval_of_the_population_of_its_test(level, test):
    found = difference(HUMAN, FIRST, SECOND, "pearson", level=level, test=test, draws=True)
    axis, values = int(level == "input"), []
    for unit in range(HUMAN.shape[axis]):
        people, one, other = (np.delete(scores, unit, axis=axis) for scores in (HUMAN, FIRST, SECOND))
        values.append([coefficient(people, metric, "pearson", level=level, ci="none").value for metric in (one, other)])
    without = np.array(values)[:, 0] - np.array(values)[:, 1]
    n = len(without)
    pseudo = n * found.value - (n - 1) * without
    half = stats.t.ppf(0.975, n - 1) * pseudo.std(ddof=1) / math.sqrt(n)
    assert [found.lower, found.upper] == pytest.approx([pseudo.mean() - half, pseudo.mean() + half])
    assert found.value == found.difference == found.value1 - found.value2
    assert len(found.draws) == (found.permutations or found.resamples)


def test_a_difference_without_an_interval_has_a_reason():
    for systems, test, reason in ((9, "cells", "'cells' has no interval"), (3, "systems", "fewer than 4 systems")):
        found = difference(HUMAN[:systems], FIRST[:systems], SECOND[:systems], "pearson", level="system", test=test)
        assert math.isnan(found.lower)
        assert reason in found.reason


@pytest.mark.parametrize("method", SACREROUGE_TESTS)
def test_tests_of_sacrerouge_on_arrays_are_those_of_the_table(method):
    rows = [
        {"instance_id": f"{i:02}", "summarizer_id": f"s{s}", "h": HUMAN[s, i], "a": FIRST[s, i], "b": SECOND[s, i]}
        for s in range(9)
        for i in range(12)
    ]
    drawn = {} if method == "williams" else {"resamples": 40}
    table = fw.stat_sig_test(rows, "h", "a", "b", method=method, log=[].append, **drawn).results
    for key, level in (("system_level", "system"), ("summary_level", "input")):
        options = {"level": level, "method": method, "resamples": 40}
        if method == "williams" and level == "input":
            for call, named in ((stat_sig_test, options), (difference, {"level": level, "test": method})):
                with pytest.raises(InputError, match="'williams' is valid for 'pearson' at level 'system' only"):
                    call(HUMAN, FIRST, SECOND, "pearson", **named)
            assert math.isnan(table[key]["pearson"]["pvalue"])
        else:
            found = stat_sig_test(HUMAN, FIRST, SECOND, "pearson", **options)
            assert found.p_greater == table[key]["pearson"]["pvalue"]


def test_partial_conjunctions_count_data_sets():
    found = partial_conjunction_test(np.array([0.168, 0.297, 0.357, 0.019, 0.218, 0.001]), alpha=0.1)
    assert (found.value, found.significant, found.p_value) == (2, (5, 3), 0.006)
    assert partial_conjunction_test([math.nan, 0.5]).value == 0
    for wrong in ([[0.1]], [], [1.2]):
        with pytest.raises(InputError, match="vector of numbers from 0 to 1"):
            partial_conjunction_test(wrong)
