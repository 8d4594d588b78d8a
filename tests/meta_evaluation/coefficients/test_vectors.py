"""Pearson, Spearman and Kendall of two vectors, against hand calculation and SciPy."""

from __future__ import annotations

import math
import warnings
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.meta_evaluation.coefficients import vectors
from metrics_framework.meta_evaluation.coefficients.exact_spearman import LARGEST_EXACT
from metrics_framework.meta_evaluation.coefficients.vectors import (
    coefficient,
    kendall,
    kendall_p,
    mid_ranks,
    pair_counts,
    pearson,
    spearman_t_p,
)

NAMES = ("pearson", "spearman", "kendall")

CASES = [  # x, z, pearson, spearman, kendall, why
    # Σ(x−2)(z−2) = (−1)(0) + 0·(−1) … worked: deviations (−1,0,1) and (−1,1,0): 1 / √(2·2)
    ([1, 2, 3], [1, 3, 2], 0.5, 0.5, 1 / 3, "one pair of three discordant"),
    # C = 6, D = 3, one pair tied in x, none in z: 3 / √(9·10)
    ([1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3], None, None, 3 / math.sqrt(90), "a tie on one side"),
    ([1, 2], [5, 3], -1, -1, -1, "two points: ±1"),
    ([1, 1, 2], [4, 4, 5], 1, 1, 1, "tied in both at the same place"),
    ([1e200, 2e200, 3e200], [1, 2, 3], 1, 1, 1, "squares would overflow"),
    ([1e-200, 2e-200, 3e-200], [1, 2, 3], 1, 1, 1, "squares would underflow"),
]


def spearman(x, z):
    return pearson(mid_ranks(x), mid_ranks(z))


def tau_b(x, z):
    return kendall(pair_counts(x, z))


@pytest.mark.parametrize(("x", "z", "r", "rho", "tau", "why"), CASES)
def test_coefficients_worked_by_hand(x, z, r, rho, tau, why):
    x, z = np.array(x, float), np.array(z, float)
    for function, expected in ((pearson, r), (spearman, rho), (tau_b, tau)):
        if expected is not None:
            assert function(x, z) == pytest.approx(expected, abs=1e-12), why


@pytest.mark.parametrize(
    ("x", "z"), [([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [0.1, 0.1, 0.1]), ([5, 5], [5, 5])]
)
@pytest.mark.parametrize("name", NAMES)
def test_undefined_coefficients_are_nan(name, x, z):
    value, p_value = coefficient(name, np.array(x, float), np.array(z, float))
    assert math.isnan(value)
    assert math.isnan(p_value)


def test_perfect_agreement_is_exactly_one():
    values = np.random.default_rng(0).normal(size=101)
    assert spearman(values, np.exp(values)) == 1.0
    assert tau_b(values, -values) == -1.0


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


@settings(deadline=None)
@given(two_vectors())
@pytest.mark.parametrize("name", NAMES)
def test_values_and_p_values_are_those_of_scipy(name, vectors):
    x, z = vectors
    expected, expected_p = scipy_says(name, x, z)
    value, p_value = coefficient(name, x, z)
    assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)
    if name == "spearman" and len(x) <= 7:
        expected_p = every_pairing(x, z)
    elif name == "spearman" and len(x) <= LARGEST_EXACT:
        return  # 10! pairings take too long here
    if (name == "spearman" and len(x) <= 7) or abs(
        value
    ) < 1 - 1e-9:  # at ±1 the peer's p-value hangs on how its rounding came out
        least = 2 / math.factorial(len(x)) if name == "spearman" else 0
        assert p_value == pytest.approx(max(expected_p, least), abs=1e-12, rel=1e-9, nan_ok=True)


def every_pairing(x, z):
    """SciPy's p-value of ρ from all pairings; NaN where a side is constant."""
    from scipy.stats import permutation_test

    if len(np.unique(x)) == 1 or len(np.unique(z)) == 1:
        return math.nan
    ranks, others = mid_ranks(x), mid_ranks(z)
    return permutation_test(
        (ranks,),
        lambda ranks: abs(np.corrcoef(ranks, others)[0, 1]),
        permutation_type="pairings",
        n_resamples=np.inf,
        alternative="greater",
        vectorized=False,
    ).pvalue


@pytest.mark.parametrize("n", [33, 34, 171, 400])
def test_p_value_of_kendall_on_either_side_of_the_exact_distribution(n):
    generator = np.random.default_rng(n)
    x = generator.permutation(n).astype(float)
    for z in (generator.permutation(n).astype(float), x, -x, np.where(x == 1, 0, np.where(x == 0, 1, x))):
        assert kendall_p(x, z, pair_counts(x, z)) == pytest.approx(scipy_says("kendall", x, z)[1], rel=1e-9, abs=1e-300)


def test_p_values_with_many_ties_and_many_points():
    generator = np.random.default_rng(3)
    x, z = generator.integers(0, 5, 5000).astype(float), generator.integers(0, 7, 5000).astype(float)
    for name in NAMES:
        assert coefficient(name, x, z) == pytest.approx(scipy_says(name, x, z), rel=1e-9)


@settings(deadline=None)
@given(two_vectors())
def test_pair_counts_are_those_of_a_double_loop(vectors):
    x, z = vectors
    counts = pair_counts(x, z)
    pairs = [(np.sign(x[i] - x[k]), np.sign(z[i] - z[k])) for i in range(len(x)) for k in range(i)]
    assert counts.total == len(pairs)
    assert counts.tied_x == sum(a == 0 for a, _ in pairs)
    assert counts.tied_z == sum(b == 0 for _, b in pairs)
    assert counts.tied_both == sum(a == 0 == b for a, b in pairs)
    assert counts.surplus == sum(a * b for a, b in pairs)


def test_mid_ranks_share_the_mean_of_their_ranks():
    assert mid_ranks(np.array([3.0, 1, 3, 3])).tolist() == [3, 1, 3, 3]


def test_two_points_have_a_p_value_of_one():
    x, z = np.array([1.0, 2]), np.array([3.0, 5])
    for name in NAMES:
        assert coefficient(name, x, z) == (1.0, 1.0)
    assert vectors.LARGEST_EXACT == 33


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
    value, p_value = coefficient("spearman", np.array(x, float), np.array(z, float))
    assert abs(value) == 1
    assert p_value == pytest.approx(p, rel=1e-12)


def test_almost_perfect_order_is_no_less_likely_than_perfect_order():
    x = np.arange(14.0)
    z = x.copy()
    z[[0, 1]] = z[[1, 0]]
    value, p_value = coefficient("spearman", x, z)
    assert value < 1
    assert p_value >= coefficient("spearman", x, x)[1] > spearman_t_p(value, 14)


@pytest.mark.parametrize("ties", [False, True])
def test_exact_p_value_of_spearman_with_all_pairings_of_nine(ties):
    generator = np.random.default_rng(9)
    ranks = mid_ranks(generator.integers(0, 4 if ties else 10**6, 9).astype(float))
    others = mid_ranks(generator.integers(0, 5 if ties else 10**6, 9).astype(float))
    products = (np.array(list(permutations(ranks - 5))) * (others - 5)).sum(axis=1)  # in quarters, so exact
    expected = np.mean(abs(products) >= abs(products[0]))
    assert coefficient("spearman", ranks, others)[1] == pytest.approx(expected, rel=1e-12)


def test_exact_p_values_of_spearman_approach_those_of_scipy():
    generator = np.random.default_rng(4)
    for _ in range(5):
        x, z = generator.normal(size=(2, 10))
        assert coefficient("spearman", x, z)[1] == pytest.approx(scipy_says("spearman", x, z)[1], abs=0.012)


LARGE = [  # x, z, r, why
    (
        np.array([1, 1.5, -1, 1.7]) * 1e308,
        [3, 2, 1, 4],
        0.794082921,
        "the sum of the first is beyond the largest float",
    ),
    (np.array([1.7, -1.7, 1.7, -1.6]) * 1e308, [2, 1, 2, 1], 0.999777308, "and so is the range"),
]


@pytest.mark.parametrize(("x", "z", "r", "why"), LARGE, ids=[why for *_, why in LARGE])
def test_values_near_the_largest_float_are_correlated_as_smaller_ones(x, z, r, why):
    x, z = np.array(x, float), np.array(z, float)
    for name in NAMES:
        found = coefficient(name, x, z)
        assert found == pytest.approx(coefficient(name, x / 1e300, z), rel=1e-12)
        assert found == coefficient(name, z, x)
    assert coefficient("pearson", x, z)[0] == pytest.approx(r, abs=1e-5)


def test_clipping_keeps_nan():
    assert [vectors.clip(value) for value in (1 + 1e-15, -1 - 1e-15, 0.5)] == [1, -1, 0.5]
    assert math.isnan(vectors.clip(math.nan))
