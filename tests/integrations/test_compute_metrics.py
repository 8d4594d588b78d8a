"""Metrics of the Seq2SeqTrainer: decoded texts have the scores of `evaluate`."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from messages import ONE_ENTRY_FOR_EACH_OUTPUT

import metrics_framework as fw
from metrics_framework import InputError

WORDS = ["<pad>", "</s>", "a", "cat", "dog", "sat", "down", "big"]


class Tokenizer:
    """Decodes ids as words."""

    pad_token_id: int | None = 0
    eos_token_id = 1

    def batch_decode(self, ids: Any, skip_special_tokens: bool = False) -> list[str]:
        assert (ids >= 0).all()
        first = 2 if skip_special_tokens else 0
        return [" " + " ".join(WORDS[number] for number in row if number >= first) for row in ids]


PREDICTIONS = np.array([[2, 3, 5, 1, -100], [2, 4, 5, 6, 1]])
LABELS = np.array([[2, 3, 5, 6, 1], [2, 4, 1, -100, -100]])
TEXTS, REFERENCES = ["a cat sat", "a dog sat down"], [["a cat sat down"], ["a dog"]]


def test_ids_are_decoded_without_padding() -> None:
    compute = fw.compute_metrics(Tokenizer(), ["bleu", "ter"])
    found = compute((PREDICTIONS, LABELS))
    bleu, ter = (fw.load(name).evaluate(TEXTS, REFERENCES)[0] for name in ("bleu", "ter"))
    assert (found["bleu"], found["ter"]) == (bleu["bleu"], ter["ter"])
    assert [found[f"bleu_precisions_{order}"] for order in (1, 2, 3, 4)] == bleu["bleu_precisions"]
    assert all(isinstance(value, (float, int)) for value in found.values())


@pytest.mark.parametrize("pad", [0, None])
def test_logits_are_decoded(pad: int | None) -> None:
    tokenizer = Tokenizer()
    tokenizer.pad_token_id = pad
    logits = np.eye(len(WORDS))[np.where(PREDICTIONS < 0, 0, PREDICTIONS)]
    compute = fw.compute_metrics(tokenizer, "ter")
    expected = fw.load("ter").evaluate(TEXTS, REFERENCES)[0]
    for predictions in (logits, (logits, np.zeros((2, 3)))):
        evaluated = SimpleNamespace(predictions=predictions, label_ids=LABELS)
        assert compute(evaluated) == expected


def test_sources_are_the_inputs_or_those_passed() -> None:
    inputs = np.array([[2, 7, 3, 5], [2, 4, 5, 0]])
    sources = ["a big cat sat", "a dog sat"]
    expected = fw.load("sari").evaluate(TEXTS, REFERENCES, sources)[0]
    evaluated = SimpleNamespace(predictions=PREDICTIONS, label_ids=LABELS, inputs=inputs)
    assert fw.compute_metrics(Tokenizer(), "sari")(evaluated) == expected
    assert fw.compute_metrics(Tokenizer(), "sari")((PREDICTIONS, LABELS, inputs)) == expected
    assert fw.compute_metrics(Tokenizer(), "sari", sources=sources)((PREDICTIONS, LABELS)) == expected
    with pytest.raises(InputError, match=r"'sari' needs 'source'; pass sources=, or train with include_for_metrics"):
        fw.compute_metrics(Tokenizer(), "sari")((PREDICTIONS, LABELS))


def test_references_may_be_passed() -> None:
    references = [["a cat sat down", "a cat"], "a dog"]
    compute = fw.compute_metrics(Tokenizer(), {"edits": "ter"}, references=references)
    assert compute((PREDICTIONS, None))["edits"] == fw.load("ter").evaluate(TEXTS, [references[0], ["a dog"]])[0]["ter"]
    with pytest.raises(InputError, match="same number of entries, got 2 in predictions, 1 in references"):
        fw.compute_metrics(Tokenizer(), "ter", references=["a"])((PREDICTIONS, None))
    with pytest.raises(InputError, match=f"'references' {ONE_ENTRY_FOR_EACH_OUTPUT}, got the string 'ab'"):
        fw.compute_metrics(Tokenizer(), "ter", references="ab")((PREDICTIONS, None))
    with pytest.raises(InputError, match="'ter' needs 'references'; pass references=, or evaluate with labels"):
        fw.compute_metrics(Tokenizer(), "ter")((PREDICTIONS, None))


def test_other_arrays_are_reported() -> None:
    with pytest.raises(InputError, match=r"arrays of token ids or logits, got the shape \(2,\)"):
        fw.compute_metrics(Tokenizer(), "ter")((np.array([1, 2]), LABELS))


def test_undefined_scores_are_nan() -> None:
    class Undefined(fw.ReferenceFreeMetric):
        def score_multi_all(self, summaries_list: Any) -> Any:
            return [[{"x": None} for _ in summaries] for summaries in summaries_list]

    assert math.isnan(fw.compute_metrics(Tokenizer(), Undefined())((PREDICTIONS, LABELS))["x"])


@pytest.mark.filterwarnings("ignore")
def test_a_trainer_reports_the_scores_of_what_it_generates(tiny_models: Callable[..., str], tmp_path: Path) -> None:
    pytest.importorskip("accelerate", reason="needs the package accelerate")
    import transformers

    folder = tiny_models("text-to-text")
    tokenizer = transformers.BertTokenizer.from_pretrained(folder)
    model = transformers.BartForConditionalGeneration.from_pretrained(folder)
    sources = ["the big cat sat on the mat", "a dog", "the quick brown fox"]
    targets = ["the cat sat", "a small dog", "fox jumps"]
    rows = [
        {**tokenizer(source, padding="max_length", max_length=16), "labels": tokenizer(target)["input_ids"]}
        for source, target in zip(sources, targets, strict=True)
    ]
    trainer = transformers.Seq2SeqTrainer(
        model=model,
        args=transformers.Seq2SeqTrainingArguments(
            output_dir=str(tmp_path), predict_with_generate=True, generation_max_length=8, report_to=[], use_cpu=True,
            per_device_eval_batch_size=2, include_for_metrics=["inputs"], disable_tqdm=True,
        ),
        eval_dataset=rows,
        data_collator=transformers.DataCollatorForSeq2Seq(tokenizer, model),
        compute_metrics=fw.compute_metrics(tokenizer, ["chrf", "sari"]),
    )  # fmt: skip
    predicted = trainer.predict(rows)
    ids = np.where(predicted.predictions < 0, tokenizer.pad_token_id, predicted.predictions)
    texts = tokenizer.batch_decode(ids, skip_special_tokens=True)
    references = [[text] for text in targets]
    assert predicted.metrics["test_chrf"] == fw.load("chrf").evaluate(texts, references)[0]["chrf"]
    assert predicted.metrics["test_sari"] == fw.load("sari").evaluate(texts, references, sources)[0]["sari"]


def test_an_object_that_cannot_decode_is_refused_before_the_training() -> None:
    with pytest.raises(InputError, match="the tokenizer must have the method batch_decode, got null"):
        fw.compute_metrics(None, "ter")
