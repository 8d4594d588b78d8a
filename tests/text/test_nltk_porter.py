"""The stemmer of google-rouge: worked by hand, and equal to NLTK's."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from metrics_framework.text.nltk_porter import stem

SUFFIXES = [
    "ational",
    "tional",
    "enci",
    "anci",
    "izer",
    "bli",
    "alli",
    "entli",
    "eli",
    "ousli",
    "ization",
    "ation",
    "ator",
    "alism",
    "iveness",
    "fulness",
    "ousness",
    "aliti",
    "iviti",
    "biliti",
    "fulli",
    "logi",
    "icate",
    "ative",
    "alize",
    "iciti",
    "ical",
    "ful",
    "ness",
    "al",
    "ance",
    "ence",
    "er",
    "ic",
    "able",
    "ible",
    "ant",
    "ement",
    "ment",
    "ent",
    "ion",
    "sion",
    "tion",
    "ou",
    "ism",
    "ate",
    "iti",
    "ous",
    "ive",
    "ize",
    "ed",
    "ing",
    "eed",
    "ied",
    "ies",
    "sses",
    "ss",
    "s",
    "y",
    "e",
    "ll",
    "at",
    "bl",
    "iz",
]
PIECES = st.sampled_from(SUFFIXES) | st.text("abeiotyswlzx12", min_size=1, max_size=2)
WORDS = st.lists(PIECES, min_size=1, max_size=5).map("".join)

BY_HAND = [  # word, stem, why
    ("caresses", "caress", "step 1a: sses"),
    ("ties", "tie", "step 1a: words of four letters keep ie"),
    ("ponies", "poni", "step 1a: ies"),
    ("died", "die", "step 1b: words of four letters keep ie"),
    ("spied", "spi", "step 1b: ied"),
    ("agreed", "agre", "step 1b: eed, then the final e of step 5"),
    ("feed", "feed", "step 1b: eed needs a vowel and a consonant before it"),
    ("hopping", "hop", "step 1b: a single consonant"),
    ("falling", "fall", "step 1b: not a single l"),
    ("filing", "file", "step 1b: a silent e"),
    ("owed", "owe", "step 1b: a silent e after vowel and consonant"),
    ("enjoying", "enjoy", "step 1c: y after a vowel"),
    ("happy", "happi", "step 1c: y after a consonant"),
    ("radically", "radic", "step 2: alli becomes al, which step 4 removes"),
    ("theology", "theolog", "step 2: logi"),
    ("hopefully", "hope", "step 2: fulli becomes ful, which step 3 removes"),
    ("adoption", "adopt", "step 4: ion after t"),
    ("companion", "companion", "step 4: no ion after n"),
    ("cease", "ceas", "step 5: a final e"),
    ("controlling", "control", "step 5: one l of two"),
    ("news", "news", "irregular"),
    ("skies", "sky", "irregular"),
    ("1990s", "1990", "digits are consonants"),
    ("as", "as", "short"),
]


@pytest.mark.parametrize(("word", "expected", "why"), BY_HAND, ids=[why for *_, why in BY_HAND])
def test_stems_by_hand(word: str, expected: str, why: str) -> None:
    assert stem(word) == expected


@settings(max_examples=500)
@given(WORDS)
def test_stems_are_those_of_nltk(word: str) -> None:
    assert stem(word) == PorterStemmer().stem(word)


@given(WORDS)
def test_a_stem_is_not_empty_and_not_longer_than_its_word(word: str) -> None:
    assert 0 < len(stem(word)) <= len(word)
