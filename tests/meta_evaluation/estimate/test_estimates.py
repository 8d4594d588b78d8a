"""`predicted_mean` and `misclassification`: published and computed numbers, the authors' package, and laws."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics_framework.meta_evaluation import Interval, misclassification, predicted_mean
from metrics_framework.meta_evaluation.estimate import study

ROOT = Path(__file__).resolve().parents[3]

Y, F = [3, 4, 2, 5, 1], [3.5, 4, 2.5, 4.5, 2]
U = [3, 2, 4, 4.5, 1.5, 2.5, 3.5, 5, 2, 3]
PPI = {"variances": "population", "interval": "normal"}  # as ppi-python
WORKED = [  # options, λ, value, standard error or none, lower, upper; computed with a separate program
    ({**PPI, "tuning": "free"}, 0.742857143, 2.851428571, None, 2.033161153, 3.669695990),
    ({**PPI, "tuning": 1}, 1, 2.8, None, 1.989512827, 3.610487173),
    ({**PPI, "tuning": 0}, 0, 3, None, 1.760409935, 4.239590065),
    ({"tuning": "free", "interval": "normal"}, 0.928571429, 2.814285714, 0.442514588, None, None),
    ({"interval": "normal"}, 1.007751938, 2.798449612, 0.444508288, None, None),
    ({}, 1.007751938, 2.798449612, None, 1.172923105, 4.423976120),
]
SIMPLICITY = [  # score, tuning, λ, value, lower, upper; computed with ppi-python 0.2.3, and λ by its formula
    ("sari", "free", 0.471303654, 51.808107583, 47.339835617, 56.276379548),
    ("bertscore_P", "free", 58.217392091, 51.857425041, 48.042305278, 55.672544804),
    ("bertscore_P", "clipped", 1, 52.256361047, 47.716881092, 56.795841003),
    ("fkgl", "free", -0.299193952, 52.248844351, None, None),
    ("fkgl", 0, 0, 52.263333333, 47.703719065, 56.822947601),
]
numbers = st.lists(st.floats(-100, 100), min_size=2, max_size=12)


def rounded(estimate, *names):
    return tuple(round(getattr(estimate, name), 9) for name in names)


@pytest.mark.parametrize(("options", "weight", "value", "error", "lower", "upper"), WORKED)
def test_worked_values(options, weight, value, error, lower, upper):
    found = rounded(predicted_mean(Y, F, U, **options), "tuning", "value", "standard_error", "lower", "upper")
    expected = (weight, value, error, lower, upper)
    assert [one for one, other in zip(found, expected, strict=True) if other is not None] == [
        one for one in expected if one is not None
    ]


@pytest.mark.parametrize(("score", "tuning", "weight", "value", "lower", "upper"), SIMPLICITY)
def test_simplicity_da_with_a_hundred_ratings(shared_path, score, tuning, weight, value, lower, upper):
    folder = shared_path("data/simplicity_da")
    with (folder / "simplicity_DA.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with (folder / "published_metrics_asset.csv").open(encoding="utf-8") as file:
        published = {(row["sent_id"], row["sys_name"]): float(row[score]) for row in csv.DictReader(file)}
    ratings = [float(row["simplicity"]) for row in rows]
    scores = [published[row["sent_id"], row["sys_name"]] for row in rows]
    estimate = predicted_mean(ratings[:100], scores[:100], scores[100:], tuning=tuning, **PPI)
    assert rounded(estimate, "tuning", "value") == (weight, value)
    if lower is not None:
        assert rounded(estimate, "lower", "upper") == (lower, upper)
    assert estimate.lower < 50.971111 < estimate.upper, "the mean of all ratings"


@pytest.mark.slow
def test_the_authors_package_gives_the_same_clipped_interval():
    ppi = pytest.importorskip("ppi_py")
    stream = np.random.default_rng(3)
    truth = stream.normal(3, 1, 300)
    scores = truth + stream.normal(0, 0.7, 300)
    y, f, u = truth[:60], scores[:60], scores[60:]
    for confidence in (90, 95):
        lower, upper = ppi.ppi_mean_ci(y, f, u, alpha=1 - confidence / 100)
        estimate = predicted_mean(y, f, u, tuning="clipped", confidence=confidence, **PPI)
        assert (estimate.lower, estimate.upper) == pytest.approx((float(lower[0]), float(upper[0])), rel=1e-12)


@given(numbers, numbers, st.randoms(use_true_random=False), st.sampled_from(["sample", "population"]))
def test_an_independent_twin_computes_the_same(y, u, random, variances):
    f = [value + random.uniform(-50, 50) for value in y]
    n, others, weight, lost = len(y), len(u), random.uniform(-2, 2), variances == "sample"
    mean_u = math.fsum(u) / others
    rest = [a - weight * b for a, b in zip(y, f, strict=True)]
    mean = math.fsum(rest) / n
    variance = weight**2 * math.fsum((x - mean_u) ** 2 for x in u) / (others * (others - lost))
    variance += math.fsum((x - mean) ** 2 for x in rest) / (n * (n - lost))
    estimate = predicted_mean(y, f, u, tuning=weight, interval="t", variances=variances)
    assert estimate.value == pytest.approx(weight * mean_u + mean, abs=1e-9)
    assert estimate.standard_error == pytest.approx(math.sqrt(variance), abs=1e-9)


def test_a_cluster_for_each_item_changes_nothing_and_larger_clusters_do():
    options = {"tuning": "free", "variances": "population"}
    for tuning in ("regression", "free", 0.5):
        plain = predicted_mean(Y, F, U, tuning=tuning)
        assert predicted_mean(Y, F, U, tuning=tuning, clusters=range(5), unlabelled_clusters=range(5, 15)) == plain
    plain = predicted_mean(Y, F, U, **options)
    clustered = predicted_mean(Y, F, U, clusters="aabbc", unlabelled_clusters=np.array(list("aabbccddee")), **options)
    assert clustered.value == plain.value
    assert clustered.standard_error != plain.standard_error
    assert clustered.degrees_of_freedom == 2
    assert clustered.classical.value - clustered.classical.lower == pytest.approx(
        stats.t.ppf(0.975, 2) * math.sqrt((3 + 4 - 6) ** 2 + (2 + 5 - 6) ** 2 + (1 - 3) ** 2) / 5
    )


@pytest.mark.parametrize(("clusters", "unlabelled_clusters"), [("aaabc", "defghijklm"), ("abcde", "ffffffffff")])
def test_a_regression_needs_four_clusters_with_ratings_and_two_without(clusters, unlabelled_clusters):
    options = {"clusters": clusters, "unlabelled_clusters": unlabelled_clusters}
    estimate = predicted_mean(Y, F, U, **options)
    assert estimate.value == predicted_mean(Y, F, U).value
    assert all(map(math.isnan, (estimate.lower, estimate.upper, estimate.standard_error)))
    assert math.isfinite(predicted_mean(Y, F, U, tuning=0, **options).lower)


def test_the_sums_of_clusters_are_the_items_of_a_regression():
    sums = predicted_mean(Y, F, U).standard_error
    many = [[value for value in values for _ in "ab"] for values in (Y, F, U)]
    labels = [[unit for unit in units for _ in "ab"] for units in (range(5), range(5, 15))]
    clustered = predicted_mean(*many, clusters=labels[0], unlabelled_clusters=labels[1])
    assert (clustered.standard_error, clustered.degrees_of_freedom) == (pytest.approx(sums), 3)


def test_a_skewed_rating_moves_the_weight_of_a_regression_less():
    y, f = [1, 1, 1, 1, 20], [1, 2, 1, 2, 15]
    weights = [predicted_mean(y, f, [1, 2] * 20, tuning=tuning).tuning for tuning in ("regression", "free")]
    assert weights == pytest.approx([40 / 45 * np.cov(y, f)[0, 1] / np.var(f, ddof=1), weights[1]])
    assert weights[1] > 3 * weights[0]


def test_ratings_of_one_cluster_have_no_interval():
    for y in (Y, [0, 1, 0, 1, 1]):
        estimate = predicted_mean(y, F, U, clusters="aaaaa", unlabelled_clusters="aabbccddee")
        undefined = (estimate.lower, estimate.upper, estimate.standard_error, estimate.ratings_saved)
        assert all(map(math.isnan, undefined))
        assert math.isnan(estimate.classical.lower)


def test_the_interval_is_that_of_student_unless_all_ratings_are_0_or_1():
    estimate = predicted_mean(Y, F, U, confidence=90)
    half_width = stats.t.ppf(0.95, 3) * estimate.standard_error
    assert estimate.interval == "t"
    assert (estimate.lower, estimate.upper) == pytest.approx((estimate.value - half_width, estimate.value + half_width))
    assert predicted_mean([0, 1, 1, 0, 1], F, U).interval == "score"
    assert predicted_mean([0, 1, 1, 0, 1], F, U, interval="t").interval == "t"
    assert predicted_mean([0, 1, 0.5, 0, 1], F, U).interval == "t"


def score_interval(value, error, n, units, freedom, confidence):
    """The score interval by the formulas with an effective number of ratings."""
    p = min(max(value, 0), 1)
    g = min(max(p, 1 / (n + 2)), 1 - 1 / (n + 2))
    effective = g * (1 - g) / error**2 if error else units
    c = stats.t.ppf((1 + confidence / 100) / 2, freedom)
    centre = (p + c * c / (2 * effective)) / (1 + c * c / effective)
    half_width = c / (1 + c * c / effective) * math.sqrt(p * (1 - p) / effective + c * c / (4 * effective**2))
    return p, max(0, centre - half_width), min(1, centre + half_width)


@given(
    st.lists(st.tuples(st.sampled_from([0, 1]), st.sampled_from([0, 0.25, 1])), min_size=4, max_size=12),
    st.lists(st.sampled_from([0, 0.25, 1]), min_size=1, max_size=12),
    st.sampled_from(["regression", "free", "clipped", 1.0, 0.5]),
    st.sampled_from([80, 95]),
    st.booleans(),
)
def test_ratings_of_0_and_1_have_the_score_interval(rated, unrated, tuning, confidence, in_clusters):
    y, f = zip(*rated, strict=True)
    n, groups = len(y), {}
    if in_clusters:
        groups = {"clusters": [i // 2 for i in range(n)], "unlabelled_clusters": range(100, 100 + len(unrated))}
    units = -(-n // 2) if in_clusters else n
    estimate = predicted_mean(y, f, unrated, tuning=tuning, confidence=confidence, **groups)
    tuning = "free" if tuning == "regression" else tuning  # also by default
    other = predicted_mean(y, f, unrated, tuning=tuning, interval="t", **groups)
    if units < 2 or math.isnan(other.lower):
        assert math.isnan(estimate.lower)
        assert units < 4 or len(unrated) < 2
        return
    error = other.standard_error if other.standard_error > 1e-12 else 0
    expected = score_interval(other.value, error, n, units, other.degrees_of_freedom, confidence)
    assert (estimate.value, estimate.lower, estimate.upper) == pytest.approx(expected, abs=1e-9)
    assert 0 <= estimate.lower <= estimate.value <= estimate.upper <= 1


def test_without_a_judge_the_score_interval_is_that_of_wilson_with_the_quantile_of_student():
    estimate = predicted_mean([1] * 41 + [0] * 9, [0.5] * 50, [0.5] * 10, variances="population")
    c = stats.t.ppf(0.975, 49)
    wilson = stats.binomtest(41, 50).proportion_ci(2 * stats.norm.cdf(c) - 1, method="wilson")
    assert (estimate.lower, estimate.upper) == pytest.approx((wilson.low, wilson.high))
    assert estimate.classical == Interval(estimate.value, estimate.lower, estimate.upper)
    sample = predicted_mean([1] * 41 + [0] * 9, [0.5] * 50, [0.5] * 10)
    assert sample.standard_error == pytest.approx(math.sqrt(0.82 * 0.18 / 49))
    assert sample.degrees_of_freedom == 49, "no weight is estimated from equal scores"


def test_skewness_and_the_rarer_class():
    estimate = predicted_mean([1, 1, 1, 5], [0] * 4, [1])
    assert estimate.skewness == pytest.approx(stats.skew([1, 1, 1, 5]))
    assert estimate.rarer is None
    binary = predicted_mean([1, 0, 0, 0, 0], [0] * 5, [1], clusters="aabbc", unlabelled_clusters="d")
    assert binary.rarer == 1
    assert predicted_mean([1, 1, 0, 0, 0], [0] * 5, [1], clusters="aabbc", unlabelled_clusters="d").rarer == 1
    assert predicted_mean([1, 1], [0, 1], [1], tuning="free").rarer == 0
    sums = [1 + 2 - 6, 3 + 4 - 6, 5 - 3]
    clustered = predicted_mean([1, 2, 3, 4, 5], [0] * 5, [1], clusters="aabbc", unlabelled_clusters="d")
    assert clustered.skewness == pytest.approx(np.mean(np.power(sums, 3)) / np.mean(np.square(sums)) ** 1.5)
    assert math.isnan(predicted_mean([2, 2], [0, 1], [1], tuning="free").skewness)


@pytest.mark.parametrize("tuning", ["regression", "free"])
def test_best_weights_do_not_depend_on_the_scale_of_scores(tuning):
    plain = predicted_mean(Y, F, U, tuning=tuning)
    other = predicted_mean(Y, [-100 * x for x in F], [-100 * x for x in U], tuning=tuning)
    assert other.tuning == pytest.approx(-plain.tuning / 100)
    assert (other.value, other.lower) == pytest.approx((plain.value, plain.lower))
    assert predicted_mean(Y, [-x for x in F], [-x for x in U], tuning="clipped").tuning == 0


DEGENERATE = [  # labels, predictions, unlabelled, value, defined, λ, why; λ is free for fewer than four ratings
    ([3, 4], [1, 2], [], 3.5, True, 0, "no other outputs: the classical mean"),
    ([3, 4], [2, 2], [2, 2, 2], 3.5, True, 0, "a constant score predicts nothing"),
    ([3], [2], [2, 3], 3, False, 0, "one rating has no standard error"),
    ([3, 3], [1, 2], [2, 3], 3, True, 0, "constant ratings"),
    ([1e308, 1.5e308], [1e-300, 2e-300], [1e-300, 2e-300], 1.25e308, True, None, "neither overflow nor underflow"),
    ([1e308, 1.5e308] * 2, [1e-300, 2e-300] * 2, [1e-300, 2e-300], 1.25e308, True, None, "nor in a regression"),
    ([1, 2, 3, 4], [2, 2, 2, 2], [1, 3], 2.5, True, 0, "equal scores of the rated outputs"),
    ([3, 3, 3, 3], [1, 2, 3, 4], [2, 3], 3, True, 0, "constant ratings of a regression"),
]


@pytest.mark.parametrize(("y", "f", "u", "value", "defined", "weight", "why"), DEGENERATE)
def test_degenerate_data_have_defined_answers(y, f, u, value, defined, weight, why):
    estimate = predicted_mean(y, f, u, tuning="regression" if len(y) > 3 else "free")
    assert estimate.value == pytest.approx(value), why
    assert math.isfinite(estimate.lower) is defined, why
    if weight is not None:
        assert estimate.tuning == weight, why


def test_rated_and_unrated_outputs_that_differ_are_measured():
    stream = np.random.default_rng(0)
    scores = stream.normal(size=200)
    assert predicted_mean(scores[:100], scores[:100], scores[100:] + 2).imbalance < -3
    assert abs(predicted_mean(scores[:100], scores[:100], scores[100:]).imbalance) < 3
    assert predicted_mean([1, 2, 1, 2], [3, 3, 3, 3], [4, 4]).imbalance == -math.inf


def rows_of_the_page() -> dict[str, list[float]]:
    text = (ROOT / "docs" / "explanation" / "estimates.md").read_text(encoding="utf-8")
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return {name: [100 * float(cell) for cell in cells if cell] for name, *cells in lines if cells[-1][:1] == "."}


def span(*columns: float) -> str:
    return f"{min(columns):.0f} to {max(columns):.0f} %"


def test_warnings_state_the_coverage_of_the_page() -> None:
    page = rows_of_the_page()
    cautions = " ".join(text([predicted_mean([1, 1, 1, 3], [0] * 4, [1])]) for _, text in study._CAUTIONS)
    normal = [cell for name in ("1 to 5, t", "normal, t") for cell in page[name]]
    assert min(normal) >= 94, "few ratings without skewness need no caution"
    assert max(normal) <= 96
    skewed = [page[f"{name}, t"] for name in ("exponential (skewness 2)", "lognormal (skewness 6.2)")]
    for place, ratings in ((1, "of simulations with 10"), (3, "with 30"), (4, "with 100")):
        assert f"{span(*(row[place] for row in skewed))} {ratings}" in cautions
    scores = {name: row for name, row in page.items() if name.endswith(", score") and "λ" not in name}
    clustered = [share for name, row in scores.items() if "clusters" in name for share in row]
    independent = [share for name, row in scores.items() if "clusters" not in name for share in row]
    pairs = [share for name, row in page.items() if " and " in name for share in row]
    for described in (
        f"the share in {span(*independent)}",
        f"clusters in {span(*clustered)}",
        f"systems in {span(*pairs)}",
    ):
        assert described in cautions


MISCLASSIFIED = [  # p, q0, q1, n, m0, m1, value, lower, upper; computed with the code of Lee et al. (2026)
    (0.8, 0.9, 0.85, 1000, 60, 140, 0.933333333, 0.859106267, 1),
    (0.62, 0.75, 0.9, 500, 40, 60, 0.569230769, 0.428726889, 0.697762214),
]


@pytest.mark.parametrize(("p", "q0", "q1", "n", "m0", "m1", "value", "lower", "upper"), MISCLASSIFIED)
def test_corrected_shares_of_the_formulas(p, q0, q1, n, m0, m1, value, lower, upper):
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
