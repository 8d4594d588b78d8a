"""Metric cards: keys, scale and arguments of the published cards, with the examples of the cards and their numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jiwer
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from sums_of_floats import rounded

import metrics_framework as fw
from metrics_framework.integrations import hugging_face
from metrics_framework.integrations.cards import REGISTRY
from metrics_framework.integrations.hugging_face import HuggingFaceMetric

HELLO = ["hello there general kenobi", "foo bar foobar"]
ANKH = {
    "predictions": ["hello there general kenobi", "on our way to ankh morpork"],
    "references": [["hello there general kenobi", "hello there !"], ["goodbye ankh morpork", "ankh morpork"]],
}
CATS = {
    "predictions": [
        "The relationship between cats and dogs is not exactly friendly.",
        "a good bookshop is just a genteel black hole that knows how to read.",
    ],
    "references": [
        ["The relationship between dogs and cats is not exactly friendly."],
        ["A good bookshop is just a genteel Black Hole that knows how to read."],
    ],
}
OTHER = {
    "predictions": ["this is the prediction", "there is an other sample"],
    "references": ["this is the reference", "there is another one"],
}
GUIDE = {
    "predictions": ["It is a guide to action which ensures that the military always obeys the commands of the party"],
    "references": ["It is a guide to action that ensures that the military will forever heed Party commands"],
}


def bleu(length_ratio: float, translation_length: int, reference_length: int) -> dict[str, Any]:
    """Returns the dictionary of a perfect output, as the card prints it."""
    return {
        "bleu": 1.0,
        "precisions": [1.0] * 4,
        "brevity_penalty": 1.0,
        "length_ratio": length_ratio,
        "translation_length": translation_length,
        "reference_length": reference_length,
    }


EXAMPLES = [  # card, arguments and options, result
    ("bleu", {"predictions": HELLO, "references": [["hello there general kenobi", "hello there !"], HELLO[1:]]},
     bleu(1.1666666666666667, 7, 6)),
    ("bleu", {"predictions": HELLO, "references": [["hello there general kenobi", "hello there!"], HELLO[1:]]},
     bleu(1.1666666666666667, 7, 6)),
    ("bleu", {"predictions": HELLO, "references": [HELLO[:1], HELLO[1:]]}, bleu(1.0, 7, 7)),
    ("bleu", {"predictions": HELLO, "references": HELLO}, bleu(1.0, 7, 7)),
    ("bleu", {"predictions": HELLO, "references": [["hello there general kenobi", "hello there!"], HELLO[1:]],
              "tokenizer": str.split}, bleu(7 / 5, 7, 5)),
    ("sacrebleu", ANKH, {"score": 39.76353643835252, "counts": [6, 4, 2, 1], "totals": [10, 8, 6, 4],
                         "precisions": [60.0, 50.0, 33.333333333333336, 25.0], "bp": 1.0, "sys_len": 10, "ref_len": 7}),
    ("chrf", CATS, {"score": 84.64214891738334, "char_order": 6, "word_order": 0, "beta": 2}),
    ("chrf", {**CATS, "word_order": 2}, {"score": 82.87263732906315, "char_order": 6, "word_order": 2, "beta": 2}),
    ("chrf", {**CATS, "word_order": 2, "lowercase": True},
     {"score": 92.12853119829202, "char_order": 6, "word_order": 2, "beta": 2}),
    ("wer", OTHER, 0.5),
    ("wer", {"predictions": ["hello world", "good night moon"], "references": ["hello world", "good night moon"]}, 0.0),
    ("wer", {"predictions": ["hello world", "good night moon"], "references": ["hi everyone", "have a great day"]},
     1.0),
    ("cer", OTHER, 0.34146341463414637),
    ("cer", {"predictions": ["hello"], "references": ["gracias"]}, 1.0),
    ("cer", {"predictions": ["hello world"], "references": ["hello"]}, 1.2),
    ("cer", {**OTHER, "concatenate_texts": True}, 0.34146341463414637),
    ("rouge", {"predictions": ["hello there", "general kenobi"], "references": ["hello there", "general kenobi"]},
     {"rouge1": 1.0, "rouge2": 1.0, "rougeL": 1.0, "rougeLsum": 1.0}),
]  # fmt: skip


@pytest.mark.parametrize(("card", "given", "expected"), EXAMPLES)
def test_cards_return_what_the_published_ones_print(card: str, given: dict[str, Any], expected: Any) -> None:
    found = hugging_face.load(card).compute(**given)
    assert found == expected
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        assert [*map(type, found.values())] == [*map(type, expected.values())]


WORDS = st.lists(st.sampled_from(["a", "b", "c."]), max_size=6).map(" ".join)
PAIRS = st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=2, max_size=2)), min_size=1, max_size=3)


@given(PAIRS)
def test_sacrebleu_returns_the_counts_of_sacrebleu(pairs: Sequence[tuple[str, list[str]]]) -> None:
    predictions, references = zip(*pairs, strict=True)
    found = hugging_face.load("sacrebleu").compute(predictions=predictions, references=references)
    theirs = sacrebleu.corpus_bleu(list(predictions), [list(stream) for stream in zip(*references, strict=True)])
    assert found == {name: getattr(theirs, name) for name in found} | {"score": rounded(theirs.score)}


@given(st.lists(st.tuples(WORDS, WORDS.filter(bool)), min_size=1, max_size=3))
def test_error_rates_are_those_of_jiwer(pairs: Sequence[tuple[str, str]]) -> None:
    predictions, references = map(list, zip(*pairs, strict=True))
    arguments = {"predictions": predictions, "references": references}
    assert hugging_face.load("wer").compute(**arguments) == jiwer.wer(references, predictions)
    assert hugging_face.load("cer").compute(**arguments) == jiwer.cer(references, predictions)


def test_bleu_compares_lengths_with_the_shortest_reference() -> None:
    """By hand: 3 words, references of 3 and 1 words; 3/3, 1/2 and 0/1 n-grams match."""
    given = {"predictions": ["a b c"], "references": [["b c a", "d"]]}
    found = hugging_face.load("bleu").compute(**given, max_order=3)
    assert found == {
        "bleu": 0.0,
        "precisions": [1.0, 0.5, 0.0],
        "brevity_penalty": 1.0,
        "length_ratio": 3.0,
        "translation_length": 3,
        "reference_length": 1,
    }
    smooth = hugging_face.load("bleu", smooth=True, max_order=3).compute(**given)
    assert smooth["precisions"] == [1.0, 2 / 3, 1 / 2]
    assert smooth["bleu"] == pytest.approx((1 / 3) ** (1 / 3), rel=1e-12)
    short = hugging_face.load("bleu", max_order=1).compute(predictions=["a"], references=[["a b", "a b c"]])
    assert short["bleu"] == math.exp(-1)
    assert hugging_face.load("bleu").compute(predictions=[""], references=["a"])["brevity_penalty"] == 0.0


def test_predictions_can_be_scored_one_by_one() -> None:
    assert hugging_face.load("wer").compute(**OTHER, use_aggregator=False) == [1 / 4, 3 / 4]
    counts = hugging_face.load("sacrebleu").compute(**ANKH, use_aggregator=False)["counts"]
    assert counts == [[4, 3, 2, 1], [2, 1, 0, 0]]


@pytest.mark.parametrize(("card", "advice"), [("meteor", "METEOR 1.5"), ("bertscore", "bertscore_f1"),
                                              ("exact_match", "token-f1")])  # fmt: skip
def test_cards_that_no_metric_computes_are_refused(card: str, advice: str) -> None:
    with pytest.raises(fw.UsageError, match=f"'{card}' is unavailable.*{advice}"):
        hugging_face.load(card)


def test_a_metric_is_not_its_card() -> None:
    assert HuggingFaceMetric(fw.load("wer")).compute(**OTHER)["wer"] == 50.0
    assert "bleu_bp" in HuggingFaceMetric(fw.load("bleu")).compute(**ANKH)


UNEVEN = {"predictions": ["a", "b"], "references": [["a"], ["b", "c"]]}
REFUSED = [  # card, arguments, message
    ("sacrebleu", UNEVEN, "same number of references .* 1 for entry 0 and 2 for entry 1"),
    ("chrf", UNEVEN, "same number of references"),
    ("ter", UNEVEN, "same number of references"),
    ("wer", {"predictions": ["a"], "references": [["a"]]}, "a text, got"),
    ("cer", {"predictions": ["a"], "references": [["a", "b"]]}, "a text, got"),
    ("bleu", {"predictions": ["a"], "references": ["a"], "lowercase": True}, "sacrebleu"),
    ("bleu", {"predictions": ["a"], "references": ["a"], "tokenizer": "13a"}, "must be a function"),
    ("bleu", {"predictions": ["a"], "references": ["a"], "max_order": 0}, "from 1 to"),
]


@pytest.mark.parametrize(("card", "arguments", "message"), REFUSED)
def test_arguments_that_the_card_does_not_accept_are_refused(
    card: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises((fw.InputError, fw.UsageError), match=message):
        hugging_face.load(card).compute(**arguments)


def test_options_without_effect_are_accepted() -> None:
    expected = hugging_face.load("sacrebleu").compute(**ANKH)
    assert hugging_face.load("sacrebleu", force=True, tokenize=None).compute(**ANKH) == expected
    assert hugging_face.load("sacrebleu", tokenize="none").compute(**ANKH, use_effective_order=True)["score"] > 0


def test_every_card_is_tested() -> None:
    tested = {*(card for card, *_ in EXAMPLES), "ter", "meteor", "bertscore", "exact_match"}
    assert {*REGISTRY.names()} == tested
