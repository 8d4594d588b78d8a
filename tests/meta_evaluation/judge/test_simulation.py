"""Small versions of the simulations in `benchmarks/judging.py`: intervals and tests keep what they promise."""

from __future__ import annotations

import math

import pytest
from benchmark_modules import benchmark

SIMULATIONS = 1500
ERROR = 3 * math.sqrt(0.05 * 0.95 / SIMULATIONS)


@pytest.fixture(scope="module")
def judging():
    return benchmark("judging")


@pytest.mark.slow
@pytest.mark.parametrize("units", [30, 100])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.2])
def test_the_test_of_one_rater_rejects_five_percent_of_true_null_hypotheses(judging, units, epsilon):
    assert judging.rejections(units, epsilon, SIMULATIONS, seed=1) <= 0.05 + ERROR


@pytest.mark.slow
def test_the_signed_rank_test_of_few_outputs_rejects_too_often_as_the_warning_says(judging):
    assert judging.rejections(15, 0.1, SIMULATIONS, seed=1) > 0.15


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 5])
@pytest.mark.parametrize("clusters", [15, 60])
def test_the_test_of_clusters_rejects_five_percent_where_that_of_outputs_rejects_more(judging, clusters, size):
    ignored, given = judging.rejections_with_clusters(clusters, size, 0.1, SIMULATIONS, seed=1)
    assert ignored > 0.07
    assert given <= 0.05 + ERROR


@pytest.mark.slow
def test_intervals_of_judges_cover(judging):
    found = judging.coverage_of_judges(200, 200, seed=1)
    assert min(found.values()) >= 0.93 - 3 * math.sqrt(0.05 * 0.95 / 200)
    assert len(found) == 6
