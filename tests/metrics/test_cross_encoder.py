"""Cross-encoders against a plain call of the model, on models built in code."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from messages import TEXT_TOO_LONG

from metrics_framework import evaluate, load
from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.neural import models

Models = Callable[..., str]
pytestmark = pytest.mark.usefixtures("no_network")
TASK = "sequence-classification"
SUMMARIES = ["the cat sat", "a dog", "the quick brown fox jumps over the lazy dog", ""]
REFERENCES = [["a cat sat", "it was a cat ."], ["the dog"], ["a fox", "one two three", "the lazy dog"], ["a"]]
SOURCES = ["the big cat sat on a mat", "one dog .", "this", "a dog"]


@pytest.fixture
def one_output(tiny_models: Models) -> str:
    return tiny_models(TASK, num_labels=1)


def by_plain_call(folder: str, *texts: str) -> list[float]:
    """The outputs of the model for one input, without a batch."""
    import torch

    loaded = models.load(TASK, folder)
    with torch.inference_mode():
        outputs = loaded.model(**loaded.tokenizer(*([text] for text in texts), return_tensors="pt")).logits[0].tolist()
    return list(outputs)


@pytest.mark.parametrize("batch_size", [1, 2, 32])
@pytest.mark.parametrize("aggregate", ["max", "mean"])
def test_scores_equal_plain_calls_for_any_batch_size(one_output: str, batch_size: int, aggregate: Any) -> None:
    metric = load("cross-encoder", model=one_output, batch_size=batch_size, aggregate=aggregate, scale=100, cache=False)
    assert metric.fields == ("summary", "references")
    combined = {"max": max, "mean": lambda values: sum(values) / len(values)}[aggregate]
    expected = [
        100 * combined([by_plain_call(one_output, reference, summary)[0] for reference in references])
        for summary, references in zip(SUMMARIES, REFERENCES, strict=True)
    ]
    found = [scores["cross-encoder"] for scores in metric.score_all(SUMMARIES, REFERENCES)]
    assert found == pytest.approx(expected, abs=1e-3)


def test_the_template_decides_what_the_model_reads(one_output: str) -> None:
    metric = load("cross-encoder", model=one_output, template=["source: {source} candidate: {summary}"])
    assert metric.fields == ("summary", "source")
    assert metric.jackknifer is None
    found = [scores["cross-encoder"] for scores in metric.score_all(SUMMARIES, SOURCES)]
    texts = [f"source: {source} candidate: {summary}" for summary, source in zip(SUMMARIES, SOURCES, strict=True)]
    assert found == pytest.approx([by_plain_call(one_output, text)[0] for text in texts], abs=1e-5)


def test_all_three_fields_can_be_read(one_output: str) -> None:
    metric = load("cross-encoder", model=one_output, template=["{source} {reference}", "{summary}"])
    assert metric.fields == ("summary", "references", "source")
    found = metric.score("a dog", references=["the dog", "it"], source="one dog")["cross-encoder"]
    expected = max(by_plain_call(one_output, f"one dog {reference}", "a dog")[0] for reference in ("the dog", "it"))
    assert found == pytest.approx(expected, abs=1e-5)
    run = evaluate(metric, ["a dog"], references=[["the dog", "it"]], sources=["one dog"])
    assert run.metrics["cross-encoder"] == pytest.approx(expected, abs=1e-5)


def test_sentences_are_read_one_by_one(one_output: str) -> None:
    options = {"model": one_output, "template": ["{documents}", "{summary}"]}
    documents = ["One cat sat. A dog was big.", "It was the mat."]
    whole = load("cross-encoder", **options)
    assert whole.fields == ("summary", "documents")
    joined = by_plain_call(one_output, " ".join(documents), "A fox. It jumps.")[0]
    assert whole.score("A fox. It jumps.", documents)["cross-encoder"] == pytest.approx(joined, abs=1e-5)
    parts = ["One cat sat.", "A dog was big.", "It was the mat."]
    each = [[by_plain_call(one_output, part, claim)[0] for part in parts] for claim in ("A fox.", "It jumps.")]
    both = load("cross-encoder", **options, per_sentence="both")
    expected = sum(map(max, each)) / 2
    assert both.score("A fox. It jumps.", documents)["cross-encoder"] == pytest.approx(expected, abs=1e-5)
    assert both.score(["A fox.", "It jumps."], [parts])["cross-encoder"] == pytest.approx(expected, abs=1e-5)
    assert "|per_sentence:both|sentences:own|" in both.signature()
    assert "sentence" not in whole.signature()
    by_summary = load("cross-encoder", **options, per_sentence="summary", scale=10)
    expected = 5 * sum(by_plain_call(one_output, " ".join(documents), claim)[0] for claim in ("A fox.", "It jumps."))
    assert by_summary.score("A fox. It jumps.", documents)["cross-encoder"] == pytest.approx(expected, abs=1e-4)


def test_a_metric_may_read_the_summary_only(one_output: str) -> None:
    metric = load("cross-encoder", model=one_output, template=["{summary}"])
    assert metric.score("a {dog}")["cross-encoder"] == pytest.approx(by_plain_call(one_output, "a {dog}")[0], abs=1e-5)


def test_activations_are_applied_to_the_chosen_output(tiny_models: Models, one_output: str) -> None:
    three = tiny_models(TASK, num_labels=3)
    (value,) = by_plain_call(one_output, "b", "a")
    found = load("cross-encoder", model=one_output, activation="sigmoid").score("a", ["b"])["cross-encoder"]
    assert found == pytest.approx(1 / (1 + math.exp(-value)), abs=1e-5)
    exponentials = [math.exp(output) for output in by_plain_call(three, "b", "a")]
    metric = load("cross-encoder", model=three, activation="softmax", output_index=2)
    assert metric.score("a", ["b"])["cross-encoder"] == pytest.approx(exponentials[2] / sum(exponentials), abs=1e-5)


def test_inputs_that_are_too_long_are_counted_also_from_the_cache(one_output: str) -> None:
    for _ in range(2):
        metric = load("cross-encoder", model=one_output)
        metric.score_all(["the cat " * 100, "a"], [["a dog", "it"], ["b"]])
        assert metric.notes() == [f"cross-encoder: 2 texts {TEXT_TOO_LONG}"]


def test_a_model_without_a_classification_head_is_an_error(tiny_models: Models) -> None:
    with pytest.raises(DataError, match="is not a checkpoint for the task 'sequence-classification'"):
        load("cross-encoder", model=tiny_models()).score("a", ["b"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"template": []}, "'template' must be a list of one or two texts"),
        ({"template": ["{reference}"]}, r"'template' must contain \{summary\}"),
        ({"template": ["{summary} {document}"]}, r"may contain only \{summary\}, \{reference\}, \{source\} and"),
        ({"template": ["{summary.__class__}"]}, "may contain"),
        ({"template": ["{summary!r}"]}, "may contain"),
        ({"template": ["{summary"]}, "has a text that is not valid"),
        ({"scale": 0.0}, "'scale' must be a number other than 0, got 0"),
        ({"output_index": 1}, "'output_index' must be from 0 to 0, the outputs of the model, got 1"),
        ({"per_sentence": "word"}, "'per_sentence'"),
        ({"sentences": "lines"}, "'sentences' has no effect without 'per_sentence'"),
        ({"activation": "softmax"}, "the activation softmax needs a model with several outputs"),
        ({"num_labels": 2}, r"the model has 2 outputs: set 'output_index' .* of 0 \(LABEL_0\), 1 \(LABEL_1\)"),
        ({"num_labels": 2, "output_index": 2}, "'output_index' must be from 0 to 1"),
    ],
)
def test_wrong_options_are_errors(tiny_models: Models, options: dict[str, Any], message: str) -> None:
    model = tiny_models(TASK, num_labels=options.pop("num_labels", 1))
    with pytest.raises(UsageError, match=message):
        load("cross-encoder", model=model, **options).score("a", ["b"])
