"""The ids of inputs and systems, and the types of systems, as in files (decision 0021)."""

from __future__ import annotations

from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.data.eval_instance import SUMMARIZER_TYPES
from metrics_framework.data.texts import shown

IDENTITY_FIELDS = ("instance_id", "summarizer_id", "summarizer_type")


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
