"""Variance components, and the reliability of plans."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.rater_agreement.generalizability import (
    complete_inputs,
    mean_of_ratings,
    variance_components,
)

# systems × inputs × raters; the components are those of statsmodels' analysis of variance
RATINGS = np.array(
    [
        [[4, 5], [3, 3], [5, 4], [2, 3]],
        [[2, 3], [3, 2], [3, 3], [1, 1]],
        [[5, 5], [4, 5], [3, 4], [4, 3]],
    ],
    dtype=float,
)
COMPONENTS = {
    "systems": 0.902777778,
    "inputs": 0.444444444,
    "raters": 0.041666667,
    "systems × inputs": 0.138888889,
    "systems × raters": -0.125,
    "inputs × raters": -0.125,
    "error": 0.541666667,
}
PLANS = [  # inputs, raters, Eρ², Φ
    (4, 2, 0.898100173, 0.793893130),
    (10, 1, 0.929899857, 0.854139290),
    (100, 3, 0.996474015, 0.976709241),
]


def test_components_follow_from_mean_squares() -> None:
    assert variance_components(RATINGS).components == pytest.approx(COMPONENTS, abs=5e-10)


@pytest.mark.parametrize(("inputs", "raters", "relative", "absolute"), PLANS)
def test_plans_use_negative_components_as_0(inputs: int, raters: int, relative: float, absolute: float) -> None:
    plan = variance_components(RATINGS).plan(inputs, raters)
    assert (plan.generalizability, plan.dependability) == pytest.approx((relative, absolute), abs=5e-10)


def test_mean_squares_equal_those_of_statsmodels() -> None:
    pandas = pytest.importorskip("pandas")
    api = pytest.importorskip("statsmodels.formula.api")
    anova = pytest.importorskip("statsmodels.stats.anova")
    values = np.random.default_rng(4).normal(size=(4, 5, 3))
    frame = pandas.DataFrame(
        [(f"s{s}", f"i{i}", f"r{r}", x) for (s, i, r), x in np.ndenumerate(values)], columns=[*"sirx"]
    )
    table = anova.anova_lm(api.ols("x ~ (C(s) + C(i) + C(r)) ** 2", frame).fit())
    squares = table["sum_sq"] / table["df"]
    error = squares["Residual"]
    found = variance_components(values).components
    assert found["error"] == pytest.approx(error)
    assert found["systems × inputs"] == pytest.approx((squares["C(s):C(i)"] - error) / 3)
    expected = (squares["C(s)"] - squares["C(s):C(i)"] - squares["C(s):C(r)"] + error) / 15
    assert found["systems"] == pytest.approx(expected)


def test_the_scale_of_ratings_does_not_matter() -> None:
    plans = [variance_components(values).plan(10, 2) for values in (RATINGS, 1e6 + 100 * RATINGS)]
    assert plans[0].generalizability == pytest.approx(plans[1].generalizability)


def test_constant_ratings_have_no_reliability() -> None:
    plan = variance_components(np.ones((2, 2, 2))).plan(3, 3)
    assert math.isnan(plan.generalizability)


BAD = [  # ratings, message
    (np.ones((1, 3, 2)), r"at least two systems, inputs and raters, got the shape \(1, 3, 2\)"),
    (np.full((2, 2, 2), 1e300), "must be within ±1e"),
    (np.ones((2, 2)), r"got the shape \(2, 2\)"),
    (np.where(np.arange(8).reshape(2, 2, 2) == 3, np.nan, 1.0), "every rater must rate every output"),
]


@pytest.mark.parametrize(("ratings", "message"), BAD)
def test_ratings_must_be_complete(ratings: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        variance_components(ratings)


def test_incomplete_inputs_can_be_left_out() -> None:
    ratings = RATINGS.copy()
    ratings[1, 2, 0] = np.nan
    np.testing.assert_array_equal(complete_inputs(ratings), RATINGS[:, [0, 1, 3]])


def test_a_plan_needs_an_input_and_a_rater() -> None:
    with pytest.raises(InputError, match="at least one input and one rater, got 0 and 2"):
        variance_components(RATINGS).plan(0, 2)


def test_the_mean_of_k_ratings_follows_spearman_and_brown() -> None:
    assert mean_of_ratings(0.2, [1, 5]) == pytest.approx({1: 0.2, 5: 1 / 1.8})
    assert mean_of_ratings(-0.4, [1, 5]) == {1: 0.0, 5: 0.0}
