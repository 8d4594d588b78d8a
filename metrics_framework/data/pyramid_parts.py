"""Parts of summaries that express a content unit of a pyramid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.data.texts import shown


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a summary, as an annotator selected it.

    Args:
        text: Its text.
        start: The position of its first character in the summary, `None` if the file has none.
        end: The position after its last character.
    """

    text: str
    start: int | None = None
    end: int | None = None


def parts_of(row: Mapping[str, Any], name: str) -> tuple[Part, ...]:
    """Returns the parts of a contributor; its label is the only part, without position, if it has no parts.

    Args:
        row: The contributor: an object with ``parts`` and ``label``, both optional.
        name: Its name in error messages.

    Raises:
        DataError: if a value has another type.
    """
    values = row.get("parts") or []
    if not isinstance(values, list):
        raise DataError(f"'{name}.parts' must be a list, got {shown(values)}")
    parts = tuple(_part(value, f"{name}.parts[{index}]") for index, value in enumerate(values))
    label = string_of(row, "label", name)
    return parts or ((Part(label),) if label else ())


def string_of(row: Mapping[str, Any], key: str, name: str) -> str:
    """Returns a string of an object, empty if it is absent or null.

    Raises:
        DataError: if the value has another type.
    """
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise DataError(f"'{name}.{key}' must be a string, got {shown(value)}")
    return value or ""


def _part(value: Any, name: str) -> Part:
    if not isinstance(value, Mapping):
        raise DataError(f"'{name}' must be an object, got {shown(value)}")
    return Part(string_of(value, "text", name), _position(value, "start", name), _position(value, "end", name))


def _position(value: Mapping[str, Any], key: str, name: str) -> int | None:
    number = value.get(key)
    if number is not None and type(number) is not int:
        raise DataError(f"'{name}.{key}' must be an integer, got {shown(number)}")
    return number


def located(summary: str, part: Part) -> tuple[int, int] | None:
    """Returns the start and end of a part in its summary, `None` if the summary does not contain it.

    If the positions of the part do not select its text, the occurrence of the text that is closest to them counts,
    first with equal, then with ignored whitespace: published pyramids contain such shifts.

    >>> located("A cat sat. A cat lay.", Part("A cat", 10, 15))
    (11, 16)
    >>> located("A  cat sat.", Part("A cat", 0, 5))
    (0, 6)
    """
    start, end = part.start, part.end
    if start is None or end is None:
        start, end = 0, 0
    if 0 <= start < end <= len(summary) and part.text in ("", summary[start:end]):
        return start, end
    if not part.text.strip():
        return None
    exact = ((at, at + len(part.text)) for at in _occurrences(summary, part.text))
    return _closest(exact, start) or _closest(_without_whitespace(summary, part.text), start)


def _occurrences(summary: str, text: str) -> Iterator[int]:
    return (match.start() for match in re.finditer(f"(?={re.escape(text)})", summary))


def _without_whitespace(summary: str, text: str) -> Iterator[tuple[int, int]]:
    """Yields the occurrences of a text in a summary, both without whitespace, as positions in the summary."""
    positions = [index for index, character in enumerate(summary) if not character.isspace()]
    bare = "".join(text.split())
    for at in _occurrences("".join(summary[index] for index in positions), bare):
        yield positions[at], positions[at + len(bare) - 1] + 1


def _closest(spans: Iterable[tuple[int, int]], start: int) -> tuple[int, int] | None:
    return min(spans, key=lambda span: abs(span[0] - start), default=None)
