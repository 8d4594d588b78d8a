"""A text: one string, or the list of its sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from metrics_framework.common.errors import InputError

Text: TypeAlias = str | Sequence[str]


def as_string(text: Text) -> str:
    """Joins the sentences of a text with spaces.

    >>> as_string(["A cat.", "It sat."])
    'A cat. It sat.'
    """
    return text if isinstance(text, str) else " ".join(text)


def without_paragraphs(value: Any) -> Any:
    """Returns the sentences of a document that is a list of paragraphs, and other values unchanged.

    >>> without_paragraphs([["A cat.", "It sat."], ["A dog."]])
    ['A cat.', 'It sat.', 'A dog.']
    """
    if not isinstance(value, (list, tuple)) or not any(isinstance(part, (list, tuple)) for part in value):
        return value
    if not all(isinstance(part, str) or is_text(part) for part in value):
        return value
    return [sentence for part in value for sentence in ([part] if isinstance(part, str) else part)]


def is_text(value: Any) -> bool:
    """Returns whether a value is a text: a string or a list of strings."""
    if isinstance(value, str):
        return True
    return isinstance(value, (list, tuple)) and all(isinstance(sentence, str) for sentence in value)


def shown(value: Any, longest: int = 60) -> str:
    """Describes a value for an error message: its type, and its start if it is long."""
    kind = {str: "the string", list: "the list", dict: "the object", bool: "the boolean"}.get(type(value), "")
    if value is None:
        return "null"
    text = repr(value)
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    if not kind and isinstance(value, (int, float)):
        kind = "the number"
    return f"{kind} {text}".strip()


def check_text(value: Any, name: str) -> None:
    """Checks that a value is a text.

    Raises:
        InputError: if it is neither a string nor a list of strings.
    """
    if not is_text(value):
        raise InputError(f"'{name}' must be a text (a string or a list of strings), got {shown(value)}")


def check_texts(value: Any, name: str) -> None:
    """Checks that a value is a non-empty list of texts.

    Raises:
        InputError: if it is not a non-empty list of texts.
    """
    if isinstance(value, (list, tuple)) and value:
        for text in value:
            if not isinstance(text, str):
                check_text(text, name)
        return
    raise InputError(f"'{name}' must be a non-empty list of texts, got {shown(value)}")
