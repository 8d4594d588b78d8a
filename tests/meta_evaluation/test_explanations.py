"""Partial correlations and shares of variance, against pingouin and statsmodels."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.meta_evaluation import coefficient, partial_correlation, variance_shares


def scores(seed=0, shape=(6, 20), missing=0):
    generator = np.random.default_rng(seed)
    length = generator.integers(5, 30, shape).astype(float)
    source = np.broadcast_to(generator.integers(5, 40, shape[1]), shape).astype(float)
    human = np.round(2 * generator.normal(size=shape) + 0.2 * length + 0.1 * source)
    metric = human + generator.normal(size=shape) - 0.3 * length
    for matrix in (human, metric, length)[: 3 if missing else 0]:
        matrix.flat[generator.choice(matrix.size, missing, replace=False)] = math.nan
    return human, metric, {"length": length, "source": source}


# --- partial correlation ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["global", "input"])
@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_without_covariates_it_is_the_coefficient_of_the_level(name, level):
    human, metric, _ = scores(missing=5)
    found = partial_correlation(human, metric, {}, name, level=level)
    expected = coefficient(human, metric, name, level=level)
    assert (found.value, found.uncontrolled) == pytest.approx((expected, expected), abs=1e-12)


def test_at_the_input_level_slopes_are_common_to_all_inputs():
    sm = pytest.importorskip("statsmodels.api")
    human, metric, every = scores(4)
    length = every["length"]
    inputs = np.broadcast_to(np.arange(human.shape[1]), human.shape).ravel()
    design = np.column_stack([length.ravel(), np.eye(human.shape[1])[inputs]])
    residuals = [sm.OLS(matrix.ravel(), design).fit().resid.reshape(human.shape) for matrix in (human, metric)]
    expected = coefficient(*residuals, "pearson", level="input")
    found = partial_correlation(human, metric, {"length": length}, level="input")
    assert found.value == pytest.approx(expected, abs=1e-10)
    assert math.isnan(found.p_value)


def test_a_covariate_that_is_equal_for_all_outputs_of_an_input_changes_nothing_at_the_input_level():
    human, metric, every = scores()
    found = partial_correlation(human, metric, {"source": every["source"]}, level="input")
    assert found.value == pytest.approx(found.uncontrolled, abs=1e-12)


UNDEFINED = [  # what the covariate or the score is
    "the metric is the covariate",
    "the metric is linear in the covariate",
    "the human scores are constant",
    "no output has the covariate",
    "one output",
]


@pytest.mark.parametrize("why", UNDEFINED)
@pytest.mark.parametrize("level", ["global", "input"])
@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_undefined_partial_correlations(why, level, name):
    human, metric, every = scores()
    length = every["length"]
    if "the metric" in why:
        metric = length if "is the" in why else 0.1 * length + 0.7
    elif "constant" in why:
        human = np.full_like(human, 0.1)
    elif "no output" in why:
        length = np.full_like(human, math.nan)
    else:
        human, metric, length = human[:1, :1], metric[:1, :1], length[:1, :1]
    found = partial_correlation(human, metric, {"length": length}, name, level=level)
    assert math.isnan(found.value)
    assert math.isnan(found.p_value)


def test_huge_values_and_constant_covariates():
    human, metric, every = scores()
    expected = partial_correlation(human, metric, every)
    constant = np.full_like(human, 3.0)
    huge = {"length": every["length"] * 1e300, "source": every["source"], "constant": constant}
    found = partial_correlation(human * 1e300, metric * 1e-300, huge)
    assert found.value == pytest.approx(expected.value, abs=1e-9)


# pingouin 0.6 on the published scores and ratings of Alva-Manchego, Scarton and Specia (2021).
SIMPLICITY = [  # metric, covariates, coefficient, without, with
    ("sari", ["simp_sent"], "pearson", 0.358707993, 0.374742672),
    ("sari", ["simp_sent"], "spearman", 0.326886676, 0.337245751),
    ("bleu", ["simp_sent"], "pearson", 0.496335980, 0.526908591),
    ("bleu", ["simp_sent"], "spearman", None, 0.501458306),
    ("bertscore_P", ["simp_sent"], "pearson", 0.617462608, 0.620385704),
    ("bertscore_P", ["simp_sent"], "spearman", None, 0.642896255),
    ("sari", ["simp_sent", "orig_sent"], "pearson", 0.358707993, 0.378768498),
]


@pytest.mark.parametrize(("metric", "covariates", "name", "without", "controlled"), SIMPLICITY)
def test_partial_correlations_with_simplicity_ratings(metric, covariates, name, without, controlled, shared_path):
    folder = shared_path("data/simplicity_da")
    with open(folder / "simplicity_DA.csv", encoding="utf-8", newline="") as file:
        ratings = {(row["sent_id"], row["sys_name"]): row for row in csv.DictReader(file)}
    with open(folder / "published_metrics_asset.csv", encoding="utf-8", newline="") as file:
        published = {(row["sent_id"], row["sys_name"]): float(row[metric]) for row in csv.DictReader(file)}
    human = [[float(row["simplicity_zscore"]) for row in ratings.values()]]
    words = {text: [[len(row[text].split()) for row in ratings.values()]] for text in covariates}
    found = partial_correlation(human, [[published[output] for output in ratings]], words, name)
    assert found.value == pytest.approx(controlled, abs=1e-9)
    if without is not None:
        assert found.uncontrolled == pytest.approx(without, abs=1e-9)


# --- shares of variance -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [0, 30])
def test_shares_of_variance_are_sequential_sums_of_squares_of_statsmodels(missing):
    pandas = pytest.importorskip("pandas")
    smf, anova = pytest.importorskip("statsmodels.formula.api"), pytest.importorskip("statsmodels.stats.anova")
    human = scores(7, missing=missing)[0]
    systems, inputs = np.nonzero(~np.isnan(human))
    table = pandas.DataFrame({"y": human[systems, inputs], "s": systems, "i": inputs})
    squares = anova.anova_lm(smf.ols("y ~ C(i) + C(s)", table).fit(), typ=1)["sum_sq"]
    expected = squares / squares.sum()
    found = variance_shares(human)
    assert (found.inputs, found.systems, found.within) == pytest.approx(tuple(expected), abs=1e-9)


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 8))
def test_a_metric_that_sees_only_the_input_reaches_no_more_than_the_share_between_inputs(seed, systems, inputs):
    generator = np.random.default_rng(seed)
    human = generator.integers(0, 5, (systems, inputs)).astype(float)
    found = variance_shares(human)
    if math.isnan(found.inputs):
        assert (human == human[0, 0]).all()
        return
    assert found.inputs + found.systems + found.within == pytest.approx(1)
    only_input = np.broadcast_to(generator.normal(size=inputs), human.shape)
    r = coefficient(human, only_input, "pearson")
    assert math.isnan(r) or abs(r) <= math.sqrt(found.inputs) + 1e-9
    means = np.broadcast_to(human.mean(axis=0), human.shape)
    best = coefficient(human, means, "pearson")
    assert math.isnan(best) or best == pytest.approx(math.sqrt(found.inputs), abs=1e-7)


@pytest.mark.parametrize("values", [[[]], [[1, 1], [1, math.nan]], [[math.nan, math.nan]], [[5]], [[0.1, 0.1, 0.1]]])
def test_shares_of_constant_scores_are_undefined(values):
    assert math.isnan(variance_shares(values).inputs)


def test_shares_of_huge_scores():
    human = scores()[0]
    expected, found = variance_shares(human), variance_shares(human / np.abs(human).max() * 1.7e308)
    assert found.inputs == pytest.approx(expected.inputs, abs=1e-12)
