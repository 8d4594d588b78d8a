"""google-rouge: equal to the package rouge-score."""

from __future__ import annotations

import itertools
import random
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize.punkt import PunktSentenceTokenizer
from rouge_score.rouge_scorer import RougeScorer
from samples import sampled
from twins import STRINGS, requires_native

from metrics_framework.metrics.base.metric import load
from metrics_framework.metrics.google_rouge import ROUGE_TYPES, GoogleRouge
from metrics_framework.text import sentences

WORDS = st.lists(
    st.sampled_from(
        ["the", "cats", "cat", "sat", "sitting", "happily", "on", "a", "\n", "\n\n", "né", "K", "İ", "2nd"]
    ),
    max_size=14,
).map(" ".join)
TEXTS = WORDS | STRINGS | st.text(max_size=30)


def package(summary: str, references: list[str], **options: Any) -> dict[str, dict[str, float]]:
    scorer = RougeScorer(list(options.pop("rouge_types", ROUGE_TYPES)), **options)
    return {kind: score._asdict() for kind, score in scorer.score_multi(references, summary).items()}


@settings(max_examples=100)
@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=4), st.booleans())
def test_scores_are_those_of_the_package(summary: str, references: list[str], use_stemmer: bool) -> None:
    found = GoogleRouge(ROUGE_TYPES, use_stemmer=use_stemmer).score(summary, references)
    assert found == package(summary, references, use_stemmer=use_stemmer)


@pytest.mark.parametrize("seed", range(5))
def test_scores_of_long_lines_are_those_of_the_package(seed: int, kernels: str) -> None:
    """Lines of more words than a machine word has bits."""
    chance = random.Random(seed)
    words = ["the", "cat", "cats", "sat", "sitting", "happily", "generously", "relational", "né", "2nd", "dying"]

    def text() -> str:
        return "\n".join(" ".join(chance.choices(words, k=chance.choice([0, 5, 63, 64, 130]))) for _ in range(3))

    summary, references = text(), [text() for _ in range(2)]
    found = GoogleRouge(ROUGE_TYPES, use_stemmer=True).score(summary, references)
    assert found == package(summary, references, use_stemmer=True)


@requires_native
def test_time_of_lines_of_one_word_grows_with_their_number() -> None:
    summary, reference = ("\n".join(f"w{index % most}" for index in range(30_000)) for most in (7, 5000))
    start = time.process_time()
    found = GoogleRouge(["rougeLsum"]).score(summary, [reference])["rougeLsum"]
    assert time.process_time() - start < 5  # half a minute if each line is compared with each
    assert found["recall"] == 7 * 6 / 30_000


@pytest.mark.parametrize("length", sampled([1, 63, 64, 65, 127, 128, 129, 255, 256, 257, 400], 3))
@pytest.mark.parametrize("types", [["rouge1", "rouge2"], ["rouge3", "rouge4"], ["rouge1", "rouge5"]])
def test_ngrams_of_texts_of_any_length_are_those_of_the_package(length: int, types: list[str], kernels: str) -> None:
    chance = random.Random(length)
    words = ["a", "bc", "a23456789012345", "b234567890123456", "c2345678901234567", "d" * 70, "e" * 1030]
    summary, *references = (
        " ".join(chance.choices(words, [9, 9, 9, 9, 9, 1, 1], k=count)) for count in (length, length, 300)
    )
    expected = RougeScorer(types, use_stemmer=False).score_multi(references, summary)
    found = GoogleRouge(types).score(summary, references)
    assert found == {kind: score._asdict() for kind, score in expected.items()}


def test_a_text_that_is_a_list_of_sentences_is_a_list_of_lines() -> None:
    metric = GoogleRouge()
    lists = metric.score(["c d", "a b"], [["a b", "c d"], ["x"]])
    assert lists == metric.score("c d\na b", ["a b\nc d", "x"])
    assert lists["rougeLsum"]["fmeasure"] == 1
    assert lists["rougeL"]["fmeasure"] == 0.5


def test_types_are_in_one_order_whatever_is_asked() -> None:
    for kinds in itertools.permutations(["rougeLsum", "rouge2", "rougeL"]):
        assert list(GoogleRouge(kinds).score("a b", ["a b"])) == ["rouge2", "rougeL", "rougeLsum"]
    assert list(load('google-rouge:rouge_types=["rouge2","rouge1","rouge2"]').score("a b", ["a b"])) == [
        "rouge1",
        "rouge2",
    ]
    assert list(GoogleRouge("rouge2,rouge1").score("a b", ["a b"])) == ["rouge1", "rouge2"]
    assert list(load("google-rouge", rouge_types="rougeL").score("a b", ["a b"])) == ["rougeL"]


def test_summaries_are_split_as_in_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an untrained Punkt, because the trained one needs data that must be downloaded."""
    tokenizer = PunktSentenceTokenizer()
    monkeypatch.setattr(sentences, "_punkt", lambda: tokenizer)
    monkeypatch.setattr("nltk.sent_tokenize", tokenizer.tokenize)
    metric = GoogleRouge(["rougeLsum"], split_summaries=True)
    summary, references = "He sat down. Then he\nate. Yes!", ["Then he ate. He sat\ndown. Smith did.", "Yes."]
    expected = package(summary, references, rouge_types=["rougeLsum"], split_summaries=True)
    assert metric.score(summary, references) == expected
    assert expected != GoogleRouge(["rougeLsum"]).score(summary, references)
    assert "|split:punkt." in metric.signature()


def test_sentences_are_split_by_the_same_words_as_in_rouge() -> None:
    """Equal to the package on texts whose separators were replaced by line breaks, as PreSumm's users do."""
    summary, references = "He sat down.<q>Then he ate.", ["Then he ate.<q>He sat down.", "Yes."]
    for kinds in (["rouge1", "rougeL", "rougeLsum"], ["rouge1", "rouge2"]):
        found = GoogleRouge(kinds, sentences="<q>").score(summary, references)
        lines = summary.replace("<q>", "\n"), [text.replace("<q>", "\n") for text in references]
        assert found == package(*lines, rouge_types=kinds)
        assert "|split:<q>|" in GoogleRouge(kinds, sentences="<q>").signature()
        assert found != GoogleRouge(kinds).score(summary, references)


def test_both_options_for_sentences_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = PunktSentenceTokenizer()
    monkeypatch.setattr(sentences, "_punkt", lambda: tokenizer)
    texts = "He sat down. Then he\nate. Yes!", ["Then he ate. He sat\ndown. Smith did."]
    one, other = GoogleRouge(["rougeLsum"], split_summaries=True), GoogleRouge(["rougeLsum"], sentences="punkt")
    assert one.score(*texts) == other.score(*texts)
    assert one.signature() == other.signature()
    assert (
        GoogleRouge(split_summaries=True, sentences="punkt").signature() == GoogleRouge(sentences="punkt").signature()
    )
