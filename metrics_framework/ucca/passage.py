"""UCCA passages: words of a text, and units above them that are joined by tagged edges.

`metrics_framework.ucca.standard_xml` reads them. A passage does not change once it is there.
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
    """A word or a mark of the text.

    Args:
        name: Its id.
        text: How it is written.
        is_punctuation: Whether it is a mark.
    """

    name: str
    text: str
    is_punctuation: bool = False


@dataclass(frozen=True)
class Edge:
    """What joins a unit to what stands below it.

    Args:
        tag: What the lower one is to the upper one, as in ``P`` for its process.
        child: The id of the lower one.
        is_remote: Whether the lower one belongs to another unit, and takes part in this one as well.
    """

    tag: str
    child: str
    is_remote: bool = False


@dataclass(frozen=True)
class Unit:
    """A node above the words.

    Args:
        name: Its id.
        kind: ``FN``, a unit of meaning; ``PNCT``, one of punctuation; ``LKG``, a link between others.
        edges: The edges to what stands below, in the order of the ids there.
        is_implicit: Whether it stands for something that the text does not say.
    """

    name: str
    kind: str
    edges: tuple[Edge, ...] = ()
    is_implicit: bool = False


@dataclass(frozen=True)
class Passage:
    """A text and its units. No path of edges, remote ones among them, comes back to where it began.

    Args:
        terminals: The words and marks in the order of the text.
        units: The nodes above them in the order of their ids.
    """

    terminals: tuple[Terminal, ...]
    units: tuple[Unit, ...]

    @property
    def words(self) -> list[str]:
        """The words and marks as they are written."""
        return [terminal.text for terminal in self.terminals]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {terminal.name: place for place, terminal in enumerate(self.terminals)}

    @cached_property
    def _units(self) -> dict[str, Unit]:
        return {unit.name: unit for unit in self.units}

    def children(self, unit: Unit, tags: Collection[str]) -> list[Unit]:
        """Returns the units below one, remote ones among them, to which an edge with one of these tags leads."""
        return [self._units[edge.child] for edge in unit.edges if edge.tag in tags]

    def places_below(self, unit: Unit) -> frozenset[int]:
        """Returns the places in the text of all words below a unit, those of remote units among them, without marks."""
        found, seen, waiting = set(), {unit.name}, [unit]
        while waiting:
            for edge in waiting.pop().edges:
                if edge.child in seen:
                    continue
                seen.add(edge.child)
                if edge.tag == TERMINAL:
                    found.add(self._places[edge.child])
                elif self._units[edge.child].kind != PUNCTUATION_UNIT:
                    waiting.append(self._units[edge.child])
        return frozenset(place for place in found if not self.terminals[place].is_punctuation)


# ---- the words of a text and those of its passage --------------------------------------------------------------------

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_PENN_BRACKETS = {"L": "([{", "R": ")]}"}
_BRACKET = re.compile(r"-([LR])([RSC])B-")
_QUOTES = str.maketrans(dict.fromkeys('"“”„‟', "''") | dict.fromkeys("`´‘’‚‛", "'"))


def without_what_xml_cannot_hold(text: str) -> str:
    """Returns a text without the control characters and lone surrogates that no XML file can hold."""
    return _NOT_IN_XML.sub("", text)


def letters(text: str | Sequence[str]) -> str:
    r"""Returns what a text and the words of its passage must have in common.

    White space is left out, and so are characters that XML cannot hold; quotes become plain apostrophes, a double quote
    two of them, and the brackets of the Penn Treebank become brackets.

    Args:
        text: A text, or its words.

    >>> letters('He said: "Go (now)!"') == letters("He said : `` Go -LRB- now -RRB- ! ''".split())
    True
    """
    joined = "".join((text if isinstance(text, str) else " ".join(text)).split())
    joined = without_what_xml_cannot_hold(joined).translate(_QUOTES)
    return _BRACKET.sub(lambda match: _PENN_BRACKETS[match[1]]["RSC".index(match[2])], joined)
