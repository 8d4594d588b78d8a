"""Stems: forms of one word share one, other words do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.alignment.stems import stem

ALIKE = [  # forms of one word, why
    ("city cities", "ies"),
    ("church churches", "es behind ch"),
    ("class classes", "es behind ss"),
    ("name names named naming", "e goes"),
    ("stop stops stopped stopping", "a doubled consonant goes"),
    ("call calls called calling", "a doubled l stays"),
    ("form formed formation forming", "a noun of a verb"),
    ("wide widely", "an adverb of an adjective"),
    ("govern government governor", "derivations"),
    ("is was were been", "a list"),
    ("take took taken takes taking", "a list, and regular forms of its base"),
    ("child children", "a list"),
    ("they their them", "a list"),
]
UNLIKE = [
    ("nation n", "four letters are left"),
    ("this thi", "three letters and is"),
    ("bus bu", "us"),
    ("red r", "short words stay"),
    ("sing s", "a vowel must be left"),
    ("1990s 1990", "not only letters"),
    ("he she", "another word"),
]


@pytest.mark.parametrize(("words", "why"), ALIKE)
def test_forms_of_one_word_share_a_stem(words: str, why: str) -> None:
    assert len({stem(word) for word in words.split()}) == 1, (why, [stem(word) for word in words.split()])


@pytest.mark.parametrize(("words", "why"), UNLIKE)
def test_other_words_do_not(words: str, why: str) -> None:
    assert len({stem(word) for word in words.split()}) == 2, why


@given(st.text(max_size=12))
def test_a_stem_is_empty_only_for_no_word(word: str) -> None:
    assert bool(stem(word)) == bool(word)
