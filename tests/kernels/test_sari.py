"""The statistics of SARI: by hand, against a direct transcription of the definitions, and their laws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
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


def test_token_sums_by_hand():
    # S = {a, b, c}, P = {a, d}, R = {a: 2, c: 2, d: 1}, r = 2
    # ADD: A = {d}, right; N = {d}.  KEEP: K = G = {a: 2}, L = {a: 2, c: 2}.
    # DELETE: D = {b: 2, c: 2}, rS - R = {b: 2}, both {b: 2}.
    first = [1, 1, 1, 2, 2, 4, 2, 4, 2]
    # S = {ab, bc}, P = {ad}, R = {ac, ad, dc}: A = {ad}, right; N = all of R; nothing kept; D = rS = rS - R = {2, 2}.
    second = [1, 1, 3, 0, 0, 0, 4, 4, 4]
    # S = {abc}, P = {}, R = {adc}: nothing added of one, D = rS = rS - R = {abc: 2}.
    third = [0, 0, 1, 0, 0, 0, 2, 2, 2]
    assert sums(["a", "b", "c"], ["a", "d"], [["a", "c"], ["a", "d", "c"]]) == first + second + third + [0] * 9


def test_token_sums_by_hand_where_counts_differ():
    # Unigrams: S = {a: 3}, P = {a: 1}, R = {a: 2 + 2}, r = 2, so rS = 6, rP = 2.
    # K = min(6, 2) = 2, G = min(2, 4) = 2, L = min(6, 4) = 4; D = 4, rS - R = 2, both min(4, 2) = 2.
    assert sums(["a", "a", "a"], ["a"], [["a", "a"], ["a", "a"]])[:9] == [0, 0, 0, 2, 2, 4, 2, 4, 2]


def counted(tokens: Tokens, order: int) -> Counter[Any]:
    return Counter(tuple(tokens[start : start + order]) for start in range(len(tokens) - order + 1))


def transcribed(source: Tokens, summary: Tokens, references: list[Tokens], order: int) -> dict[str, Any]:
    """The definitions in counters, word for word."""
    r = len(references)
    s, p = counted(source, order), counted(summary, order)
    all_r = sum((counted(reference, order) for reference in references), Counter())
    rs = Counter({ngram: r * count for ngram, count in s.items()})
    rp = Counter({ngram: r * count for ngram, count in p.items()})
    k, d = rs & rp, rs - rp
    return {"S": s, "P": p, "R": all_r, "K": k, "G": k & all_r, "L": rs & all_r, "D": d, "surplus": rs - all_r}


@given(TOKENS, TOKENS, REFERENCES)
def test_token_sums_equal_the_definition(source, summary, references):
    expected: list[int] = []
    for order in sari.ORDERS:
        c = transcribed(source, summary, references, order)
        added, new = set(c["P"]) - set(c["S"]), set(c["R"]) - set(c["S"])
        expected += [len(added & set(c["R"])), len(added), len(new)]
        expected += [c["G"].total(), c["K"].total(), c["L"].total()]
        expected += [(c["D"] & c["surplus"]).total(), c["D"].total(), c["surplus"].total()]
    assert sums(source, summary, references) == expected


def f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def over(part: float, whole: float, empty: float) -> float:
    return part / whole if whole else empty


def expected_parts(c: dict[str, Any], empty: float, recall_over_tokens: bool) -> tuple[float, float, float]:
    added, new = set(c["P"]) - set(c["S"]), set(c["R"]) - set(c["S"])
    right = len(added & set(c["R"]))
    precision = over(sum(c["G"][g] / c["K"][g] for g in c["K"]), len(c["K"]), empty)
    if recall_over_tokens:
        recall = over(c["G"].total(), c["L"].total(), empty)
    else:
        recall = over(sum(c["G"][g] / c["L"][g] for g in c["L"]), len(c["L"]), empty)
    good = c["D"] - c["R"]
    deleted = over(sum(good[g] / c["D"][g] for g in c["D"]), len(c["D"]), empty)
    return f1(over(right, len(added), empty), over(right, len(new), empty)), f1(precision, recall), deleted


@given(TOKENS, TOKENS, REFERENCES)
def test_xu2016_and_hf_equal_their_definitions(source, summary, references):
    for formula, empty, recall_over_tokens in ((sari.xu2016, 0.0, False), (sari.hf, 1.0, True)):
        parts = [
            expected_parts(transcribed(source, summary, references, order), empty, recall_over_tokens)
            for order in sari.ORDERS
        ]
        expected = [sum(values) / 4 for values in zip(*parts, strict=True)]
        assert scores(formula, source, summary, references) == pytest.approx([*expected, 1.0], abs=1e-12)


@given(TOKENS, TOKENS, REFERENCES)
def test_joshua_sums_equal_their_definition(source, summary, references):
    vector = sari.joshua_sums([source], [[summary]], [references])[0][0]
    tokens = sums(source, summary, references)
    for order in sari.ORDERS:
        c, start = transcribed(source, summary, references, order), 9 * (order - 1)
        # sums of floats in the order of the source, which counters keep
        shares = 0.0
        for ngram in c["S"]:
            shares += c["G"][ngram] / c["K"][ngram] if ngram in c["K"] else 0.0
        kept = 0.0
        for ngram in c["S"]:
            kept += c["G"][ngram] / c["L"][ngram] if ngram in c["L"] else 0.0
        assert vector[start + 3 : start + 6] == [int(1e6 * shares), int(kept), len(c["L"])]
        assert vector[start : start + 3] == tokens[start : start + 3]
        assert vector[start + 6 : start + 9] == tokens[start + 6 : start + 9]


@given(TOKENS, TOKENS, REFERENCES, st.randoms(use_true_random=False))
def test_order_of_references_does_not_matter(source, summary, references, random):
    shuffled = random.sample(references, len(references))
    assert sums(source, summary, shuffled) == sums(source, summary, references)
    for formula in FORMULAS:
        assert scores(formula, source, summary, shuffled) == scores(formula, source, summary, references)


@given(TOKENS, TOKENS, REFERENCES)
def test_all_references_twice_doubles_the_token_sums(source, summary, references):
    once = sums(source, summary, references)
    doubled = [number if index % 9 < 3 else 2 * number for index, number in enumerate(once)]
    assert sums(source, summary, references * 2) == doubled


@given(TOKENS, TOKENS, REFERENCES)
def test_sets_do_not_count_a_reference_twice(source, summary, references):
    for formula in FORMULAS[-2:]:
        once = scores(formula, source, summary, references)
        assert scores(formula, source, summary, [*references, references[0]]) == once


@pytest.mark.parametrize("formula", FORMULAS[:-2])
def test_other_formulas_count_a_reference_twice(formula):
    source, summary, references = list("abcdef"), list("abdef"), [list("abdef"), list("abcdef")]
    once = scores(formula, source, summary, references)
    assert scores(formula, source, summary, [references[0], *references]) != once


@given(TOKENS, TOKENS, REFERENCES)
def test_scores_lie_between_0_and_1(source, summary, references):
    for formula in FORMULAS:
        assert all(-1e-12 <= score <= 1 + 1e-12 for score in scores(formula, source, summary, references))


@given(TOKENS, st.lists(TOKENS, max_size=3), REFERENCES)
def test_a_group_gives_what_its_summaries_give_alone(source, summaries, references):
    alone = [sums(source, summary, references) for summary in summaries]
    assert sari.token_sums([source, source], [summaries, []], [references, references]) == [alone, []]


def test_modified_counts_only_what_deleting_words_cannot_bring_about():
    # "a c" remains of "a b c" after a deletion: an incorrect addition. "c a" is out of order: a correct one.
    assert scores(sari.modified, list("abc"), list("ac"), [list("ac")])[0] == 0.0
    assert scores(sari.modified, list("abc"), list("ca"), [list("ca")])[0] == 0.25


def test_modified_looks_for_the_order_in_the_cased_source():
    # The lower-cased "a c" does not occur in the cased "A b c".
    vectors = sari.sentence_scores(sari.modified, [list("abc")], [[list("ac")]], [[list("ac")]], [list("Abc")])
    assert vectors[0][0][0] == 0.25
