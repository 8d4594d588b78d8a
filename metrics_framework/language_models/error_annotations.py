"""Errors that a language model marks in a text: what they are, where they are, and the score that follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

WEIGHTS = {"critical": 25, "major": 5, "minor": 1}
WORST, LOWEST_SCORE = 5, -25
"""How many errors count, and the lowest score (Kocmi and Federmann, 2023)."""
NON_TRANSLATION = "non-translation"
SIDES = ("target", "source")


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


class Located(NamedTuple):
    """Errors with and without a place.

    Attributes:
        spans: JSON objects with ``start``, ``end``, ``severity``, ``side`` and ``category``.
        unlocated: The errors whose words are not in the text.
    """

    spans: list[dict[str, Any]]
    unlocated: list[AnnotatedError]


def located(errors: Errors, output: str, source: str | None = None) -> Located:
    """Finds the words of errors, exactly as they are, in the output, or else in the source.

    Errors with the same words are at their first, second, … occurrence. A non-translation is the whole output.

    Args:
        errors: The errors.
        output: The output.
        source: The source, if the judge saw it.

    >>> located([AnnotatedError("a cat", "accuracy", "major")], "It is a cat.").spans
    [{'start': 6, 'end': 11, 'severity': 'major', 'side': 'target', 'category': 'accuracy'}]
    """
    texts = {"target": output, **({} if source is None else {"source": source})}
    before = Counter[tuple[str, str]]()
    found = Located([], [])
    for error in errors:
        place = _whole(output) if error.is_non_translation else _place(error, texts, before)
        if place is None:
            found.unlocated.append(error)
        else:
            side, start, end = place
            about = {"severity": error.severity, "side": side, "category": error.category}
            found.spans.append({"start": start, "end": end, **about})
    return found


def _whole(output: str) -> tuple[str, int, int] | None:
    return ("target", 0, len(output)) if output else None


def _place(
    error: AnnotatedError, texts: Mapping[str, str], before: Counter[tuple[str, str]]
) -> tuple[str, int, int] | None:
    """Returns side, start and end of the words of an error; `None` if they are nowhere."""
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
                return side, start, start + len(words)
    return None
