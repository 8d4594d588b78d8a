"""Partial correlations and shares of variance, against pingouin and statsmodels."""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pytest
from coefficient_values import coefficient
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import sampled
from scipy import stats

import metrics_framework as fw
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation import partial_correlation, variance_shares


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


# --- categories -------------------------------------------------------------------------------------------------------


def labelled(shape, kinds, seed=3):
    """Random categories of outputs."""
    return np.random.default_rng(seed).choice([f"kind {number}" for number in range(kinds)], shape)


def regression(*columns):
    """The residuals of the first column after a regression on the others and 1, and their degrees of freedom."""
    sm = pytest.importorskip("statsmodels.api")
    fit = sm.OLS(columns[0], np.column_stack([np.ones(len(columns[0])), *columns[1:]])).fit()
    return fit.resid, fit.df_resid


DESIGNS = [  # covariates of 6 × 20 outputs
    {"domain": labelled((6, 20), 3)},
    {"domain": labelled((6, 20), 3), "length": scores()[2]["length"]},
    {"domain": labelled((6, 20), 3), "again": np.char.upper(labelled((6, 20), 3))},
    {"domain": labelled((6, 20), 3), "one": np.full((6, 20), "the same")},
]


@pytest.mark.parametrize("covariates", DESIGNS, ids=lambda covariates: "-".join(covariates))
@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_categories_are_indicators_of_full_rank(name, covariates):
    human, metric, _ = scores()
    ranked = {"pearson": np.asarray, "spearman": stats.rankdata}[name]
    domain = covariates["domain"].ravel()
    design = [domain == "kind 1", domain == "kind 2"]
    design += [ranked(covariates["length"].ravel())] if "length" in covariates else []
    x, freedom = regression(ranked(human.ravel()), *design)
    z, _ = regression(ranked(metric.ravel()), *design)
    found = partial_correlation(human, metric, covariates, name)
    r = stats.pearsonr(x, z)[0]
    p = 2 * stats.t.sf(abs(r) * math.sqrt((freedom - 1) / (1 - r * r)), freedom - 1)
    assert (found.value, found.p_value) == pytest.approx((r, p), rel=1e-9)
    if "length" not in covariates:
        rest = [np.round(regression(matrix.ravel(), *design)[0], 8) for matrix in (human, metric)]
        expected = r if name == "pearson" else stats.spearmanr(*rest)[0]
        assert found.of_residuals == pytest.approx(expected, abs=1e-9)


def test_outputs_without_a_category_are_left_out():
    human, metric, _ = scores()
    labels = labelled(human.shape, 3).astype(object)
    labels[0, :4], labels[1, :2] = None, math.nan
    found = partial_correlation(human, metric, {"domain": labels}, level="input")
    human[0, :4] = human[1, :2] = math.nan
    labels[0, :4] = labels[1, :2] = "kind 0"
    expected = partial_correlation(human, metric, {"domain": labels}, level="input")
    assert (found.value, found.left_out) == (expected.value, 6)
    assert found.value != found.uncontrolled


@pytest.mark.parametrize("level", ["global", "input"])
@pytest.mark.parametrize(("what", "number"), [("input", 20), ("output", 120)])
def test_a_category_of_each_input_or_output_is_refused(what, number, level):
    human, metric, _ = scores()
    labels = np.char.add("n", np.arange(number).astype(str))
    labels = np.broadcast_to(labels, human.shape) if what == "input" else labels.reshape(human.shape)
    with pytest.raises(InputError, match=f"'doc' has a different value for each of {number} {what}s"):
        partial_correlation(human, metric, {"doc": labels}, level=level)


FRANK = [  # data set, metric, Pearson and Spearman of its program (evaluate.py), which the paper prints in two decimals
    (None, "FactCC", 0.203923, 0.304108),
    (None, "BertScore P Art", 0.271081, 0.243244),
    (None, "Dep Entail", 0.162394, 0.142939),
    ("cnndm", "FactCC", 0.362779, 0.332868),
    ("bbc", "FactCC", 0.072713, 0.249270),
    ("bbc", "QAGS", -0.022531, 0.014566),
]


@pytest.mark.parametrize(("data_set", "metric", "pearson", "spearman"), sampled(FRANK, 1))
def test_published_partial_correlations_of_frank(data_set, metric, pearson, spearman, shared_path, tmp_path):
    folder = shared_path("data/frank")
    paths = []
    for name in ("human_annotations.json", "baseline_factuality_metrics_outputs.json"):
        rows = json.loads((folder / name).read_text(encoding="utf-8"))
        paths.append(str(tmp_path / name))
        kept = [row for row in rows if data_set is None or row["dataset"] == data_set]
        (tmp_path / name).write_text(json.dumps(kept), encoding="utf-8")
    columns = {"instance_id": "hash"}
    options = {"levels": "global", "ci": "none", "partial": ["model_name", "dataset"], "columns": columns}
    partials = fw.correlate(paths, metric, "Factuality", **options, log=[].append).study.partials
    found = {one.coefficient: one.found.of_residuals for one in partials}
    assert found == pytest.approx({"pearson": pearson, "spearman": spearman}, abs=1e-6)


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
