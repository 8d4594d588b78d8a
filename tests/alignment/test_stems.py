"""The built-in aligner: equal words, forms of one word, words in the same place; and what it costs."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.alignment import stems
from metrics_framework.alignment.aligner import load_aligner
from metrics_framework.alignment.stems import StemsAligner

CASES = [  # source, target, pairs, why
    ("a cat sat", "a cat sat", "0-0 1-1 2-2", "equal texts"),
    ("A Cat sat", "a cat SAT", "0-0 1-1 2-2", "case makes no difference"),
    ("big cats", "green trees", "", "nothing is aligned that a gap could be between"),
    ("cats were seen", "a cat was seen", "0-1 1-2 2-3", "forms of one word"),
    ("old rome collapsed", "old rome empire", "0-0 1-1", "a noun does not stand for a verb"),
    ("rome collapsed fast", "rome crumbled fast", "0-0 1-1 2-2", "one part of speech between the same words"),
    ("they built a big red house", "they built a large green house", "0-0 1-1 2-2 3-3 4-4 5-5", "gaps of two words"),
    ("they built a big house", "they built a very large house", "0-0 1-1 2-2 4-5", "gaps of unequal length"),
    # the house of the bank: its words stand around those of the other text, so the first "the" is not taken
    ("he left the shop and the bank", "the bank", "5-0 6-1", "a repeated word by what stands behind it"),
    ("he ran to the shop and then he ran to the bank", "he ran to the bank", "7-0 8-1 9-2 10-3 11-4", "a repeated run"),
    ("paris is big . rome is hot .", "rome is hot . paris is big .", "0-4 1-5 2-6 3-7 4-0 5-1 6-2 7-3", "a moved half"),
    ("the cat saw", "saw of the", "2-0", "a function word with nothing aligned near it stays alone"),
    ("in may the cat of the man", "dogs in the garden sleep", "", "function words alone are no evidence"),
    ("cat cat cat", "cat cat", "0-0 1-1", "more of one word than in the other text"),
    (", ; cat", "cat", "2-0", "punctuation that is gone"),
    ("", "a cat", "", "no words"),
    ("a cat", "", "", "no words"),
]


def pairs_of(items: str) -> list[tuple[int, int]]:
    return [(int(one), int(other)) for one, other in (item.split("-") for item in items.split())]


@pytest.mark.parametrize(("source", "target", "expected", "why"), CASES)
def test_words_are_aligned_by_form_and_place(source: str, target: str, expected: str, why: str) -> None:
    assert StemsAligner().align(source.split(), target.split()) == pairs_of(expected), why


def test_it_is_the_aligner_called_stems() -> None:
    assert isinstance(load_aligner("stems"), StemsAligner)
    assert StemsAligner().signature() == "stems"


WORDS = st.lists(
    st.sampled_from(["the", "of", "cat", "cats", "Cat", "dog", "ran", "runs", "quickly", "big", ",", "."])
    | st.text(max_size=3)
)


@given(WORDS, WORDS)
def test_pairs_are_sorted_inside_the_texts_and_one_for_one(source: list[str], target: list[str]) -> None:
    pairs = StemsAligner().align(source, target)
    assert pairs == sorted(pairs)
    assert all(0 <= one < len(source) and 0 <= other < len(target) for one, other in pairs)
    assert len({one for one, _ in pairs}) == len({other for _, other in pairs}) == len(pairs)


@given(WORDS)
def test_a_text_is_aligned_to_itself_word_by_word(words: list[str]) -> None:
    assert StemsAligner().align(words, words) == [(place, place) for place in range(len(words))]


@given(st.lists(st.text("bcdfg", min_size=2, max_size=6), unique=True), st.randoms(use_true_random=False))
def test_distinct_content_words_are_found_wherever_they_stand(words: list[str], generator: random.Random) -> None:
    moved = generator.sample(words, len(words))
    assert StemsAligner().align(words, moved) == [(place, moved.index(word)) for place, word in enumerate(words)]


@pytest.mark.parametrize("words", [["cat"], ["cat", "dog"], ["the", "of"], ["the", "of", "cat", "dogs", "runs", ","]])
def test_the_number_of_pairs_that_are_tried_grows_as_the_text_does(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = 0
    support = stems._Alignment.support

    def counted(self: stems._Alignment, one: int, other: int) -> int:
        nonlocal tried
        tried += 1
        return support(self, one, other)

    monkeypatch.setattr(stems._Alignment, "support", counted)
    generator = random.Random(0)
    length = 2000
    StemsAligner().align(generator.choices(words, k=length), generator.choices(words, k=length))
    # Two kinds of keys, and for each word of each round the places around two that are expected; not 2,000 times 2,000.
    assert tried <= 2 * stems.ROUNDS * 2 * 2 * stems.NEAREST * length
