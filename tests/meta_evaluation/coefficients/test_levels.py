"""Input, system and global level, against hand cases and nlpstats."""

from __future__ import annotations

import math

import numpy as np
import pytest
from nlpstats.correlations import bootstrap as nlpstats_bootstrap
from nlpstats.correlations import correlate as nlpstats_correlate
from nlpstats.correlations import fisher as nlpstats_fisher
from sacrerouge_bootstrap import bootstrap, fisher, percentile_interval

from metrics_framework.meta_evaluation import coefficient
from metrics_framework.meta_evaluation.sums.pair_sums import EQUAL
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair

NAMES = ("pearson", "spearman", "kendall")
LEVELS = ("input", "system", "global")


def ties_at(level, human, metric):
    """Counts the pairs of outputs in groups, those tied in the human scores, in the metric, and in both."""
    counts = np.zeros(4, int)
    for _, groups in ScorePair(human, metric).groups(level, None, None):
        sums = groups.pair_sums(EQUAL)
        tied_human, tied_metric = sums.total - sums.untied_human, sums.total - sums.untied_metric
        both = tied_human + tied_metric - (sums.total - sums.untied)
        counts += [int(one.sum()) for one in (sums.total, tied_human, tied_metric, both)]
    return counts.tolist()


HAND = [  # level, name, expected: two systems by three inputs, human 1…6, metric 2,1,4,3,3,7
    ("global", "pearson", 0.776),
    ("global", "kendall", 0.552),
    ("input", "pearson", 1.0),
    ("input", "kendall", 1.0),
]


@pytest.mark.parametrize(("level", "name", "expected"), HAND)
def test_hand_cases(level, name, expected):
    human = np.array([[1.0, 2, 3], [4, 5, 6]])
    metric = np.array([[2.0, 1, 4], [3, 3, 7]])
    assert coefficient(human, metric, name, level=level) == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("level", LEVELS)
def test_coefficients_of_dense_data_equal_those_of_nlpstats(level, name):
    generator = np.random.default_rng(8)
    x = generator.normal(size=(9, 14))
    z = np.round(x + generator.normal(size=(9, 14)), 1)
    assert coefficient(x, z, name, level=level) == pytest.approx(nlpstats_correlate(x, z, level, name), abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("level", LEVELS)
def test_fisher_is_that_of_nlpstats(level, name):
    generator = np.random.default_rng(9)
    x = generator.normal(size=(9, 14))
    z = x + generator.normal(size=(9, 14))
    n = x.size if level == "global" else len(x)
    expected = nlpstats_fisher(x, z, level, name)
    assert fisher(name, coefficient(x, z, name, level=level), n, 0.025) == pytest.approx(tuple(expected), abs=1e-9)


@pytest.mark.parametrize("method", ["systems", "inputs", "both"])
@pytest.mark.parametrize("level", LEVELS)
def test_bootstrap_is_that_of_nlpstats_on_the_same_draws(level, method):
    generator = np.random.default_rng(10)
    x = generator.normal(size=(7, 10))
    z = x + generator.normal(size=(7, 10))

    def legacy_draws(count):
        for _ in range(count):
            rows = np.random.choice(7, 7, replace=True) if method != "inputs" else None
            columns = np.random.choice(10, 10, replace=True) if method != "systems" else None
            yield rows, columns

    for name in NAMES:
        np.random.seed(1)
        expected = nlpstats_bootstrap(x, z, level, name, method, n_resamples=10)
        np.random.seed(1)
        values = bootstrap(x, z, legacy_draws(10), [level], [name])[level, name]
        assert values[~np.isnan(values)] == pytest.approx(expected.samples, abs=1e-9)
        assert percentile_interval(values, 0.025) == pytest.approx((expected.lower, expected.upper), abs=1e-9)


def test_ties_are_counted_in_each_input():
    nan = math.nan
    x = np.array([[1.0, 1, 5, 3], [2, nan, 5, 4], [3, nan, 5, nan]])
    z = np.array([[1.0, 1, 1, 9], [3, nan, 2, 8], [2, nan, 3, nan]])
    assert ties_at("input", x, z) == [7, 3, 0, 0]


def test_ties_are_counted_on_each_side_and_on_both():
    assert ties_at("global", np.array([[1.0, 1], [1, 2]]), np.array([[1.0, 1], [3, 3]])) == [6, 3, 2, 1]


@pytest.mark.parametrize("name", NAMES)
def test_equal_means_of_systems_are_ties_whatever_the_rounding(name):
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    assert scores[0].mean() != scores[1].mean()
    assert math.isnan(coefficient(scores, [[1.0] * 3, [2.0] * 3], name, level="system"))


def test_a_huge_mean_does_not_tie_the_means_of_other_systems():
    x, z = np.array([[1.0, 1], [2, 2], [3, 3], [1e13, 1e13]]), np.array([[3.0, 3], [2, 2], [1, 1], [4, 4]])
    # C = 3 pairs with the last system, D = 3 without it; Σd² = 4 + 0 + 4 + 0, ρ = 1 − 6·8 / (4·15)
    assert coefficient(x, z, "kendall", level="system") == 0
    assert coefficient(x, z, "spearman", level="system") == pytest.approx(0.2, abs=1e-12)
    draws = [(np.arange(4), np.array(drawn)) for drawn in ([0, 0], [0, 1])]
    values = bootstrap(x, z, draws)
    assert values["system", "kendall"].tolist() == [0, 0]
    assert values["system", "spearman"] == pytest.approx([0.2, 0.2], abs=1e-12)
