"""Ranks, win rates, position bias, agreement with people, and best–worst scaling."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation import bradley_terry
from metrics_framework.meta_evaluation.prefer.agreement_with_people import against_people, cohen_kappa
from metrics_framework.meta_evaluation.prefer.strengths import p_values, ranks
from metrics_framework.meta_evaluation.prefer.study import PositionBias, merged, position_bias
from metrics_framework.meta_evaluation.prefer.votes import (
    Choice,
    Vote,
    best_worst,
    records,
    split_half,
    votes_of,
)

BOTH_ORDERS = [
    Vote("x", "y", "a", "1"),
    Vote("y", "x", "b", "1"),  # consistent: x
    Vote("x", "y", "a", "2"),
    Vote("y", "x", "a", "2"),  # the first twice
    Vote("x", "y", "b", "3"),
    Vote("y", "x", "b", "3"),  # the second twice
    Vote("x", "y", "tie", "4"),
    Vote("y", "x", "a", "4"),  # neither
    Vote("x", "y", "a", "5"),  # in one order only
    Vote("x", "y", "a", "6"),
    Vote("x", "y", "b", "6"),
    Vote("y", "x", "b", "6"),  # several votes in one order
]


def test_position_bias_counts_pairs_judged_once_in_each_order() -> None:
    for votes in (BOTH_ORDERS, list(reversed(BOTH_ORDERS))):
        bias = position_bias(votes)
        assert (bias.pairs, bias.consistent, bias.first, bias.second, bias.alone) == (4, 1, 1, 1, 4)


def test_nine_of_twelve_first_positions_have_the_exact_binomial_p_value() -> None:
    bias = PositionBias(["same"] * 18 + ["a"] * 9 + ["b"] * 3)
    assert bias.test == "exact binomial"
    assert bias.p_value == pytest.approx(0.145996094, abs=5e-10)
    assert bias.first_rate().value == 0.75


def test_a_preference_for_a_position_within_few_inputs_is_tested_over_inputs() -> None:
    kinds = ["a"] * 9 + ["b"] * 3 + ["same"] * 18
    bias = PositionBias(kinds, [*"aaabbbccc", *"ddd", *"abcdabcdabcdabcdab"])
    rate = bias.first_rate()
    assert bias.test == "t-test over clusters"
    assert rate.lower < 0.5 < rate.upper
    assert bias.p_value > 0.05
    assert PositionBias(kinds, range(30)).p_value == PositionBias(kinds).p_value


def test_inconsistent_verdicts_become_ties_or_are_dropped_or_kept() -> None:
    ties = merged(BOTH_ORDERS)
    assert [vote.winner for vote in ties] == ["a", "tie", "tie", "tie", "a", "a", "b", "b"]
    assert [vote.input for vote in merged(BOTH_ORDERS, "drop")] == ["1", "5", "6", "6", "6"]
    assert merged(BOTH_ORDERS, "keep") == BOTH_ORDERS


def test_win_rates_count_ties_as_half_a_win_with_the_interval_of_wilson() -> None:
    votes = [Vote("x", "y", "a")] * 40 + [Vote("y", "x", "tie")] * 2 + [Vote("y", "x", "a")] * 8
    systems, pairs = records(votes)
    rate = pairs["x", "y"].win_rate()
    assert (rate.value, rate.lower, rate.upper) == pytest.approx((0.82, 0.692039463, 0.902298073), abs=5e-10)
    assert (systems["y"].wins, systems["y"].ties, systems["y"].losses) == (8, 2, 40)


def test_a_rank_is_one_plus_the_number_of_significantly_stronger_systems() -> None:
    votes = [("x", "y", "a")] * 90 + [("x", "y", "b")] * 10 + [("y", "z", "a")] * 52 + [("y", "z", "b")] * 48
    model = bradley_terry(votes)
    assert [one[1:] for one in ranks(model)] == [(1, 1), (2, 3), (2, 3)]
    p = p_values(model, "none")
    strengths, errors = model.relative_to("y")
    special = pytest.importorskip("scipy.special")
    assert p[0, 1] == pytest.approx(2 * special.stdtr(199, -strengths[0] / errors[0]))
    assert np.isnan(np.diag(p)).all()


def test_ranks_of_equal_strengths_are_undecided() -> None:
    assert [one[1:] for one in ranks(bradley_terry([("x", "y", "tie")] * 9))] == [(1, 2), (1, 2)]


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from("abt"), st.sampled_from("abt")), max_size=30))
def test_cohen_kappa_equals_scikit_learn(verdicts: list[tuple[str, str]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    ours = cohen_kappa(verdicts)
    if len({label for pair in verdicts for label in pair}) < 2:
        assert math.isnan(ours)
        return
    first, second = zip(*verdicts, strict=True)
    assert ours == pytest.approx(metrics.cohen_kappa_score(first, second), abs=1e-12)


def test_agreement_with_people_by_hand() -> None:
    people = [
        Vote("x", "y", "a", "1", "ann", {"genre": "news"}),
        Vote("y", "x", "b", "1", "ben", {"genre": "news"}),  # agrees with ann: x
        Vote("x", "y", "tie", "2", "ann", {"genre": "tales"}),
        Vote("x", "y", "b", "2", "ben", {"genre": "tales"}),
    ]
    judge = [Vote("y", "x", "b", "1"), Vote("y", "x", "a", "2"), Vote("x", "z", "a", "2")]
    found = against_people(judge, people, "genre")
    # with ties: x = x, x = x, y ≠ tie, y = y; without ties: three of three
    assert [(one.subset, one.ties, one.n, one.agreement) for one in found.agreements] == [
        ("", "with", 4, 0.75),
        ("", "without", 3, 1),
        ("news", "with", 2, 1),
        ("news", "without", 2, 1),
        ("tales", "with", 2, 0.5),
        ("tales", "without", 1, 1),
        ("(macro average)", "with", 2, 0.75),
        ("(macro average)", "without", 2, 1),
        ("", "with", 2, 0.5),
        ("", "without", 1, 1),
    ]
    assert (found.units, found.unmatched) == (2, 1)


CHOICES = [
    Choice(("p", "q", "r", "s"), "p", "s", "1", "ann"),
    Choice(("p", "q", "r", "s"), "p", "r", "1", "ben"),
    Choice(("q", "r", "s", "t"), "t", "s", "2", "ann"),
    Choice(("q", "r", "s", "t"), "q", "s", "2", "ben"),
]


def test_best_worst_scores_are_best_minus_worst_over_appearances() -> None:
    scores = {item: found.score for item, found in best_worst(CHOICES).items()}
    assert scores == {"p": 1.0, "q": 0.25, "r": -0.25, "s": -0.75, "t": 0.5}


def test_a_choice_is_five_votes_of_four_items() -> None:
    votes, clusters = votes_of(CHOICES[:1])
    assert {(vote.first, vote.second) for vote in votes} == {
        ("p", "q"),
        ("p", "r"),
        ("p", "s"),
        ("q", "s"),
        ("r", "s"),
    }
    assert clusters == ["input 1"] * 5


def test_equal_annotations_are_perfectly_reliable_whatever_the_order_of_rows() -> None:
    items = "klmnop"
    choices = [
        Choice((a, b, c), a, c, f"{a}{b}{c}", rater)
        for i, a in enumerate(items)
        for j, b in enumerate(items[i + 1 :], i + 1)
        for c in items[j + 1 :]
        for rater in ("ann", "ben")
    ]
    found = split_half(choices, splits=5)
    assert (found.pearson, found.spearman, found.of_all) == pytest.approx((1, 1, 1))
    assert split_half(CHOICES, seed=3) == split_half(CHOICES[::-1], seed=3)


def test_reliability_of_choices_that_share_no_items_is_undefined() -> None:
    found = split_half([Choice(("p", "q"), "p", "q"), Choice(("r", "s"), "r", "s")])
    assert math.isnan(found.pearson)
    assert found.splits == 0
    with pytest.raises(InputError):
        split_half(CHOICES, splits=0)
