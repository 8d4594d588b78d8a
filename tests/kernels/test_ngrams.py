"""The n-gram matches of BLEU and chrF: by hand, against counters, and their laws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.kernels.python.ngrams import bleu_statistics, matches_with_each_reference

TOKENS = st.lists(st.sampled_from("abc"), max_size=9).map(tuple)
STRINGS = st.text(st.sampled_from("ab\ud800猫"), max_size=12)
ORDERS = st.integers(1, 5)


def counted(units: Sequence[str], order: int) -> Counter[Any]:
    return Counter(tuple(units[start : start + order]) for start in range(len(units) - order + 1))


def test_bleu_by_hand():
    # "the" occurs twice in the second reference and three times in the summary: two match, as does "cat".
    # Of the pairs "the the" (twice) and "the cat" one each matches; 4 words are as near to 3 as to 5: the shorter is.
    summary = ("the", "the", "the", "cat")
    references = [("the", "cat", "lay"), ("on", "the", "the", "mat", "sat")]
    assert bleu_statistics([[summary]], [references], 3) == [[[4, 3, 3, 2, 0, 4, 3, 2]]]


def test_chrf_by_hand():
    # "aab" has a twice, b; aa, ab; aab. "ab" has a, b; ab; none of order 3, so that order has no n-grams of either.
    assert matches_with_each_reference([["aab"]], [["ab"]], 3) == [[[[3, 2, 2, 2, 1, 1, 0, 0, 0]]]]


@given(TOKENS, st.lists(TOKENS, min_size=1, max_size=4), ORDERS)
def test_bleu_equals_its_definition(summary, references, max_order):
    matches, totals = [], []
    for order in range(1, max_order + 1):
        most: Counter[Any] = Counter()
        for reference in references:
            most |= counted(reference, order)
        matches.append((counted(summary, order) & most).total())
        totals.append(counted(summary, order).total())
    nearest = sorted(map(len, references), key=lambda length: (abs(length - len(summary)), length))[0]
    expected = [len(summary), nearest, *matches, *totals]
    assert bleu_statistics([[summary]], [references], max_order) == [[expected]]


@given(STRINGS | TOKENS, ORDERS, st.data())
def test_matches_equal_their_definition(summary, max_order, data):
    alike = STRINGS if isinstance(summary, str) else TOKENS
    references = data.draw(st.lists(alike, min_size=1, max_size=3))
    expected = []
    for reference in references:
        numbers = []
        for order in range(1, max_order + 1):
            own, other = counted(summary, order), counted(reference, order)
            numbers += [own.total() if other else 0, other.total(), (own & other).total()]
        expected.append(numbers)
    assert matches_with_each_reference([[summary]], [references], max_order) == [[expected]]


@given(st.lists(TOKENS, max_size=3), st.lists(TOKENS, min_size=1, max_size=3))
def test_a_group_gives_what_its_summaries_give_alone(summaries, references):
    for function in (bleu_statistics, matches_with_each_reference):
        alone = [function([[summary]], [references], 3)[0][0] for summary in summaries]
        assert function([summaries, []], [references, references], 3) == [alone, []]


@given(TOKENS, st.lists(TOKENS, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_neither_order_nor_repetition_of_references_matters_for_bleu(summary, references, random):
    shuffled = random.sample(references, len(references))
    once = bleu_statistics([[summary]], [references], 4)
    assert bleu_statistics([[summary]], [[*shuffled, references[0]]], 4) == once


def test_more_texts_than_are_kept_are_counted_right():
    texts = [tuple("ab" * number) for number in range(200)]
    numbers = bleu_statistics([[text] for text in texts], [[text] for text in texts], 1)
    assert numbers == [[[len(text)] * 4] for text in texts]


def test_no_order_gives_no_numbers():
    assert matches_with_each_reference([["a"]], [["a", "b"]], 0) == [[[[], []]]]
