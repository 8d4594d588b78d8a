"""Warnings of intervals and default methods; intervals from resamples of units."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import metrics_framework as fw
from metrics_framework.meta_evaluation.choices import INTERVAL_METHODS
from metrics_framework.meta_evaluation.coefficients.lookup import coefficient_names, load_coefficient
from metrics_framework.meta_evaluation.intervals import (
    interval_warnings,
    near_one_warning,
    overlap_warning,
    skew_warning,
)

WARNINGS = [  # systems, inputs, level, methods, the message of each warning, why
    (12, 30, "input", ["bootstrap-systems"], ["12 systems; with fewer than 40.*use jackknife-systems"], "copies"),
    (12, 30, "input", ["bca-systems"], ["12 systems"], "bias correction does not help"),
    (12, 30, "input", ["bootstrap-both"], ["12 systems"], "the bias remains"),
    (12, 30, "global", ["bootstrap-both"], [], "it covers"),
    (40, 30, "input", ["bootstrap-systems"], [], "enough systems"),
    (12, 30, "input", ["fisher"], ["ignore the number of inputs.*jackknife-systems"], "too long"),
    (12, 30, "within-system", ["fisher"], ["ignore the number of systems"], "too long"),
    (12, 30, "global", ["fisher"], ["independent outputs.*jackknife-systems"], "too short"),
    (12, 30, "system", ["fisher"], [], "points are systems"),
    (12, 30, "system", ["bootstrap-systems"], ["12 systems.*use fisher$"], "Pearson"),
    (12, 30, "system", ["fisher", "bootstrap-systems"], [], "ranks of systems"),
    (9, 30, "system", ["fisher", "bootstrap-systems"], ["only 9 systems; .*10, .*use fisher-shrunken$"], "few ranks"),
    (
        9,
        30,
        "system",
        ["bca-systems", "bca-systems", "bca-systems"],
        ["of pearson are too short.*use fisher$", "of spearman, acc-23 are .*use fisher-shrunken$"],
        "each coefficient has its own",
    ),
    (9, 30, "system", ["jackknife-systems", "fisher"], [], "the jackknife of Pearson's r covers"),
    (9, 30, "system", ["fisher", "jackknife-systems"], ["only 9 systems; .*use fisher-shrunken$"], "no other order"),
    (12, 30, "system", ["fisher", "jackknife-systems"], [], "enough orders"),
    (50, 90, "system", ["fisher", "jackknife-inputs"], ["single input.*use bootstrap-inputs$"], "no other order"),
    (
        50,
        19,
        "input",
        ["bootstrap-inputs"],
        ["only 19 inputs; .*20.*use jackknife-inputs"],
        "percentiles of few inputs",
    ),
    (50, 19, "input", ["jackknife-inputs"], [], "the jackknife covers"),
    (50, 1, "input", ["bca-inputs"], ["only 1 input;"], "one input"),
    (12, 6, "system", ["bootstrap-inputs", "bootstrap-both"], [], "they cover, and the jackknife does not"),
]


def test_rank_coefficients_near_one_and_skewed_scores_are_warned_of() -> None:
    values = {"pearson": 0.99, "spearman": 0.95, "kendall-b": -0.9, "acc-23": 0.94}
    (warning,) = near_one_warning(values, 12)
    assert "spearman, kendall-b are near 1, where" in warning
    assert not [*near_one_warning(values, 9)]
    normal = np.random.default_rng(0).normal(size=(12, 60))
    assert not [*skew_warning(normal, normal)]
    assert not [*skew_warning(normal, normal > 2)]
    (warning,) = skew_warning(normal, np.exp(normal))
    assert "scores are skewed (skewness 3.9)" in warning


@pytest.mark.parametrize(("systems", "inputs", "level", "methods", "expected", "why"), WARNINGS)
def test_warnings_name_what_to_use(systems, inputs, level, methods, expected, why):
    names = ("pearson", "spearman", "acc-23")
    found = interval_warnings(np.ones((systems, inputs)), level, dict(zip(names, methods, strict=False)))
    assert len(found) == len(expected), why
    for message, pattern in zip(found, expected, strict=True):
        assert re.search(pattern, message), why


@pytest.mark.parametrize(("systems", "missing", "warns"), [(12, 0.3, True), (12, 0.1, False), (24, 0.3, False)])
def test_kendall_b_of_few_systems_with_many_missing_scores_is_warned_of(systems, missing, warns):
    scores = np.where(np.arange(systems * 31).reshape(systems, 31) % 10 < 10 * missing, np.nan, 1.0)
    assert len(interval_warnings(scores, "input", {"kendall-b": "jackknife-systems"})) == warns
    assert interval_warnings(scores, "input", {"pearson": "jackknife-systems"}) == []


def test_empty_systems_and_inputs_do_not_count():
    scores = np.full((45, 25), np.nan)
    scores[:39, :19] = 1
    found = interval_warnings(scores, "input", {"pearson": "bootstrap-both"})
    assert len(found) == 2
    assert "39 systems" in found[0]
    assert "19 inputs" in found[1]


def test_clusters_are_the_units_that_are_drawn():
    found = interval_warnings(
        np.ones((50, 100)), "input", {"pdp": "bootstrap-inputs"}, [index // 10 for index in range(100)]
    )
    assert found[0].startswith("the bootstrap resamples only 10 clusters")


def test_overlap_is_a_share_of_the_inputs_of_either_system():
    scores = np.array([[1.0, 1, 1, np.nan], [1, 1, np.nan, np.nan], [np.nan, np.nan, np.nan, 1]])
    assert overlap_warning(scores)[0].endswith("share 22 % of their inputs on average, at least 0 %")
    assert overlap_warning(np.ones((3, 4))) == []
    assert overlap_warning(np.ones((1, 4))) == []
    assert overlap_warning(np.full((3, 4), np.nan)) == []


@pytest.mark.parametrize("name", coefficient_names())
def test_every_coefficient_has_a_default_without_warning(name):
    for level in load_coefficient(name).levels:
        method = load_coefficient(name).default_interval(level)
        assert method in INTERVAL_METHODS
        assert interval_warnings(np.ones((5, 20)), level, {name: method}) == []


def ratings(agreement: int) -> list[dict[str, object]]:
    """Ratings of 120 outputs by three raters and a judge, which agree on all but each of some outputs."""
    rows = []
    for unit in range(120):
        good = [(unit + (unit % agreement == rater)) % 4 for rater in range(3)]
        rows.append({"id": unit, "good": good, "model": (unit + (unit % agreement == 3)) % 4})
    return rows


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["alpha", "kappa"])
def test_agreement_of_judges_and_raters_has_intervals_on_the_scale_artanh(name: str) -> None:
    result = fw.judge(ratings(4), "good", ["model"], seed=3).as_json()
    for found in (result["judges"][0]["agreement"][name], result["raters"][name]):
        value, lower, upper = (found[key] for key in ("value", "lower", "upper"))
        assert -1 < lower < value < upper < 1
        assert upper - value < value - lower


@pytest.mark.parametrize(
    ("rating", "labels", "is_said"),
    [
        (lambda number, rater: math.exp(number / 5) + rater * (number % 3), False, True),
        (lambda number, rater: number % 5 + rater * (number % 3), False, False),
        (lambda number, rater: number % 4 == rater % 2, False, False),  # two ratings, whose skewness says nothing
        (lambda number, rater: round(math.exp(number / 5)) + (number == rater), True, False),  # categories
    ],
)
def test_intervals_of_agreement_from_skewed_ratings_are_said_to_be_too_short(rating, labels, is_said):
    rows = [
        {"instance_id": number, "rater": rater, "rating": float(rating(number, rater))}
        for number in range(25)
        for rater in range(3)
    ]
    cautions = fw.agreement(rows, "rating", labels=labels).as_json().get("cautions", [])
    assert any("skewed" in caution for caution in cautions) is is_said
