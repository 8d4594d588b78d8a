"""Fences: numbers that mark in a prompt where texts begin and end, and that no text contains."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from itertools import count

FENCE = "fence"
"""The name of the fence in a template."""
DIGITS = 12


def fence_of(texts: Sequence[str]) -> str:
    """Returns a number of twelve digits that none of some texts contains.

    The number comes from a SHA-256 of the texts, so that it is the same in every run and in any order of the texts, and
    that a text cannot contain its own number except by a long search; then the next hash is used.

    Args:
        texts: All texts of a prompt.

    >>> fence_of(["A cat.", "A dog."]), fence_of(["A dog.", "A cat."])
    ('617719017306', '617719017306')
    """
    ordered = sorted(texts)
    numbers = (_number(attempt, ordered) for attempt in count())
    return next(number for number in numbers if not any(number in text for text in ordered))


def _number(attempt: int, texts: Sequence[str]) -> str:
    digest = hashlib.sha256(json.dumps([attempt, *texts]).encode("ascii")).hexdigest()
    return f"{int(digest, 16) % 10**DIGITS:0{DIGITS}}"
