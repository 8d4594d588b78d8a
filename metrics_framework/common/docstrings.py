"""Reads Google docstrings: the first line, the description and the texts under ``Args:``."""

from __future__ import annotations

import re
from typing import NamedTuple

_SECTION = re.compile(
    r"(Args|Attributes|Errors|Example|Examples|Formula|Raises|Range|Returns|Source|Units|Yields):\s*$"
)
_ARGUMENT = re.compile(r"(\w+)(?:\s*\([^)]*\))?:\s*(.*)$")


class Docstring(NamedTuple):
    """A docstring in its parts.

    Args:
        summary: The first line.
        description: What stands between the first line and the first section.
        arguments: Parameter name to its text.
    """

    summary: str
    description: str
    arguments: dict[str, str]


def parse_docstring(text: str | None) -> Docstring:
    """Takes a docstring apart."""
    lines = _dedented(text or "")
    summary = lines[0].strip() if lines else ""
    sections: dict[str, list[str]] = {"": []}
    current = ""
    for line in lines[1:]:
        match = _SECTION.match(line)
        if match:
            current = match[1]
            sections.setdefault(current, [])
        elif line.startswith(">>>"):
            current = "doctest"
            sections.setdefault(current, [])
        elif line and not line[0].isspace() and current not in ("", "doctest"):
            current = ""
            sections[""].append(line)
        else:
            sections[current].append(line)
    return Docstring(summary, "\n".join(sections[""]).strip(), _arguments(sections.get("Args", [])))


def _dedented(text: str) -> list[str]:
    import inspect

    return inspect.cleandoc(text).split("\n")


def _arguments(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    for line in lines:
        text = line.strip()
        match = _ARGUMENT.match(text) if len(line) - len(line.lstrip()) == indent else None
        if match:
            name = match[1]
            found[name] = match[2]
        elif name and text:
            found[name] += f" {text}"
    return found
