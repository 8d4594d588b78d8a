"""The layout of help texts: they fit the width of the terminal, or 80 characters if it is unknown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import wrap

from metrics_framework.common.process import terminal_width

_ITEMS = re.compile(r"\n(?=- )")


def help_width() -> int:
    """Returns the width of help texts: that of the terminal without its last column."""
    return terminal_width(80) - 1


def filled(text: str, width: int, indent: str = "") -> str:
    """Wraps a text without breaking words; all lines but the first are indented."""
    lines = wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)


def wrapped(text: str, width: int) -> str:
    """Wraps paragraphs and the items of lists; a block with indented lines, such as commands, keeps its breaks.

    >>> print(wrapped("One two three\\nfour.\\n\\n- an item\\n- one\\n  more item\\n\\n    a long command", 12))
    One two
    three four.
    <BLANKLINE>
    - an item
    - one more
      item
    <BLANKLINE>
        a long command
    """
    blocks = []
    for block in text.split("\n\n"):
        if block.startswith("- "):
            blocks.append("\n".join(filled(" ".join(item.split()), width, "  ") for item in _ITEMS.split(block)))
        elif block.startswith(" ") or "\n " in block:
            blocks.append(block)
        else:
            blocks.append(filled(block, width))
    return "\n\n".join(blocks)


def columns(rows: Mapping[str, str], width: int, column: int = 0) -> str:
    """Returns names and their descriptions in two columns.

    Args:
        rows: Maps names to their descriptions.
        width: The width of the lines.
        column: The width of the first column; by default that of the longest name.

    >>> print(columns({"ter": "Translation edit rate.", "sari": "SARI."}, 23))
      ter   Translation
            edit rate.
      sari  SARI.
    """
    indent = 4 + (column or max(map(len, rows), default=0))
    lines = [filled(f"  {name:{indent - 4}}  {text}", width, " " * indent) for name, text in rows.items()]
    return "\n".join(lines)
