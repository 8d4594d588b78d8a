"""The texts in a field of a row, as they are inserted into a prompt."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from metrics_framework.common.errors import InputError
from metrics_framework.data.fields import FIELD_CHECKS
from metrics_framework.data.texts import as_string, check_text, shown

LISTS = ("references", "documents")
TEXTS = ("summary", "source", "first", "second")


def texts_of(name: str, value: Any) -> list[str]:
    """Returns the texts of a field.

    The items of a list are separate texts, except in a field that is one text, whose sentences they are. Numbers and
    truth values are written as in JSON.

    Args:
        name: The field.
        value: Its value.

    Raises:
        InputError: if it is neither a text, a number nor a list of them.

    >>> texts_of("summary", ["A cat.", "It sat."]), texts_of("context", ["A cat.", {"text": "A dog."}])
    (['A cat. It sat.'], ['A cat.', 'A dog.'])
    """
    if name in TEXTS:
        check_text(value, name)
        return [as_string(value)]
    if name in LISTS:
        FIELD_CHECKS[name](value, name)
        return list(map(as_string, value))
    is_list = isinstance(value, (list, tuple))
    if is_list and not value:
        raise InputError(f"'{name}' is in the prompt, so it must not be an empty list")
    return [_text(name, item) for item in (value if is_list else [value])]


def _text(name: str, value: Any) -> str:
    inner = value["text"] if isinstance(value, dict) and "text" in value else value
    if isinstance(inner, (bool, int, float)):
        return json.dumps(inner)
    if isinstance(inner, str) or (isinstance(inner, (list, tuple)) and all(isinstance(part, str) for part in inner)):
        return as_string(inner)
    raise InputError(f"'{name}' is in the prompt, so it must be a text, a number or a list of them, got {shown(value)}")


def inserted(texts: Sequence[str], fence: str = "") -> str:
    """Returns one text as it is, and several with numbers, separated by empty lines.

    Args:
        texts: The texts.
        fence: Part of each number in a template with a fence.

    >>> inserted(["a", "b"]), inserted(["a", "b"], "617")
    ('[1] a\\n\\n[2] b', '[1-617] a\\n\\n[2-617] b')
    """
    end = f"-{fence}]" if fence else "]"
    return (
        texts[0] if len(texts) == 1 else "\n\n".join(f"[{number}{end} {text}" for number, text in enumerate(texts, 1))
    )
