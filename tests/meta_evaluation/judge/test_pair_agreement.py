"""The agreement of pairs equals that of scikit-learn and krippendorff, in the data and in resamples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.meta_evaluation import agreement
from metrics_framework.meta_evaluation.judge.pair_agreement import judge_pairs, rater_pairs

scales = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=2, max_size=15)


def of_pair(x, y, as_labels, weights=None):
    x, y = np.asarray(x, float), np.asarray(y, float)
    sums = judge_pairs(x, y[None], as_labels=as_labels).sums(np.ones(len(x)) if weights is None else weights)
    return sums.alpha()[0], sums.kappa()[0]


@pytest.mark.parametrize(("as_labels", "level", "weights"), [(False, "interval", "quadratic"), (True, "nominal", None)])
@settings(max_examples=30)
@given(pairs=scales)
def test_the_other_programs_compute_the_same(as_labels, level, weights, pairs):
    krippendorff = pytest.importorskip("krippendorff")
    sklearn = pytest.importorskip("sklearn.metrics")
    x, y = zip(*pairs, strict=True)
    alpha, kappa = of_pair(x, y, as_labels)
    if len({*x, *y}) < 2:
        assert math.isnan(alpha)
        assert math.isnan(kappa)
        return
    assert alpha == pytest.approx(krippendorff.alpha([x, y], level_of_measurement=level), abs=1e-9)
    if len(set(x)) > 1 or len(set(y)) > 1:
        assert kappa == pytest.approx(sklearn.cohen_kappa_score(x, y, weights=weights, labels=[1, 2, 3, 4]), abs=1e-9)


def test_the_published_example_and_the_functions_for_many_raters():
    x = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 3, 3, 2, 4, 1, 5, 2, 2, 4, 3]
    y = [1, 2, 3, 5, 5, 2, 2, 3, 3, 5, 3, 2, 2, 4, 1, 4, 3, 2, 5, 3]
    assert [round(value, 9) for value in of_pair(x, y, False)] == [0.894959600, 0.892307692]
    assert [round(value, 9) for value in of_pair(x, y, True)] == [0.5625, 0.554140127]
    both = np.array([x, y], float)
    assert agreement(both, "krippendorff", weights="interval").value == pytest.approx(of_pair(x, y, False)[0])
    assert agreement(both, "cohen", weights="quadratic").value == pytest.approx(of_pair(x, y, False)[1])


@settings(max_examples=30)
@given(scales, st.randoms(use_true_random=False))
def test_weights_are_copies(pairs, random):
    x, y = zip(*pairs, strict=True)
    weights = [random.randint(0, 3) for _ in x]
    copied = [np.repeat(values, weights) for values in (x, y)]
    if sum(weights) < 2:
        return
    for as_labels in (False, True):
        found = of_pair(x, y, as_labels, np.array(weights, float))
        assert found == pytest.approx(of_pair(*copied, as_labels), abs=1e-9, nan_ok=True)


def test_scale_and_size_do_not_matter():
    x, y = np.array([1, 2, 3, 3, 5.0]), np.array([1, 3, 3, 2, 5.0])
    expected = of_pair(x, y, False)
    for scale, shift in ((1e300, 0), (1e-300, 0), (1, 1e9)):
        assert of_pair(x * scale + shift, y * scale + shift, False) == pytest.approx(expected)


def test_pairs_of_raters_share_enough_units():
    ratings = np.array([[1, 2, 3, np.nan, 1], [2, 2, 3, 1, np.nan], [np.nan, np.nan, np.nan, 1, 2]])
    pairs, names = rater_pairs(ratings, 2, as_labels=False)
    assert names == [(0, 1)]
    assert pairs.sums(np.ones(5)).n == [3]
    assert pairs.sums(np.ones(5)).kappa() == [of_pair([1, 2, 3], [2, 2, 3], False)[1]]
    assert rater_pairs(ratings, 4, as_labels=False)[1] == []
