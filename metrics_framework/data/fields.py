"""The fields of an instance, and what each must hold."""

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
"""What `metrics_framework.kernels.dispatch.are_plain` calls the values of a field."""


def check_field(name: str, value: Any) -> None:
    """Checks the value of a field; an unknown field may hold anything.

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
            hash(items)  # nearly always strings
        except TypeError:
            return tuple([context_key(item) for item in items])
        return items
    if isinstance(value, dict):
        return tuple((key, context_key(item)) for key, item in sorted(value.items()))
    return value
