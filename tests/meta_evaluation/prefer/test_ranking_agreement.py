"""Kendall's τ-b of the strengths of a judge and of people: brute force, laws, and undefined cases."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import NEEDS_RESAMPLES, OPPOSITE_ORDER
from samples import sampled
from scipy import stats

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation import Interval, bradley_terry
from metrics_framework.meta_evaluation.prefer.agreement_with_people import (
    RankingAgreement,
    kendall_b,
    ranking_agreements,
    ranking_warnings,
    resampled_strengths,
)
from metrics_framework.meta_evaluation.prefer.request import PreferenceRequest
from metrics_framework.meta_evaluation.prefer.strengths import vote_arrays
from metrics_framework.meta_evaluation.prefer.votes import Vote

SYSTEMS = "wxyz"
RESAMPLES = 40
USUAL = PreferenceRequest("natural", [], None, 0.0, "holm", 95.0, "tie", None, RESAMPLES, 0)


def drawn_votes(
    strengths: Sequence[float], inputs: int, seed: int, *, raters: Sequence[str | None] = (None,), ties: float = 0.2
) -> list[Vote]:
    """Returns a vote of each rater on each pair of systems for each input."""
    stream = np.random.default_rng(seed)
    votes = []
    for number in range(inputs):
        for rater in raters:
            for a, b in combinations(range(len(strengths)), 2):
                p = 1 / (1 + math.exp(strengths[b] - strengths[a]))
                winner = "tie" if stream.random() < ties else "a" if stream.random() < p else "b"
                values = {"length": float(stream.normal()), "document": str(number // 3), "kind": "qa"[number % 2]}
                votes.append(Vote(SYSTEMS[a], SYSTEMS[b], winner, f"i{number}", rater, values))
    return votes


JUDGE = drawn_votes([1, 0.5, -0.2, -1], 12, 1)
PEOPLE = drawn_votes([0.5, 1, -0.5, -0.8], 12, 2, raters=("r", "s"))


def fitted(votes: Sequence[Vote], systems: Sequence[str], covariates: Sequence[str], ridge: float) -> np.ndarray:
    """Returns the strengths of systems, or NaN."""
    values = {name: [vote.values[name] for vote in votes] for name in covariates}
    try:
        model = bradley_terry([vote[:3] for vote in votes], covariates=values or None, ridge=ridge)
        return np.array([model.strengths[model.systems.index(system)] for system in systems])
    except (InputError, ValueError):
        return np.full(len(systems), math.nan)


def tau_b(first: np.ndarray, second: np.ndarray) -> float:
    if np.isnan([*first, *second]).any():
        return math.nan
    return float(stats.kendalltau(first.round(9), second.round(9)).statistic)


def brute_force(
    judge: Sequence[Vote],
    people: Sequence[Vote],
    labels: Callable[[int, Vote, str], Hashable],
    covariates: Sequence[str] = (),
    ridge: float = 0.0,
    seed: int = 0,
) -> tuple[float, float, float, int, int]:
    """Repeats the votes of each drawn unit, and returns τ-b, its interval, undefined resamples and units."""
    sides = [
        [(labels(index, vote, side), vote) for index, vote in enumerate(votes)]
        for votes, side in ((judge, "judge"), (people, "people"))
    ]
    units = sorted({label for votes in sides for label, _ in votes if label is not None}, key=repr)
    value = tau_b(fitted(judge, SYSTEMS, covariates, ridge), fitted(people, SYSTEMS, (), ridge))
    found = []
    for draw in np.random.default_rng(seed).integers(len(units), size=(RESAMPLES, len(units))):
        counts = {label: int((draw == number).sum()) for number, label in enumerate(units)} | {None: 1}
        repeated = [[vote for label, vote in votes for _ in range(counts[label])] for votes in sides]
        strengths = (fitted(repeated[0], SYSTEMS, covariates, ridge), fitted(repeated[1], SYSTEMS, (), ridge))
        found.append(tau_b(*strengths))
    defined = sorted(number for number in found if not math.isnan(number))
    outside = math.floor(0.025 * len(defined))
    distance = max(value - defined[outside], defined[-1 - outside] - value, 0)
    lower, upper = max(-1, value - distance), min(1, value + distance)
    return value, lower, upper, RESAMPLES - len(defined), len(units)


def numbers(found: RankingAgreement) -> tuple[float, float, float, int | None, int]:
    tau = found.tau_b
    return tau.value, tau.lower, tau.upper, tau.undefined_resamples, found.units


def rank_of(votes: Sequence[Vote], index: int) -> int:
    return sorted(range(len(votes)), key=lambda place: repr(votes[place])).index(index)


CASES: list[tuple[str, dict[str, Any], Callable[[int, Vote, str], Hashable]]] = [
    ("inputs", {}, lambda index, vote, side: vote.input),
    ("inputs by name", {"cluster": "input", "seed": 3}, lambda index, vote, side: vote.input),
    ("a ridge", {"ridge": 0.5}, lambda index, vote, side: vote.input),
    ("length", {"covariates": ["length"]}, lambda index, vote, side: vote.input),
    ("raters", {"cluster": "rater"}, lambda index, vote, side: None if side == "judge" else vote.rater),
    ("documents", {"cluster": "document"}, lambda index, vote, side: ("document", vote.values["document"])),
    (
        "votes",
        {"cluster": "none"},
        lambda index, vote, side: (side, rank_of({"judge": JUDGE, "people": PEOPLE}[side], index)),
    ),
]


@pytest.mark.parametrize(("name", "options", "labels"), sampled(CASES, 3), ids=[name for name, *_ in CASES])
def test_tau_b_and_its_interval_equal_brute_force(
    name: str, options: dict[str, Any], labels: Callable[[int, Vote, str], Hashable]
) -> None:
    (found,) = ranking_agreements(JUDGE, PEOPLE, replace(USUAL, **options))
    arguments = {key: value for key, value in options.items() if key != "cluster"}
    assert numbers(found) == pytest.approx(brute_force(JUDGE, PEOPLE, labels, **arguments), abs=1e-12)
    assert (found.systems, found.by, found.reason) == (4, options.get("cluster", "input"), "")


@pytest.mark.slow
def test_each_judge_and_subset_has_a_row_of_its_own() -> None:
    judges = drawn_votes([1, 0.5, -0.2, -1], 12, 1, raters=("good", "bad"))
    judges = [
        vote._replace(winner={"a": "b", "b": "a", "tie": "tie"}[vote.winner]) if vote.rater == "bad" else vote
        for vote in judges
    ]
    found = ranking_agreements(judges, PEOPLE, replace(USUAL, subset="kind"))
    assert [(row.judge, row.subset) for row in found] == [
        (judge, kind) for judge in ("good", "bad") for kind in ("", "a", "q")
    ]
    for row in found:
        people = [vote for vote in PEOPLE if row.subset in ("", vote.values["kind"])]
        judge = [vote for vote in judges if vote.rater == row.judge and row.subset in ("", vote.values["kind"])]
        expected = brute_force(judge, people, lambda index, vote, side: vote.input)
        assert numbers(row) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_results_do_not_depend_on_the_order_of_votes() -> None:
    for cluster in (None, "rater", "none", "document"):
        request = replace(USUAL, cluster=cluster)
        assert ranking_agreements(JUDGE, PEOPLE, request) == ranking_agreements(JUDGE[::-1], PEOPLE[::-1], request)


OTHER = {"a": "b", "b": "a", "tie": "tie"}


def of_one_judge(votes: Sequence[Vote], *, is_reversed: bool = False) -> list[Vote]:
    return [vote._replace(rater=None, winner=OTHER[vote.winner] if is_reversed else vote.winner) for vote in votes]


def test_the_opposite_order_has_tau_b_of_minus_1_and_a_warning() -> None:
    (same,) = ranking_agreements(of_one_judge(PEOPLE), PEOPLE, USUAL)
    (opposite,) = ranking_agreements(of_one_judge(PEOPLE, is_reversed=True), PEOPLE, USUAL)
    assert (same.tau_b.value, opposite.tau_b.value) == (1, -1)
    assert (opposite.tau_b.lower, opposite.tau_b.upper) == (-same.tau_b.upper, -same.tau_b.lower)
    assert (same.is_reversed, opposite.is_reversed) == (False, True)
    assert ranking_warnings([same]) == []
    assert f"'judge' ranks the systems exactly {OPPOSITE_ORDER} of people" in ranking_warnings([opposite])[0]


WARNED = [  # value, lower, upper, part of the warning or none
    (0.3, -0.2, 0.8, None),
    (math.nan, math.nan, math.nan, None),
    (0.0, -0.3, 0.3, None),
    (0.0, 0.0, 0.0, "'j' in 'news' shows no positive agreement"),
    (-0.3, -0.8, 0.2, f"'j' in 'news' ranks the systems rather {OPPOSITE_ORDER}"),
    (-1.0, math.nan, math.nan, f"exactly {OPPOSITE_ORDER} of people (Kendall's τ-b -1.000): do not rank"),
]


@pytest.mark.parametrize(("value", "lower", "upper", "message"), WARNED)
def test_warnings_of_negative_agreement(value: float, lower: float, upper: float, message: str | None) -> None:
    found = ranking_warnings([RankingAgreement("j", "news", 4, Interval(value, lower, upper))])
    assert (message is None) == (found == [])
    assert message is None or message in found[0]


def of(*rows: str, rater: str | None = None) -> list[Vote]:
    """Returns votes such as ``1 x>y`` or ``1 x=y`` on input 1."""
    votes = []
    for row in rows:
        number, first, sign, second = row[0], row[2], row[3], row[4]
        votes.append(Vote(first, second, {">": "a", "<": "b", "=": "tie"}[sign], number, rater, {"c": number}))
    return votes


CYCLE = of("1 x>y", "1 y>z", "1 z>x", "2 x>y", "2 y>z", "2 x>z")
UNDEFINED = [  # judge, people, options, τ-b is defined, part of the reason
    (of("1 x>y", "2 y>x"), of("1 x>y", "2 y>x"), {}, False, "fewer than 3 systems with votes of both"),
    (of("1 x>y", "2 y>x"), CYCLE, {}, False, "fewer than 3 systems with votes of both"),
    (of("1 x>y", "1 y>z", "1 x>z"), CYCLE, {}, False, "the judge: the votes do not determine the strengths: x never"),
    (CYCLE, of("1 x>y", "1 y>z", "1 x>z"), {}, False, "people: the votes do not determine the strengths: x never"),
    (of("1 x=y", "1 y=z", "2 x=z"), CYCLE, {}, False, "all strengths of the judge are equal"),
    (CYCLE, CYCLE[:3], {}, False, "all strengths of people are equal"),
    (
        of(*["1 x>y"] * 3, "1 y>z", "1 z>x"),
        of(*["1 x>y"] * 3, "1 y>z", "1 z>x"),
        {},
        True,
        "all votes are in one cluster",
    ),
    (CYCLE, CYCLE, {"cluster": "rater"}, True, "no interval: votes of people without a rater"),
    (CYCLE, CYCLE, {"resamples": 200}, True, "no interval: only 93 of 200 resamples determine both rankings"),
    (CYCLE, CYCLE, {"resamples": 200, "ridge": 1.0}, True, ""),
]


@pytest.mark.parametrize(("judge", "people", "options", "is_defined", "reason"), UNDEFINED)
def test_what_is_undefined_has_a_reason(
    judge: list[Vote], people: list[Vote], options: dict[str, Any], is_defined: bool, reason: str
) -> None:
    (found,) = ranking_agreements(judge, people, replace(USUAL, **options))
    assert math.isnan(found.tau_b.value) is not is_defined
    assert found.tau_b.is_defined is not bool(reason)
    assert reason in found.reason


def test_clusters_that_split_an_input_have_no_interval() -> None:
    votes = [vote._replace(values={"c": str(index)}) for index, vote in enumerate(CYCLE)]
    (found,) = ranking_agreements(votes, CYCLE, replace(USUAL, cluster="c"))
    assert found.reason == "no interval: votes on one input differ in 'c'"


def test_a_covariate_that_is_constant_for_one_judge_leaves_its_ranking_undefined() -> None:
    votes = [vote._replace(values={"length": 1.0}) for vote in CYCLE]
    (found,) = ranking_agreements(votes, CYCLE, replace(USUAL, covariates=["length"]))
    assert "the judge: covariate 'length' is constant" in found.reason


def test_systems_that_only_one_side_voted_on_are_left_out_of_tau_b() -> None:
    votes = [*PEOPLE, *(Vote("w", "v", winner, f"i{number}", "r", {}) for number, winner in enumerate("abab"))]
    (found,) = ranking_agreements(JUDGE, votes, USUAL)
    assert found.systems == 4
    expected = tau_b(fitted(JUDGE, SYSTEMS, (), 0), fitted(votes, SYSTEMS, (), 0))
    assert found.tau_b.value == pytest.approx(expected)


def test_too_few_resamples_for_the_level_are_refused() -> None:
    with pytest.raises(InputError, match=f"a 95 % {NEEDS_RESAMPLES} 40 resamples, got 10"):
        ranking_agreements(JUDGE, PEOPLE, replace(USUAL, resamples=10))


def test_kendall_b_ignores_the_last_digits() -> None:
    first, second = np.array([0, 0.5, 0.5, 2]), np.array([1, 0, 2, 2])
    assert kendall_b(first + 1e-12 * second, second) == kendall_b(first, second)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from(["xy", "yz", "zx", "xw"]), st.sampled_from(["a", "b", "tie"])), min_size=3),
    st.sampled_from([0.0, 0.3]),
    st.booleans(),
    st.integers(0, 99),
)
def test_strengths_in_resamples_equal_those_of_repeated_votes(
    votes: list[tuple[str, str]], ridge: float, has_covariate: bool, seed: int
) -> None:
    stream = np.random.default_rng(seed)
    triples = [(first, second, winner) for (first, second), winner in votes]
    lengths = stream.normal(size=len(triples))
    arrays = vote_arrays(triples, {"length": lengths} if has_covariate else None, range(len(triples)))
    weights = stream.integers(0, 3, size=(6, len(triples)))
    weights[0] = 1
    units = np.array(sorted(range(len(triples)), key=repr))[arrays.clusters]
    found = resampled_strengths(replace(arrays, clusters=None), weights.astype(float), units, ridge)
    spread = lengths.std()  # of the whole sample, so that repeated votes have the same covariate
    for row, counts in zip(found, weights, strict=True):
        repeated = [triple for triple, count in zip(triples, counts, strict=True) for _ in range(count)]
        values = [z / spread for z, count in zip(lengths, counts, strict=True) for _ in range(count)]
        names = {name for triple in repeated for name in triple[:2]}
        expected = np.full(len(arrays.systems), math.nan)
        if ridge and names < {*arrays.systems}:
            continue  # systems without votes have the strength 0 with a ridge, and none without
        if has_covariate and len(set(values)) < 2:
            continue  # `bradley_terry` refuses a constant covariate of all votes; resamples are standardized together
        if names == {*arrays.systems}:
            try:
                model = bradley_terry(repeated, covariates={"length": values} if has_covariate else None, ridge=ridge)
                expected = np.array([model.strengths[model.systems.index(name)] for name in arrays.systems])
            except (InputError, ValueError):
                pass
        if has_covariate and np.isnan([*row, *expected]).any():
            continue  # of few votes, rounding decides whether a covariate depends on the systems
        np.testing.assert_allclose(row, expected, atol=1e-7)
