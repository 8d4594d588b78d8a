"""The statistics of SARI: by hand, and their laws."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.kernels.python import sari

TOKENS = st.lists(st.sampled_from("abcd"), max_size=9)
REFERENCES = st.lists(TOKENS, min_size=1, max_size=4)
FORMULAS: list[Callable[..., Any]] = [
    sari.xu2016,
    sari.modified,
    partial(sari.modified, deletion="f1"),
    sari.hf,
    sari.t2t,
    partial(sari.t2t, beta=1.0),
    sari.set_based,
    partial(sari.set_based, keep_recall="intersection"),
]
Tokens = list[str]


def sums(source: Tokens, summary: Tokens, references: list[Tokens]) -> list[int]:
    return sari.token_sums([source], [[summary]], [references])[0][0]


def scores(formula: Callable[..., Any], source: Tokens, summary: Tokens, references: list[Tokens]) -> list[float]:
    return sari.sentence_scores(formula, [source], [[summary]], [references])[0][0]


def test_token_sums_by_hand() -> None:
    # S = {a, b, c}, P = {a, d}, R = {a: 2, c: 2, d: 1}, r = 2
    # ADD: A = {d}, right; N = {d}.  KEEP: K = G = {a: 2}, L = {a: 2, c: 2}.
    # DELETE: D = {b: 2, c: 2}, rS - R = {b: 2}, both {b: 2}.
    first = [1, 1, 1, 2, 2, 4, 2, 4, 2]
    # S = {ab, bc}, P = {ad}, R = {ac, ad, dc}: A = {ad}, right; N = all of R; nothing kept; D = rS = rS - R = {2, 2}.
    second = [1, 1, 3, 0, 0, 0, 4, 4, 4]
    # S = {abc}, P = {}, R = {adc}: nothing added of one, D = rS = rS - R = {abc: 2}.
    third = [0, 0, 1, 0, 0, 0, 2, 2, 2]
    assert sums(["a", "b", "c"], ["a", "d"], [["a", "c"], ["a", "d", "c"]]) == first + second + third + [0] * 9


def test_token_sums_by_hand_where_counts_differ() -> None:
    # Unigrams: S = {a: 3}, P = {a: 1}, R = {a: 2 + 2}, r = 2, so rS = 6, rP = 2.
    # K = min(6, 2) = 2, G = min(2, 4) = 2, L = min(6, 4) = 4; D = 4, rS - R = 2, both min(4, 2) = 2.
    assert sums(["a", "a", "a"], ["a"], [["a", "a"], ["a", "a"]])[:9] == [0, 0, 0, 2, 2, 4, 2, 4, 2]


@settings(max_examples=40)
@given(TOKENS, TOKENS, REFERENCES, st.randoms(use_true_random=False))
def test_order_of_references_does_not_matter(
    source: Tokens, summary: Tokens, references: list[Tokens], random: Any
) -> None:
    shuffled = random.sample(references, len(references))
    assert sums(source, summary, shuffled) == sums(source, summary, references)
    for formula in FORMULAS:
        assert scores(formula, source, summary, shuffled) == scores(formula, source, summary, references)


@given(TOKENS, TOKENS, REFERENCES)
def test_all_references_twice_doubles_the_token_sums(source: Tokens, summary: Tokens, references: list[Tokens]) -> None:
    once = sums(source, summary, references)
    doubled = [number if index % 9 < 3 else 2 * number for index, number in enumerate(once)]
    assert sums(source, summary, references * 2) == doubled


@given(TOKENS, TOKENS, REFERENCES)
def test_sets_do_not_count_a_reference_twice(source: Tokens, summary: Tokens, references: list[Tokens]) -> None:
    for formula in FORMULAS[-2:]:
        once = scores(formula, source, summary, references)
        assert scores(formula, source, summary, [*references, references[0]]) == once


@pytest.mark.parametrize("formula", FORMULAS[:-2])
def test_other_formulas_count_a_reference_twice(formula: Callable[..., Any]) -> None:
    source, summary, references = list("abcdef"), list("abdef"), [list("abdef"), list("abcdef")]
    once = scores(formula, source, summary, references)
    assert scores(formula, source, summary, [references[0], *references]) != once


def test_modified_counts_only_what_deleting_words_cannot_bring_about() -> None:
    # "a c" remains of "a b c" after a deletion: an incorrect addition. "c a" is out of order: a correct one.
    assert scores(sari.modified, list("abc"), list("ac"), [list("ac")])[0] == 0.0
    assert scores(sari.modified, list("abc"), list("ca"), [list("ca")])[0] == 0.25


def test_modified_looks_for_the_order_in_the_cased_source() -> None:
    # The lower-cased "a c" does not occur in the cased "A b c".
    vectors = sari.sentence_scores(sari.modified, [list("abc")], [[list("ac")]], [[list("ac")]], [list("Abc")])
    assert vectors[0][0][0] == 0.25
