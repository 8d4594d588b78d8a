"""Strengths of systems equal published numbers and other programs."""

from __future__ import annotations

import itertools
import math
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metrics_framework.meta_evaluation import bradley_terry

Vote = tuple[str, str, str]

TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WINS = [  # of row over column, American League East 1987: Agresti (2002), Table 10.10
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
]
BASEBALL = [
    (TEAMS[row], TEAMS[column], "a") for row in range(7) for column in range(7) for _ in range(WINS[row][column])
]
TEN_VOTES = [
    *[("a", "b", winner) for winner in ("a", "a", "tie")],
    *[("b", "c", winner) for winner in ("a", "b", "a")],
    *[("a", "c", winner) for winner in ("a", "tie", "a")],
    ("c", "a", "a"),
]
WITH_LENGTHS = [
    *[("a", "b", *row) for row in (("a", 120, 80), ("a", 90, 110), ("tie", 100, 100), ("b", 70, 160))],
    *[("b", "c", *row) for row in (("a", 150, 70), ("b", 60, 90), ("a", 100, 60))],
    *[("a", "c", *row) for row in (("a", 80, 100), ("tie", 130, 90), ("a", 95, 105))],
    ("c", "a", "a", 140, 90),
    ("c", "b", "b", 85, 85),
]


def test_baseball_1987_equals_the_published_strengths_and_model_errors() -> None:
    result = bradley_terry(BASEBALL)
    strengths, errors = result.relative_to("Baltimore", errors="model")
    assert result.systems == TEAMS
    assert strengths[:6] == pytest.approx(
        [1.581355877, 1.436408432, 1.294485124, 1.247617845, 1.107697705, 0.683852769], abs=5e-10
    )
    assert errors[:6] == pytest.approx(
        [0.343255982, 0.339568506, 0.336669401, 0.335860923, 0.333878207, 0.331876673], abs=5e-10
    )
    assert strengths[6] == errors[6] == 0


def test_ten_votes_with_ties_have_the_strengths_and_sandwich_errors_of_two_programs() -> None:
    result = bradley_terry(TEN_VOTES)
    assert result.strengths == pytest.approx([0.605264432, -0.237697221, -0.367567211], abs=5e-10)
    assert result.standard_errors == pytest.approx([0.449004656, 0.464689653, 0.520242605], abs=5e-10)
    arena, lower, upper = result.intervals(95, "arena")
    assert arena == pytest.approx([1105.145201, 958.707763, 936.147035], abs=5e-7)
    t = 2.262157163  # of Student's distribution with 9 degrees of freedom
    assert (upper - lower) / (2 * t) * math.log(10) / 400 == pytest.approx(result.standard_errors)


@pytest.mark.parametrize("form", ["lengths", "differences", "array", "standardized"])
def test_length_control_equals_two_programs(form: str) -> None:
    lengths = np.array([row[3:] for row in WITH_LENGTHS], dtype=np.float64)
    differences = (lengths[:, 0] - lengths[:, 1]) / lengths.sum(axis=1)
    covariates = {
        "lengths": {"length": lengths},
        "differences": {"length": differences},
        "array": differences,
        "standardized": differences / differences.std(),
    }
    votes = [row[:3] for row in WITH_LENGTHS]
    plain, controlled = bradley_terry(votes), bradley_terry(votes, covariates=covariates[form])
    assert plain.strengths == pytest.approx([0.350910977, 0.175687099, -0.526598076], abs=5e-10)
    assert controlled.strengths == pytest.approx([0.856836917, -0.157326350, -0.699510567], abs=5e-10)
    assert controlled.coefficients == pytest.approx([1.929125590], abs=5e-10)
    assert controlled.coefficient_errors == pytest.approx([1.052733425], abs=5e-10)


@pytest.mark.parametrize("zeros", [[(0, 0), (0, 4), (4, 0)], [(5, 5), (0, 9), (9, 0)]])
def test_a_length_of_zero_is_a_length(zeros: list[tuple[int, int]]) -> None:
    """(a − b)/(a + b) is 0 if both lengths are 0, −1 if only the first is, and 1 if only the second is."""
    votes = [row[:3] for row in WITH_LENGTHS[:3]]
    lengths = np.array(zeros, dtype=np.float64)
    by_lengths, by_numbers = (
        bradley_terry(votes, covariates={"length": values}, ridge=1) for values in (lengths, [0.0, -1.0, 1.0])
    )
    assert by_lengths.coefficients.tolist() == by_numbers.coefficients.tolist()
    assert by_lengths.strengths.tolist() == by_numbers.strengths.tolist()


def test_a_ridge_equals_the_penalty_of_choix() -> None:
    choix = pytest.importorskip("choix")
    wins = [(0, 1), (0, 1), (1, 2), (0, 2)]  # the first system never loses
    peer = choix.opt_pairwise(3, wins, alpha=0.25, method="Newton-CG", tol=1e-12)
    result = bradley_terry([("xyz"[first], "xyz"[second], "a") for first, second in wins], ridge=0.5)
    assert result.strengths == pytest.approx(peer - peer.mean(), abs=1e-6)


@pytest.mark.slow
def test_sandwich_and_clustered_errors_equal_statsmodels() -> None:
    statsmodels = pytest.importorskip("statsmodels.api")
    wins = [vote if vote[2] != "tie" else (*vote[:2], "a") for vote in TEN_VOTES]
    clusters = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    design = np.array([[(a == s) - (b == s) for s in "ab"] for a, b, _ in wins], dtype=np.float64)
    outcomes = np.array([winner == "a" for *_, winner in wins], dtype=np.float64)
    logit = statsmodels.Logit(outcomes, design)
    for labels, kind, options in (
        (None, "HC0", {}),
        (clusters, "cluster", {"cov_kwds": {"groups": np.array(clusters), "use_correction": False}}),
    ):
        peer = logit.fit(disp=0, cov_type=kind, tol=1e-12, **options)
        strengths, errors = bradley_terry(wins, clusters=labels).relative_to("c")
        assert strengths[:2] == pytest.approx(peer.params, abs=1e-8)
        assert errors[:2] == pytest.approx(peer.bse, abs=1e-8)


def test_one_cluster_for_each_vote_equals_no_clusters() -> None:
    plain, clustered = bradley_terry(TEN_VOTES), bradley_terry(TEN_VOTES, clusters=range(10))
    assert clustered.covariance == pytest.approx(plain.covariance, abs=1e-14)
    assert (plain.clusters, clustered.clusters) == (None, 10)


def test_errors_of_a_single_cluster_are_undefined() -> None:
    assert np.isnan(bradley_terry(TEN_VOTES, clusters=["x"] * 10).standard_errors).all()


def test_all_ties_are_equal_strengths() -> None:
    result = bradley_terry([("x", "y", "tie"), ("y", "z", "tie")])
    assert result.strengths == pytest.approx([0, 0, 0], abs=1e-12)


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.sampled_from(list(itertools.permutations("wxyz", 2))), st.sampled_from("ab")), max_size=30),
    st.randoms(use_true_random=False),
)
def test_strengths_depend_neither_on_the_order_of_votes_nor_of_systems(
    drawn: list[tuple[tuple[str, str], str]], random: Random
) -> None:
    votes: list[Vote] = [(*pair, winner) for pair, winner in drawn] + [
        (a, b, "tie") for a, b in itertools.combinations("wxyz", 2)
    ]
    clusters = [sum(map(ord, "".join(vote))) % 5 for vote in votes]
    assume(len(set(clusters)) > 1)
    result = bradley_terry(votes, clusters=clusters)
    order = sorted(range(len(votes)), key=lambda _: random.random())
    swapped = [(votes[i][1], votes[i][0], {"a": "b", "b": "a", "tie": "tie"}[votes[i][2]]) for i in order]
    again = bradley_terry(swapped, clusters=[clusters[i] for i in order])
    for one, other in ((result.strengths, again.strengths), (result.standard_errors, again.standard_errors)):
        assert dict(zip(result.systems, one, strict=True)) == dict(zip(again.systems, other, strict=True))


def test_a_ridge_makes_strengths_finite() -> None:
    result = bradley_terry([("x", "y", "a"), ("z", "w", "a")], ridge=1)
    assert result.strengths[0] == pytest.approx(result.strengths[2])
    assert result.strengths.sum() == pytest.approx(0)
