"""Masked tokens and shortened inputs of BLANC-help."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.metrics.blanc import Masks, fitted, improve, relative

TOKENS = st.lists(st.sampled_from(["a", "ab", "abcd", "abcde", "##a", "##abc", "[UNK]"]), max_size=12)
CASES = [  # tokens, gap, gap_mask, (normal, lead, followup), indices, why
    (
        "jack drove his mini ##van",
        2,
        1,
        (4, 2, 100),
        [[0], [1, 3]],
        "'his' is short; 'mini' leads a word of two tokens",
    ),
    (
        "jack drove his mini ##van",
        2,
        1,
        (1, 9, 3),
        [[0, 2, 4], [1]],
        "only tokens that continue a word, and whole words",
    ),
    ("aaaa bbbb cccc dddd eeee", 3, 2, (1, 1, 1), [[0, 1, 3, 4], [1, 2, 4], [0, 2, 3]], "two of three, around the end"),
    ("aaaa bbbb", 6, 1, (1, 1, 1), [[0], [1]], "a sentence with fewer tokens than the gap"),
    ("aaaa", 6, 1, (1, 1, 1), [[0]], "one token"),
    ("of an", 2, 1, (4, 2, 100), [], "no token is long enough"),
    ("", 2, 1, (4, 2, 100), [], "no tokens"),
]


@pytest.mark.parametrize(("tokens", "gap", "gap_mask", "lengths", "expected", "why"), CASES)
def test_masks(
    tokens: str, gap: int, gap_mask: int, lengths: tuple[int, int, int], expected: list[list[int]], why: str
) -> None:
    assert Masks(gap, gap_mask, *lengths).of(tokens.split()) == expected


@given(TOKENS, st.integers(1, 6))
def test_every_long_token_is_masked_once_if_one_of_every_gap_tokens_is_masked(tokens: list[str], gap: int) -> None:
    masked = sorted(index for indices in Masks(gap, 1, 4, 2, 100).of(tokens) for index in indices)
    leads = [b.startswith("##") for b in [*tokens[1:], ""]][: len(tokens)]
    expected = [
        index
        for index, (token, is_lead) in enumerate(zip(tokens, leads, strict=True))
        if not token.startswith("##") and len(token) >= (2 if is_lead else 4)
    ]
    assert masked == expected


def test_a_sentence_is_shortened_before_the_summary() -> None:
    sentence, summary = list("abcdefgh"), [["s1", "s2", "s3"], ["t1", "t2"]]
    assert fitted(sentence, summary, 13, 4) == (sentence, ["s1", "s2", "s3", "t1", "t2"])
    assert fitted(sentence, summary, 11, 4) == (list("abcdef"), ["s1", "s2", "s3", "t1", "t2"])
    assert fitted(sentence, summary, 8, 4) == (list("abcd"), ["s1", "s2", "s3"])  # the last sentence goes as a whole
    assert fitted(sentence, summary, 6, 4) == (list("abcd"), ["s2", "s3"])  # of the first sentence, its start goes


@given(
    st.lists(st.text(max_size=1), max_size=30),
    st.lists(st.lists(st.text(max_size=1), max_size=9), max_size=5),
    st.integers(1, 40),
    st.integers(0, 40),
)
def test_shortened_inputs_fit_and_lose_no_more_than_needed(
    sentence: list[str], summary: list[list[str]], space: int, least: int
) -> None:
    kept, words = fitted(sentence, summary, space, least)
    everything = [word for part in summary for word in part]
    assert len(kept) + len(words) <= space
    assert kept == sentence[: len(kept)]
    if len(sentence) + len(everything) <= space:
        assert (kept, words) == (sentence, everything)
    elif words != everything:
        assert len(kept) == min(len(sentence), least, space)


def test_measures_by_hand() -> None:
    counts = (5, 3, 1, 7)  # the summary corrects 3 of 16 tokens and spoils 1
    assert relative(*counts) == (3 - 1) / 16
    assert improve(*counts) == 3 / 15
    assert improve(0, 0, 4, 0) == 0.0
