"""Porter's stemmer: equal to that of nltk in the mode of Porter's own programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metrics_framework.text.porter import published_porter_stem

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
