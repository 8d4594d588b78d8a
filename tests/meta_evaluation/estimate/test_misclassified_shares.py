"""`misclassification`: computed numbers, laws, and what is refused."""

from __future__ import annotations

import math

import pytest
from messages import NO_BETTER_THAN_CHANCE

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation import misclassification

CASES = [  # p, q0, q1, n, m0, m1, value, lower, upper; computed with the code of Lee et al. (2026)
    (0.8, 0.9, 0.85, 1000, 60, 140, 0.933333333, 0.859106267, 1),
    (0.62, 0.75, 0.9, 500, 40, 60, 0.569230769, 0.428726889, 0.697762214),
]


@pytest.mark.parametrize(("p", "q0", "q1", "n", "m0", "m1", "value", "lower", "upper"), CASES)
def test_numbers_of_the_formulas(p, q0, q1, n, m0, m1, value, lower, upper):
    estimate = misclassification(p, q0, q1, n=n, m0=m0, m1=m1)
    assert (round(estimate.value, 9), round(estimate.lower, 9), round(estimate.upper, 9)) == (value, lower, upper)


def test_a_perfect_judge_changes_nothing():
    estimate = misclassification(0.3, 1, 1, n=10**9, m0=10**9, m1=10**9)
    assert estimate.value == pytest.approx(0.3)
    assert estimate.lower == pytest.approx(estimate.upper, abs=1e-3)


def test_shares_are_limited_to_the_possible():
    assert misclassification(0.95, 0.9, 0.85, n=50, m0=20, m1=20).value == 1
    assert misclassification(0.05, 0.9, 0.85, n=50, m0=20, m1=20).value == 0


def test_an_interval_from_one_rating_of_each_kind_is_undefined():
    estimate = misclassification(0.5, 1, 0.01, n=50, m0=1, m1=1000)
    assert math.isnan(estimate.lower)
    assert math.isnan(estimate.upper)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"specificity": 0.5, "sensitivity": 0.5}, NO_BETTER_THAN_CHANCE),
        ({"share": 1.2}, "'share' must be between 0 and 1"),
        ({"m0": 0}, "'m0' must be 1 or more"),
    ],
)
def test_invalid_arguments_are_refused(change, message):
    arguments = {"share": 0.5, "specificity": 0.9, "sensitivity": 0.8, "n": 10, "m0": 5, "m1": 5} | change
    with pytest.raises(InputError, match=message):
        misclassification(**arguments)
