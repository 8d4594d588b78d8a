"""The labels of words: each rule and how the rules play together, worked by hand; laws; a literal reading as oracle."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.text.parts_of_speech import is_punctuation
from metrics_framework.text.word_labels import label_words

SHORT = {"": "-", "keep": "k", "move": "m", "replace": "r", "delete": "d", "add": "a"}
CASES = [  # source, target, pairs, labels of the source, of the target, why
    ("the cat sat", "the cat sat", "0-0 1-1 2-2", "kkk", "kkk", "all is aligned to its equal"),
    ("The cat sat", "the CAT sat", "0-0 1-1 2-2", "kkk", "kkk", "case makes no difference"),
    # big is deleted; cat: 2 - 1 + 0 = 1, sat: 3 - 1 + 0 = 2
    ("the big cat sat", "the cat sat", "0-0 2-1 3-2", "kdkk", "kkk", "what stands behind a deletion has not moved"),
    # big is added before place 2; cat: 1 - 0 + 1 = 2, sat: 2 - 0 + 1 = 3
    ("the cat sat", "the big cat sat", "0-0 1-2 2-3", "kkk", "kakk", "what stands behind an addition has not moved"),
    # cat: 2 - 1 + 0 = 1, sat: 3 - 1 + 1 = 3
    ("the big cat sat", "the cat just sat", "0-0 2-1 3-3", "kdkk", "kkak", "both count"),
    ("the cat sat", "the dog sat", "0-0 1-1 2-2", "krk", "krk", "aligned to another word"),
    ("a cat", "cat a", "0-1 1-0", "mm", "mm", "two words change places: 0 is not 1, 1 is not 0"),
    # now: 0 is not 3; he: 1 - 0 + 0 is not 0; goes, home likewise
    ("now he goes home", "he goes home now", "0-3 1-0 2-1 3-2", "mmmm", "mmmm", "one word moves past all others"),
    # old is deleted, and sleeps added behind; cat: 2 - 1 + 0 = 1 would be kept, but it is in front of the: 0
    ("the old cat", "cat the sleeps", "0-1 2-0", "mdm", "mma", "moves with a deletion and an addition"),
    ("a house , old", "a house old", "0-0 1-1 3-2", "kk-k", "kkk", "a deleted comma has no label, but takes a place"),
    ("a house old", "a house , old", "0-0 1-1 2-3", "kkk", "kkak", "an added comma is an addition, and takes a place"),
    ("( a ) ... %", "a ?", "1-0", "-k---", "ka", "punctuation has no label, whatever becomes of it"),
    ("a -LRB- b", "a ( b", "0-0 1-1 2-2", "k-k", "k-k", "brackets of the Penn Treebank are punctuation"),
    ("cats and dogs", "cats , dogs", "0-0 1-1 2-2", "krk", "k-k", "a word that became punctuation is replaced"),
    ("cats , dogs", "cats and dogs", "0-0 1-1 2-2", "k-k", "krk", "a word that was punctuation is a replacement"),
    # big continues the replacement of very, so it takes a place; dog: 2 - 1 + 0 = 1
    ("very big dog", "huge dog", "0-0 1-0 2-1", "rrk", "rk", "two words become one"),
    ("york city is", "york is", "0-0 1-0 2-1", "krk", "kk", "the first of several may be kept"),
    ("new york is", "york is", "0-0 1-0 2-1", "rrk", "rk", "a later one is not, though it is equal"),
    # dog: 2 - 1 + 0 = 1; the comma takes a place too and has no label
    ("big , dog", "huge dog", "0-0 1-0 2-1", "r-k", "rk", "punctuation that continues a replacement"),
    # dog: 1 - 0 + 0 is not 2: only what is aligned to nothing counts as added
    ("huge dog", "very big dog", "0-0 0-1 1-2", "rm", "rrm", "one word becomes two"),
    ("dog runs", "dog dog", "0-0 0-1", "rd", "rr", "aligned to its equal twice is not kept"),
    # quickly and slowly, both adverbs, at index 1
    ("he quickly ran", "he slowly ran", "0-0 2-2", "krk", "krk", "deleted and added at one index: replaced"),
    ("he quickly ran", "he of ran", "0-0 2-2", "kdk", "kak", "the same of two parts of speech: deleted and added"),
    ("he quickly now ran", "he ran , slowly", "0-0 3-1", "kddk", "kkaa", "deleted at 1 and added at 3: not replaced"),
    # old is replaced by new at index 0, both adjectives, so neither is a deletion or an addition; cat: 1 - 0 + 0 = 1
    ("old cat", "new cat", "1-1", "rk", "rk", "a replacement at one index moves nothing"),
    # old is replaced by new at index 1, the is deleted. cat: 2 - 1 + 0 is not 0; with two deletions it would not move.
    ("the old cat", "cat new", "2-0", "drm", "mr", "moves are found when replacements are known"),
    ("", "", "", "", "", "nothing"),
    ("a cat", "", "", "dd", "", "all deleted"),
    ("", "a cat", "", "", "aa", "all added"),
]


def pairs_of(items: str) -> list[tuple[int, int]]:
    return [(int(one), int(other)) for one, other in (item.split("-") for item in items.split())]


def short(labels: Sequence[str]) -> str:
    return "".join(SHORT[label] for label in labels)


@pytest.mark.parametrize(("source", "target", "pairs", "of_source", "of_target", "why"), CASES)
def test_labels_follow_the_rules(
    source: str, target: str, pairs: str, of_source: str, of_target: str, why: str
) -> None:
    labels = label_words(source.split(), target.split(), pairs_of(pairs))
    assert (short(labels.source), short(labels.target)) == (of_source, of_target), why


def test_without_a_tagger_nothing_deleted_and_added_is_a_replacement() -> None:
    labels = label_words(["he", "quickly", "ran"], ["he", "slowly", "ran"], [(0, 0), (2, 2)], tag=None)
    assert (short(labels.source), short(labels.target)) == ("kdk", "kak")


WORDS = st.lists(st.sampled_from(["the", "The", "cat", "dog", "big", "quickly", "of", ",", "."]), max_size=8)


@st.composite
def aligned(draw: st.DrawFn) -> tuple[list[str], list[str], list[tuple[int, int]]]:
    """Two texts and any alignment of them."""
    source, target = draw(WORDS), draw(WORDS)
    if not source or not target:
        return source, target, []
    pair = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return source, target, draw(st.lists(pair, max_size=12))


def literal_labels(source: list[str], target: list[str], pairs: list[tuple[int, int]]) -> list[str]:
    """The rules one after the other, each over all words, before additions and deletions are joined."""
    links = set(pairs)
    labels = []
    for one, word in enumerate(source):
        others = [other for other in range(len(target)) if (one, other) in links]
        continues = any(
            (before, other) in links for other in others for before in range(one)
        )  # some word of the target is aligned to an earlier word too
        if is_punctuation(word):
            labels.append("")
        elif not others:
            labels.append("delete")
        elif continues or len(others) > 1 or target[others[0]].lower() != word.lower():
            labels.append("replace")
        else:
            gone = sum(_is_gone(before, links) for before in range(one))
            added = sum(all(link[1] != other for link in links) for other in range(others[0]))
            labels.append("keep" if one - gone + added == others[0] else "move")
    return labels


def _is_gone(one: int, links: set[tuple[int, int]]) -> bool:
    others = [other for place, other in links if place == one]
    return not others or any((before, other) in links for other in others for before in range(one))


@given(aligned())
def test_labels_of_the_source_are_those_of_a_literal_reading(
    texts: tuple[list[str], list[str], list[tuple[int, int]]],
) -> None:
    assert label_words(*texts, tag=None).source == literal_labels(*texts)


@given(aligned())
def test_the_order_of_pairs_and_repeated_pairs_make_no_difference(
    texts: tuple[list[str], list[str], list[tuple[int, int]]],
) -> None:
    source, target, pairs = texts
    assert label_words(source, target, [*reversed(pairs), *pairs]) == label_words(*texts)


@given(aligned())
def test_every_word_has_a_label_and_joining_takes_one_addition_for_each_deletion(
    texts: tuple[list[str], list[str], list[tuple[int, int]]],
) -> None:
    source, target, pairs = texts
    joined, apart = label_words(*texts), label_words(*texts, tag=None)
    assert (len(joined.source), len(joined.target)) == (len(source), len(target))
    deletions = apart.source.count("delete") - joined.source.count("delete")
    assert deletions == apart.target.count("add") - joined.target.count("add")
    assert apart.target.count("add") == len(target) - len({other for _, other in pairs})
