"""The fields of an instance by name, and what each must hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metrics_framework.data.texts import check_text, check_texts

CHECKS: dict[str, Callable[[Any, str], None]] = {
    "summary": check_text,
    "source": check_text,
    "references": check_texts,
    "documents": check_texts,
}


def check_field(name: str, value: Any) -> None:
    """Refuses a value that a field cannot hold; a field of an unknown name may hold anything.

    Raises:
        InputError: if the value is of another kind.
    """
    check = CHECKS.get(name)
    if check is not None:
        check(value, name)


def context_key(value: Any) -> Any:
    """Turns the value of a field into something hashable, equal for equal values."""
    if type(value) is str:
        return value
    if isinstance(value, (list, tuple)):
        plain = set(map(type, value)) == {str}
        return tuple(value) if plain else tuple([context_key(item) for item in value])
    if isinstance(value, dict):
        return tuple((key, context_key(item)) for key, item in sorted(value.items()))
    return value
