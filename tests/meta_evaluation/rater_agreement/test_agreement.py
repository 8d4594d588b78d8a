"""Coefficients of agreement: published numbers, other programs, and laws."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from messages import FORMS_NEED_TWO_OUTPUTS
from scipy import stats

from metrics_framework.inputs.ratings import read_long_tables
from metrics_framework.meta_evaluation import agreement
from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficients import COEFFICIENTS
from metrics_framework.significance.clusters import Clusters, drawn_weights

NA = math.nan
KRIPPENDORFF = np.array(  # Krippendorff (2011): 12 units × 4 raters
    [
        [1, 1, NA, 1],
        [2, 2, 3, 2],
        [3, 3, 3, 3],
        [3, 3, 3, 3],
        [2, 2, 2, 2],
        [1, 2, 3, 4],
        [4, 4, 4, 4],
        [1, 1, 2, 1],
        [2, 2, 2, 2],
        [NA, 5, 5, 5],
        [NA, NA, 1, 1],
        [NA, 3, NA, NA],
    ]
).T
TWO = np.array(
    [
        [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 3, 3, 2, 4, 1, 5, 2, 2, 4, 3],
        [1, 2, 3, 5, 5, 2, 2, 3, 3, 5, 3, 2, 2, 4, 1, 4, 3, 2, 5, 3],
    ],
    dtype=float,
)
SHROUT_FLEISS = np.array(  # Shrout and Fleiss (1979): 6 targets × 4 judges
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
).T

PUBLISHED = [  # data, coefficient, weights, value, made with
    (KRIPPENDORFF, "krippendorff", "nominal", 0.743421053, "Krippendorff (2011); krippendorff 0.9"),
    (KRIPPENDORFF, "krippendorff", "ordinal", 0.815387504, "Krippendorff (2011); krippendorff 0.9"),
    (KRIPPENDORFF, "krippendorff", "interval", 0.849107143, "Krippendorff (2011); krippendorff 0.9"),
    (KRIPPENDORFF, "krippendorff", "ratio", 0.797402775, "Krippendorff (2011); krippendorff 0.9"),
    (KRIPPENDORFF, "gwet", "identity", 0.775444068, "irrCAC 0.4.4"),
    (KRIPPENDORFF, "gwet", "linear", 0.858739136, "irrCAC 0.4.4"),
    (KRIPPENDORFF, "gwet", "quadratic", 0.914000724, "irrCAC 0.4.4"),
    (KRIPPENDORFF, "fleiss", "identity", 0.761169275, "irrCAC 0.4.4"),
    (KRIPPENDORFF, "fleiss", "linear", 0.817944767, "irrCAC 0.4.4"),
    (KRIPPENDORFF, "fleiss", "quadratic", 0.864935065, "irrCAC 0.4.4"),
    (TWO, "cohen", "identity", 0.554140127, "scikit-learn"),
    (TWO, "cohen", "linear", 0.755244755, "scikit-learn"),
    (TWO, "cohen", "quadratic", 0.892307692, "scikit-learn"),
    (SHROUT_FLEISS, "icc", "1,1", 0.165741768, "Shrout and Fleiss (1979); pingouin 0.6"),
    (SHROUT_FLEISS, "icc", "2,1", 0.289763780, "Shrout and Fleiss (1979); pingouin 0.6"),
    (SHROUT_FLEISS, "icc", "3,1", 0.714840715, "Shrout and Fleiss (1979); pingouin 0.6"),
    (SHROUT_FLEISS, "icc", "1,k", 0.442797134, "Shrout and Fleiss (1979); pingouin 0.6"),
    (SHROUT_FLEISS, "icc", "2,k", 0.620050548, "Shrout and Fleiss (1979); pingouin 0.6"),
    (SHROUT_FLEISS, "icc", "3,k", 0.909315542, "Shrout and Fleiss (1979); pingouin 0.6"),
]


@pytest.mark.parametrize(("ratings", "name", "weights", "expected", "source"), PUBLISHED)
def test_published_values(ratings: Any, name: str, weights: str, expected: float, source: str) -> None:
    assert agreement(ratings, name, weights=weights).value == pytest.approx(expected, abs=5e-10)


F_INTERVALS = [  # form, lower, upper (pingouin 0.6)
    ("1,1", -0.132932325, 0.722560062),
    ("2,1", 0.018786513, 0.761084370),
    ("3,1", 0.342464765, 0.945858260),
    ("2,k", 0.071136815, 0.927232040),
    ("3,k", 0.675674714, 0.985891678),
]


@pytest.mark.parametrize(("form", "lower", "upper"), F_INTERVALS)
def test_intervals_of_intraclass_correlations_follow_the_f_distribution(form: str, lower: float, upper: float) -> None:
    result = agreement(SHROUT_FLEISS, "icc", weights=form)
    assert (result.lower, result.upper) == pytest.approx((lower, upper), abs=5e-10)


def test_gwet_has_its_analytic_standard_error() -> None:
    assert agreement(KRIPPENDORFF, "gwet").standard_error == pytest.approx(0.142949951, abs=5e-10)


def test_outputs_with_one_rating_are_left_out_and_counted() -> None:
    result = agreement(KRIPPENDORFF, "krippendorff")
    assert (result.raters, result.units, result.units_left_out, result.ratings) == (4, 11, 1, 41)


def test_simplicity_da(shared_path: Callable[[str], Path]) -> None:
    values = (
        read_long_tables([str(shared_path("data/simplicity_da/simplicity_DA_ratings.csv"))])
        .ratings("simplicity")
        .values
    )
    ordinal, interval = (agreement(values, "krippendorff", weights=level) for level in ("ordinal", "interval"))
    assert ordinal.value == pytest.approx(0.285970977, abs=5e-10)
    assert interval.value == pytest.approx(0.293285411, abs=5e-10)
    assert ordinal.lower < ordinal.value < ordinal.upper < ordinal.lower + 0.1
    assert (interval.raters, interval.units, interval.ratings) == (67, 600, 9000)


def random_ratings(seed: int, raters: int = 4, units: int = 30, missing: float = 0.2) -> Any:
    generator = np.random.default_rng(seed)
    truth = generator.integers(1, 6, size=units)
    values = np.clip(truth + generator.integers(-1, 2, size=(raters, units)), 1, 5).astype(float)
    values[generator.random(values.shape) < missing] = np.nan
    return values


@pytest.mark.parametrize("level", COEFFICIENTS["krippendorff"].all_weights)
@pytest.mark.parametrize("seed", range(5))
def test_alpha_equals_the_krippendorff_package(level: str, seed: int) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    values = random_ratings(seed)
    expected = krippendorff.alpha(reliability_data=values, level_of_measurement=level)
    assert agreement(values, "krippendorff", weights=level).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("weights", COEFFICIENTS["gwet"].all_weights)
@pytest.mark.parametrize("seed", range(3))
def test_gwet_and_fleiss_equal_irrcac(weights: str, seed: int) -> None:
    irrcac = pytest.importorskip("irrCAC.raw")
    pandas = pytest.importorskip("pandas")
    values = random_ratings(seed)
    for stated in ((), range(-1, 8)):
        categories = [*map(float, stated or range(1, 6))]
        raw = irrcac.CAC(pandas.DataFrame(values.T), weights=weights, categories=categories, digits=12)
        for name, estimate in (("gwet", raw.gwet()), ("fleiss", raw.fleiss())):
            result = agreement(values, name, weights=weights, categories=stated)
            assert result.value == pytest.approx(estimate["est"]["coefficient_value"], abs=1e-9)
            assert result.standard_error == pytest.approx(estimate["est"]["se"], abs=1e-9)


UNUSED = [  # weights, value with the categories that occur, with 1 to 5: irrCAC 0.4.4
    ("identity", 0.578947368, 0.659574468),
    ("linear", None, 0.655172414),
    ("quadratic", None, 0.617977528),
]


@pytest.mark.parametrize(("weights", "occurring", "stated"), UNUSED)
def test_gwet_depends_on_categories_that_do_not_occur(weights: str, occurring: float | None, stated: float) -> None:
    ratings = [[1, 2, 5, 5, 1, 1, 5], [1, 2, 5, 1, 2, 1, 5]]
    found = [
        agreement(ratings, "gwet", weights=weights, categories=categories).value
        for categories in ((), range(1, 6), [*range(1, 6), 5])
    ]
    assert found[1:] == pytest.approx([stated, stated], abs=5e-10)
    assert occurring is None or found[0] == pytest.approx(occurring, abs=5e-10)


@pytest.mark.parametrize("name", [name for name in COEFFICIENTS if name != "gwet"])
def test_other_coefficients_do_not_depend_on_categories_that_do_not_occur(name: str) -> None:
    values = random_ratings(3, raters=2)
    for weights in COEFFICIENTS[name].all_weights:
        found, of_all = (agreement(values, name, weights=weights, categories=stated) for stated in ((), range(10)))
        assert (of_all.value, of_all.lower) == pytest.approx((found.value, found.lower), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "weights"),
    [(name, weights) for name in COEFFICIENTS for weights in COEFFICIENTS[name].all_weights],
)
def test_a_weighted_sample_equals_the_sample_with_copies(name: str, weights: str) -> None:
    values = random_ratings(3, raters=2, missing=0.1)
    drawn = next(drawn_weights([Clusters.of(None, values.shape[1])], 1, 5, 1))[0][0].astype(int)
    copies = np.repeat(values, drawn, axis=1)
    estimate = COEFFICIENTS[name](values, weights).estimates(drawn[None].astype(float))[0]
    assert estimate == pytest.approx(agreement(copies, name, weights=weights).value, abs=1e-12)


@pytest.mark.parametrize("form", ["1,1", "1,k"])
def test_a_weighted_sample_of_nested_ratings_equals_the_sample_with_copies(form: str) -> None:
    values = random_ratings(5, raters=4, missing=0)
    values[np.arange(30) % 4, np.arange(30)] = np.nan
    drawn = next(drawn_weights([Clusters.of(None, 30)], 1, 5, 1))[0][0].astype(int)
    estimate = COEFFICIENTS["icc"](values, form).estimates(drawn[None].astype(float))[0]
    assert estimate == pytest.approx(agreement(np.repeat(values, drawn, axis=1), "icc", weights=form).value, abs=1e-12)


@pytest.mark.parametrize("name", ["gwet", "fleiss"])
@pytest.mark.parametrize("weights", ["identity", "quadratic"])
def test_copies_of_an_output_in_its_cluster_leave_the_standard_error(name: str, weights: str) -> None:
    values = random_ratings(6)
    copies = np.repeat(values, 3, axis=1)
    expected = agreement(values, name, weights=weights).standard_error
    clusters = np.repeat(np.arange(30), 3).tolist()
    found = agreement(copies, name, weights=weights, clusters=clusters).standard_error
    assert found == pytest.approx(expected, abs=1e-12)
    assert agreement(copies, name, weights=weights).standard_error < 0.7 * expected


def by_hand(values: Any, name: str, weights: str, clusters: list[int], confidence: float) -> tuple[float, float]:
    """Returns the interval of pseudo-values of artanh, leaving out each cluster."""
    labels = np.array(clusters)
    whole = math.atanh(agreement(values, name, weights=weights).value)
    parts = [math.atanh(agreement(values[:, labels != one], name, weights=weights).value) for one in np.unique(labels)]
    pseudo = [len(parts) * whole - (len(parts) - 1) * part for part in parts]
    centre, error = np.mean(pseudo), np.std(pseudo, ddof=1) / math.sqrt(len(parts))
    half = stats.t.ppf((1 + confidence / 100) / 2, len(parts) - 1) * error
    return math.tanh(centre - half), math.tanh(centre + half)


@pytest.mark.parametrize(
    ("name", "weights"), [("krippendorff", "ordinal"), ("gwet", "identity"), ("fleiss", "linear"), ("icc", "3,1")]
)
@pytest.mark.parametrize("size", [1, 3])
def test_intervals_are_those_of_the_jackknife_on_the_scale_artanh(name: str, weights: str, size: int) -> None:
    values, names = random_ratings(7, missing=0), [unit // size for unit in range(30)]
    if name == "icc" and size == 1:
        return  # its interval is from the F distribution
    categories = np.unique(values).tolist()
    result = agreement(values, name, weights=weights, confidence=90, clusters=names, categories=categories)
    assert (result.lower, result.upper) == pytest.approx(by_hand(values, name, weights, names, 90), abs=1e-9)


def test_at_the_limit_of_the_range_intervals_are_linear_or_undefined() -> None:
    # without the only output on which raters differ, alpha is 1
    few, enough = (np.array([[1.0, 2] * half, [2, 2, *[1, 2] * (half - 1)]]) for half in (9, 10))
    assert agreement(few, "krippendorff").reason == "at the limit of its range without one of only 18 units"
    found = agreement(enough, "krippendorff")
    assert -1 < found.lower < found.value < found.upper == 1


@pytest.mark.parametrize(
    ("name", "weights"),
    [(name, weights) for name in COEFFICIENTS for weights in COEFFICIENTS[name].all_weights if weights != "ratio"],
)
def test_memory_and_time_are_linear_if_all_ratings_of_many_outputs_differ(name: str, weights: str) -> None:
    values = np.random.default_rng(0).random((2, 100_000))  # a number per output and rating were 160 GB
    coefficient = COEFFICIENTS[name](values, weights)
    assert abs(coefficient.value()) < 0.02
    assert not coefficient.standard_error(Clusters.of(None, values.shape[1])) > 0.01  # NaN if there is none


def test_of_many_outputs_groups_are_left_out() -> None:
    values = np.tile(random_ratings(3), 70)  # 2,100 outputs
    first, again, other = (agreement(values, "krippendorff", seed=seed) for seed in (0, 0, 1))
    assert str(first) == str(again)  # with NaN, which equals nothing
    assert (first.lower, first.upper) == pytest.approx((other.lower, other.upper), abs=0.01)
    assert first.lower != other.lower


DEGENERATE = [  # ratings, reason
    (np.full((3, 4), 2.0), "all ratings are equal"),
    (np.array([[1.0, NA], [NA, 2.0]]), "no output has two ratings"),
    (np.full((2, 3), NA), "no output has two ratings"),
    (np.zeros((2, 0)), "no output has two ratings"),
]


@pytest.mark.parametrize("name", [name for name in COEFFICIENTS if name != "icc"])
@pytest.mark.parametrize(("ratings", "reason"), DEGENERATE, ids=[reason for _, reason in DEGENERATE])
def test_degenerate_ratings_are_undefined_with_the_reason(name: str, ratings: Any, reason: str) -> None:
    result = agreement(ratings[:2] if name == "cohen" else ratings, name)
    assert math.isnan(result.value)
    assert math.isnan(result.lower)
    assert result.reason == reason


EXTREME = [  # ratings, why
    ([[1e308, -1e308, 1], [1e308, 1e308, 2]], "sums overflow"),
    ([[5e-324, 0, 1e-320], [0, 5e-324, 1e-320]], "squares underflow"),
    ([[1, 1, 1], [1, 2, 3]], "a constant rater"),
    ([[1, 2, NA, NA], [NA, NA, 3, 4]], "raters who share nothing"),
    ([[1], [2]], "a single output"),
    ([[1, 2, 3]], "a single rater"),
]


@pytest.mark.parametrize(("ratings", "why"), EXTREME, ids=[why for _, why in EXTREME])
@pytest.mark.parametrize("name", COEFFICIENTS)
def test_extreme_ratings_have_a_value_or_a_reason(name: str, ratings: Any, why: str) -> None:
    if name == "cohen" and len(ratings) != 2:
        return
    for weights in COEFFICIENTS[name].all_weights:
        if weights == "ratio" and np.nanmin(ratings) < 0:
            continue
        result = agreement(ratings, name, weights=weights)
        assert bool(result.reason) == math.isnan(result.value + result.lower)
        assert math.isnan(result.value) or result.value <= 1


ICC_DEGENERATE = [  # ratings, form, reason
    (np.full((3, 4), 2.0), "2,1", "the means of outputs do not differ"),
    (
        np.array([[1.0, NA, 3], [2, 2, NA], [NA, 3, 4]]),
        "2,1",
        f"{FORMS_NEED_TWO_OUTPUTS}, got 0",
    ),
    (np.array([[1.0, NA], [2, 2.0]]), "1,1", "needs two outputs with two ratings, got 1"),
]


@pytest.mark.parametrize(("ratings", "form", "reason"), ICC_DEGENERATE)
def test_undefined_intraclass_correlations_have_a_reason(ratings: Any, form: str, reason: str) -> None:
    result = agreement(ratings, "icc", weights=form)
    assert math.isnan(result.value)
    assert result.reason == reason


@pytest.mark.parametrize("factor", [1e-300, 1e-150, 1e150, 1e300])
@pytest.mark.parametrize("name", [name for name in COEFFICIENTS if name != "cohen"])
def test_the_scale_of_ratings_does_not_matter(name: str, factor: float) -> None:
    values = random_ratings(8, missing=0)
    for weights in COEFFICIENTS[name].all_weights:
        expected = agreement(values, name, weights=weights)
        result = agreement(values * factor, name, weights=weights)
        assert (result.value, result.lower) == pytest.approx((expected.value, expected.lower), abs=1e-9)


def test_raters_who_agree_completely_have_agreement_1() -> None:
    values = np.array([[1.0, 2, 3, 5], [1, 2, 3, 5]])
    for name in COEFFICIENTS:
        for weights in COEFFICIENTS[name].all_weights:
            assert agreement(values, name, weights=weights).value == pytest.approx(1)


def test_nested_raters_have_the_intraclass_correlation_of_one_way_models() -> None:
    # One rating per output is missing, of another rater each time; by the order of raters, this is the one-way model.
    full = random_ratings(2, raters=3, missing=0)
    nested = np.full((4, 30), np.nan)
    for unit in range(30):
        nested[np.arange(4) != unit % 4, unit] = full[:, unit]
    for form in ("1,1", "1,k"):
        expected, result = agreement(full, "icc", weights=form), agreement(nested, "icc", weights=form)
        assert (result.value, result.lower) == pytest.approx((expected.value, expected.lower), abs=1e-12)


def test_one_cluster_per_unit_changes_nothing() -> None:
    values = random_ratings(1)
    names = [f"d{unit}" for unit in range(30)]
    assert agreement(values, "gwet", clusters=names) == agreement(values, "gwet")
    assert agreement(values, "gwet", clusters=[unit // 6 for unit in range(30)]) != agreement(values, "gwet")


@pytest.mark.parametrize("clusters", [["d"] * 30, None])
def test_one_unit_or_cluster_has_no_interval(clusters: list[str] | None) -> None:
    values = random_ratings(1) if clusters else np.array([[1.0], [2.0]])
    result = agreement(values, "gwet", clusters=clusters)
    assert not math.isnan(result.value)
    assert math.isnan(result.lower)
    assert math.isnan(result.upper)


ratings_of_raters = arrays(np.float64, (3, 8), elements=st.sampled_from([1.0, 2.0, 3.0, 4.0, NA]))


@settings(max_examples=60)
@given(
    ratings_of_raters,
    st.permutations(range(3)),
    st.permutations(range(8)),
    st.sampled_from(["krippendorff", "gwet", "fleiss"]),
)
def test_neither_the_order_of_raters_nor_of_units_matters(
    values: Any, raters: list[int], units: list[int], name: str
) -> None:
    for weights in COEFFICIENTS[name].all_weights:
        first = agreement(values, name, weights=weights).value
        second = agreement(values[raters][:, units], name, weights=weights).value
        assert first == pytest.approx(second, abs=1e-12, nan_ok=True)
        assert math.isnan(first) or first <= 1 + 1e-12
