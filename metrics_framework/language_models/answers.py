"""Answers of language models: their contents, their forms, errors that they mark, and the tokens of their scores."""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, NamedTuple

from metrics_framework.common.errors import DataError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.error_spans import SIDES
from metrics_framework.io.disk_cache import list_of

WEIGHTS = {"critical": 25, "major": 5, "minor": 1}
WORST, LOWEST_SCORE = 5, -25
"""How many errors count, and the lowest score (Kocmi and Federmann, 2023)."""
NON_TRANSLATION = "non-translation"


class AnnotatedError(NamedTuple):
    """An error that a language model marks.

    Attributes:
        text: The words that are wrong.
        category: Its category, such as ``accuracy/mistranslation``.
        severity: ``critical``, ``major`` or ``minor``.
        side: The text with the words, ``target`` or ``source``; an empty string if the model does not name it.
    """

    text: str
    category: str
    severity: str
    side: str = ""

    @property
    def is_non_translation(self) -> bool:
        """Whether the whole output is no translation."""
        return NON_TRANSLATION in self.category.casefold().replace(" ", "-")


Errors = Sequence[AnnotatedError]


def errors_of(value: Any) -> tuple[AnnotatedError, ...] | None:
    """Returns the errors in a JSON value; `None` if it is not a list of errors. Nothing is guessed or left out.

    >>> errors_of([{"text": "a", "category": "Fluency", "severity": "Minor"}])
    (AnnotatedError(text='a', category='Fluency', severity='minor', side=''),)
    >>> errors_of([{"text": "a", "severity": "severe"}]) is None, errors_of([])
    (True, ())
    """
    found = [_error(item) for item in value] if isinstance(value, list) else [None]
    errors = tuple(error for error in found if error is not None)
    return errors if len(errors) == len(found) else None


def _error(value: Any) -> AnnotatedError | None:
    if not isinstance(value, Mapping):
        return None
    text, category, severity, side = (value.get(name) for name in AnnotatedError._fields)
    if not isinstance(text, str) or not isinstance(category, str) or not isinstance(severity, str):
        return None
    severity, side = severity.strip().casefold(), side or ""
    if severity not in WEIGHTS or side not in ("", *SIDES):
        return None
    error = AnnotatedError(text, category.strip(), severity, side)
    return error._replace(severity="critical") if error.is_non_translation else error


def score_of_errors(errors: Errors) -> float:
    """Returns minus the weights of the five worst errors, at least −25; a non-translation is critical.

    >>> def of(*severities):
    ...     return score_of_errors([AnnotatedError("a", "fluency", severity) for severity in severities])
    >>> of(), of("minor", "major"), of(*["minor"] * 4, "major", "major"), of("critical", "minor")
    (0.0, -6.0, -13.0, -25.0)
    """
    worst = sorted((WEIGHTS[error.severity] for error in errors), reverse=True)[:WORST]
    return float(max(LOWEST_SCORE, -sum(worst)))


def located(
    errors: Errors, output: str, source: str | None = None
) -> tuple[list[dict[str, Any]], list[AnnotatedError]]:
    """Finds the words of errors, exactly as they are, in the output, or else in the source.

    Errors with the same words are at their first, second, … occurrence. A non-translation is the whole output.

    Args:
        errors: The errors.
        output: The output.
        source: The source, if the judge saw it.

    Returns:
        The spans, with ``start``, ``end``, ``severity``, ``side`` and ``category``, and the errors whose words are not
        in the text.

    >>> located([AnnotatedError("a cat", "accuracy", "major")], "It is a cat.")[0]
    [{'start': 6, 'end': 11, 'severity': 'major', 'side': 'target', 'category': 'accuracy'}]
    """
    texts = {"target": output, **({} if source is None else {"source": source})}
    before = Counter[tuple[str, str]]()
    spans, unlocated = list[dict[str, Any]](), list[AnnotatedError]()
    for error in errors:
        place = _place(error, texts, before)
        if place is None:
            unlocated.append(error)
        else:
            start, end, side = place
            about = {"severity": error.severity, "side": side, "category": error.category}
            spans.append({"start": start, "end": end, **about})
    return spans, unlocated


def _place(
    error: AnnotatedError, texts: Mapping[str, str], before: Counter[tuple[str, str]]
) -> tuple[int, int, str] | None:
    """Returns start, end and side of the words of an error; `None` if they are nowhere."""
    if error.is_non_translation:
        return (0, len(texts["target"]), "target") if texts["target"] else None
    words = error.text.strip()
    for side, text in texts.items():
        if words and error.side in ("", side):
            start = -1
            for _ in range(before[side, words] + 1):
                start = text.find(words, start + 1)
                if start < 0:
                    break
            else:
                before[side, words] += 1
                return start, start + len(words), side
    return None


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


_END = re.compile(r"(?:\s|<[^<>\s]*>)*")
"""What may follow the text of an answer in its tokens: spaces and tokens such as ``<|im_end|>``."""


def alternatives_of(text: str, start: int, end: int, tokens: Sequence[tuple[str, Alternatives]]) -> Alternatives:
    """Returns the alternatives of the token that is the score of an answer; none if the score is not one token.

    Tokens may include reasoning that an endpoint removes from the text, so positions count from the end of the text.

    Args:
        text: The answer.
        start: The position of the first character of the score.
        end: The position after its last character.
        tokens: The tokens of the answer, with their alternatives.
    """
    joined, rest = "".join(token for token, _ in tokens), text[start:].rstrip()
    first = joined.rfind(rest)
    if first < 0 or not _END.fullmatch(joined, first + len(rest)):
        return []
    position = 0
    for index, (token, alternatives) in enumerate(tokens):
        if position <= first < position + len(token):
            following = tokens[index + 1][0] if index + 1 < len(tokens) else ""
            is_whole = token.strip() == text[start:end].strip() and not following[:1].isdigit()
            return alternatives if is_whole else []
        position += len(token)
    return []


def weights_of(alternatives: Alternatives, scale: tuple[float, float]) -> dict[int, float]:
    """Returns the probability of each whole number of the scale."""
    weights: dict[int, float] = {}
    for token, logprob in alternatives:
        word = token.strip()
        if len(word) == 1 and word in "0123456789" and scale[0] <= int(word) <= scale[1]:
            weights[int(word)] = weights.get(int(word), 0.0) + math.exp(min(0.0, logprob))
    return weights


MAX_OBJECTS = 1000
"""The number of braces in an answer at which a JSON object is looked for."""
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}(\.[0-9]{1,18})?")
_SCALE = re.compile(r"(-?[\d.]+)\s*(?:to|-)\s*(-?[\d.]+)")
_REFUSALS = re.compile(
    r"\s*(i['’]m sorry|i am sorry|sorry,|i apologi[sz]e|i can(no|['’])t |i['’]m (unable|not able) to|i am (unable|not "
    r"able) to|i won['’]t |as an ai\b|i must decline)",
    re.IGNORECASE,
)


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
class AnswerForm(ABC):
    """Where the value is in an answer, and which values are allowed.

    Args:
        where: The name of the member of a JSON object, or the regular expression.
        scale: The lowest and the highest number; `None` if values are words.
        words: The allowed words, if there is no scale; for texts, none allows all.

    Attributes:
        kind: Its name in the header of a template.
    """

    where: str
    scale: tuple[float, float] | None = None
    words: Sequence[str] = ()
    kind: ClassVar[str]

    @classmethod
    def of_header(cls, where: str, header: Mapping[str, str], verdicts: Sequence[str], path: str) -> AnswerForm:
        """Returns the form that the header of a template describes.

        Args:
            where: What follows the kind.
            header: The header.
            verdicts: The words of its verdicts.
            path: The path of the template, for messages.

        Raises:
            DataError: if the header does not describe one.
        """
        if "words" in header:
            raise DataError(_ONLY_TEXTS, path)
        cls.check_where(where, path)
        if bool(verdicts) == ("scale" in header):
            raise DataError("a template must have either 'scale' (for scores) or 'verdicts' (for pairs)", path)
        if verdicts:
            return cls(where, words=verdicts)
        scale = scale_of(header["scale"])
        if scale is None:
            raise DataError(f"'scale' must be like '0 to 100', got '{header['scale']}'", path)
        return cls(where, scale)

    @classmethod
    def check_where(cls, where: str, path: str) -> None:
        """Checks what follows the kind.

        Raises:
            DataError: if it is invalid.
        """
        return

    @abstractmethod
    def places(self, text: str, start: int) -> Iterator[Place]:
        """Yields all values in a text from a position on."""

    def schema(self, has_reasoning: bool) -> dict[str, Any] | None:
        """Returns the JSON schema of an answer, for endpoints with structured output; `None` if it is no JSON object.

        Args:
            has_reasoning: Whether the answer begins with reasoning.
        """
        return None

    def number_of(self, items: Items) -> float:
        """Returns the value of a list."""
        return float(len(items))

    def written(self, score: object, reasoning: object) -> str:
        """Returns an answer with a score and, unless it is `None`, reasoning."""
        return f"{score}" if reasoning is None else f"{reasoning}\n{score}"

    def read(self, answer: Answer) -> Reading:
        """Reads the value of an answer.

        An answer has a value if exactly one value is found, and it is allowed. An answer that ends early has none,
        since the rest may change it (decision 0046).

        >>> form = JsonForm("score", (0, 100))
        >>> form.read(Answer('Here it is: {"score": 87}'))
        Reading(value=87.0, problem='')
        >>> form.read(Answer("I'm sorry, but I can't judge this.")).problem, form.read(Answer('{"score": 870}')).problem
        ('refused', 'outside the scale')
        """
        place, problem = self._place(answer)
        if place is not None and isinstance(place.value, tuple):
            return Reading(self.number_of(place.value), problem)
        return Reading(None if place is None else place.value, problem)  # type: ignore[arg-type]

    def items(self, answer: Answer) -> Items:
        """Returns the errors or texts that an answer lists; none if it has no value, or is no list."""
        place, _ = self._place(answer)
        return place.value if place is not None and isinstance(place.value, tuple) else ()

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
                "the endpoint returns no log-probabilities ('logprobs'), which 'weighting' logprobs needs; use "
                "'weighting' mean, with several 'samples'"
            )
        alternatives = alternatives_of(answer.text, place.start, place.end, answer.tokens)
        weights = weights_of(alternatives, self.scale or (0, 0))
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
        found = list(self.places(answer.text, start))
        # A judged text that is quoted can contain </think> and a score: values on both sides of it must agree.
        last = answer.text.rfind(REASONING_END)
        place = next((place for place in found if place.end > last), None)
        if place is None or place.value is None or any(other.value != place.value for other in found):
            return None, REFUSED if _REFUSALS.match(answer.text, start) else UNPARSABLE
        if isinstance(place.value, tuple) or self.scale is None:
            return place, ""
        if not self.scale[0] <= float(place.value) <= self.scale[1]:
            return None, OUTSIDE
        return place, ""

    def _value(self, value: Any) -> float | str | None:
        """Returns an allowed form of a value; `None` if it has none. Numbers may be outside the scale."""
        if self.scale is None:
            word = str(value).strip().casefold()
            return next((known for known in self.words if known.casefold() == word), None)
        if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
            return float(value)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


class RegexForm(AnswerForm):
    """The group of a regular expression."""

    kind = "regex"

    @classmethod
    @overrides
    def check_where(cls, where: str, path: str) -> None:
        try:
            groups = re.compile(where).groups
        except re.error as error:
            raise DataError(f"'answer' has an invalid regular expression: {error}", path) from None
        if groups != 1:
            raise DataError(f"the regular expression of 'answer' must have exactly one group, got {groups}", path)

    @overrides
    def places(self, text: str, start: int) -> Iterator[Place]:
        for match in re.finditer(self.where, text[start:]):
            yield Place(self._value(match[1]), start + match.start(1), start + match.end(1))


class JsonForm(AnswerForm):
    """The member of a JSON object: a number or a word."""

    kind = "json"

    @overrides
    def places(self, text: str, start: int) -> Iterator[Place]:
        for found, begin, end in _objects(text[start:]):
            if self.where in found:
                yield Place(self.member(found[self.where]), start + begin, start + end)

    def member(self, value: Any) -> float | str | Items | None:
        """Returns an allowed form of the member; `None` if it has none."""
        return self._value(_plain(value))

    @overrides
    def schema(self, has_reasoning: bool) -> dict[str, Any] | None:
        members = {**({"reasoning": {"type": "string"}} if has_reasoning else {}), self.where: self.member_schema()}
        return _closed(members)

    def member_schema(self) -> dict[str, Any]:
        """Returns the schema of the member. It has no bounds, which not all endpoints accept: the reader has them."""
        return {"type": "number"} if self.scale is not None else _word(self.words)

    @overrides
    def written(self, score: object, reasoning: object) -> str:
        said = {} if reasoning is None else {"reasoning": reasoning}
        return json.dumps({**said, self.where: score}, ensure_ascii=False)


class ErrorsForm(JsonForm):
    """The member of a JSON object: a list of errors."""

    kind = "errors"

    @classmethod
    @overrides
    def of_header(cls, where: str, header: Mapping[str, str], verdicts: Sequence[str], path: str) -> AnswerForm:
        form = super().of_header(where, header, verdicts, path)
        if verdicts:
            raise DataError(f"a template with 'verdicts' cannot ask for '{cls.kind}'", path)
        if form.scale != (LOWEST_SCORE, 0):
            expected = f"'{LOWEST_SCORE} to 0' for a list of errors"
            raise DataError(f"'scale' must be {expected}, got '{header['scale']}'", path)
        return form

    @overrides
    def member(self, value: Any) -> float | str | Items | None:
        return errors_of(value)

    @overrides
    def member_schema(self) -> dict[str, Any]:
        text = {"type": "string"}
        error = {"text": text, "category": text, "severity": _word([*WEIGHTS]), "side": _word(SIDES)}
        return {"type": "array", "items": _closed(error)}

    @overrides
    def number_of(self, items: Items) -> float:
        return score_of_errors([item for item in items if isinstance(item, AnnotatedError)])


class TextsForm(JsonForm):
    """The member of a JSON object: a list of texts, or of words."""

    kind = "texts"

    @classmethod
    @overrides
    def of_header(cls, where: str, header: Mapping[str, str], verdicts: Sequence[str], path: str) -> AnswerForm:
        if "scale" in header or "verdicts" in header:
            raise DataError(_ONLY_TEXTS, path)
        words = [word.strip() for word in header.get("words", "").split(",") if word.strip()]
        return cls(where, words=words)

    @overrides
    def member(self, value: Any) -> float | str | Items | None:
        texts = [self._text(item) for item in value] if isinstance(value, list) else [""]
        return tuple(texts) if all(texts) else None

    @overrides
    def member_schema(self) -> dict[str, Any]:
        return {"type": "array", "items": _word(self.words) if self.words else {"type": "string"}}

    def _text(self, value: Any) -> str:
        """Returns a text of a list, or an allowed word; an empty string if it is neither."""
        text = value.strip() if isinstance(value, str) else ""
        return str(self._value(text) or "") if self.words else text


_ONLY_TEXTS = f"'{TextsForm.kind} KEY' may have 'words', and neither 'scale' nor 'verdicts'"
FORMS: Mapping[str, type[AnswerForm]] = {form.kind: form for form in (JsonForm, RegexForm, ErrorsForm, TextsForm)}
"""The forms, by their kinds."""


def _closed(members: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the schema of an object that has exactly these members, in this order."""
    return {"type": "object", "properties": dict(members), "required": list(members), "additionalProperties": False}


def _word(words: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(words)}


def scale_of(text: str) -> tuple[float, float] | None:
    """Returns the lowest and the highest score of a scale; `None` if the text is no scale.

    >>> scale_of("0 to 100"), scale_of("1-5"), scale_of("-25 to 0"), scale_of("5 to 1")
    ((0.0, 100.0), (1.0, 5.0), (-25.0, 0.0), None)
    """
    found = _SCALE.fullmatch(text.strip())
    try:
        low, high = (float(found[1]), float(found[2])) if found else (1.0, 0.0)
    except ValueError:
        return None
    return (low, high) if low < high else None


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
