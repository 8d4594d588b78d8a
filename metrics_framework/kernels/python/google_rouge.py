"""The counts and formulas of the ROUGE that the package rouge-score computes: lists of words in, scores out.

A text is the list of its lines, and a line the list of its words. A score is precision, recall and F1, from 0 to 1.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TypeAlias

Line: TypeAlias = Sequence[str]
Lines: TypeAlias = Sequence[Line]
Score: TypeAlias = tuple[float, float, float]


def best_scores(summary: Lines, references: Sequence[Lines], kinds: Sequence[str]) -> list[Score]:
    """Returns for each kind of ROUGE the score against the reference with the highest F1, the first on ties.

    Args:
        summary: The lines of a summary.
        references: The lines of its references, at least one.
        kinds: Some of ``rouge1`` to ``rouge9``, ``rougeL`` and ``rougeLsum``.

    >>> best_scores([["a", "b"]], [[["b"], ["a"]], [["a", "c"]]], ["rouge1", "rougeL", "rougeLsum"])
    [(1.0, 1.0, 1.0), (0.5, 0.5, 0.5), (1.0, 1.0, 1.0)]
    """
    return [
        max((score_of(*_hits(summary, reference, kind)) for reference in references), key=lambda score: score[2])
        for kind in kinds
    ]


def score_of(hits: int, length: int, reference_length: int) -> Score:
    """Returns precision, recall and F1, given the units in common and those of the summary and of the reference.

    >>> score_of(1, 2, 4)
    (0.5, 0.25, 0.3333333333333333)
    """
    precision, recall = hits / max(length, 1), hits / max(reference_length, 1)
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0


def _hits(summary: Lines, reference: Lines, kind: str) -> tuple[int, int, int]:
    """Returns the units in common, those of the summary and those of the reference."""
    words, reference_words = list(chain.from_iterable(summary)), list(chain.from_iterable(reference))
    if kind == "rougeL":
        return common_subsequence(words, reference_words), len(words), len(reference_words)
    if kind == "rougeLsum":
        return union_hits(summary, reference), len(words), len(reference_words)
    ngrams, reference_ngrams = (_ngrams(text, int(kind.removeprefix("rouge"))) for text in (words, reference_words))
    return (ngrams & reference_ngrams).total(), ngrams.total(), reference_ngrams.total()


def _ngrams(words: Line, order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[start : start + order]) for start in range(len(words) - order + 1))


def common_subsequence(first: Line, second: Line) -> int:
    """Returns the length of the longest common subsequence of words.

    >>> common_subsequence(["a", "c", "b", "d"], ["a", "b", "c", "d"])
    3
    """
    (last,) = deque(_rows(first, second), 1)
    return last.bit_count()


def union_hits(summary: Lines, reference: Lines) -> int:
    """Counts the words of a reference that are in a longest common subsequence of their line and a summary line.

    A word counts at most as often as it occurs in the summary.

    >>> union_hits([["a", "b"], ["c"]], [["a", "b", "c"], ["a"]])  # ab and c; a again, but it occurs only once
    3
    """
    remaining = Counter(chain.from_iterable(summary))
    hits = 0
    for line in reference:
        positions = set(chain.from_iterable(_common_positions(line, other) for other in summary))
        for position in positions:
            if remaining[line[position]] > 0:
                remaining[line[position]] -= 1
                hits += 1
    return hits


def _common_positions(line: Line, other: Line) -> list[int]:
    """Returns the positions in a line of one of its longest common subsequences with another line.

    Among several it is the one that the package finds: from the ends, it goes back in the line unless the subsequence
    would become shorter, and only then in the other.
    """
    rows = list(_rows(line, other))
    row, column = len(line), len(other)
    positions = []
    while row and column:
        if line[row - 1] == other[column - 1]:
            row, column = row - 1, column - 1
            positions.append(row)
        elif _length(rows[row], column - 1) > _length(rows[row - 1], column):
            column -= 1
        else:
            row -= 1
    return positions


def _rows(first: Line, second: Line) -> Iterator[int]:
    """Yields a bit mask for each prefix of the first text.

    Bit k is set if the longest common subsequence of the prefix and the first k + 1 words of the second text is longer
    than that with the first k words. The masks are computed as by Hyyrö (2004).
    """
    masks: dict[str, int] = {}
    for position, word in enumerate(second):
        masks[word] = masks.get(word, 0) | 1 << position
    every = (1 << len(second)) - 1
    unset = every
    yield 0
    for word in first:
        matched = unset & masks.get(word, 0)
        unset = ((unset + matched) | (unset - matched)) & every
        yield every ^ unset


def _length(row: int, columns: int) -> int:
    """Returns the length of the longest common subsequence with the first words of the second text."""
    return (row & ((1 << columns) - 1)).bit_count()
