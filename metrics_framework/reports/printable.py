"""Text as a page can show it, and in columns of a terminal; `metrics_framework.common.errors` makes it printable."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import bidirectional, category, east_asian_width, normalize

BIDI_CONTROLS = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))
"""The bidirectional classes of the invisible characters that change the direction of the text after them."""
_RIGHT_TO_LEFT = frozenset(("R", "AL", "AN"))
_ZERO_WIDTH = frozenset(("Mn", "Me", "Cf"))  # combining marks and format characters
_JOINER = "\u200d"
_EMOJI = re.compile(".(?=\ufe0f)")


def replaced_for_page(text: str) -> str:
    """Replaces the characters that neither HTML nor XML can hold with U+FFFD.

    >>> replaced_for_page("a\\tb \\x00")
    'a\\tb �'
    """
    if text.isprintable():
        return text
    return "".join("�" if _is_not_for_pages(character) else character for character in text)


def _is_not_for_pages(character: str) -> bool:
    return (category(character) in ("Cc", "Cs") and character not in "\t\n\r") or character in "\ufffe\uffff"


def isolated(name: str) -> str:
    """Isolates a name that could change the direction of the text around it (with U+2068 and U+2069).

    >>> isolated("plain"), isolated("שלום")
    ('plain', '\\u2068שלום\\u2069')
    """
    classes = set(map(bidirectional, name))
    return name if classes.isdisjoint(BIDI_CONTROLS | _RIGHT_TO_LEFT) else f"\u2068{name}\u2069"


def display_width(text: str) -> int:
    """Returns the number of terminal columns that a text takes: two for a wide character, none for a combining mark.

    An emoji of several characters (joined by U+200D, or selected by U+FE0F) takes two columns.

    >>> display_width("cat"), display_width("猫"), display_width("cafe\\u0301"), display_width("\\u2764\\ufe0f")
    (3, 2, 4, 2)
    """
    if text.isascii():
        return len(text)
    text = re.sub(f"{_JOINER}.", "", normalize("NFC", text))  # composes Hangul, whose parts are not combining marks
    shown = [character for character in text if category(character) not in _ZERO_WIDTH]
    wide = sum(east_asian_width(character) in "WF" for character in shown)
    return len(shown) + wide + sum(east_asian_width(found[0]) not in "WF" for found in _EMOJI.finditer(text))


def aligned(cells: Sequence[str], widths: Sequence[int], left: int) -> list[str]:
    """Pads the cells of a row to the display widths of their columns.

    Args:
        cells: The cells.
        widths: The width of each column.
        left: The number of columns that are left-aligned; the columns after them are right-aligned.
    """
    padding = [" " * (width - display_width(cell)) for cell, width in zip(cells, widths, strict=True)]
    return [
        cell + spaces if index < left else spaces + cell
        for index, (cell, spaces) in enumerate(zip(cells, padding, strict=True))
    ]
