"""Parts of Markdown that the generated pages share."""

from __future__ import annotations

import re
from collections.abc import Iterable


def joined(names: Iterable[str]) -> str:
    """Returns names as code, separated by commas."""
    return ", ".join(f"`{name}`" for name in names)


def cell(text: str) -> str:
    """Returns a text for a cell of a table, in which it is neither a cell nor a tag."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def fence(language: str, text: str) -> str:
    """Returns a code block."""
    return f"```{language}\n{text}\n```\n"


def anchor(heading: str) -> str:
    """Returns the anchor that code hosts give to a heading.

    >>> anchor("What is `fw`, and why?")
    'what-is-fw-and-why'
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
