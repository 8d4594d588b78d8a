"""Error spans: the parts of a text that annotators or metrics marked as wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from metrics_framework.common.errors import InputError
from metrics_framework.data.texts import shown

SIDES = ("target", "source")


@dataclass(frozen=True, order=True, slots=True)
class ErrorSpan:
    """A part of a text that is marked as wrong.

    Args:
        start: The index of its first character.
        end: The index after its last character.
        severity: Its severity in lowercase, such as ``major``; an empty string if it has none.
        side: The text: the ``target``, which is the output, or the ``source``.
    """

    start: int
    end: int
    severity: str = ""
    side: str = "target"


def parse_spans(value: Any, name: str) -> tuple[ErrorSpan, ...]:
    """Returns a list of spans, sorted.

    Args:
        value: A list of `ErrorSpan`, or of objects with ``start`` and ``end``, and perhaps ``severity`` and ``side``.
        name: The field, for error messages.

    Raises:
        InputError: if it is not such a list.

    >>> parse_spans([{"start": 3, "end": 5, "severity": "Minor"}], "spans")
    (ErrorSpan(start=3, end=5, severity='minor', side='target'),)
    """
    if not isinstance(value, (list, tuple)):
        raise InputError(f"'{name}' must be a list of spans, got {shown(value)}")
    return tuple(sorted(_span(item, f"{name}[{index}]") for index, item in enumerate(value)))


def _span(value: Any, name: str) -> ErrorSpan:
    if isinstance(value, ErrorSpan):
        value = asdict(value)
    if not isinstance(value, Mapping) or not {"start", "end"} <= value.keys():
        raise InputError(f"'{name}' must be a span with 'start' and 'end', got {shown(value)}")
    start, end = value["start"], value["end"]
    if not _is_index(start) or not _is_index(end) or not 0 <= start < end:
        raise InputError(f"'{name}' must have integers 0 ≤ 'start' < 'end', got {shown(start)} and {shown(end)}")
    severity, side = value.get("severity"), value.get("side") or "target"
    if severity is not None and not isinstance(severity, str):
        raise InputError(f"the 'severity' of '{name}' must be a string, got {shown(severity)}")
    if side not in SIDES:
        raise InputError(f"the 'side' of '{name}' must be 'target' or 'source', got {shown(side)}")
    return ErrorSpan(int(start), int(end), (severity or "").strip().lower(), side)


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
