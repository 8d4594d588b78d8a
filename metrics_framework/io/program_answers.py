"""The lines that a program prints as a metric: scores, errors, and its version."""

from __future__ import annotations

import json
import math
from typing import Any, TypeAlias

from metrics_framework.common.construct import with_keys_once
from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import shown

Answer: TypeAlias = "float | MetricsDict"
"""The scores of an output: one number, or numbers by name."""


class AnswerError(Exception):
    """A line has no scores.

    Args:
        message: What was printed instead, as the end of a sentence whose subject is the program.
        is_declared: Whether the program itself says that it cannot score the output.
    """

    def __init__(self, message: str, is_declared: bool = False) -> None:
        super().__init__(message)
        self.is_declared = is_declared


def parsed_answer(line: str) -> Answer:
    """Returns the scores of a line.

    Raises:
        AnswerError: if the line is not a number or an object of numbers.

    >>> parsed_answer("0.5"), parsed_answer('{"recall": null, "f1": {"rouge": 2}}')
    (0.5, {'recall': nan, 'f1': {'rouge': 2}})
    """
    try:
        value = json.loads(line, object_pairs_hook=with_keys_once)
    except (ValueError, RecursionError, UsageError):
        raise AnswerError(f"printed {shown(line)} instead of scores: {_EXPECTED}") from None
    if isinstance(value, dict) and isinstance(value.get("error"), str) and len(value) == 1:
        raise AnswerError(f"reports an error: {value['error']}", is_declared=True)
    scores = _scores(value, line)
    if isinstance(scores, MetricsDict):
        try:
            scores.flatten()
        except InputError as error:
            raise AnswerError(f"printed {shown(line)}: {error}") from None
    return scores


_EXPECTED = "expected a JSON number, or an object of numbers; messages belong to standard error"


def _scores(value: Any, line: str) -> Answer:
    if isinstance(value, dict) and value:
        return MetricsDict({name: _scores(inner, line) for name, inner in value.items()})
    if value is None:
        return math.nan
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise AnswerError(f"printed {shown(line)} instead of scores: {_EXPECTED}")
    try:
        is_infinite = math.isinf(value)
    except OverflowError:
        is_infinite = True
    if is_infinite:
        raise AnswerError(f"printed {shown(line)}: a score must be finite, or NaN if it is undefined")
    return value


def declared_version(line: str) -> str | None:
    """Returns the version that a line declares, `None` if it is another line.

    >>> declared_version('{"version": "1.2"}'), declared_version('{"version": 1.2}')
    ('1.2', None)
    """
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_version = isinstance(value, dict) and list(value) == ["version"] and isinstance(value["version"], str)
    return value["version"] if is_version else None
