"""Intervals of arrays: published numbers, SciPy, clusters, degenerate data."""

from __future__ import annotations

import math
import warnings
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from coefficient_values import coefficient
from correlated_rows import request_of
from difference_cases import DEGENERATE, HUMAN
from difference_cases import FIRST as METRIC
from samples import sampled
from scipy import stats

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation import coefficient as interval
from metrics_framework.meta_evaluation.choices import INTERVAL_METHODS
from metrics_framework.meta_evaluation.coefficients.lookup import (
    checked_coefficient,
    coefficient_names,
    load_coefficient,
)
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair
from metrics_framework.meta_evaluation.intervals import (
    IntervalRequest,
    bootstrap_blocks,
    has_interval,
    jackknife_blocks,
    shared_intervals,
)
from metrics_framework.significance.interval_methods import Scale, jackknife_interval

MEASURED = [name for name in coefficient_names() if load_coefficient(name).fits != "threshold"]
KEYS = [(level, name) for name in MEASURED for level in load_coefficient(name).levels]
FAST = [key for key in KEYS if key[1] != "spa"]


def keys_of(method, keys=FAST):
    """Returns the levels and coefficients for which a method is an interval."""
    refused = {"fisher-shrunken": ("input", "global", "within-system"), "bca-inputs": ("system",)}.get(method, ())
    return [key for key in keys if key[0] not in refused and has_interval(load_coefficient(key[1]), method)]


def together(pairs, keys, request):
    """Computes intervals of several pairs of matrices from the same resamples."""
    every = []
    for human, metric in pairs:
        scores, wanted = ScorePair(human, metric), {}
        for level, name in keys:
            found, at, options = checked_coefficient(name, level)
            wanted[level, name] = found, found.fitted(scores, at, options)[0]
        every.append((scores, wanted))
    return shared_intervals(every, request)


def scores(systems, inputs, seed=0):
    """Makes ratings with ties and a metric that follows them."""
    generator = np.random.default_rng(seed)
    quality = generator.normal(size=(systems, 1)) + generator.normal(size=(systems, inputs))
    return np.round(2 * quality + generator.normal(size=quality.shape)) / 2, quality + generator.normal(
        size=quality.shape
    )


def test_jackknife_over_systems_worked_by_two_programs():
    found = interval(HUMAN, METRIC, "pearson", level="input", ci="jackknife-systems")
    assert (found.value, found.lower, found.upper) == pytest.approx((0.974258305, 0.770755667, 0.999041659), abs=1e-9)


@pytest.mark.parametrize(("left_out", "is_defined"), [([0.4], False), ([0.4, 0.6], True), ([0.4, 1.0], False)])
def test_a_jackknife_interval_needs_two_units_inside_the_range(left_out, is_defined):
    found = jackknife_interval(0.5, np.array(left_out), 0.025, Scale.artanh())
    assert found.is_defined == is_defined == (not found.reason)


@pytest.mark.parametrize("method", [name for name in INTERVAL_METHODS if name not in ("default", "none")])
def test_an_interval_contains_its_coefficient(method):
    ordered = np.arange(6.0)[:, None] + np.linspace(0, 0.5, 9)
    pairs = [scores(6, 9, seed) for seed in range(12)]
    pairs += [(ordered, ordered**2), (ordered, -ordered), (np.round(ordered), ordered), (ordered, ordered[::-1] ** 3)]
    defined = 0
    for found in together(pairs, keys_of(method), IntervalRequest(method, resamples=60)):
        for key, one in found.items():
            defined += one.is_defined
            assert not one.is_defined or one.lower - 1e-12 <= one.value <= one.upper + 1e-12, (key, one)
    assert defined > len(pairs)


@pytest.mark.parametrize(("confidence", "is_allowed"), [(50, False), (50.5, True)])
def test_one_tailed_intervals_have_a_level_above_half(confidence, is_allowed):
    context = nullcontext() if is_allowed else pytest.raises(InputError, match="50 %")
    with context:
        request_of(confidence=confidence, two_tailed=False)


def test_fisher_of_four_systems():
    found = interval(HUMAN, METRIC, "pearson", level="input", ci="fisher")
    assert (found.lower, found.upper) == pytest.approx((0.206922487, 0.999482694), abs=5e-10)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall-b"])
def test_bca_equals_scipy(name):
    generator = np.random.default_rng(3)
    x = generator.normal(size=24)
    y = x + generator.normal(size=24)
    oracle = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall-b": stats.kendalltau}[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = stats.bootstrap(
            (x, y),
            lambda a, b: oracle(a, b)[0],
            n_resamples=200,
            paired=True,
            vectorized=False,
            method="BCa",
            random_state=np.random.default_rng(7),
        )
    found = interval(x[:, None], y[:, None], name, level="global", ci="bca-systems", resamples=200, seed=7)
    assert (found.lower, found.upper) == pytest.approx(tuple(expected.confidence_interval), abs=1e-9)
    assert found == interval(x[None], y[None], name, level="global", ci="bca-inputs", resamples=200, seed=7)


def test_clusters_are_drawn_and_left_out_as_a_whole():
    labels = ["a", "a", "b", "c", "c", "c"]
    for rows, columns in bootstrap_blocks("both", (4, 6), 50, 1, labels):
        assert rows.sum(axis=1).tolist() == [4] * 50
        assert (columns[:, 0] == columns[:, 1]).all()
        assert (columns[:, [0, 2, 3]].sum(axis=1) == 3).all()
    ((_, columns),) = jackknife_blocks("inputs", (4, 6), labels)
    assert columns.tolist() == [[0, 0, 1, 1, 1, 1], [1, 1, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]]
    blocks = [rows for rows, _ in jackknife_blocks("systems", (300, 2000))]
    assert len(blocks) > 1
    assert (np.concatenate(blocks) == 1 - np.eye(300)).all()


@pytest.mark.parametrize("shape", [(5, 8), (300, 2000)])
@pytest.mark.parametrize("population", ["inputs", "systems", "both"])
def test_systems_are_drawn_before_inputs_in_blocks_of_any_size(population, shape):
    generator = np.random.default_rng(9)
    blocks = [*bootstrap_blocks(population, shape, 300, 9)]
    assert (len(blocks) > 1) == (shape == (300, 2000))
    for rows, columns in blocks:
        assert ((rows is None), (columns is None)) == (population == "inputs", population == "systems")
        for index in range(len(columns if rows is None else rows)):
            for counts, size in zip((rows, columns), shape, strict=True):
                if counts is not None:
                    drawn = np.bincount(generator.integers(size, size=size), minlength=size)
                    assert (counts[index] == drawn).all()


@pytest.mark.parametrize("method", sampled(INTERVAL_METHODS, 4))
def test_many_scores_share_the_draws_of_one(method):
    human, metric = scores(8, 12)
    others = [(human, metric), (human, metric**3), (metric, human)]
    keys = keys_of(method)
    found = together(others, keys, IntervalRequest(method, resamples=12))
    for (x, z), of_pair in zip(others, found, strict=True):
        for level, name in keys:
            found = interval(x, z, name, level=level, ci=method, resamples=12)
            assert of_pair[level, name] == replace(found, p_value=None)


def test_empty_systems_and_inputs_change_nothing():
    human, metric = scores(6, 9)
    wide = np.full((8, 11), np.nan), np.full((8, 11), np.nan)
    for one, whole in zip((human, metric), wide, strict=True):
        whole[1:7, 1:10] = one
    labels = [0, 0, 0, 1, 1, 2, 2, 2, 3]
    for method in INTERVAL_METHODS:
        clusters = [9, *labels, 9]
        for level, name in keys_of(method, [("system", "pearson"), ("system", "spearman"), ("input", "acc-eq")]):
            of = {"level": level, "ci": method, "resamples": 30}
            plain = interval(human, metric, name, **of, clusters=labels)
            assert interval(*wide, name, **of, clusters=clusters) == plain


NAN = np.nan


@pytest.mark.parametrize("method", INTERVAL_METHODS)
@pytest.mark.parametrize("why", sampled(DEGENERATE, 3))
def test_degenerate_data_have_a_value_or_none(why, method):
    human, metric = (np.array(scores, float) for scores in DEGENERATE[why])
    keys = keys_of(method)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = together([(human, metric)], keys, IntervalRequest(method, resamples=20))[0]
    for (level, name), one in found.items():
        expected = coefficient(human, metric, name, level=level)
        assert one.value == pytest.approx(expected, nan_ok=True), (why, level, name)
        assert math.isnan(one.lower) == math.isnan(one.upper), (why, level, name)
        assert not one.is_defined or -1 <= one.lower <= one.upper <= 1, (why, level, name)
        assert one.is_defined is False or not math.isnan(one.value) or "bootstrap" in method, (why, level, name)


@pytest.mark.parametrize("method", ["jackknife-systems", "jackknife-inputs", "fisher"])
def test_perfect_agreement_has_no_interval(method):
    human, _ = scores(6, 8)
    found = interval(human, human, "pearson", level="global", ci=method)
    assert found.value == 1
    assert not found.is_defined
    assert found.as_json()["lower"] is found.lower


def test_scores_of_other_shapes_share_no_draws():
    with pytest.raises(InputError, match="one shape"):
        together([scores(3, 4), scores(4, 3)], [("input", "pearson")], IntervalRequest("bootstrap-both"))
    assert shared_intervals([], IntervalRequest("bootstrap-both")) == []
