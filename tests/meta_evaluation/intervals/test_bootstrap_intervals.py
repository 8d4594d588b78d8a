"""Weighted resampling equals resampling by hand; Fisher's intervals; percentiles."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import sacrerouge_bootstrap
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrerouge_bootstrap import bootstrap, draw_resamples, fisher, percentile_interval
from scipy import stats
from strategies import score_matrices

from metrics_framework.meta_evaluation.sums import groups, moments

NAMES = ("pearson", "spearman", "kendall")
LEVELS = ("input", "system", "global")
METHODS = ("bootstrap-system", "bootstrap-input", "bootstrap-both")
ORACLES = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def plain(name, x, z):
    """One coefficient by SciPy; NaN where a side is constant."""
    if len(x) < 2 or (x == x[0]).all() or (z == z[0]).all():
        return math.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(ORACLES[name](x, z)[0])


def resampled(level, name, x, z, rows, columns):
    """One resample by copying the drawn rows and columns."""
    x, z = (one if rows is None else one[rows] for one in (x, z))
    x, z = (one if columns is None else one[:, columns] for one in (x, z))
    present = ~np.isnan(x)
    if level == "global":
        return plain(name, x[present], z[present])
    if level == "system":
        kept = present.any(axis=1)
        # Sums of quarters are exact, so equal means are equal floats.
        return plain(name, np.nanmean(x[kept], axis=1), np.nanmean(z[kept], axis=1)) if kept.any() else math.nan
    values = [plain(name, a[p], b[p]) for a, b, p in zip(x.T, z.T, present.T, strict=True)]
    values = [value for value in values if not math.isnan(value)]
    return sum(values) / len(values) if values else math.nan


@settings(max_examples=15, deadline=None)
@given(score_matrices(), st.sampled_from(METHODS), st.integers(0, 1000))
def test_weights_yield_the_same_values_as_copies(matrices, method, seed):
    missing = np.isnan(matrices[0]) | np.isnan(matrices[1])
    x, z = (np.where(missing, np.nan, one) for one in matrices)
    draws = list(draw_resamples(method, x.shape, 5, seed))
    values = bootstrap(x, z, draws)
    for level in LEVELS:
        for name in NAMES:
            expected = [resampled(level, name, x, z, *draw) for draw in draws]
            assert values[level, name] == pytest.approx(expected, abs=1e-9, nan_ok=True), (level, name)


@pytest.mark.parametrize("method", METHODS)
def test_results_do_not_depend_on_the_size_of_blocks(method, monkeypatch):
    generator = np.random.default_rng(5)
    x, z = generator.integers(0, 9, (7, 11)) / 4, generator.normal(size=(7, 11))
    draws = list(draw_resamples(method, x.shape, 30, 1))
    whole = bootstrap(x, z, draws)
    for module in (groups, moments, sacrerouge_bootstrap):
        monkeypatch.setattr(module, "BLOCK_BYTES", 400)
    cut = bootstrap(x, z, draws)
    for key, values in whole.items():
        assert cut[key] == pytest.approx(values, abs=1e-12, nan_ok=True)


def test_many_systems_use_wider_floats(monkeypatch):
    generator = np.random.default_rng(7)
    x, z = generator.integers(0, 9, (8, 9)) / 4, generator.normal(size=(8, 9))
    draws = list(draw_resamples("bootstrap-both", x.shape, 10, 1))
    single = bootstrap(x, z, draws, ["input"])
    monkeypatch.setattr(groups, "MAX_FLOAT32", 2)
    assert bootstrap(x, z, draws, ["input"])["input", "spearman"].tolist() == single["input", "spearman"].tolist()


def test_close_values_far_from_the_mean_keep_their_digits():
    # Resamples without the last system correlate numbers that differ in the eighth digit of the spread.
    x = np.array([[1.0], [1.0 + 2e-8], [1.0 + 5e-8], [9.0]])
    z = np.array([[3.0], [1.0], [2.0], [9.0]])
    draws = [(np.array(rows), None) for rows in ([0, 1, 2, 2], [0, 0, 1, 2], [0, 1, 2, 3])]
    values = bootstrap(x, z, draws)
    for level in LEVELS:
        expected = [resampled(level, "pearson", x, z, *draw) for draw in draws]
        assert values[level, "pearson"] == pytest.approx(expected, abs=1e-7)


def test_a_constant_is_found_by_comparison_not_by_variance():
    # 0.1 three times: its mean is not 0.1 in floats, and the deviations are not 0.
    x = np.array([[0.1, 0.3], [0.1, 0.3], [0.1, 0.3]])
    z = np.array([[1.0, 2.0], [2.0, 1.0], [4.0, 4.0]])
    values = bootstrap(x, z, draw_resamples("bootstrap-both", x.shape, 20, 0), ["input", "system"])
    assert all(np.isnan(one).all() for one in values.values())


def test_draws_depend_on_the_seed_and_rows_are_drawn_before_columns():
    generator = np.random.default_rng(4)
    expected = [(generator.integers(3, size=3), generator.integers(5, size=5)) for _ in range(2)]
    for drawn, (r, c) in zip(draw_resamples("bootstrap-both", (3, 5), 2, 4), expected, strict=True):
        assert [one.tolist() for one in drawn] == [r.tolist(), c.tolist()]
    assert next(draw_resamples("bootstrap-system", (3, 5), 1, 4))[1] is None
    assert next(draw_resamples("bootstrap-input", (3, 5), 1, 4))[0] is None


def test_no_resamples_yield_no_values():
    x = np.ones((2, 2))
    assert bootstrap(x, x, [])["input", "pearson"].size == 0


def test_percentiles_are_of_the_defined_resamples():
    values = np.array([np.nan, *range(101)])
    assert percentile_interval(values, 0.025) == (2.5, 97.5)
    assert percentile_interval(values, 0.05) == (5.0, 95.0)
    assert percentile_interval(np.array([np.nan, np.nan]), 0.025) is None


FISHER = [  # name, value, n, lower and upper, why
    (
        "pearson",
        0.5,
        28,
        (math.tanh(math.atanh(0.5) - 1.959964 / 5), math.tanh(math.atanh(0.5) + 1.959964 / 5)),
        "by hand",
    ),
    ("pearson", 0.5, 3, None, "n − 3 is 0"),
    ("kendall", 0.5, 4, None, "n − 4 is 0"),
    ("spearman", 1.0, 9, None, "artanh 1 is infinite"),
    ("spearman", math.nan, 9, None, "undefined"),
]


@pytest.mark.parametrize(("name", "value", "n", "expected", "why"), FISHER)
def test_fisher_worked_by_hand(name, value, n, expected, why):
    found = fisher(name, value, n, 0.025)
    assert (found is None) == (expected is None), why
    if expected is not None:
        assert found == pytest.approx(expected, abs=1e-7)
