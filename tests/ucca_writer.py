"""Writes UCCA passages from brackets, so that a test can show one in a line or two.

A unit is ``[TAG …]`` with words, marks and units in it; the text follows from their order. ``[A=she She]`` gives a
unit a label, ``[A>she]`` is a remote edge to it, ``[A!]`` an implicit unit. Marks stand in ``[U …]``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from metrics_framework.ucca.passage import Passage, parse_passage

TOKEN = re.compile(r"\[[A-Z]+(?:=\w+|>\w+|!)?|\]|[^\s\[\]]+")


@dataclass
class Node:
    """A node of the layer of units."""

    number: int
    kind: str = "FN"
    implicit: bool = False
    edges: list[tuple[str, str, bool]] = field(default_factory=list)


class Writer:
    """Makes the nodes of one passage."""

    def __init__(self, brackets: str) -> None:
        self.words: list[tuple[str, str]] = []
        self.nodes = [Node(1)]
        self.labels: dict[str, int] = {}
        path = [self.nodes[0]]
        for token in TOKEN.findall(brackets):
            if token == "]":
                path.pop()
            elif token.startswith("["):
                path.append(self.opened(path[-1], *re.split("([=>!])", token[1:])))
            else:
                self.words.append((token, "Punctuation" if path[-1].kind == "PNCT" else "Word"))
                path[-1].edges.append(("Terminal", f"0.{len(self.words)}", False))
        assert path == [self.nodes[0]], f"the brackets of {brackets} do not close"

    def opened(self, parent: Node, tag: str, sign: str = "", label: str = "") -> Node:
        if sign == ">":
            parent.edges.append((tag, label, True))
            return Node(0)
        node = Node(len(self.nodes) + 1, "PNCT" if tag == "U" else "FN", sign == "!")
        self.nodes.append(node)
        parent.edges.append((tag, f"1.{node.number}", False))
        if sign == "=":
            self.labels[label] = node.number
        return node

    def xml(self) -> str:
        lines = ['<root passageID="1" annotationID="0">', '<attributes/><layer layerID="0"><attributes/>']
        for place, (word, kind) in enumerate(self.words, 1):
            where = f'text={quoteattr(word)} paragraph="1" paragraph_position="{place}"'
            lines.append(f'<node ID="0.{place}" type="{kind}"><attributes {where}/></node>')
        lines.append('</layer><layer layerID="1"><attributes/>')
        for node in self.nodes:
            implicit = ' implicit="True"' if node.implicit else ""
            lines.append(f'<node ID="1.{node.number}" type="{node.kind}"><attributes{implicit}/>')
            for tag, to, remote in node.edges:
                child = f"1.{self.labels[to]}" if remote else to
                attributes = '<attributes remote="True"/>' if remote else "<attributes/>"
                lines.append(f'<edge toID="{child}" type="{tag}">{attributes}<category tag="{tag}"/></edge>')
            lines.append("</node>")
        return "\n".join([*lines, "</layer></root>", ""])


def passage_xml(brackets: str) -> str:
    """Returns the standard XML of a passage."""
    return Writer(brackets).xml()


def passage(brackets: str) -> Passage:
    """Returns a passage."""
    return parse_passage(passage_xml(brackets).encode(), "passage.xml")


def words_of(brackets: str) -> str:
    """Returns the text of a passage, with blanks between its words."""
    return " ".join(word for word, _ in Writer(brackets).words)
