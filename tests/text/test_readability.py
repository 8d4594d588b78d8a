"""Syllables: each rule by hand, and exceptions."""

from __future__ import annotations

import pytest
from hypothesis import given
from strategies import texts

from metrics_framework.text.readability import syllables

CASES = [  # word, syllables, why
    ("cat", 1, "one group of vowels"),
    ("simplification", 5, "five; one more for io, one less for ion"),
    ("make", 1, "a final e is silent"),
    ("agree", 1, "all final e's are left out"),
    ("eye", 1, "what is left begins at the front"),
    ("he", 0, "nothing is left"),
    ("the", 1, "an exception"),
    ("THE", 1, "case does not count"),
    ("etc", 4, "an exception"),
    ("rhythm", 1, "y is a vowel"),
    ("crwth", 0, "no vowel"),
    (".", 0, "no vowel"),
    ("1998", 0, "no vowel"),
    ("60", 2, "an exception"),
    ("", 0, "nothing"),
    ("piano", 3, "ia: one more"),
    ("variety", 4, "riet: one more than a, ie, y"),
    ("audience", 3, "dien: one more than au, ie"),
    ("medium", 3, "iu: one more"),
    ("radio", 3, "io: one more"),
    ("hawaii", 4, "ii and three vowels: one more each than a, aii"),
    ("able", 2, "a vowel before bl: one more"),
    ("tremble", 2, "mbl: one more"),
    ("previous", 3, "io and three vowels one more each, iou one less"),
    ("mcdonald", 3, "mc: one more"),
    ("prism", 2, "ism at the end: one more"),
    ("wheel", 2, "a doubled vowel before l: one more"),
    ("coagulate", 4, "coag at the start: one more"),
    ("equality", 5, "qua: one more than e, ua, i, y"),
    ("didnt", 2, "dnt: one more"),
    ("special", 2, "cial one less, ia one more"),
    ("nation", 2, "ion one less, io one more"),
    ("guide", 0, "gui: one less than ui"),
    ("lovely", 2, "ely at the end: one less"),
]


@pytest.mark.parametrize(("word", "expected", "why"), CASES)
def test_syllables_by_hand(word: str, expected: int, why: str) -> None:
    assert syllables(word) == expected, why


@given(texts())
def test_the_case_of_a_word_does_not_count(word: str) -> None:
    assert syllables(word.lower()) == syllables(word)
