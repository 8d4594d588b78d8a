"""UCCA passages: directed acyclic graphs of units with labelled edges, over the words of a text.

`metrics_framework.ucca.standard_xml` reads them. They are immutable.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

UNIT, PUNCTUATION_UNIT, LINKAGE = "FN", "PNCT", "LKG"
TERMINAL = "Terminal"


@dataclass(frozen=True)
class Terminal:
    """A word or punctuation mark of the text.

    Args:
        name: Its id.
        text: Its text.
        is_punctuation: Whether it is a punctuation mark.
    """

    name: str
    text: str
    is_punctuation: bool = False


@dataclass(frozen=True)
class Edge:
    """An edge from a unit to a child.

    Args:
        tag: The role of the child in the unit, such as ``P`` for its process.
        child: The id of the child.
        is_remote: Whether the child belongs to another unit and is only shared by this unit.
    """

    tag: str
    child: str
    is_remote: bool = False


@dataclass(frozen=True)
class Unit:
    """A node above the terminals.

    Args:
        name: Its id.
        kind: ``FN``, a foundational unit; ``PNCT``, punctuation; ``LKG``, a linkage between units.
        edges: The edges to its children, sorted by the ids of the children.
        is_implicit: Whether it has no words in the text.
    """

    name: str
    kind: str
    edges: tuple[Edge, ...] = ()
    is_implicit: bool = False


@dataclass(frozen=True)
class Passage:
    """A text and its units, without cycles (even along remote edges).

    Args:
        terminals: The words and punctuation marks in the order of the text.
        units: The units, sorted by their ids.
    """

    terminals: tuple[Terminal, ...]
    units: tuple[Unit, ...]

    @property
    def words(self) -> list[str]:
        """The texts of the terminals."""
        return [terminal.text for terminal in self.terminals]

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {terminal.name: index for index, terminal in enumerate(self.terminals)}

    @cached_property
    def _units(self) -> dict[str, Unit]:
        return {unit.name: unit for unit in self.units}

    def children(self, unit: Unit, tags: Collection[str]) -> list[Unit]:
        """Returns the child units of a unit along edges with one of these tags, including remote ones."""
        return [self._units[edge.child] for edge in unit.edges if edge.tag in tags]

    def word_indices(self, unit: Unit) -> frozenset[int]:
        """Returns the indices of all words below a unit, including remote units, without punctuation."""
        found, seen, waiting = set(), {unit.name}, [unit]
        while waiting:
            for edge in waiting.pop().edges:
                if edge.child in seen:
                    continue
                seen.add(edge.child)
                if edge.tag == TERMINAL:
                    found.add(self._indices[edge.child])
                elif self._units[edge.child].kind != PUNCTUATION_UNIT:
                    waiting.append(self._units[edge.child])
        return frozenset(index for index in found if not self.terminals[index].is_punctuation)


# ---- matching of texts and passages ----------------------------------------------------------------------------------

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_PENN_BRACKETS = {"L": "([{", "R": ")]}"}
_BRACKET = re.compile(r"-([LR])([RSC])B-")
_QUOTES = str.maketrans(dict.fromkeys('"“”„‟', "''") | dict.fromkeys("`´‘’‚‛", "'"))


def without_non_xml_characters(text: str) -> str:
    """Removes the control characters and lone surrogates that XML cannot contain."""
    return _NOT_IN_XML.sub("", text)


def letters(text: str | Sequence[str]) -> str:
    r"""Returns the normalized characters of a text, which must equal those of the words of its passage.

    Whitespace and characters that XML cannot contain are removed; single quotes become apostrophes, double quotes two
    apostrophes, and bracket names of the Penn Treebank become brackets.

    Args:
        text: A text, or its words.

    >>> letters('He said: "Go (now)!"') == letters("He said : `` Go -LRB- now -RRB- ! ''".split())
    True
    """
    joined = "".join((text if isinstance(text, str) else " ".join(text)).split())
    joined = without_non_xml_characters(joined).translate(_QUOTES)
    return _BRACKET.sub(lambda match: _PENN_BRACKETS[match[1]]["RSC".index(match[2])], joined)
