"""Parts of speech: by lists, by digits, by endings, else nouns; what punctuation is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.text.parts_of_speech import is_punctuation, noun_phrases, part_of_speech, parts_of_speech

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


CASES = [  # sentence, phrases, why
    (
        "The old bakery sold 12 warm scones.",
        ["The old bakery", "12 warm scones"],
        "determiner, adjective, number, noun",
    ),
    ("He met South Africa's leader, Ms Smith.", ["South Africa's leader", "Ms Smith"], "punctuation ends a phrase"),
    ("It was near Running Creek.", ["Running Creek"], "a word with a capital letter is a noun, whatever its ending"),
    ("They gave the cat his food.", ["the cat", "his food"], "a possessive begins a phrase"),
    ("They were old.", [], "an adjective alone is no phrase"),
    ("It fell by 1,200.50 on Monday.", ["1,200.50", "Monday"], "a number alone is a phrase"),
    ("", [], "no words"),
]


@pytest.mark.parametrize(("sentence", "expected", "why"), CASES)
def test_noun_phrases(sentence: str, expected: list[str], why: str) -> None:
    assert [sentence[start:end] for start, end in noun_phrases(sentence)] == expected


@given(st.text())
def test_phrases_are_separate_parts_of_any_text(text: str) -> None:
    offsets = [offset for phrase in noun_phrases(text) for offset in phrase]
    assert offsets == sorted(offsets)
    assert all(text[start:end].strip() for start, end in noun_phrases(text))
