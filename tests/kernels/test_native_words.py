"""Tokenization in native kernels, tested through BLEU of unigrams, SARI, TER and chrF."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from samples import sampled
from twins import BLANKS, STRINGS, kernels, requires_native, under

from metrics_framework.metrics.bleu import Bleu
from metrics_framework.metrics.chrf import Chrf
from metrics_framework.metrics.sari import Sari
from metrics_framework.metrics.ter import Ter
from metrics_framework.text.tokenizers.tokenizer import load_tokenizer

tokenize_13a = load_tokenizer("13a").tokenize

pytestmark = requires_native

# Candidates for separators: all below U+0250, all whitespace, and similar characters.
CODES = sorted({*range(0x250), *map(ord, BLANKS), 0x180E, 0x200B, 0x2010, 0x2060, 0x20E3, 0xFEFF, 0xD800, 0x1F600})
METRICS = [
    Bleu(max_ngram_order=1),
    Bleu(max_ngram_order=1, tokenizer="none"),
    Sari(),
    Sari(variant="star"),
    Sari(variant="hf"),
    Sari(variant="xu2016"),
    Sari(variant="t2t"),
    Chrf(1, 1),
    Chrf(1, whitespace=True),
    Ter(),
    Ter(no_punct=True),
]


def statistics(metric: Any, texts: list[str], reference: str) -> Any:
    """The statistics of texts against one reference, and of the reference against each text."""
    ones = [[text] for text in texts]
    others: list[Any] = [[reference]] * len(texts)
    sources = [reference] * len(texts) if len(metric.fields) == 3 else []
    with_sources = [sources] if sources else []
    return (
        metric.statistics_multi_all(ones, others, *with_sources),
        metric.statistics_multi_all(others, ones, *with_sources),
        metric.statistics_multi_all(ones, others, texts) if sources else None,
    )


# ---- every character ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("character", ["\xe9", "\u0142", "\U0001f600"])
def test_characters_outside_ascii_are_read_at_every_position(character: str) -> None:
    """In strings of 1, 2 and 4 bytes per character, of which many are copied together."""
    metric, plain = Bleu(max_ngram_order=1), "it rained all day, all night, and then"
    texts = [plain[:position] + character + plain[position:] for position in range(len(plain) + 1)]
    assert under("native", statistics, metric, texts, texts[20]) == under(
        "python", statistics, metric, texts, texts[20]
    )


@pytest.mark.parametrize("metric", sampled(METRICS, 1), ids=lambda metric: metric.signature().rpartition("|")[0])
def test_every_character_is_tokenized_as_in_the_twin(metric: Any) -> None:
    for code in CODES:
        one = chr(code)
        texts = [
            f"a{one}b",
            f"3{one}5",
            f"3{one}",
            f"{one}5",
            f"a.{one}b",
            f"{one}.5",
            f"-{one}-",
            f"{one}{one}",
            f"{one}\n",
        ]
        reference = f"a b 3 5 {one} a{one}b 3{one}5 . - {one}{one} 3 - 5"
        assert under("native", statistics, metric, texts, reference) == under(
            "python", statistics, metric, texts, reference
        )


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.signature().rpartition("|")[0])
@pytest.mark.parametrize("blank", sampled(BLANKS, 2), ids=ascii)
def test_many_words_between_any_whitespace(metric: Any, blank: str) -> None:
    """Memory is reserved for all words, whatever separates them."""
    for text in (blank.join(map(str, range(500))), blank * 500, blank.join("a.") * 200):
        found, turned, _ = under("native", statistics, metric, [text], text)
        assert (found, turned) == under("python", statistics, metric, [text], text)[:2]


def test_whitespace_is_that_of_python() -> None:
    assert [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()] == BLANKS


# ---- 13a ------------------------------------------------------------------------------------------------------------

MARKED = st.text(st.sampled_from("a1 .,-&;<>\n'\u3000é"), max_size=12)
ENTITIES = st.lists(
    st.sampled_from(
        ["&amp;", "&quot;", "&lt;", "&gt;", "amp;", "lt;", "<skipped>", "-\n", "<", "-", "\n", "1", ".", " "]
    ),
    max_size=7,
).map("".join)
FAR_PERIODS = st.builds(  # around the 64th byte, where the kernel starts its second block
    lambda count, text: "a" * count + text, st.integers(50, 66), st.text(st.sampled_from("a1.,- é"), max_size=80)
)
TEXTS_13A = MARKED | ENTITIES | STRINGS | FAR_PERIODS


@pytest.mark.slow
@pytest.mark.parametrize("before", [0, 60, 62])
def test_13a_separates_periods_as_sacrebleu_does(before: int) -> None:
    """All texts of up to five of these characters, also around the 64th byte; each is compared with another one."""
    ends = ["".join(marks) for length in range(1, 6) for marks in itertools.product("a1.,- ", repeat=length)]
    texts = ["x" * before + end for end in ends]
    cut = [" ".join(Tokenizer13a()(text.rstrip()).split()) for text in texts]
    with kernels("native"):
        found = Bleu().statistics_multi_all([[text] for text in texts], [[text] for text in reversed(texts)])
        plain = Bleu(tokenizer="none")
        assert found == plain.statistics_multi_all([[text] for text in cut], [[text] for text in reversed(cut)])


@settings(deadline=None, max_examples=80)
@given(st.lists(TEXTS_13A, min_size=2, max_size=6))
def test_13a_is_that_of_the_twin(texts: list[str]) -> None:
    cut = [tokenize_13a(text) for text in texts]
    with kernels("native"):
        found = Sari(variant="star").statistics_multi_all([texts[1:]], [texts[1:]], [cut[0]])
        plain = Sari(variant="star", tokenizer="none").statistics_multi_all([cut[1:]], [cut[1:]], [cut[0]])
    assert found == plain


@settings(deadline=None, max_examples=50)
@given(st.lists(TEXTS_13A, min_size=2, max_size=4))
def test_words_between_single_spaces(texts: list[str]) -> None:
    """Variants that split at every space have an empty word between two spaces, and at least one word."""
    for metric in (Sari(variant="hf"), Sari(variant="xu2016"), Sari(variant="modified")):
        groups = [texts[:1], ["", " "]], [texts[1:], ["", "  "]], [texts[0], ""]
        assert under("native", metric.statistics_multi_all, *groups) == under(
            "python", metric.statistics_multi_all, *groups
        )
