"""Character n-gram graphs (Giannakopoulos and Karkaletsis, 2008): which n-grams of a text are near each other.

This module defines what the native kernel computes, to the last bit: sums run over the edges of a graph in the order in
which its text adds them, at distance 1, then at distance 2, and so on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

_LINE_ENDS = re.compile("\r\n|\r")
_NON_BMP = re.compile("[\U00010000-\U0010ffff]")


@dataclass
class Graph:
    """An undirected graph of n-grams.

    Two n-grams have one entry for the two directed edges between them, whose weights are always equal. The weight of an
    edge from an n-gram to itself is half of the published one, which does not change any quotient of two weights.

    Attributes:
        weights: The weight of each pair of n-grams, the lower n-gram first.
        loops: The number of edges from an n-gram to itself.
    """

    weights: dict[tuple[str, str], float] = field(default_factory=dict)
    loops: int = 0

    @property
    def size(self) -> int:
        """The number of directed edges."""
        return 2 * len(self.weights) - self.loops


def units_of(text: str) -> str:
    """Returns the UTF-16 code units of a text, one character each; every line, also the last, ends with a line feed.

    >>> units_of("a\\r\\nb")
    'a\\nb\\n'
    >>> [hex(ord(unit)) for unit in units_of("😀")]
    ['0xd83d', '0xde00', '0xa']
    """
    text = _LINE_ENDS.sub("\n", text)
    if text and not text.endswith("\n"):
        text += "\n"
    return _NON_BMP.sub(lambda match: "".join(map(chr, _surrogates(ord(match[0])))), text)


def _surrogates(code: int) -> tuple[int, int]:
    return 0xD800 + (code - 0x10000 >> 10), 0xDC00 + (code & 0x3FF)


def ngram_graph(units: str, n: int, window: int) -> Graph:
    """Returns the graph of a text: the weight of a pair is how often the two n-grams are at most ``window`` apart.

    >>> ngram_graph("abab", 1, 2).weights
    {('a', 'b'): 3.0, ('a', 'a'): 1.0, ('b', 'b'): 1.0}
    """
    nodes = [units[start : start + n] for start in range(len(units) - n + 1)]
    graph = Graph()
    weights = graph.weights
    for pair in _pairs(nodes, window):
        weights[pair] = weights.get(pair, 0.0) + 1
    graph.loops = sum(first == second for first, second in weights)
    return graph


def _pairs(nodes: Sequence[str], window: int) -> Iterator[tuple[str, str]]:
    for distance in range(1, min(window, len(nodes)) + 1):
        for first, second in zip(nodes, nodes[distance:]):  # noqa: B905 - the last nodes have no partner
            yield (first, second) if first <= second else (second, first)


def merged(graphs: Sequence[Graph]) -> Graph:
    """Merges graphs: the k-th changes the weight of a known edge by 1/k of the difference; new edges keep their weight.

    >>> merged([ngram_graph("abab", 1, 1), ngram_graph("ab", 1, 1)]).weights
    {('a', 'b'): 2.0}
    """
    weights: dict[tuple[str, str], float] = {}
    loops = 0
    for count, graph in enumerate(graphs, 1):
        for pair, weight in graph.weights.items():
            known = weights.get(pair)
            weights[pair] = weight if known is None else known + (weight - known) / count
            loops += known is None and pair[0] == pair[1]
    return Graph(weights, loops)


def similarity(summary: Graph, other: Graph) -> float:
    """Returns the value similarity: the quotients min/max of the weights of shared edges, over the larger graph's size.

    The similarity of two graphs without edges is 0.

    >>> similarity(ngram_graph("abc", 1, 1), ngram_graph("abab", 1, 1))
    0.16666666666666666
    """
    total = 0.0
    for pair, weight in other.weights.items():
        own = summary.weights.get(pair)
        if own is not None:
            quotient = min(weight, own) / max(weight, own)
            total += quotient if pair[0] == pair[1] else 2 * quotient
    size = max(summary.size, other.size)
    return total / size if size else 0.0


class NgramGraphs:
    """Compares summaries with the graphs of their references.

    Args:
        references: The texts of the references, at least one.
        orders: The orders of n-grams, ascending; a text has a graph for each.
        window: The number of n-grams before each n-gram to which edges lead.
    """

    def __init__(self, references: Sequence[str], orders: Sequence[int], window: int) -> None:
        self._orders = orders
        self._window = window
        self._references = [self._graphs(reference) for reference in references]
        self._merged = [merged(graphs) for graphs in zip(*self._references, strict=True)]

    def similarities(self, summary: str) -> tuple[float, list[float]]:
        """Returns the similarities of a summary to all references together and to each of them."""
        graphs = self._graphs(summary)
        single = [self._similarity(graphs, other) for other in self._references]
        return self._similarity(graphs, self._merged), single

    def _graphs(self, text: str) -> list[Graph]:
        units = units_of(text)
        return [ngram_graph(units, n, self._window) for n in self._orders]

    def _similarity(self, summary: Sequence[Graph], others: Sequence[Graph]) -> float:
        """Averages over the orders; order n counts min_n + … + n times."""
        weights = list(accumulate(self._orders))
        total = 0.0
        for weight, own, other in zip(weights, summary, others, strict=True):
            total += weight * similarity(own, other)
        return total / sum(weights)
