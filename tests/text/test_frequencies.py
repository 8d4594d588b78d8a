"""Tables of words by frequency, function words, and how rare the words of a text are."""

from __future__ import annotations

import importlib.util
import math
import pickle
import sys
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.common.errors import DataError, DataErrors, MissingExtraError
from metrics_framework.text import frequencies
from metrics_framework.text.frequencies import (
    WORDS_OF_WORDFREQ,
    WordRarity,
    check_wordfreq,
    is_content_word,
    rarity_by_table,
    rarity_by_wordfreq,
)
from metrics_framework.text.lexicon import function_words

TABLE = WordRarity("five words", ["cat", "dog", "s", "sat", "mid"])
needs_wordfreq = pytest.mark.skipif(importlib.util.find_spec("wordfreq") is None, reason="needs wordfreq")


# ---- words ----------------------------------------------------------------------------------------------------------

RANKS = [  # word, rank, why
    ("cat", 0, "the most frequent"),
    ("mid", 4, "the last of the table"),
    ("CAT", 0, "case does not matter"),
]


@pytest.mark.parametrize(("word", "rank", "why"), RANKS)
def test_the_rarity_of_a_word(word: str, rank: int, why: str) -> None:
    for _ in range(2):  # looked up, and known
        assert TABLE[word] == math.log(1 + rank)


@pytest.mark.parametrize("word", ["the", "n't", "'s", "-lrb-", ".", "--", "''", "\ud800", ""])
def test_words_that_are_no_content_words(word: str) -> None:
    assert not is_content_word(word)
    assert TABLE[word] < 0
    assert TABLE.third_quartile(f"{word} the") == math.log(6)


@pytest.mark.parametrize("word", ["zebra", "cat-dog", "cat's", "1990s", "٣"])
def test_words_that_the_table_does_not_have_do_not_count(word: str) -> None:
    assert is_content_word(word)
    assert TABLE[word] < 0
    assert TABLE.third_quartile(f"{word} sat") == math.log(4)


@pytest.mark.parametrize("word", ["cat", "漢字", "é", "o'clock", "x", "i.e"])
def test_content_words(word: str) -> None:
    assert is_content_word(word)
    assert WordRarity("one word", [word])[word] == 0


def test_function_words_are_lower_case_and_no_content_words() -> None:
    assert len(function_words()) == 287
    assert {word.lower() for word in function_words()} == function_words()
    assert not any(map(is_content_word, function_words()))


def test_what_is_kept_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frequencies, "FREQUENCY_CACHE_SIZE", 3)
    rarity = WordRarity("two words", ["y", "x"])
    assert [rarity[word] for word in "xyzuvwxy"] == [math.log(2), 0, *[frequencies.NO_RARITY] * 4, math.log(2), 0]
    assert len(rarity) == 3


# ---- texts ----------------------------------------------------------------------------------------------------------

QUARTILES = [  # text, third quartile, why
    ("cat", 0.0, "one word"),
    ("cat the dog", 0.75 * math.log(2), "three quarters of the way from the lower to the higher"),
    ("sat cat dog", (math.log(2) + math.log(4)) / 2, "three words: between the second and the third"),
    ("mid dog cat sat", math.log(4) + (math.log(5) - math.log(4)) / 4, "four words: behind the third"),
    ("cat cat cat cat dog", 0.0, "each word as often as it stands"),
]


@pytest.mark.parametrize(("text", "expected", "why"), QUARTILES)
def test_the_third_quartile_by_hand(text: str, expected: float, why: str) -> None:
    assert TABLE.third_quartile(text) == pytest.approx(expected, abs=1e-15)


@given(st.lists(st.sampled_from("abcdefghijklmnopqrz"), min_size=1, max_size=30))
def test_the_third_quartile_is_that_of_numpy(letters: list[str]) -> None:
    words = [f"word{letter}" for letter in letters]
    rarity = WordRarity("letters", [f"word{letter}" for letter in "abcdefghijklmnopqr"])
    expected = numpy.quantile([rarity[word] for word in words if word != "wordz"] or [math.log(19)], 0.75)
    assert rarity.third_quartile(" ".join(words)) == pytest.approx(expected, abs=1e-12)


def test_a_copy_by_pickle_has_the_table() -> None:
    copied = pickle.loads(pickle.dumps(TABLE))
    assert copied.name == TABLE.name
    assert copied.third_quartile("sat cat-dog zebra") == TABLE.third_quartile("sat cat-dog zebra")


# ---- tables ---------------------------------------------------------------------------------------------------------


@needs_wordfreq
def test_the_default_table_is_that_of_wordfreq() -> None:
    rarity = rarity_by_wordfreq()
    assert rarity is rarity_by_wordfreq()
    assert rarity.name.startswith(f"wordfreq-en-{WORDS_OF_WORDFREQ}-")
    assert rarity["cat"] < rarity["zebra"] < math.log(1 + WORDS_OF_WORDFREQ)
    assert rarity["graystripe"] == frequencies.NO_RARITY


def test_the_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    with pytest.raises(MissingExtraError, match=r"'frequencies' .* 'wordfreq', .*metrics-framework\[simplification\]"):
        check_wordfreq()


def test_a_table_is_sorted_by_frequency() -> None:
    rarity = rarity_by_table("mine", ["rare\t.5", "cat\t2e3", "Dog\t900", "dog\t1200", "equal\t0.5"], "f.tsv")
    assert rarity.name == "mine"
    words = ["dog", "cat", "rare", "equal"]  # 'Dog' and 'dog' make 2100
    assert [rarity[word] for word in words] == [math.log(1 + rank) for rank in range(4)]


BAD_LINES: list[tuple[Any, str]] = [
    ("cat 3", r"f.tsv:2: must be a word, a tab and a frequency .* got 'cat 3'"),
    ("cat\tmany", r"f.tsv:2: must be a word, a tab and a frequency"),
    ("cat\t-1", r"f.tsv:2: must be a word"),
    ("cat\tnan", r"f.tsv:2: must be a word"),
    ("cat\tinf", r"f.tsv:2: must be a word"),
    ("cat\t1\t2", r"f.tsv:2: must be a word"),
    ("\t1", r"f.tsv:2: must be a word"),
    ("", r"f.tsv:2: must be a word"),
    ("dog\t1", r"f.tsv:2: duplicate word 'dog' \(first on line 1\)"),
]


@pytest.mark.parametrize(("line", "message"), BAD_LINES, ids=[repr(line) for line, _ in BAD_LINES])
def test_a_bad_line_is_an_error_that_says_where(line: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        rarity_by_table("mine", ["dog\t2", line], "f.tsv")


def test_all_bad_lines_are_reported_together() -> None:
    with pytest.raises(DataErrors, match=r"f.tsv:1: .*\nf.tsv:3: ") as caught:
        rarity_by_table("mine", ["x", "dog\t2", "y"], "f.tsv")
    assert caught.value.count == 2


def test_an_empty_table_is_an_error() -> None:
    with pytest.raises(DataError, match=r"f.tsv: is empty"):
        rarity_by_table("mine", [], "f.tsv")
