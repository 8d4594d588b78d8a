"""Questions about a text with their answers: from a file, or about the noun phrases of the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.data.texts import Text, as_string, check_text, shown
from metrics_framework.io.content import DIGITS
from metrics_framework.io.disk_cache import cache_key
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.text.parts_of_speech import noun_phrases
from metrics_framework.text.sentences import SentenceSplitter


class Question(NamedTuple):
    """A question about a text.

    Args:
        answer: The answer in the text.
        question: The question; empty if it must be generated.
        before: The part of the sentence with the answer that precedes the answer.
        after: The part that follows the answer.
    """

    answer: str
    question: str = ""
    before: str = ""
    after: str = ""


def questions_about(text: str, split: SentenceSplitter) -> list[Question]:
    """Returns a question to generate for each noun phrase of a text.

    >>> questions_about("The cat saw a dog.", lambda text: [text])[1]
    Question(answer='a dog', question='', before='The cat saw ', after='.')
    """
    return [
        Question(sentence[start:end], "", sentence[:start], sentence[end:])
        for sentence in map(str.strip, split(text))
        for start, end in noun_phrases(sentence)
    ]


class QuestionFile:
    """The questions in a file, by the text that they are about.

    Each line is a JSON object with ``reference`` (the text), ``answer`` and ``question``. Without a ``question``, it is
    generated; the answer must then be part of the text. A line without ``question`` and ``answer`` states that the text
    has no questions. Texts are compared word by word, ignoring the whitespace between words.

    Args:
        path: The file.
        split: Splits a text into sentences: a question is generated from the first sentence with the answer.

    Attributes:
        fingerprint: The first digits of a SHA-256 of all questions.

    Raises:
        DataError: if the file cannot be read, or lines are invalid.
    """

    def __init__(self, path: str, split: SentenceSplitter) -> None:
        self._path = path
        self.fingerprint = ""
        self._questions: dict[str, list[Question]] = {}
        problems = Problems()
        for line, row in read_jsonl(path, problems):
            try:
                text = _reference(row)
                self._questions.setdefault(_words(text), []).extend(_questions(row, text, split))
            except DataError as problem:
                problems.add(DataError(problem.message, path, line))
        problems.raise_any()
        self.fingerprint = cache_key(sorted(self._questions.items()))[:DIGITS]

    def of(self, text: str) -> list[Question]:
        """Returns the questions about a text.

        Raises:
            DataError: if the file has no line with this text.
        """
        questions = self._questions.get(_words(text))
        if questions is None:
            raise DataError(
                f"has no questions about the reference {shown(text)}; add a line with this 'reference', and nothing "
                "else if there are no questions about it",
                self._path,
            )
        return questions


def _words(text: str) -> str:
    return " ".join(text.split())


def _reference(row: Mapping[str, Any]) -> str:
    if "reference" not in row:
        raise DataError(f"'reference' is missing; the row has {', '.join(map(repr, row)) or 'nothing'}")
    reference: Text = row["reference"]
    try:
        check_text(reference, "reference")
    except ValueError as error:
        raise DataError(str(error)) from None
    return as_string(reference)


def _questions(row: Mapping[str, Any], text: str, split: SentenceSplitter) -> Iterator[Question]:
    for name in ("question", "answer"):
        value = row.get(name)
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise DataError(f"'{name}' must be a string that is not empty, got {shown(value)}")
    question, answer = row.get("question"), row.get("answer")
    if answer is None and question is not None:
        raise DataError("'answer' is missing: a question needs the answer that its reference gives")
    if answer is not None:
        yield Question(answer, question) if question is not None else _to_generate(answer, split(text))


def _to_generate(answer: str, sentences: Sequence[str]) -> Question:
    for sentence in map(str.strip, sentences):
        before, found, after = sentence.partition(answer)
        if found:
            return Question(answer, "", before, after)
    raise DataError(
        f"the answer {shown(answer)} must be part of a sentence of its reference to generate a question; "
        "correct it, or add the 'question'"
    )
