"""Questions about references: from files, and about noun phrases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from messages import NO_QUESTIONS

from metrics_framework.common.errors import DataError, DataErrors
from metrics_framework.neural.questions import Question, QuestionFile, questions_about

TEXT = "Dan saw a cat. The cat sat."


def split(text: str) -> list[str]:
    return [f"{part}." for part in text.split(".") if part]


def written(folder: Path, *rows: Any) -> str:
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
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
    ({"reference": 5, "question": "Who?", "answer": "Dan"}, "'reference' must be a text"),
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
