"""Variance components, the reliability of plans, and warnings of rare ratings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import metrics_framework as fw
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.rater_agreement.generalizability import (
    complete_inputs,
    mean_of_ratings,
    variance_components,
)
from metrics_framework.meta_evaluation.rater_agreement.study import rare_ratings_caution

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


def test_the_scale_of_ratings_does_not_matter() -> None:
    plans = [variance_components(values).plan(10, 2) for values in (RATINGS, 1e6 + 100 * RATINGS)]
    assert plans[0].generalizability == pytest.approx(plans[1].generalizability)


def test_constant_ratings_have_no_reliability() -> None:
    plan = variance_components(np.ones((2, 2, 2))).plan(3, 3)
    assert math.isnan(plan.generalizability)


def test_incomplete_inputs_can_be_left_out() -> None:
    ratings = RATINGS.copy()
    ratings[1, 2, 0] = np.nan
    np.testing.assert_array_equal(complete_inputs(ratings), RATINGS[:, [0, 1, 3]])


def test_a_plan_needs_an_input_and_a_rater() -> None:
    with pytest.raises(InputError, match="got 0 and 2"):
        variance_components(RATINGS).plan(0, 2)


def test_the_mean_of_k_ratings_follows_spearman_and_brown() -> None:
    assert mean_of_ratings(0.2, [1, 5]) == pytest.approx({1: 0.2, 5: 1 / 1.8})
    assert mean_of_ratings(-0.4, [1, 5]) == {1: 0.0, 5: 0.0}


CAUTIONS = [  # outputs, those with another rating, what is resampled, the coverage that is named
    (20, 1, 20, "29 to 97 %"),
    (50, 3, 50, "64 to 93 %"),
    (50, 6, 50, "86 to 98 %"),
    (50, 6, 10, "29 to 97 %"),  # ten clusters
    (100, 10, 100, "86 to 98 %"),
    (100, 13, 100, ""),
    (20, 6, 20, ""),  # few outputs, but no rare rating
]


@pytest.mark.parametrize(("outputs", "others", "independent", "covered"), CAUTIONS)
def test_few_outputs_with_rare_ratings_are_a_caution(outputs: int, others: int, independent: int, covered: str) -> None:
    values = np.full((3, outputs + 1), np.nan)
    values[:2, :outputs] = np.arange(outputs) < others
    values[2, outputs] = 7  # an output with one rating does not count
    caution = rare_ratings_caution(values, independent)
    assert (covered in caution) if covered else not caution


def ratings(kinds: dict[str, int]) -> list[dict[str, Any]]:
    """Returns ratings of 40 outputs of each kind, of which some are bad."""
    outputs = [(kind, number, bad) for kind, bad in kinds.items() for number in range(40)]
    return [
        {"id": f"{kind}{number}", "kind": kind, "rater": rater, "label": "bad" if number < bad - rater else "good"}
        for kind, number, bad in outputs
        for rater in (1, 2)
    ]


@pytest.mark.filterwarnings("ignore")
def test_the_groups_with_rare_ratings_are_named_together() -> None:
    found = fw.agreement(ratings({"a": 4, "b": 20, "c": 4}), "label", labels=True, by="kind").warnings
    assert [warning.split(":")[0] for warning in found] == ["label (a, c)"]
    alone = fw.agreement(ratings({"a": 4}), "label", ["krippendorff", "gwet"], labels=True).warnings
    assert [warning.split(":")[0] for warning in alone] == ["label"]


@pytest.mark.filterwarnings("error")
def test_intervals_from_the_f_distribution_have_no_caution() -> None:
    rows = [{**row, "q": int(row["label"] == "bad")} for row in ratings({"a": 4})]
    assert not fw.agreement(rows, "q", "icc").warnings
