"""The fields of an instance, and the checks of their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metrics_framework.data.texts import check_text, check_texts

FIELD_CHECKS: dict[str, Callable[[Any, str], None]] = {
    "summary": check_text,
    "source": check_text,
    "references": check_texts,
    "documents": check_texts,
}


PLAIN_KINDS = {name: "t" if check is check_text else "l" for name, check in FIELD_CHECKS.items()}
"""The codes of the types of fields in `metrics_framework.kernels.dispatch.are_plain`."""


def check_field(name: str, value: Any) -> None:
    """Checks the value of a field; unknown fields are not checked.

    Raises:
        InputError: if the value is invalid.
    """
    check = FIELD_CHECKS.get(name)
    if check is not None:
        check(value, name)


def context_key(value: Any) -> Any:
    """Returns a hashable form of the value of a field: equal for equal values."""
    if type(value) is str:
        return value
    if isinstance(value, (list, tuple)):
        items = tuple(value)
        try:
            hash(items)  # items are nearly always strings
        except TypeError:
            return tuple([context_key(item) for item in items])
        return items
    if isinstance(value, dict):
        return tuple((key, context_key(item)) for key, item in sorted(value.items()))
    return value
