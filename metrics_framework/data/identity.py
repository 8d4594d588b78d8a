"""The ids of inputs and systems, and the types of systems, as in files (decision 0021)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from metrics_framework.common.errors import DataError
from metrics_framework.data.texts import shown

SummarizerFilter = Literal["peer", "reference", "all"]
"""Whose outputs are selected: a type of systems, or all."""
Duplicates = Literal["error", "first", "last"]
"""Which of several outputs with the same ids is kept, unless they are an error."""
SUMMARIZER_TYPES = ("peer", "reference")
IDENTITY_FIELDS = ("instance_id", "summarizer_id", "summarizer_type")
MAX_DIGITS = 90
"""The most digits of an id that sorts as a number."""


def parse_id(value: Any, name: str) -> str:
    """Returns an id as a string: a JSON string or integer, or the cell of a table.

    Args:
        value: The id.
        name: The field, for the error message.

    Raises:
        DataError: if the id is empty, or neither a string nor an integer.
    """
    if type(value) is str and value:
        return value
    if type(value) is int:
        return str(value)
    raise DataError(f"'{name}' must be a non-empty string or an integer, got {shown(value)}")


def parse_summarizer_type(value: Any, name: str) -> str:
    """Returns the type of a summarizer.

    Args:
        value: The type.
        name: The field, for the error message.

    Raises:
        DataError: if the type is neither ``peer`` nor ``reference``.
    """
    if type(value) is str and value in SUMMARIZER_TYPES:
        return value
    raise DataError(f"'{name}' must be 'peer' or 'reference', got {shown(value)}")


def order_keys(names: Sequence[str]) -> list[str]:
    """Returns keys that sort numbers by value, then other ids as strings; different ids have different keys.

    A number is a string of up to 90 digits. Numbers of equal value are sorted by their leading zeros.

    >>> sorted(["s", "10", "9", "010", "-1"], key=lambda name: order_keys([name]))
    ['9', '10', '010', '-1', 's']
    """
    keys = {name: _order_key(name) for name in set(names)}
    return [keys[name] for name in names]


def _order_key(name: str) -> str:
    if not (name.isdigit() and name.isascii() and len(name) <= MAX_DIGITS):
        return f"~{name}"
    digits = name.lstrip("0") or "0"
    zeros = len(name) - len(digits)
    key = chr(ord(" ") + len(digits)) + digits  # the length first: a number with more digits is greater
    return f"{key}{chr(ord(' ') + zeros)}" if zeros else key
