"""Stems of ROUGE-1.5.5, of Porter's own programs, and of google-rouge: by hand, and equal to published programs."""

from __future__ import annotations

import string
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from metrics_framework.text.porter import nltk_stem, porter_stem, published_porter_stem

CASES = [  # word, stem, why
    ("caresses", "caress", "step 1a: sses"),
    ("ponies", "poni", "step 1a: ies"),
    ("cats", "cat", "step 1a: s"),
    ("caress", "caress", "step 1a: ss stays"),
    ("feed", "feed", "step 1b: eed after a stem without a consonant at its end"),
    ("agreed", "agre", "step 1b: eed"),
    ("bled", "bled", "step 1b: no vowel before ed"),
    ("hopping", "hop", "step 1b: a doubled consonant"),
    ("falling", "fall", "step 1b: a doubled l stays, and step 5 needs a longer stem"),
    ("filing", "file", "step 1b: e comes back"),
    ("sky", "sky", "step 1c: no vowel before y"),
    ("syzygy", "syzygi", "y is a vowel after a consonant"),
    ("relational", "relat", "step 2"),
    ("technology", "technolog", "step 2: logi"),
    ("possibly", "possibl", "step 2: bli"),
    ("electrical", "electr", "steps 3 and 4"),
    ("adoption", "adopt", "step 4: tion"),
    ("nation", "nation", "step 4: too short a stem"),
    ("elements", "elem", "step 4: ement and ment leave too little, ent does not"),
    ("replacement", "replac", "step 4: ement"),
    ("settlement", "settlem", "step 4: ent after ement and ment"),
    ("environmental", "environ", "step 4: al, then ment"),
    ("occasional", "occas", "step 4: al, then sion"),
    ("imprecisionent", "imprecision", "step 4: no ion after ent"),
    ("probate", "probat", "step 5a"),
    ("controlling", "control", "step 5b"),
    ("ion", "ion", "nothing before the ending"),
    ("ed", "ed", "two letters"),
    ("", "", "nothing"),
]


@pytest.mark.parametrize(("word", "stem", "why"), CASES)
def test_stems(word: str, stem: str, why: str) -> None:
    assert porter_stem(word) == stem, why


def test_stems_equal_those_of_nltk_but_for_step_4() -> None:
    porter = pytest.importorskip("nltk.stem.porter")
    plain = porter.PorterStemmer(porter.PorterStemmer.MARTIN_EXTENSIONS)
    words = {w for w in string.ascii_lowercase for w in (w + "ing", w + "ies", "b" + w + "nded", "con" + w + "ization")}
    words |= {"happily", "conditional", "rational", "vietnamization", "triplicate", "formative", "hopefulness", "cease"}
    for word in words:
        assert porter_stem(word) == plain.stem(word), word


@given(st.text(string.ascii_lowercase + "0123456789", max_size=30))
def test_any_word_has_a_stem(word: str) -> None:
    stem = porter_stem(word)
    assert len(stem) <= len(word) + 1
    assert stem[:1] == word[:1]


ENDINGS = "s sses ies ed eed ing y ational izer bli alli logi icate ness ment ement ent ion sion tion e l ll ance"
SUFFIXES = ENDINGS.split()
LETTERS = st.text(st.sampled_from("aeioubcdlstxyz9"), max_size=8)


@pytest.fixture(scope="module")
def by_nltk() -> Callable[[str], str]:
    porter = pytest.importorskip("nltk.stem.porter")
    stem: Callable[[str], str] = porter.PorterStemmer(mode=porter.PorterStemmer.MARTIN_EXTENSIONS).stem
    return stem


def test_words_of_documents(by_nltk: Callable[[str], str], shared_path: Callable[[str], Path]) -> None:
    text = shared_path("data/multiling2011/documents.jsonl").read_text(encoding="utf-8")
    words = {word for word in text.lower().split() if word.isascii() and word.isalnum()}
    assert len(words) > 1000
    assert {word: published_porter_stem(word) for word in words} == {word: by_nltk(word) for word in words}


@given(LETTERS, st.lists(st.sampled_from(SUFFIXES), max_size=3))
@example("apolog", ["y"])
def test_any_letters(by_nltk: Callable[[str], str], letters: str, suffixes: list[str]) -> None:
    word = letters + "".join(suffixes)
    assert published_porter_stem(word) == by_nltk(word)


NLTK_ENDINGS = """
    ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti
    iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent
    ion sion tion ou ism ate iti ous ive ize ed ing eed ied ies sses ss s y e ll at bl iz
"""
PIECES = st.sampled_from(NLTK_ENDINGS.split()) | st.text("abeiotyswlzx12", min_size=1, max_size=2)
WORDS = st.lists(PIECES, min_size=1, max_size=5).map("".join)


IRREGULAR = ["1990s", "as", "died", "enjoying", "news", "owed", "skies", "spied", "ties"]


@settings(max_examples=150)
@given(WORDS | st.sampled_from(IRREGULAR))
def test_stems_are_those_of_nltk(word: str) -> None:
    assert nltk_stem(word) == PorterStemmer().stem(word)


@given(WORDS)
def test_a_stem_is_not_empty_and_not_longer_than_its_word(word: str) -> None:
    assert 0 < len(nltk_stem(word)) <= len(word)
