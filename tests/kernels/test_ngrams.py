"""The n-gram matches of BLEU and chrF by hand; tests/metrics/test_sacrebleu.py compares them with sacreBLEU."""

from __future__ import annotations

from metrics_framework.kernels.python.ngrams import bleu_statistics, matches_with_each_reference


def test_bleu_by_hand() -> None:
    # "the" occurs twice in the second reference and three times in the summary: two match, as does "cat".
    # Of the pairs "the the" (twice) and "the cat" one each matches; 4 words are as near to 3 as to 5: the shorter is.
    summary = ("the", "the", "the", "cat")
    references = [("the", "cat", "lay"), ("on", "the", "the", "mat", "sat")]
    assert bleu_statistics([[summary]], [references], 3) == [[[4, 3, 3, 2, 0, 4, 3, 2]]]


def test_chrf_by_hand() -> None:
    # "aab" has a twice, b; aa, ab; aab. "ab" has a, b; ab; none of order 3, so that order has no n-grams of either.
    assert matches_with_each_reference([["aab"]], [["ab"]], 3) == [[[[3, 2, 2, 2, 1, 1, 0, 0, 0]]]]


def test_more_texts_than_are_kept_are_counted_right() -> None:
    texts = [tuple("ab" * number) for number in range(200)]
    numbers = bleu_statistics([[text] for text in texts], [[text] for text in texts], 1)
    assert numbers == [[[len(text)] * 4] for text in texts]


def test_no_order_gives_no_numbers() -> None:
    assert matches_with_each_reference([["a"]], [["a", "b"]], 0) == [[[[], []]]]
