"""The tests by formula and by resampling, against published numbers, peers and counts by hand."""

from __future__ import annotations

import numpy as np
import pytest
from difference_cases import FIRST, HUMAN, SECOND

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation import coefficient, difference
from metrics_framework.meta_evaluation.differences.williams import williams


@pytest.mark.parametrize(
    ("r12", "r13", "r23", "n", "one_tail", "two_tails"),
    [  # formula of Steiger (1980); computed with R's psych::r.test and by hand
        (0.62, 0.55, 0.7, 50, 0.213516325, 0.427032651),
        (-0.62, 0.55, -0.3, 50, None, 3.47643102e-9),
    ],
)
def test_williams(r12, r13, r23, n, one_tail, two_tails):
    found = williams(r12, r13, r23, n)
    assert found.p_value == pytest.approx(two_tails, rel=1e-8)
    if one_tail is not None:
        assert found.p_greater == pytest.approx(one_tail, abs=5e-10)
    assert found.p_greater + found.p_less == pytest.approx(1)


def test_williams_equals_nlpstats_for_positive_correlations():
    nlpstats = pytest.importorskip("nlpstats.correlations")
    found = difference(HUMAN, FIRST, SECOND, "pearson", level="system", test="williams")
    assert found.p_value == pytest.approx(nlpstats.williams_test(FIRST, SECOND, HUMAN, "system", "pearson").pvalue)


def test_williams_keeps_the_sign_of_correlations():
    assert williams(-0.9, 0.9, -0.7, 24).p_value < 1e-6


@pytest.mark.parametrize(("r12", "r13", "r23"), [(1.0, 0.5, 0.5), (0.5, 0.5, 1.0), (0.6, 0.8, 0.96)])
def test_williams_is_undefined_if_correlations_are_singular(r12, r13, r23):
    assert np.isnan(williams(r12, r13, r23, 20).p_value)


@pytest.mark.parametrize(("name", "level"), [("kendall-b", "system"), ("spearman", "system"), ("pearson", "global")])
def test_williams_is_refused_where_it_is_invalid(name, level):
    with pytest.raises(InputError, match="use the test 'systems'"):
        difference(HUMAN, FIRST, SECOND, name, level=level, test="williams")


@pytest.mark.parametrize("population", ["inputs", "systems"])
def test_the_bootstrap_counts_both_tails(population):
    generator = np.random.default_rng(1)
    human = generator.normal(size=(8, 30))
    first, second = human + generator.normal(size=human.shape), human + 1.5 * generator.normal(size=human.shape)
    one = difference(human, first, second, "pearson", level="global", test=f"bootstrap-{population}")
    other = difference(human, second, first, "pearson", level="global", test=f"bootstrap-{population}")
    assert one.p_value == other.p_value == pytest.approx(2 * min(one.p_greater, one.p_less))
    assert one.p_greater == other.p_less < 0.5


@pytest.mark.parametrize("test", ["inputs", "cells", "bootstrap-inputs"])
def test_one_cluster_an_input_changes_nothing(test):
    plain = difference(HUMAN, FIRST, SECOND, "pearson", level="global", test=test, resamples=50)
    clustered = difference(HUMAN, FIRST, SECOND, "pearson", level="global", test=test, resamples=50, clusters="abcdef")
    assert plain == clustered


def test_inputs_of_a_cluster_swap_together():
    found = difference(HUMAN, FIRST, SECOND, "pearson", level="input", test="inputs", clusters="aabbcc")
    assert found.permutations == 2**3


def test_seeds_decide_the_draws():
    results = [
        difference(HUMAN, FIRST, SECOND, "pearson", level="system", test="cells", seed=seed).p_value
        for seed in (1, 1, 2)
    ]
    assert results[0] == results[1] != results[2]


def test_soft_pairwise_accuracy_swaps_systems():
    found = difference(HUMAN, FIRST, SECOND, "spa", level="system", test="systems")
    assert found.value1 == coefficient(HUMAN, FIRST, "spa")
    assert found.permutations == 16


def test_given_epsilons_are_those_of_each_metric():
    calibrated = difference(HUMAN, FIRST, SECOND, "acc-eq", level="input", test="systems")
    given = difference(HUMAN, FIRST, SECOND, "acc-23", level="input", test="systems", epsilon=calibrated.epsilons)
    assert (given.value1, given.p_value) == (calibrated.value1, calibrated.p_value)


CASES = [  # human, first metric, second metric, why
    ([[1.0]], [[2.0]], [[3.0]], "one cell"),
    ([[1.0, 2, 3]], [[2.0, 1, 3]], [[3.0, 1, 2]], "one system"),
    ([[1.0], [2], [3]], [[2.0], [1], [3]], [[3.0], [1], [2]], "one input"),
    ([[1.0, np.nan], [np.nan, 2]], [[2.0, np.nan], [np.nan, 1]], [[3.0, np.nan], [np.nan, 4]], "disjoint inputs"),
    ([[np.nan] * 3] * 2, [[1.0] * 3] * 2, [[2.0] * 3] * 2, "no human score"),
    ([[1.0, 2], [3, 4]], [[1.0, 1], [1, 1]], [[2.0, 1], [4, 3]], "a constant metric"),
    ([[1.0, 1], [1, 1]], [[1.0, 2], [3, 1]], [[2.0, 1], [4, 3]], "constant human scores"),
    ([[1.0, 1], [1, 1]], [[1.0, 1], [1, 1]], [[1.0, 1], [1, 1]], "everything tied"),
    ([[1e300, 2e300], [-1e300, 5e299]], [[1e-300, 2e-300], [3e-300, 0]], [[1.0, 5], [2, 8]], "huge and tiny scores"),
    (np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3)), "no system"),
    (np.zeros((3, 0)), np.zeros((3, 0)), np.zeros((3, 0)), "no input"),
]


DEGENERATE = [
    ("pearson", "input"),
    ("kendall-b", "global"),
    ("acc-eq", "input"),
    ("spearman", "system"),
    ("spa", "system"),
    ("pdp", "input"),
    ("kendall-b", "within-system"),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("human", "first", "second", "why"), CASES, ids=[case[-1] for case in CASES])
@pytest.mark.parametrize("test", ["inputs", "systems", "both", "cells", "williams"])
def test_degenerate_data_have_a_defined_answer(human, first, second, why, test):
    for name, level in DEGENERATE:
        if test == "williams":
            name, level = "pearson", "system"
        found = difference(human, first, second, name, level=level, test=test, resamples=20)
        if np.isnan(found.difference):
            assert np.isnan(found.p_value)
        else:
            assert 0 < found.p_value <= 1 or test == "williams"
