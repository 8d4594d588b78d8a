"""Parses Google docstrings: the first line, the description and the texts under ``Args:``."""

from __future__ import annotations

import re
from typing import NamedTuple

_SECTION = re.compile(
    r"(Args|Attributes|Errors|Example|Examples|Formula|Raises|Range|Returns|Source|Units|Yields):\s*$"
)
_ARGUMENT = re.compile(r"(\w+)(?:\s*\([^)]*\))?:\s*(.*)$")


class Docstring(NamedTuple):
    """The parts of a docstring.

    Args:
        summary: The first line.
        description: The text between the first line and the first section.
        args: The lines of the section ``Args:``.
    """

    summary: str
    description: str
    args: list[str]

    @property
    def arguments(self) -> dict[str, str]:
        """The text of each parameter."""
        texts: dict[str, str] = {}
        name = ""
        indent = min((len(line) - len(line.lstrip()) for line in self.args if line.strip()), default=0)
        for line in self.args:
            text = line.strip()
            match = _ARGUMENT.match(text) if len(line) - len(line.lstrip()) == indent else None
            if match:
                name = match[1]
                texts[name] = match[2]
            elif name and text:
                texts[name] += f" {text}"
        return texts


def parse_docstring(text: str | None) -> Docstring:
    """Splits a docstring into its parts."""
    lines = _without_indent(text or "")
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
    return Docstring(summary, "\n".join(sections[""]).strip(), sections.get("Args", []))


def _without_indent(text: str) -> list[str]:
    """Returns the lines of a docstring without their common indent and without empty lines around them."""
    lines = text.expandtabs().split("\n")
    indent = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    return "\n".join([lines[0].lstrip(), *(line[indent:] for line in lines[1:])]).strip("\n").split("\n")
