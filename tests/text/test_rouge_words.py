"""Words of ROUGE-1.5.5: tokenization, stop words, base forms, stems and limits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.text.rouge_words import (
    RougeWords,
    exceptions,
    first_bytes,
    first_bytes_of_lines,
    first_words,
    lines_of,
    stop_words,
)

PLAIN = [  # text, words, why
    ("The CAT's e-mail", ["the", "cat", "s", "e", "mail"], "lowercased, apostrophes and hyphens separate"),
    ("café naïve ÉCOLE", ["caf", "na", "ve", "cole"], "letters with accents separate"),
    ("İstanbul \u212a", ["stanbul"], "characters whose lower case is ASCII separate too"),
    ("a_b 1,000 2nd", ["a", "b", "1", "000", "2nd"], "digits are letters, other signs separate"),
    ("- -- \ud800 😀 \x00", [], "no words"),
    ("", [], "empty"),
]
STEMMED = [  # text, words, why
    ("best better", ["well", "well"], "of several base forms the last one counts"),
    ("is was did", ["is", "was", "did"], "words of three letters are not changed"),
    ("comics", ["comic_strip"], "a base form with a character that no word has"),
]


@pytest.mark.parametrize(("text", "words", "why"), PLAIN)
def test_words(text: str, words: list[str], why: str) -> None:
    assert RougeWords(use_porter_stemmer=False).words(text) == words, why


@pytest.mark.parametrize(("text", "words", "why"), STEMMED)
def test_base_forms(text: str, words: list[str], why: str) -> None:
    assert RougeWords().words(text) == words, why


def test_a_base_form_is_not_stemmed() -> None:
    assert RougeWords().words("mice mouse") == ["mouse", "mous"]


def test_stop_words_are_removed_before_stemming() -> None:
    assert RougeWords(remove_stopwords=True).words("He does doing done") == []
    assert RougeWords(remove_stopwords=True).words("ares") == ["ar"]  # its stem is no stop word either: "are" is one


def test_the_lists_have_the_size_of_the_published_ones() -> None:
    assert len(exceptions()) == 5930
    assert len(stop_words()) == 543  # of 596; the others have apostrophes or periods
    assert all(word.isalnum() and word.islower() for word in stop_words())


@given(st.text(), st.booleans(), st.booleans())
def test_spans_are_where_the_words_are(text: str, stems: bool, stops: bool) -> None:
    words = RougeWords(stems, stops)
    spans = words.spans(text)
    assert [word for word, _, _ in spans] == words.words(text)
    assert all(words.words(text[start:end]) == [word] for word, start, end in spans)


LIMITS = [  # function, lines, limit, what remains, why
    (first_words, ["a b", "c d e", "f"], 4, ["a b", "c d", ""], "over all lines"),
    (first_words, ["- a  -- b-c"], 3, ["- a --"], "before tokenization"),
    (first_words, [" a b", "c"], 2, [" a", ""], "whitespace at the start of a line is a word"),
    (first_words, [" \t", "c d"], 1, ["", "c"], "but not in a line without words"),
    (first_words, ["a\u2028b\xa0c d"], 1, ["a\u2028b\xa0c"], "only ASCII whitespace counts"),
    (first_bytes, ["abc", "de"], 4, ["abc", "d"], "line breaks are not counted"),
    (first_bytes, ["éa"], 2, ["\xc3\xa9"], "bytes of UTF-8"),
    (first_bytes, ["\ud800a"], 4, ["\xed\xa0\x80a"], "lone surrogates have three"),
    (
        first_bytes_of_lines,
        ["abc", "def", "ghij", "k"],
        4,
        ["abc", "def", "ghij"],
        "a line that is long enough is last",
    ),
    (first_bytes_of_lines, ["abcdef", "g"], 4, ["abcd"], "each line alone"),
]


@pytest.mark.parametrize(("function", "lines", "limit", "kept", "why"), LIMITS)
def test_limits(function: object, lines: list[str], limit: int, kept: list[str], why: str) -> None:
    assert callable(function)
    assert function(lines, limit) == kept, why


def test_lines() -> None:
    assert lines_of("a\nb") == ["a", "b"]
    assert lines_of(["a", "b\nc", "d\n"]) == ["a", "b", "c", "d", ""]
    assert lines_of([]) == lines_of("") == [""]
