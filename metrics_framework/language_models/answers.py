"""Answers of language models: what they are, and how a number or a verdict is read from them, without guessing."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError

REFUSED, UNPARSABLE, OUTSIDE, CUT_OFF = "refused", "unparsable", "outside the scale", "cut off by max_tokens"
PROBLEMS = (REFUSED, UNPARSABLE, OUTSIDE, CUT_OFF)
"""Why an answer has no value."""
MAX_OBJECTS = 1000
"""The number of braces in an answer at which a JSON object is looked for."""
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}(\.[0-9]{1,18})?")
_REASONING = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_REFUSALS = re.compile(
    r"\s*(i['’]m sorry|i am sorry|sorry,|i apologi[sz]e|i can(no|['’])t |i['’]m (unable|not able) to|i am (unable|not "
    r"able) to|i won['’]t |as an ai\b|i must decline)",
    re.IGNORECASE,
)

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
        tokens: The tokens of the text, each with its alternatives; `None` without log-probabilities.
    """

    text: str
    finish_reason: str = "stop"
    refusal: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    tokens: Sequence[tuple[str, Alternatives]] | None = None

    def as_json(self) -> dict[str, Any]:
        """Returns a JSON value, for the cache."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Answer:
        """Returns the answer of a JSON value."""
        return cls(**value)


class Reading(NamedTuple):
    """What an answer says.

    Attributes:
        value: The number, or the word of a verdict; `None` if there is none.
        problem: One of `PROBLEMS`, or an empty string.
    """

    value: float | str | None
    problem: str = ""


@dataclass(frozen=True)
class AnswerForm:
    """Where the value is in an answer, and which values are allowed.

    Args:
        kind: ``json`` for the member of a JSON object, ``regex`` for the group of a regular expression.
        where: The name of the member, or the regular expression.
        scale: The lowest and the highest number; `None` if values are words.
        words: The allowed words, if there is no scale.
    """

    kind: str
    where: str
    scale: tuple[float, float] | None = None
    words: Sequence[str] = ()

    def read(self, answer: Answer) -> Reading:
        """Reads the value of an answer.

        An answer has a value if exactly one value is found, and it is allowed. An answer that ends early has none,
        since the rest may change it.

        >>> form = AnswerForm("json", "score", (0, 100))
        >>> form.read(Answer('Here it is: {"score": 87}'))
        Reading(value=87.0, problem='')
        >>> form.read(Answer("I'm sorry, but I can't judge this.")).problem, form.read(Answer('{"score": 870}')).problem
        ('refused', 'outside the scale')
        """
        if answer.refusal or answer.finish_reason == "content_filter":
            return Reading(None, REFUSED)
        if answer.finish_reason == "length":
            return Reading(None, CUT_OFF)
        text = without_reasoning(answer.text)
        values = {value if value is None else self._value(value) for value in self._found(text)}
        if len(values) != 1 or None in values:
            return Reading(None, REFUSED if _REFUSALS.match(text) else UNPARSABLE)
        (value,) = values
        if self.scale is not None and not self.scale[0] <= float(value or 0) <= self.scale[1]:
            return Reading(None, OUTSIDE)
        return Reading(value)

    def expected(self, answer: Answer) -> Reading:
        """Reads the mean of the scale's whole numbers, weighted by the probability of their tokens.

        The probabilities are those of the tokens that the model could have written instead of its score, divided by
        their sum.

        Raises:
            DataError: if the answer has no log-probabilities.
        """
        reading = self.read(answer)
        if reading.value is None:
            return reading
        if not answer.tokens:
            raise DataError(
                "the endpoint returns no log-probabilities ('logprobs'), which --weighting logprobs needs; use "
                "--weighting mean, with several samples"
            )
        alternatives = self._alternatives(answer.tokens)
        weights = _weights(alternatives, self.scale or (0, 0))
        mass = math.fsum(weights.values())
        if not mass > 0:
            return Reading(None, UNPARSABLE)
        return Reading(math.fsum(number * weight for number, weight in weights.items()) / mass)

    def _found(self, text: str) -> Iterator[Any]:
        if self.kind == "regex":
            for match in re.finditer(self.where, text):
                yield match[1]
            return
        for found in _objects(text):
            if self.where in found:
                yield _plain(found[self.where])

    def _value(self, value: Any) -> float | str | None:
        """Returns an allowed form of a value; `None` if it has none. Numbers may be outside the scale."""
        if self.scale is None:
            word = str(value).strip().casefold()
            return next((known for known in self.words if known.casefold() == word), None)
        if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
            return float(value)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    def _alternatives(self, tokens: Sequence[tuple[str, Alternatives]]) -> Alternatives:
        """Returns the alternatives of the token that is the score; none if the score is not one token."""
        match = re.search(self.where, "".join(token for token, _ in tokens))
        position = 0
        for index, (token, alternatives) in enumerate(tokens):
            if match is not None and position <= match.start(1) < position + len(token):
                following = tokens[index + 1][0] if index + 1 < len(tokens) else ""
                is_whole = token.strip() == match[1] and not following[:1].isdigit()
                return alternatives if is_whole else []
            position += len(token)
        return []


def without_reasoning(text: str) -> str:
    """Returns an answer without the reasoning that some local models write first.

    >>> without_reasoning("<think>Is it a 3?</think> 4")
    ' 4'
    """
    found = _REASONING.match(text)
    return text[found.end() :] if found else text


def _objects(text: str) -> Iterator[Mapping[str, Any]]:
    """Yields the outermost JSON objects of a text."""
    decoder, start = json.JSONDecoder(), text.find("{")
    for _ in range(MAX_OBJECTS):
        if start < 0:
            return
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield found
        start = text.find("{", end)


def _plain(value: Any) -> Any:
    """Returns a number or a string; `None` for other values, and for numbers that are not finite or too long."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return value if isinstance(value, str) or math.isfinite(value) else None
    except OverflowError:
        return None


def _weights(alternatives: Alternatives, scale: tuple[float, float]) -> dict[int, float]:
    """Returns the probability of each whole number of the scale."""
    weights: dict[int, float] = {}
    for token, logprob in alternatives:
        word = token.strip()
        if len(word) == 1 and word in "0123456789" and scale[0] <= int(word) <= scale[1]:
            weights[int(word)] = weights.get(int(word), 0.0) + math.exp(min(0.0, logprob))
    return weights
