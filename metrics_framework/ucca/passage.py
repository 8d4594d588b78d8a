"""UCCA passages: directed acyclic graphs of units with labelled edges, over the words of a text.

Passages are immutable, and read from the standard XML format. A file contains one ``<root>`` with two layers. The nodes
of layer ``0`` are the words (``Word``) and punctuation marks (``Punctuation``) of the text, the nodes of layer ``1``
the units (``FN``, ``PNCT``, ``LKG``)::

    <root passageID="1" annotationID="0"><attributes/>
      <layer layerID="0"><attributes/>
        <node ID="0.1" type="Word"><attributes text="Stop" paragraph="1" paragraph_position="1"/></node>
        <node ID="0.2" type="Punctuation"><attributes text="!" paragraph="1" paragraph_position="2"/></node>
      </layer>
      <layer layerID="1"><attributes/>
        <node ID="1.1" type="FN"><attributes/><edge toID="1.2" type="H"><attributes/></edge></node>
        <node ID="1.2" type="FN"><attributes/>
          <edge toID="1.3" type="P"><attributes/></edge><edge toID="1.4" type="A"><attributes/></edge></node>
        <node ID="1.3" type="FN"><attributes/><edge toID="0.1" type="Terminal"><attributes/></edge></node>
        <node ID="1.4" type="FN"><attributes implicit="True"/></node>
      </layer>
    </root>

An id is the layer, a period and a number; nodes are sorted by their numbers. The tag of an edge is its ``type``; the
element ``<category>``, which repeats it, is ignored, and so are ``<extra>`` and unused attributes such as the
paragraph. A remote edge has ``<attributes remote="True"/>``. Everything else is validated. A document type is an error,
so a file cannot define entities.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from metrics_framework.common.errors import DataError
from metrics_framework.common.overriding import overrides
from metrics_framework.io.reading import content_of
from metrics_framework.io.strict_xml import StrictXmlReader

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
        line: Where it is in its file; equal edges may differ in it.
    """

    tag: str
    child: str
    is_remote: bool = False
    line: int = field(default=0, compare=False, repr=False)


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


_LAYERS = {"0": "the words", "1": "the units"}
_KINDS = {"0": ("Word", "Punctuation"), "1": ("FN", "PNCT", "LKG")}
_ID = re.compile(r"([01])\.([1-9][0-9]{0,8})")


def read_passage(path: str) -> Passage:
    """Reads a passage from a file.

    Raises:
        DataError: with the line, if the file cannot be read or is not one passage in the standard format.
    """
    return parse_passage(content_of(path), path)


def parse_passage(data: bytes, path: str) -> Passage:
    """Parses a passage.

    Args:
        data: The XML, in the encoding that it declares, by default UTF-8.
        path: Its name in error messages.

    Raises:
        DataError: with the line, if it is not one passage in the standard format.
    """
    layers = _NodeReader(data, path).layers
    words, units = ([layers[layer][name] for name in sorted(layers[layer], key=_order)] for layer in _LAYERS)
    for node in (*words, *units):
        _check_edges(node, layers, path)
    _check_cycles(layers["1"], path)
    return Passage(
        tuple(Terminal(node.name, node.text, node.kind == "Punctuation") for node in words),
        tuple(
            Unit(node.name, node.kind, tuple(sorted(node.edges, key=lambda edge: _order(edge.child))), node.is_implicit)
            for node in units
        ),
    )


# ---- reading nodes ---------------------------------------------------------------------------------------------------


@dataclass
class _Node:
    line: int
    name: str
    kind: str
    text: str = ""
    is_implicit: bool = False
    edges: list[Edge] = field(default_factory=list)


_Layers = dict[str, dict[str, _Node]]


class _NodeReader(StrictXmlReader):
    """Collects the nodes of a file in one pass.

    Attributes:
        layers: The nodes of each layer by id.
    """

    inside = {
        "": ("root",),
        "root": ("attributes", "extra", "layer"),
        "layer": ("attributes", "extra", "node"),
        "node": ("attributes", "extra", "edge"),
        "edge": ("attributes", "extra", "category"),
    }
    format = "the standard format of UCCA passages"

    def __init__(self, data: bytes, path: str) -> None:
        super().__init__(path)
        self.layers: _Layers = {}
        self._layer = ""
        self._node = _Node(0, "", "")
        self.read(data)

    @overrides
    def start(self, name: str, outer: str, attributes: dict[str, str]) -> None:
        if name in ("layer", "node", "edge"):
            getattr(self, f"_start_{name}")(attributes)
        elif name == "attributes" and outer in ("node", "edge"):
            getattr(self, f"_attributes_of_{outer}")(attributes)

    @overrides
    def end(self, name: str) -> None:
        if name == "node" and self._layer == "0" and not self._node.text.strip():
            raise self.error(f"has the word '{self._node.name}' without a 'text' in its <attributes>")
        missing = [layer for layer in _LAYERS if layer not in self.layers] if name == "root" else []
        if missing:
            raise self.error(f"layer {missing[0]} ({_LAYERS[missing[0]]}) is missing")

    def _start_layer(self, attributes: Mapping[str, str]) -> None:
        self._layer = self._required("layer", attributes, "layerID")
        if self._layer not in _LAYERS:
            raise self.error(f"has a layer '{self._layer}'; a passage has only the layers 0 (words) and 1 (units)")
        if self._layer in self.layers:
            raise self.error(f"has a duplicate layer {self._layer}")
        self.layers[self._layer] = {}

    def _start_node(self, attributes: Mapping[str, str]) -> None:
        name, kind = self._required("node", attributes, "ID"), self._required("node", attributes, "type")
        layer = self.layers[self._layer]
        match = _ID.fullmatch(name)
        if match is None or match[1] != self._layer:
            raise self.error(
                f"has a node '{name}' in layer {self._layer}; ids must be {self._layer}.1, {self._layer}.2, …"
            )
        if name in layer:
            raise self.error(f"has a duplicate id '{name}' (first on line {layer[name].line})")
        if kind not in _KINDS[self._layer]:
            kinds = " or ".join(_KINDS[self._layer])
            raise self.error(f"has a node of type '{kind}' in layer {self._layer}; the type must be {kinds}")
        self._node = layer[name] = _Node(self.line, name, kind)

    def _start_edge(self, attributes: Mapping[str, str]) -> None:
        tag, child = self._required("edge", attributes, "type"), self._required("edge", attributes, "toID")
        self._node.edges.append(Edge(tag, child, line=self.line))

    def _attributes_of_node(self, attributes: Mapping[str, str]) -> None:
        self._node.text = attributes.get("text", "")
        self._node.is_implicit = self._boolean(attributes, "implicit")

    def _attributes_of_edge(self, attributes: Mapping[str, str]) -> None:
        self._node.edges[-1] = replace(self._node.edges[-1], is_remote=self._boolean(attributes, "remote"))

    def _required(self, element: str, attributes: Mapping[str, str], name: str) -> str:
        value = attributes.get(name)
        if not value:
            raise self.error(f"has <{element}> without the attribute '{name}'")
        return value

    def _boolean(self, attributes: Mapping[str, str], name: str) -> bool:
        value = attributes.get(name, "False")
        if value not in ("True", "False"):
            raise self.error(f"'{name}' must be True or False, got '{value}'")
        return value == "True"


# ---- checks ----------------------------------------------------------------------------------------------------------


def _order(name: str) -> tuple[str, int]:
    layer, _, number = name.partition(".")
    return layer, int(number)


def _check_edges(node: _Node, layers: _Layers, path: str) -> None:
    for edge in node.edges:
        if node.name in layers["0"]:
            raise DataError(f"has an edge from the word '{node.name}'; words cannot have edges", path, edge.line)
        if not any(edge.child in layer for layer in layers.values()):
            raise DataError(f"has an edge from '{node.name}' to '{edge.child}', which does not exist", path, edge.line)
        if (edge.tag == TERMINAL) != (edge.child in layers["0"]):
            found = f"has an edge of type '{edge.tag}' from '{node.name}' to '{edge.child}'"
            raise DataError(
                f"{found}; edges to words, and only these, must have the type '{TERMINAL}'", path, edge.line
            )


def _check_cycles(units: Mapping[str, _Node], path: str) -> None:
    cycle = _cycle({name: [edge.child for edge in units[name].edges if edge.tag != TERMINAL] for name in units})
    if cycle:
        line = next(edge.line for edge in units[cycle[-1]].edges if edge.child == cycle[0])
        ids = " → ".join([*cycle, cycle[0]])
        raise DataError(f"has a cycle of edges: {ids}", path, line)


def _cycle(children: Mapping[str, Sequence[str]]) -> list[str]:
    """Returns the ids of a cycle, an empty list without one."""
    done: set[str] = set()
    for start in children:
        path = {} if start in done else {start: iter(children[start])}
        while path:
            name = next(reversed(path))
            child = next((one for one in path[name] if one not in done), None)
            if child is None:
                done.add(name)
                del path[name]
            elif child in path:
                ids = list(path)
                return ids[ids.index(child) :]
            else:
                path[child] = iter(children[child])
    return []
