"""Questions with their answers, and the models that ask and answer them."""

from __future__ import annotations

import functools
import random
from pathlib import Path
from typing import Any

import pytest
from json_files import write_rows
from messages import NO_QUESTIONS, NOT_TEXT
from neural_models import STORY, tiny_model

from metrics_framework.common.errors import DataError, DataErrors
from metrics_framework.metrics import question_answering as module
from metrics_framework.metrics.question_answering import Answer, Question, QuestionFile, answers, questions_about
from metrics_framework.neural.encoding import Batches
from metrics_framework.neural.models import load

TEXT = "Dan saw a cat. The cat sat."


def split(text: str) -> list[str]:
    return [f"{part}." for part in text.split(".") if part]


def written(folder: Path, *rows: Any) -> str:
    path = folder / "questions.jsonl"
    write_rows(path, rows)
    return str(path)


def test_questions_about_noun_phrases_have_the_sentence_around_them() -> None:
    assert questions_about(TEXT, split) == [
        Question("Dan", "", "", " saw a cat."),
        Question("a cat", "", "Dan saw ", "."),
        Question("The cat", "", "", " sat."),
    ]


def test_a_file_has_questions_by_reference(tmp_path: Path) -> None:
    rows = [
        {"reference": TEXT, "question": "Who saw a cat?", "answer": "Dan", "note": "any other key"},
        {"reference": "Dan saw\na cat.  The cat sat.", "answer": "The cat"},
        {"reference": ["It rains."]},
    ]
    questions = QuestionFile(written(tmp_path, *rows), split)
    assert questions.of(TEXT) == [Question("Dan", "Who saw a cat?"), Question("The cat", "", "", " sat.")]
    assert questions.of("It rains.") == []
    with pytest.raises(DataError, match=f"{NO_QUESTIONS} the string 'Another text'; add a line"):
        questions.of("Another text")


PROBLEMS = [
    ({"question": "Who?", "answer": "Dan"}, "'reference' is missing; the row has 'question', 'answer'"),
    ({"reference": 5, "question": "Who?", "answer": "Dan"}, f"'reference' is the number 5, {NOT_TEXT}"),
    ({"reference": TEXT, "question": "Who?"}, "'answer' is missing"),
    ({"reference": TEXT, "question": "", "answer": "Dan"}, "'question' must be a string that is not empty"),
    ({"reference": TEXT, "question": "Who?", "answer": ["Dan"]}, "'answer' must be a string that is not empty"),
    ({"reference": TEXT, "answer": "Dana"}, "must be part of a sentence of its reference"),
]


def test_all_problems_of_a_file_are_reported_with_their_lines(tmp_path: Path) -> None:
    with pytest.raises(DataErrors) as error:
        QuestionFile(written(tmp_path, *(row for row, _ in PROBLEMS)), split)
    for line, (_, message) in enumerate(PROBLEMS, 1):
        assert message in str(error.value)
        assert f"questions.jsonl:{line}" in str(error.value)


pytest.importorskip("torch", reason="answering questions needs the extra neural")

WORDS = [*STORY, "who", "what", ".", "?"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_model(tmp_path_factory.mktemp("model"), "question-answering", WORDS)


def texts(number: int, seed: int, longest: int) -> list[str]:
    generator = random.Random(seed)
    words = [word for word in WORDS if not word.startswith("##")] + ["minivan", "Zebra"]
    return [" ".join(generator.choices(words, k=generator.randint(1, longest))) for _ in range(number)]


@functools.cache
def loaded(folder: str) -> tuple[Any, Any]:
    from transformers import AutoModelForQuestionAnswering, AutoTokenizer

    return AutoTokenizer.from_pretrained(folder), AutoModelForQuestionAnswering.from_pretrained(folder).eval()


def by_hand(folder: str, question: str, text: str, most: int, step: int) -> Answer:
    """Scores every span of every window."""
    import torch

    tokenizer, model = loaded(folder)
    encode: Any = lambda part: tokenizer(part, add_special_tokens=False, return_offsets_mapping=True)  # noqa: E731
    asked, told = encode(question), encode(text)
    space = most - len(asked["input_ids"]) - 3
    spans, none = [], []
    start = 0
    while True:
        ids = told["input_ids"][start : start + space]
        row = [tokenizer.cls_token_id, *asked["input_ids"], tokenizer.sep_token_id, *ids, tokenizer.sep_token_id]
        types = [0] * (len(row) - len(ids) - 1) + [1] * (len(ids) + 1)
        with torch.no_grad():
            result = model(input_ids=torch.tensor([row]), token_type_ids=torch.tensor([types]))
        starts, ends = result.start_logits[0].tolist(), result.end_logits[0].tolist()
        none.append(starts[0] + ends[0])
        shift = len(asked["input_ids"]) + 2
        for i in range(len(ids)):
            for j in range(i, min(i + 30, len(ids))):
                offsets = told["offset_mapping"][start + i][0], told["offset_mapping"][start + j][1]
                spans.append((starts[shift + i] + ends[shift + j], *offsets))
        if start + space >= len(told["input_ids"]):
            break
        start += step
    score, first, last = max(spans)
    return Answer(text[first:last], first, score > min(none))


def test_answers_equal_the_best_span_of_all(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BEST", 10**6)  # all starts and ends
    monkeypatch.setattr(module, "MAX_TOKENS", 24)
    monkeypatch.setattr(module, "STEP", 5)
    pairs = list(zip(texts(40, 1, 6), texts(20, 2, 40) + texts(20, 3, 2), strict=True))
    expected = [by_hand(model, *pair, 24, 5) for pair in pairs]
    assert answers(load("question-answering", model), pairs, Batches(7)) == expected
    assert {answer.is_answered for answer in expected} == {True, False}


def test_answers_do_not_depend_on_the_batch_size(model: str) -> None:
    pairs = list(zip(texts(9, 3, 6), texts(9, 4, 90), strict=True))
    loaded = load("question-answering", model)
    assert answers(loaded, pairs, Batches(1)) == answers(loaded, pairs, Batches(64))


def test_a_text_without_words_answers_nothing_and_a_long_question_is_shortened(model: str) -> None:
    loaded = load("question-answering", model)
    assert answers(loaded, [("who ?", ""), ("who ?", " ")], Batches(4)) == [Answer("", 0, False)] * 2
    assert answers(loaded, [("who " * 500, "green trees")], Batches(4))[0].text in "green trees"
