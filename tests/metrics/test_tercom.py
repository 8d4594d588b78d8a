"""The words of TER: against sacreBLEU's own tokenizer, on any text and on what its rules treat in odd ways."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import TER

from metrics_framework.metrics.ter import tercom_words

COMBINATIONS = list(itertools.product([False, True], repeat=4))
SACREBLEU = {options: TER(*options) for options in COMBINATIONS}
NORMALIZED = (True, False, False, False)

LETTERS = ["a", "S", "'s", "'s ", "İ", "ΑΣ", "ΣΑ", "ß", "\ud800", "\udfff", "0", "9", "٣", "１"]
WHITE = [" ", "\t", "\n", "\r", "\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\xa0", "\u1680", "\u2028", "\u2029", "\u3000"]
NOT_WHITE = ["\u180e", "\u200b", "\ufeff"]
MARKS = [*".,-'\"&;:()!?~[]`{}@/_^\\#%*+<=>|$", "..", ".,", "-\n", "\n-"]
ENTITIES = ["&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "&AMP;"]
ASIAN = [
    *"漢字ひらカタㇰ、。「」〔｡・．，？（",
    *map(chr, (0x2E80, 0x31C0, 0x31EF, 0x31F0, 0x3200, 0x33FF, 0x3F22, 0x3F23, 0xF900, 0xFE30)),
]
PIECES = st.lists(st.sampled_from([*LETTERS, *WHITE, *NOT_WHITE, *MARKS, *ENTITIES, *ASIAN]), max_size=14).map("".join)
ANYTHING = st.text(st.characters(exclude_categories=()))


def sacrebleu_words(text: str, options: tuple[bool, ...]) -> tuple[str, ...]:
    return tuple(SACREBLEU[options]._preprocess_segment(text).split())


@settings(max_examples=80, deadline=None)
@given(ANYTHING | PIECES, st.sampled_from(COMBINATIONS))
def test_words_equal_those_of_sacrebleu_on_any_text(text: str, options: tuple[bool, ...]) -> None:
    assert tercom_words(text, *options) == sacrebleu_words(text, options)


@settings(max_examples=50, deadline=None)
@given(PIECES | st.lists(st.sampled_from(["s", "'s", ".", ",", "-", "1", "、", "…", " "])).map("".join))
def test_summaries_are_tokenized_once_and_references_twice_by_sacrebleu(text: str) -> None:
    """What `tercom_words` is compared with here is one pass, which is all that a summary gets."""
    metric = SACREBLEU[NORMALIZED]
    once = tercom_words(text, *NORMALIZED)
    assert sacrebleu_words(text, NORMALIZED) == once
    (cached,) = metric._cache_references([[text]])
    assert [tuple(words) for words in cached["ref_words"]] == [tercom_words(" ".join(once), *NORMALIZED)]


@pytest.mark.slow
@pytest.mark.parametrize("options", [(True, True, True, False), (True, False, True, True), (False, True, True, True)])
def test_every_character_of_unicode_is_treated_as_sacrebleu_does(options: tuple[bool, ...]) -> None:
    planes = (range(0x40000), range(0xE0000, 0xE0200), range(sys.maxunicode - 1, sys.maxunicode + 1))
    for start in itertools.chain(*(plane[::64] for plane in planes)):
        characters = map(chr, range(start, min(start + 64, sys.maxunicode + 1)))
        text = "あ".join(f"a{character}1{character}" for character in characters)
        assert tercom_words(text, *options) == sacrebleu_words(text, options)


TRAPS = [  # of white space, letters that lower case changes, line ends, entities, marks beside digits, Asian scripts
    *("", " \n\u3000", "A cat.", "a\x1cb\x85c\u2028d\ufeffe", "ΣΑΣ", "İ", "well-\nknown ill\n-formed", "&amp;lt;"),
    *("the cat's tail's", "3.5, 1,000. a.b", "a...", "2-3 a-b", "[.,?:;!\"()]-'…", "漢字、ひら"),
]


@pytest.mark.parametrize("options", COMBINATIONS)
def test_words_of_traps_equal_those_of_sacrebleu(options: tuple[bool, ...]) -> None:
    for text in TRAPS:
        assert tercom_words(text, *options) == sacrebleu_words(text, options), text


@pytest.mark.slow
@pytest.mark.parametrize("options", COMBINATIONS)
def test_words_of_published_text_equal_those_of_sacrebleu(
    options: tuple[bool, ...], shared_path: Callable[[str], Path]
) -> None:
    for name in ("detok/test.truecase.detok.orig", "tokenized/test.8turkers.tok.norm"):
        for line in shared_path(f"data/turkcorpus/{name}").read_text(encoding="utf-8").split("\n"):
            assert tercom_words(line, *options) == sacrebleu_words(line, options)
