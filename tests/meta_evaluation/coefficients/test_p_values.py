"""Pearson, Spearman and Kendall of two vectors, and their p-values, against hand calculation and SciPy."""

from __future__ import annotations

import math
import warnings
from itertools import permutations

import numpy as np
import pytest
from coefficient_values import coefficient
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.meta_evaluation.coefficients.lookup import coefficient_names, load_coefficient
from metrics_framework.meta_evaluation.coefficients.pearson import (
    MAX_EXACT,
    exact_spearman_p,
    spearman_t_p,
)
from metrics_framework.meta_evaluation.groups.moments import row_ranks

NAMES = ("pearson", "spearman", "kendall")


def value_of(name, x, z):
    return coefficient(x[None], z[None], name)


def value_and_p(name, x, z):
    return value_of(name, x, z), load_coefficient(name).p_value(x, z)


def mid_ranks(values):
    return row_ranks(values[None])[0]


@pytest.mark.parametrize(
    ("x", "z"), [([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [0.1, 0.1, 0.1]), ([5, 5], [5, 5])]
)
@pytest.mark.parametrize("name", NAMES)
def test_undefined_coefficients_are_nan(name, x, z):
    value, p_value = value_and_p(name, np.array(x, float), np.array(z, float))
    assert math.isnan(value)
    assert math.isnan(p_value)


def test_perfect_agreement_is_exactly_one():
    values = np.random.default_rng(0).normal(size=101)
    assert value_of("spearman", values, np.exp(values)) == 1.0
    assert value_of("kendall", values, -values) == -1.0


@st.composite
def two_vectors(draw):
    n = draw(st.integers(2, 40))
    levels = draw(st.sampled_from([2, 4, 1000]))
    values = st.lists(st.integers(0, levels), min_size=n, max_size=n)
    return np.array(draw(values), float) / 4, np.array(draw(values), float) / 4


def scipy_says(name, x, z):
    from scipy import stats

    function = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = function(x, z)
    return float(result[0]), float(result[1])


@settings(deadline=None, max_examples=20)
@given(two_vectors())
@pytest.mark.parametrize("name", NAMES)
def test_values_and_p_values_are_those_of_scipy(name, vectors):
    x, z = vectors
    expected, expected_p = scipy_says(name, x, z)
    value, p_value = value_and_p(name, x, z)
    assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)
    if name == "spearman" and len(x) <= MAX_EXACT:
        return  # the p-value of all pairings
    if abs(value) < 1 - 1e-9:  # at ±1 the peer's p-value hangs on how its rounding came out
        least = 2 / math.factorial(len(x)) if name == "spearman" else 0
        assert p_value == pytest.approx(max(expected_p, least), abs=1e-12, rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("n", [33, 34, 171, 400])
def test_p_value_of_kendall_on_either_side_of_the_exact_distribution(n):
    generator = np.random.default_rng(n)
    x = generator.permutation(n).astype(float)
    for z in (generator.permutation(n).astype(float), x, -x, np.where(x == 1, 0, np.where(x == 0, 1, x))):
        assert value_and_p("kendall", x, z)[1] == pytest.approx(scipy_says("kendall", x, z)[1], rel=1e-9, abs=1e-300)


def test_p_values_with_many_ties_and_many_points():
    generator = np.random.default_rng(3)
    x, z = generator.integers(0, 5, 5000).astype(float), generator.integers(0, 7, 5000).astype(float)
    for name in NAMES:
        assert value_and_p(name, x, z) == pytest.approx(scipy_says(name, x, z), rel=1e-9)


def test_two_points_have_a_p_value_of_one():
    x, z = np.array([1.0, 2]), np.array([3.0, 5])
    for name in NAMES:
        assert value_and_p(name, x, z) == (1.0, 1.0)


def test_other_coefficients_have_no_p_value():
    x, z = np.array([1.0, 2, 3]), np.array([3.0, 5, 4])
    known = {load_coefficient(name).name for name in NAMES}
    assert {name for name in coefficient_names() if load_coefficient(name).p_value(x, z) is not None} == known


PERFECT = [  # x, z, p, why
    ([1, 2, 3], [4, 5, 6], 2 / 6, "two of six orders; SciPy's t says 0, and Kendall .333"),
    ([1, 2, 3], [6, 5, 4], 2 / 6, "the reverse"),
    ([1, 1, 2], [4, 4, 5], 2 / 6, "the two tied ones may be swapped; no order is the reverse"),
    ([1, 1, 2, 2], [0, 0, 9, 9], 8 / 24, "2! 2! of either order"),
    (range(10), range(10), 2 / math.factorial(10), "the largest with all pairings"),
    (range(11), range(11), 2 / math.factorial(11), "the smallest from the formula"),
    ([0] * 6 + [1] * 6, [3] * 6 + [7] * 6, 2 * math.factorial(6) ** 2 / math.factorial(12), "ties, from the formula"),
    (
        [0] * 7 + [1] * 5,
        [3] * 7 + [7] * 5,
        math.factorial(7) * math.factorial(5) / math.factorial(12),
        "one order only",
    ),
]


@pytest.mark.parametrize(("x", "z", "p", "why"), PERFECT, ids=[why for *_, why in PERFECT])
def test_p_value_of_spearman_in_perfect_order(x, z, p, why):
    value, p_value = value_and_p("spearman", np.array(x, float), np.array(z, float))
    assert abs(value) == 1
    assert p_value == pytest.approx(p, rel=1e-12)


def test_almost_perfect_order_is_no_less_likely_than_perfect_order():
    x = np.arange(14.0)
    z = x.copy()
    z[[0, 1]] = z[[1, 0]]
    value, p_value = value_and_p("spearman", x, z)
    assert value < 1
    assert p_value >= value_and_p("spearman", x, x)[1] > spearman_t_p(value, 14)


@pytest.mark.parametrize("ties", [False, True])
def test_exact_p_value_of_spearman_with_all_pairings_of_nine(ties):
    generator = np.random.default_rng(9)
    ranks = mid_ranks(generator.integers(0, 4 if ties else 10**6, 9).astype(float))
    others = mid_ranks(generator.integers(0, 5 if ties else 10**6, 9).astype(float))
    products = (np.array(list(permutations(ranks - 5))) * (others - 5)).sum(axis=1)  # in quarters, so exact
    expected = np.mean(abs(products) >= abs(products[0]))
    assert exact_spearman_p(ranks, others) == pytest.approx(expected, rel=1e-12)
    assert load_coefficient("spearman").p_value(ranks, others) == exact_spearman_p(ranks, others)
