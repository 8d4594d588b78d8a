"""Parts of speech: by lists, by digits, by endings, else nouns; what punctuation is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.text.parts_of_speech import is_punctuation, part_of_speech, parts_of_speech

TAGS = {
    "determiner": "the The a every",
    "pronoun": "she whom everything",
    "preposition": "of within",
    "conjunction": "and although",
    "auxiliary": "is had 'll must",
    "particle": "not n't",
    "adverb": "very quickly afterwards",
    "number": "three 1990s 3.5 20th",
    "adjective": "big famous useful national",
    "verb": "became named building realize",
    "noun": "cat happiness station bed king Åse 猫",
    "punctuation": ". , -- `` '' -LRB- -rrb- % € 🐈",
}


@pytest.mark.parametrize(("tag", "words"), TAGS.items(), ids=list(TAGS))
def test_words_have_their_part_of_speech(tag: str, words: str) -> None:
    assert parts_of_speech(words.split()) == [tag] * len(words.split())


@given(st.text(min_size=1, max_size=8))
def test_punctuation_and_nothing_else_is_tagged_so(word: str) -> None:
    assert (part_of_speech(word) == "punctuation") == (is_punctuation(word) and word != "'")
