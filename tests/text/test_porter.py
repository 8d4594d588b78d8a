"""Stems of ROUGE-1.5.5: those of Porter's algorithm but for step 4."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.text.porter import porter_stem

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


@pytest.mark.parametrize(("word", "stem", "why"), CASES, ids=[why for _, _, why in CASES])
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
