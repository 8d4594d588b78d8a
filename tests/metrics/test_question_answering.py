"""Question answering: scores of answers, and the whole metric over tiny models."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from json_files import write_rows
from messages import NO_QUESTIONS, TEXT_TOO_LONG
from neural_models import STORY, tiny_model

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.metrics.question_answering import (
    QuestionAnswering,
    answer_scores,
    answers,
    generated_texts,
    score,
)
from metrics_framework.neural.encoding import Batches
from metrics_framework.neural.models import load
from metrics_framework.neural.sources import find_model

pytest.importorskip("torch", reason="question answering needs the extra neural")

ANSWERS = [  # answer in the reference, answer in the summary, (is_answered, em, f1), why
    ("the old bakery", "The bakery!", (1, 0, 2 / 3), "articles, case and punctuation do not count; 1 of 2 words"),
    ("the old bakery", "old bakery", (1, 1, 1), "the same words"),
    ("U.S.", "us", (1, 1, 1), "punctuation marks inside words do not count either"),
    ("a a b", "a b b", (1, 0, 2 / 3), "articles go, words count as often as they occur: 'b' of one and two words"),
    ("the", "an", (1, 1, 1), "both have no words"),
    ("the", "cat", (1, 0, 0), "one has no words"),
    ("cat", None, (0, 0, 0), "the summary does not answer"),
]


@pytest.mark.parametrize(("expected", "given", "scores", "why"), ANSWERS)
def test_scores_of_one_answer(expected: str, given: str | None, scores: tuple[float, ...], why: str) -> None:
    assert answer_scores(expected, given) == pytest.approx(scores)


def test_scores_are_means_over_references_of_means_over_questions() -> None:
    first = [("cat", "cat"), ("dog", None), ("old cat", "cat")]  # answered 2/3, em 1/3, f1 (1 + 0 + 2/3) / 3
    second = [("mat", "hat")]  # answered 1, em 0, f1 0
    assert score([first, second, []]) == pytest.approx({"is_answered": 5 / 6, "em": 1 / 6, "f1": 5 / 18})
    assert all(math.isnan(value) for value in score([[], []]).values())


# ---- the whole metric ------------------------------------------------------------------------------------------------

WORDS = [*STORY, "went", "who", "what", "dan", ".", "?", "<", ">", "m", "/"]
TEXT = "Dan went to the bazaar. The trees went to Dan."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_model(tmp_path_factory.mktemp("answers"), "question-answering", WORDS)


@pytest.fixture(scope="module")
def question_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_model(tmp_path_factory.mktemp("questions"), "text-to-text", WORDS)


def question_file(folder: Path, *rows: dict[str, Any]) -> str:
    path = folder / "questions.jsonl"
    write_rows(path, rows)
    return str(path)


def test_answers_in_the_summary_are_compared_with_those_of_the_file(model: str, tmp_path: Path) -> None:
    asked = [("what the trees ?", "green trees"), ("who drove ?", "Dan"), ("who ?", "the minivan")]
    path = question_file(tmp_path, *({"reference": TEXT, "question": q, "answer": a} for q, a in asked))
    summaries = ["green trees drove the minivan", "Dan drove milk", "large honey to the trees. milk to Dan", ""]
    metric = QuestionAnswering(model, questions=path, cache=False)
    for summary, scores in zip(summaries, metric.score_multi(summaries, [TEXT]), strict=True):
        loaded = load("question-answering", model)
        given = answers(loaded, [(question, summary) for question, _ in asked], Batches(1))
        pairs = [(a, found.text if found.is_answered else None) for (_, a), found in zip(asked, given, strict=True)]
        assert scores == {"qa-eval": score([pairs])}
    assert metric.score("", [TEXT]) == {"qa-eval": {"is_answered": 0.0, "em": 0.0, "f1": 0.0}}


@pytest.mark.slow
def test_generated_questions_are_those_of_the_model(model: str, question_model: str, tmp_path: Path) -> None:
    prompts = [
        "<m> Dan </m> went to the bazaar.",
        "Dan went to <m> the bazaar </m>.",
        "<m> The trees </m> went to Dan.",
        "The trees went to <m> Dan </m>.",
    ]
    loaded = load("text-to-text", question_model)
    one, other = (generated_texts(loaded, prompts, Batches(size)) for size in (1, 8))
    assert one == other
    phrases = ["Dan", "the bazaar", "The trees", "Dan"]
    rows = [{"reference": TEXT, "question": q, "answer": a} for (q, _), a in zip(one, phrases, strict=True)]
    by_file = QuestionAnswering(model, questions=question_file(tmp_path, *rows), cache=False)
    generated = QuestionAnswering(model, question_model=question_model, cache=False)
    for summary in ("green trees drove the minivan", "the bazaar drove to Dan"):
        assert generated.score(summary, [TEXT]) == by_file.score(summary, [TEXT])


def test_jackknifing_leaves_out_references(model: str, tmp_path: Path) -> None:
    rows = [{"reference": t, "question": f"who {w} ?", "answer": w} for t, w in (("a", "Dan"), ("b", "trees"))]
    metric = QuestionAnswering(model, questions=question_file(tmp_path, *rows), cache=False)
    assert metric.jackknifer is not None
    both = metric.score("Dan drove to the trees", ["a", "b"])["qa-eval"]
    alone = [metric.score("Dan drove to the trees", [text])["qa-eval"] for text in "ab"]
    assert both["f1"] == pytest.approx((alone[0]["f1"] + alone[1]["f1"]) / 2)


def test_wrong_options_and_missing_questions_are_explained(model: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs questions: set 'questions'"):
        QuestionAnswering(model).score("Dan", [TEXT])
    path = question_file(tmp_path, {"reference": TEXT, "answer": "Dan"})
    with pytest.raises(UsageError, match="'prompt' must be a template"):
        QuestionAnswering(model, questions=path, prompt="{context}")
    with pytest.raises(UsageError, match="answers without a 'question'"):
        QuestionAnswering(model, questions=path).score("Dan", [TEXT])
    with pytest.raises(DataError, match=NO_QUESTIONS):
        QuestionAnswering(model, questions=path).score("Dan", ["Another text."])
    with pytest.raises(DataError, match=r"missing\.jsonl"):
        QuestionAnswering(model, questions=str(tmp_path / "missing.jsonl"))


def test_answers_and_questions_come_from_the_cache(
    model: str, question_model: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FW_CACHE", str(tmp_path))
    scores = QuestionAnswering(model, question_model=question_model).score("Dan drove milk", [TEXT])
    for name in ("answers", "generated_texts"):
        monkeypatch.setattr(f"metrics_framework.metrics.question_answering.{name}", None)
    assert QuestionAnswering(model, question_model=question_model).score("Dan drove milk", [TEXT]) == scores


def test_the_signature_identifies_models_and_questions(model: str, question_model: str, tmp_path: Path) -> None:
    row = {"reference": TEXT, "question": "who ?", "answer": "Dan"}
    path = question_file(tmp_path, row)
    before = QuestionAnswering(model, questions=path).signature()
    assert question_file(tmp_path, {**row, "note": "any"}) == path
    assert QuestionAnswering(model, questions=path).signature() == before
    assert question_file(tmp_path, {**row, "answer": "the trees"}) == path
    assert QuestionAnswering(model, questions=path).signature() != before
    assert "|prompt:none|" in before
    assert (
        f"|question_model:{find_model(question_model).fingerprint}|"
        in QuestionAnswering(model, question_model=question_model).signature()
    )


def test_long_questions_are_reported(model: str, tmp_path: Path) -> None:
    path = question_file(tmp_path, {"reference": TEXT, "question": "who " * 99, "answer": "Dan"})
    metric = QuestionAnswering(model, questions=path, cache=False)
    metric.score("Dan drove milk", [TEXT])
    assert metric.notes() == [f"question-answering: 1 text {TEXT_TOO_LONG}"]
