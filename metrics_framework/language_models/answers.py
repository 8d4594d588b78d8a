"""Answers of language models, and where their reasoning ends."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from metrics_framework.io.disk_cache import list_of
from metrics_framework.language_models.error_annotations import AnnotatedError

REFUSED, UNPARSABLE, OUTSIDE, CUT_OFF = "refused", "unparsable", "outside the scale", "cut off by max_tokens"
PROBLEMS = (REFUSED, UNPARSABLE, OUTSIDE, CUT_OFF)
"""Why an answer has no value."""
NO_ANSWER, IN_BATCH = "no answer", "in the batch"
_REASONING, REASONING_END = re.compile(r"\s*<think>"), "</think>"
Items = tuple[AnnotatedError, ...] | tuple[str, ...]
Alternatives = Sequence[tuple[str, float]]
"""Tokens that the model could have written at one position, with their log-probabilities."""


@dataclass(frozen=True)
class Answer:
    """What a model answered to one request.

    Args:
        text: The text.
        finish_reason: Why the text ends: ``stop``, ``length`` or ``content_filter``.
        refusal: The refusal, if the endpoint reports it apart from the text.
        input_tokens: The number of tokens of the request; `None` if the endpoint does not report it.
        output_tokens: The number of tokens of the answer.
        reasoning: The reasoning, if the endpoint reports it apart from the text.
        tokens: The tokens of the text, each with its alternatives; `None` without log-probabilities.
    """

    text: str
    finish_reason: str = "stop"
    refusal: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning: str = ""
    tokens: Sequence[tuple[str, Alternatives]] | None = None

    def as_json(self) -> dict[str, Any]:
        """Returns a JSON value, for the cache."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Answer:
        """Returns the answer of a JSON value.

        Raises:
            TypeError: if it is not an object with these names.
            ValueError: if a value has another type.
        """
        answer = cls(**value)
        list_of(str, str, str, int | None, int | None, str)(list(vars(answer).values())[:-1])
        for token, alternatives in answer.tokens or ():
            list_of(str)([token])
            for alternative in alternatives:
                list_of(str, float)(alternative)
        return answer


def reasoning_end(text: str) -> int:
    """Returns where the answer after the reasoning begins that some local models write first.

    Reasoning that does not end is followed by no answer.

    >>> reasoning_end("<think>3?</think> 4"), reasoning_end("4"), reasoning_end("<think>3?")
    (17, 0, 9)
    """
    end = 0
    while _REASONING.match(text, end):
        last = text.find(REASONING_END, end)
        if last < 0:
            return len(text)
        end = last + len(REASONING_END)
    return end
