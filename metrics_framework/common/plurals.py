"""Counts with their nouns."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """Returns a count with its noun, in the plural unless the count is 1.

    >>> counted(1, "sentence"), counted(0, "system")
    ('1 sentence', '0 systems')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
