"""Answering questions about texts with an extractive question-answering model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from metrics_framework.neural.batches import Batches
from metrics_framework.neural.encoding import Encoded, padded, valid_text
from metrics_framework.neural.models import Loaded, quiet

if TYPE_CHECKING:
    from numpy import ndarray

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
