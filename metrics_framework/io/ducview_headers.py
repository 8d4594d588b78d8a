"""The headers that separate the model summaries in a pyramid file of DUCView.

A file describes its headers by a regular expression. A regular expression from a file could take forever to match, so
it is accepted only as a sequence of characters and classes, each with at most one quantifier, whose runs are bounded.
Without such an expression, a header is a line between two lines of hyphens.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass

_TOKENS = re.compile(
    r"""(?P<group>[()])
    |(?P<atom>\[\^?\]?(?:\\.|[^\]\\])*\]|\\[^0-9]|[^\\()|*+?{}\[\]^$])
     (?P<quantifier>[*+?]|\{[0-9]{1,3}(?:,[0-9]{0,3})?\})?""",
    re.DOTALL | re.VERBOSE,
)
_MAX_RUN = 200
_ASCII = "".join(map(chr, range(128)))
_DEFAULT = re.compile(
    r"(?:^|(?<=\n))-{3,200}[ \t]*\n[ \t]{0,200}(?P<name>[^\s-][^\n]{0,200})\n-{3,200}[ \t]{0,200}(?:\n|\Z)"
)


@dataclass(frozen=True)
class Header:
    """A header.

    Args:
        name: The name of the author: the part of the file name after its last period.
        start: The position of its first character.
        end: The position after its last character.
    """

    name: str
    start: int
    end: int


def summary_headers(text: str, expression: str) -> list[Header]:
    """Returns the headers of a text.

    Args:
        text: The text of all summaries.
        expression: The regular expression of the file, empty if it has none.

    >>> summary_headers("-----\\nD1.M.250.A.B\\n-----\\nThe cat sat.", "")
    [Header(name='B', start=0, end=25)]
    """
    pattern = _bounded(expression.strip()) or _DEFAULT
    found = [match for match in pattern.finditer(text) if match[0].strip()]
    return [Header(_author(match[0]), *match.span()) for match in found]


def _author(header: str) -> str:
    return header.strip(" -\n\r\t").rpartition(".")[2].strip() or header.strip()


def _bounded(expression: str) -> re.Pattern[str] | None:
    """Returns a regular expression that never backtracks over more than a run, `None` if it is of another form."""
    atoms: list[tuple[str, str]] = []
    end = 0
    for token in _TOKENS.finditer(expression):
        if token.start() != end:
            return None
        end = token.end()
        if token["atom"]:  # groups without quantifier and alternative only mark a part
            atoms.append((token["atom"], _quantifier(token["quantifier"] or "")))
    if not atoms or end != len(expression):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)  # of brackets that may get another meaning
            return None if _is_ambiguous(atoms) else re.compile("".join(map("".join, atoms)))
    except (re.error, FutureWarning):
        return None


def _quantifier(written: str) -> str:
    """Bounds a run: ``*`` becomes ``{0,200}``."""
    bounds = {"*": "{0,", "+": "{1,"}.get(written, written)
    return re.sub(r",\}?\Z", f",{_MAX_RUN}}}", bounds)


def _is_ambiguous(atoms: list[tuple[str, str]]) -> bool:
    """Returns whether the character after a run could also belong to the run, so that a match has several forms."""
    characters = [set(re.findall(atom, _ASCII, re.DOTALL)) for atom, _ in atoms]
    for index, (_, quantifier) in enumerate(atoms):
        if quantifier:
            for following in range(index + 1, len(atoms)):
                if characters[index] & characters[following]:
                    return True
                if not atoms[following][1].startswith(("{0", "?")):
                    break
    return False
