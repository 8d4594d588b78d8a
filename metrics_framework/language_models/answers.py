"""Answers of language models: what they are, and how a number or a verdict is read from them, without guessing."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError
from metrics_framework.io.disk_cache import list_of
from metrics_framework.language_models.error_annotations import AnnotatedError, errors_of, score_of_errors

REFUSED, UNPARSABLE, OUTSIDE, CUT_OFF = "refused", "unparsable", "outside the scale", "cut off by max_tokens"
ERRORS = "errors"
"""The kind of answers that are lists of errors."""
TEXTS = "texts"
"""The kind of answers that are lists of texts."""
PROBLEMS = (REFUSED, UNPARSABLE, OUTSIDE, CUT_OFF)
"""Why an answer has no value."""
NO_ANSWER, IN_BATCH = "no answer", "in the batch"
MAX_OBJECTS = 1000
"""The number of braces in an answer at which a JSON object is looked for."""
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}(\.[0-9]{1,18})?")
_REASONING, _REASONING_END = re.compile(r"\s*<think>"), "</think>"
_END = re.compile(r"(?:\s|<[^<>\s]*>)*")
"""What may follow the text of an answer in its tokens: spaces and tokens such as ``<|im_end|>``."""
_REFUSALS = re.compile(
    r"\s*(i['’]m sorry|i am sorry|sorry,|i apologi[sz]e|i can(no|['’])t |i['’]m (unable|not able) to|i am (unable|not "
    r"able) to|i won['’]t |as an ai\b|i must decline)",
    re.IGNORECASE,
)

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


class Reading(NamedTuple):
    """What an answer says.

    Attributes:
        value: The number, or the word of a verdict; `None` if there is none.
        problem: One of `PROBLEMS`, or an empty string.
    """

    value: float | str | None
    problem: str = ""


class Place(NamedTuple):
    """A value in a text.

    Attributes:
        value: An allowed form of the value; `None` if it has none. Errors and texts are a tuple.
        start: The position of its first character.
        end: The position after its last character.
    """

    value: float | str | Items | None
    start: int
    end: int


@dataclass(frozen=True)
class AnswerForm:
    """Where the value is in an answer, and which values are allowed.

    Args:
        kind: ``json`` for the member of a JSON object, ``errors`` and ``texts`` for a member that is a list of
            errors or texts, ``regex`` for the group of a regular expression.
        where: The name of the member, or the regular expression.
        scale: The lowest and the highest number; `None` if values are words.
        words: The allowed words, if there is no scale; for texts, none allows all.
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
        place, problem = self._place(answer)
        if place is not None and isinstance(place.value, tuple):
            return Reading(self._value_of(place.value), problem)
        return Reading(None if place is None else place.value, problem)  # type: ignore[arg-type]

    def items(self, answer: Answer) -> Items:
        """Returns the errors or texts that an answer lists; none if it has no value, or is no list."""
        place, _ = self._place(answer)
        return place.value if place is not None and isinstance(place.value, tuple) else ()

    def _value_of(self, items: Items) -> float:
        """Returns the score of errors, or the number of texts."""
        errors = [item for item in items if isinstance(item, AnnotatedError)]
        return score_of_errors(errors) if self.kind == ERRORS else float(len(items))

    def expected(self, answer: Answer) -> Reading:
        """Reads the mean of the scale's whole numbers, weighted by the probability of their tokens.

        The probabilities are those of the tokens that the model could have written instead of the score that `read`
        returns, divided by their sum. If the answer repeats this score, they are those of the first time after the
        reasoning. A score without a token that is this score and nothing else has none, so the answer is unparsable.

        Raises:
            DataError: if the answer has no log-probabilities.
        """
        place, problem = self._place(answer)
        if place is None:
            return Reading(None, problem)
        if not answer.tokens:
            raise DataError(
                "the endpoint returns no log-probabilities ('logprobs'), which --weighting logprobs needs; use "
                "--weighting mean, with several samples"
            )
        weights = _weights(_alternatives(answer.text, place, answer.tokens), self.scale or (0, 0))
        mass = math.fsum(weights.values())
        if not mass > 0:
            return Reading(None, UNPARSABLE)
        return Reading(math.fsum(number * weight for number, weight in weights.items()) / mass)

    def _place(self, answer: Answer) -> tuple[Place | None, str]:
        """Returns where the value of an answer is, or a problem."""
        if answer.refusal or answer.finish_reason == "content_filter":
            return None, REFUSED
        if answer.finish_reason == "length":
            return None, CUT_OFF
        start = reasoning_end(answer.text)
        found = list(self._places(answer.text, start))
        # A judged text that is quoted can contain </think> and a score: values on both sides of it must agree.
        last = answer.text.rfind(_REASONING_END)
        place = next((place for place in found if place.end > last), None)
        if place is None or place.value is None or any(other.value != place.value for other in found):
            return None, REFUSED if _REFUSALS.match(answer.text, start) else UNPARSABLE
        if isinstance(place.value, tuple) or self.scale is None:
            return place, ""
        if not self.scale[0] <= float(place.value) <= self.scale[1]:
            return None, OUTSIDE
        return place, ""

    def _places(self, text: str, start: int) -> Iterator[Place]:
        """Yields all values in a text from a position on."""
        rest = text[start:]
        if self.kind == "regex":
            for match in re.finditer(self.where, rest):
                yield Place(self._value(match[1]), start + match.start(1), start + match.end(1))
            return
        for found, begin, end in _objects(rest):
            if self.where in found:
                yield Place(self._member(found[self.where]), start + begin, start + end)

    def _member(self, value: Any) -> float | str | Items | None:
        """Returns an allowed form of the member of a JSON object; `None` if it has none."""
        if self.kind == ERRORS:
            return errors_of(value)
        if self.kind != TEXTS:
            return self._value(_plain(value))
        texts = [self._text(item) for item in value] if isinstance(value, list) else [""]
        return tuple(texts) if all(texts) else None

    def _text(self, value: Any) -> str:
        """Returns a text of a list, or an allowed word; an empty string if it is neither."""
        text = value.strip() if isinstance(value, str) else ""
        return str(self._value(text) or "") if self.words else text

    def _value(self, value: Any) -> float | str | None:
        """Returns an allowed form of a value; `None` if it has none. Numbers may be outside the scale."""
        if self.scale is None:
            word = str(value).strip().casefold()
            return next((known for known in self.words if known.casefold() == word), None)
        if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
            return float(value)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def reasoning_end(text: str) -> int:
    """Returns where the answer after the reasoning begins that some local models write first.

    Reasoning that does not end is followed by no answer.

    >>> reasoning_end("<think>3?</think> 4"), reasoning_end("4"), reasoning_end("<think>3?")
    (17, 0, 9)
    """
    end = 0
    while _REASONING.match(text, end):
        last = text.find(_REASONING_END, end)
        if last < 0:
            return len(text)
        end = last + len(_REASONING_END)
    return end


def _alternatives(text: str, place: Place, tokens: Sequence[tuple[str, Alternatives]]) -> Alternatives:
    """Returns the alternatives of the token that is the value at a place; none if the value is not one token.

    Tokens may include reasoning that an endpoint removes from the text, so positions count from the end of the text.
    """
    joined, rest = "".join(token for token, _ in tokens), text[place.start :].rstrip()
    start = joined.rfind(rest)
    if start < 0 or not _END.fullmatch(joined, start + len(rest)):
        return []
    position = 0
    for index, (token, alternatives) in enumerate(tokens):
        if position <= start < position + len(token):
            following = tokens[index + 1][0] if index + 1 < len(tokens) else ""
            is_whole = token.strip() == text[place.start : place.end].strip() and not following[:1].isdigit()
            return alternatives if is_whole else []
        position += len(token)
    return []


def _objects(text: str) -> Iterator[tuple[Mapping[str, Any], int, int]]:
    """Yields the outermost JSON objects of a text, with start and end."""
    decoder, start = json.JSONDecoder(), text.find("{")
    for _ in range(MAX_OBJECTS):
        if start < 0:
            return
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield found, start, end
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
