"""SUPERT over a tiny encoder, against a computation with loops over single sentences and tokens."""

from __future__ import annotations

import functools
import math
import random
from pathlib import Path
from typing import Any

import pytest
from neural_models import STORY, tiny_model

from metrics_framework.metrics.supert import Supert, pseudo_references

pytest.importorskip("torch", reason="SUPERT needs the extra neural")

WORDS = [*STORY, "over", ".", ":"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_model(tmp_path_factory.mktemp("model"), "encoder", WORDS)


def sentences(number: int, seed: int, longest: int = 9) -> list[str]:
    generator = random.Random(seed)
    words = [word for word in WORDS if not word.startswith("##") and word != "."] + ["minivan", "zebra"]
    return [" ".join(generator.choices(words, k=generator.randint(1, longest))) + " ." for _ in range(number)]


Vector = list[float]


def vectors(folder: str, sentence: str) -> list[Vector]:
    """Returns the vectors of the tokens of a sentence, without stop words and special tokens."""
    import torch

    tokenizer, model = loaded(folder)
    ids = tokenizer(sentence)["input_ids"]
    with torch.no_grad():
        states = model(input_ids=torch.tensor([ids])).last_hidden_state[0].tolist()
    removed = ("[CLS]", "[SEP]", "the", "to", "a", "over")
    return [v for token, v in zip(tokenizer.convert_ids_to_tokens(ids), states, strict=True) if token not in removed]


def cosine(one: Vector, other: Vector) -> float:
    product = sum(x * y for x, y in zip(one, other, strict=True))
    return product / math.sqrt(sum(x * x for x in one) * sum(x * x for x in other))


@functools.cache
def loaded(folder: str) -> tuple[Any, Any]:
    from transformers import AutoModel, AutoTokenizer

    return AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()


def by_hand(folder: str, summary: list[str], references: list[list[str]]) -> tuple[float, float, float]:
    own = [vector for sentence in summary for vector in vectors(folder, sentence)]
    rows = []
    for reference in references:
        other = [vector for sentence in reference for vector in vectors(folder, sentence)]
        precision = sum(max(cosine(x, y) for y in other) for x in own) / len(own)
        recall = sum(max(cosine(x, y) for x in own) for y in other) / len(other)
        rows.append((2 * precision * recall / (precision + recall), precision, recall))
    f1, precision, recall = (sum(column) / len(rows) for column in zip(*rows, strict=True))
    return f1, precision, recall


def test_few_sentences_are_one_pseudo_reference_and_many_one_of_each_document() -> None:
    documents = [[f"{name}{index}" for index in range(10)] for name in "abc"]
    assert pseudo_references(documents, 4) == [[f"{name}{index}" for name in "abc" for index in range(4)]]
    assert pseudo_references(documents, 5) == [document[:5] for document in documents]  # 15 sentences
    assert pseudo_references([[], ["a0"]], 5) == [["a0"]]


@pytest.mark.parametrize("top", [2, 8])
def test_supert_equals_a_computation_by_hand(model: str, top: int) -> None:
    summary, documents = sentences(3, 1), [sentences(9, 2), sentences(10, 3)]
    scores = Supert(model, top=top, cache=False).score(summary, documents)
    first, second = (document[:top] for document in documents)
    expected = by_hand(model, summary, [first, second] if top == 8 else [first + second])
    assert [scores[f"supert{part}"] for part in ("", "_precision", "_recall")] == pytest.approx(expected, abs=1e-6)


def test_a_summary_that_repeats_its_document_scores_one(model: str) -> None:
    document = sentences(4, 7)
    assert Supert(model, cache=False).score(document, [document])["supert"] == pytest.approx(1, abs=1e-6)


def test_scores_do_not_depend_on_the_batch_size(model: str) -> None:
    summaries, documents = [sentences(3, seed) for seed in range(4)], [[sentences(5, 9)]] * 4
    one, other = (Supert(model, batch_size=size, cache=False).score_all(summaries, documents) for size in (1, 64))
    for scores, same in zip(one, other, strict=True):
        assert scores.approx_equal(same, 1e-6)


@pytest.mark.parametrize("summary", ["", "the to a"])
def test_a_summary_without_content_scores_zero(model: str, summary: str) -> None:
    metric = Supert(model, cache=False)
    assert metric.score(summary, ["milk and honey ."])["supert"] == 0
    assert math.isnan(metric.score(summary, ["the to", ""])["supert"])


def test_truncated_sentences_are_reported_with_the_number_of_outputs(model: str) -> None:
    metric = Supert(model, max_tokens=4, splitter="none", cache=False)
    short, long = "milk honey .", "milk honey trees green bazaar ."
    scores = metric.score_all([short, short], [[short], [long]])
    assert scores[1] == metric.score(short, ["milk honey trees green"])
    assert metric.notes() == [
        "supert: sentences of 1 output or of the documents are too long; the ends of these are ignored"
    ]


def test_scores_come_from_the_cache(model: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FW_CACHE", str(tmp_path))
    scores = Supert(model).score("green milk", ["large trees ."])
    undefined = Supert(model).score("green milk", ["the"])
    monkeypatch.setattr(Supert, "loaded", None)  # to load the model would fail
    assert Supert(model).score("green milk", ["large trees ."]) == scores
    assert math.isnan(Supert(model).score("green milk", ["the"])["supert"]) == math.isnan(undefined["supert"])
