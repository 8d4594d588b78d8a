"""Questions about a text with their answers, and models that ask and answer them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.data.texts import Text, as_string, check_text, shown
from metrics_framework.io.content import DIGITS
from metrics_framework.io.disk_cache import cache_key
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.neural.encoding import Batches, Encoded, encode, padded, valid_text
from metrics_framework.neural.models import Loaded, quiet
from metrics_framework.text.parts_of_speech import noun_phrases
from metrics_framework.text.sentences import SentenceSplitter

if TYPE_CHECKING:
    from numpy import ndarray


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


class GeneratedText(NamedTuple):
    """A text that a model generated.

    Args:
        text: The text, without special tokens.
        is_cut: Whether its prompt was longer than the model allows, so that the end of the prompt was ignored.
    """

    text: str
    is_cut: bool


def generated_texts(
    loaded: Loaded, prompts: Sequence[str], batches: Batches, *, beams: int = 4, most_tokens: int = 100
) -> list[GeneratedText]:
    """Returns the most probable text that a beam search finds for each prompt.

    Args:
        loaded: A model for the task ``text-to-text``.
        prompts: The inputs of the encoder.
        batches: Runs the model.
        beams: The number of beams.
        most_tokens: The number of tokens after which a text ends, if the model allows that many.
    """
    import torch

    most_tokens = min(most_tokens, loaded.max_length - 2)  # the decoder has as many positions as the encoder
    rows = [encoded._replace(types=[]) for encoded in encode(loaded, prompts)]

    def compute(indices: list[int]) -> list[GeneratedText]:
        batch = [rows[index] for index in indices]
        with torch.inference_mode(), quiet():
            ids = loaded.model.generate(
                **padded(loaded, batch), num_beams=beams, do_sample=False, max_new_tokens=most_tokens
            )
        texts = loaded.tokenizer.batch_decode(ids, skip_special_tokens=True)
        return [GeneratedText(text.strip(), row.is_cut) for text, row in zip(texts, batch, strict=True)]

    return batches.run([len(row.ids) for row in rows], compute)


MAX_TOKENS = 384  # of an input: question, special tokens and a window of the text
MAX_QUESTION_TOKENS = 64
STEP = 128  # from a window of the text to the next one, in tokens
MAX_ANSWER = 30  # tokens
BEST = 20  # the number of starts and of ends that are combined


class Answer(NamedTuple):
    """The best span of a text as an answer to a question.

    Args:
        text: The span; empty if the text has none.
        start: The index of its first character.
        is_answered: Whether the span has a higher score than "the text has no answer".
        is_cut: Whether the question was too long, so that its end was ignored.
    """

    text: str
    start: int
    is_answered: bool
    is_cut: bool = False


_Span = tuple[float, int, int]  # score, first character, and the one after the last
NO_SPAN: _Span = (-math.inf, 0, 0)


class _Window(NamedTuple):
    pair: int
    encoded: Encoded
    offsets: dict[int, tuple[int, int]]  # of the tokens of the text


def answers(loaded: Loaded, pairs: Sequence[tuple[str, str]], batches: Batches) -> list[Answer]:
    """Answers questions about texts.

    The score of a span is the logit of its first token as a start plus that of its last token as an end. The answer is
    the span with the highest score among the spans of at most 30 tokens whose start is one of the 20 best starts of an
    input and whose end is one of its 20 best ends. It is an answer only if its score exceeds that of the first token of
    the input, which means "no answer". A text that is too long for one input is split into windows that overlap;
    the lowest score for "no answer" of all windows counts.

    Args:
        loaded: A model for the task ``question-answering``.
        pairs: Questions with the text that may answer them.
        batches: Runs the model.
    """
    pairs = [(valid_text(question), valid_text(text)) for question, text in pairs]
    with quiet():
        windows = [window for index, pair in enumerate(pairs) for window in _windows(loaded, index, *pair)]
    best: list[_Span] = [NO_SPAN] * len(pairs)
    none = [math.inf] * len(pairs)
    cut = {window.pair for window in windows if window.encoded.is_cut}
    for window, (span, no_answer) in zip(windows, _spans(loaded, windows, batches), strict=True):
        none[window.pair] = min(none[window.pair], no_answer)
        best[window.pair] = max(best[window.pair], span, key=lambda span: span[0])
    return [
        Answer(pairs[index][1][start:end], start, score > no_answer, index in cut)
        for index, ((score, start, end), no_answer) in enumerate(zip(best, none, strict=True))
    ]


def _windows(loaded: Loaded, index: int, question: str, text: str) -> Iterator[_Window]:
    """Yields the inputs for a pair; each window of the text begins some tokens after the one before."""
    most = min(MAX_TOKENS, loaded.max_length)
    asked, length = _shortened(loaded, question, min(MAX_QUESTION_TOKENS, most // 2))
    space = most - length - loaded.tokenizer.num_special_tokens_to_add(pair=True)
    has_types = "token_type_ids" in loaded.tokenizer.model_input_names
    encoded = loaded.tokenizer(
        asked,
        text,
        truncation="only_second",
        max_length=most,
        stride=max(0, space - STEP),  # tokens that two windows share
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
        return_token_type_ids=has_types,
    )
    for number, ids in enumerate(encoded["input_ids"]):
        sequences = encoded.sequence_ids(number)
        offsets = encoded["offset_mapping"][number]
        of_text = {i: tuple(offsets[i]) for i, sequence in enumerate(sequences) if sequence == 1}
        types = encoded["token_type_ids"][number] if has_types else []
        yield _Window(index, Encoded(ids, types, asked != question), of_text)


def _shortened(loaded: Loaded, question: str, most: int) -> tuple[str, int]:
    """Returns the start of a question that has at most the given number of tokens, and its number of tokens."""
    encoded = loaded.tokenizer(question, add_special_tokens=False, return_offsets_mapping=True)
    offsets = encoded["offset_mapping"]
    if len(offsets) <= most:
        return question, len(offsets)
    return question[: offsets[most - 1][1]], most


def _spans(loaded: Loaded, windows: Sequence[_Window], batches: Batches) -> list[tuple[_Span, float]]:
    """Returns the best span of each window, and its score for "no answer"."""
    import torch

    def compute(indices: list[int]) -> list[tuple[_Span, float]]:
        batch = [windows[index] for index in indices]
        with torch.inference_mode():
            result = loaded.model(**padded(loaded, [window.encoded for window in batch]))
        starts_list, ends_list = result.start_logits.float().cpu().numpy(), result.end_logits.float().cpu().numpy()
        return [
            (_best_span(window, starts, ends), float(starts[0] + ends[0]))
            for window, starts, ends in zip(batch, starts_list, ends_list, strict=True)
        ]

    return batches.run([len(window.encoded.ids) for window in windows], compute)


def _best_span(window: _Window, starts: ndarray, ends: ndarray) -> _Span:
    """Returns the best span of a window, given the logits of its tokens, which may be followed by padding.

    Of spans with equal scores, the first one of the best starts and ends wins.
    """
    starts, ends = starts[: len(window.encoded.ids)], ends[: len(window.encoded.ids)]
    best = NO_SPAN
    last_tokens = [index for index in (-ends).argsort(kind="stable")[:BEST].tolist() if index in window.offsets]
    for first in (-starts).argsort(kind="stable")[:BEST].tolist():
        for last in last_tokens if first in window.offsets else ():
            score = float(starts[first] + ends[last])
            if first <= last < first + MAX_ANSWER and score > best[0]:
                best = (score, window.offsets[first][0], window.offsets[last][1])
    return best
