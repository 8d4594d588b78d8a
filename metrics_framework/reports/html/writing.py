"""How a report writes names and counts within its own sentences."""

from __future__ import annotations

from unicodedata import bidirectional

TURNING = frozenset(("R", "AL", "AN", "RLE", "LRE", "RLO", "LRO", "PDF", "RLI", "LRI", "FSI", "PDI"))
"""The bidirectional classes of signs that have a say in the direction of the signs around them."""


def isolated(name: str) -> str:
    """Keeps a name from turning round the text in which it stands: isolates it (U+2068, U+2069) where it could.

    >>> isolated("plain"), isolated("שלום")
    ('plain', '\\u2068שלום\\u2069')
    """
    return f"\u2068{name}\u2069" if any(bidirectional(sign) in TURNING for sign in name) else name


def counted(number: int, word: str) -> str:
    """Writes a number with its word.

    >>> counted(1, "sentence"), counted(2, "sentence")
    ('1 sentence', '2 sentences')
    """
    return f"{number} {word}{'' if number == 1 else 's'}"
