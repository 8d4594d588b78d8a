"""The one function that makes text printable; everything that is printed for people goes through it (decision 0030)."""

from __future__ import annotations

import re

UNPRINTABLE = "[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
"""Matches C0 and C1 controls, line and paragraph separators, bidirectional controls, and surrogates."""


def printable(text: str, keep: str = "") -> str:
    """Escapes the characters that control a terminal, end a line, change the text direction or cannot be encoded.

    Text from files (ids, signatures, JSON keys, file names) and from servers can contain any character.

    Args:
        text: The text.
        keep: Characters that are not escaped, such as the line breaks of a text that was printable line by line.

    >>> printable("a\\nb \\x1b[31m"), printable("a\\nb", keep="\\n"), printable("café שלום")
    ('a\\\\nb \\\\x1b[31m', 'a\\nb', 'café שלום')
    """
    if text.isprintable():
        return text
    return re.sub(
        UNPRINTABLE, lambda found: found[0] if found[0] in keep else found[0].encode("unicode_escape").decode(), text
    )
