"""The substitutions, deletions and insertions between two texts, as jiwer counts them.

Several shortest edits can have different numbers of substitutions. jiwer counts those that rapidfuzz finds: on the way
back from the ends of both texts, a deletion is preferred to all other steps, a substitution to an insertion, and an
insertion to a symbol that both texts share. Long texts are divided (Hirschberg 1975): the second in the middle, the
first where the edits of both parts are fewest.

Source: rapidfuzz-cpp 3.3, ``Levenshtein_impl.hpp``; Hyyrö (2003), "A bit-vector algorithm for computing Levenshtein and
Damerau edit distances".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from typing import TypeAlias, TypeVar

Symbol = TypeVar("Symbol", bound=Hashable)
Text: TypeAlias = Sequence[Hashable]
Edits: TypeAlias = "tuple[int, int, int]"
"""Substitutions, deletions and insertions."""

LEAST_FIRST, LEAST_SECOND, MANY_CELLS = 65, 10, 1 << 22
"""Texts of at least these numbers of symbols are divided if their comparison has this number of cells."""


def count_edits(summary: Text, references: Sequence[Text]) -> list[int]:
    """Returns substitutions, deletions, insertions and length of the closest reference, the first on ties.

    Args:
        summary: The words or characters of a summary.
        references: Those of its references.

    >>> count_edits("a cat sat".split(), ["the cat".split(), ["dogs"]])
    [1, 0, 1, 2]
    """
    closest = references[0]
    if len(references) > 1:
        closest = min(references, key=lambda reference: distance(reference, summary))
    return [*edits(closest, summary), len(closest)]


def distance(first: Text, second: Text) -> int:
    """Returns the least number of edits that turn the first text into the second.

    >>> distance("cat", "cart")
    1
    """
    first, second = without_common_ends(first, second)
    if not first or not second:
        return len(first) + len(second)
    ((more, less),) = deque(_columns(first, second), 1)
    return len(second) + more.bit_count() - less.bit_count()


def edits(first: Text, second: Text, most: int | None = None) -> Edits:
    """Returns the edits that turn the first text into the second.

    Args:
        first: The first text.
        second: The second text.
        most: The most edits that this can need, if that is known.

    >>> edits("cat", "carts")
    (0, 0, 2)
    """
    first, second = without_common_ends(first, second)
    band = len(first) if most is None else min(len(first), 2 * most + 1)
    if len(first) < LEAST_FIRST or len(second) < LEAST_SECOND or band * len(second) < MANY_CELLS:
        return _edits_of_whole(first, second)
    middle = len(second) // 2
    left = _costs(first, second[:middle])
    right = _costs(first[::-1], second[middle:][::-1])[::-1]
    position = min(range(1, len(left)), key=lambda index: left[index] + right[index])
    before = edits(first[:position], second[:middle], left[position])
    after = edits(first[position:], second[middle:], right[position])
    return before[0] + after[0], before[1] + after[1], before[2] + after[2]


def _edits_of_whole(first: Text, second: Text) -> Edits:
    columns = list(_columns(first, second)) if first else []
    row, column, deletions = len(second), len(first), 0
    while row and column:
        bit = 1 << (column - 1)
        if columns[row - 1][0] & bit:
            deletions += 1
            column -= 1
        else:
            row -= 1
            if not row or not columns[row - 1][1] & bit:
                column -= 1
    deletions += column
    insertions = deletions + len(second) - len(first)
    total = max(len(first), len(second))
    if columns:
        more, less = columns[-1]
        total = len(second) + more.bit_count() - less.bit_count()
    return total - deletions - insertions, deletions, insertions


def _columns(first: Text, second: Text) -> Iterator[tuple[int, int]]:
    """Yields, for each start of the second text, how the cost changes from one start of the first text to the next.

    Bit k of the first number is set if the first k + 1 symbols cost one edit more than the first k, bit k of the second
    if they cost one less.
    """
    full = (1 << len(first)) - 1
    positions: dict[Hashable, int] = {}
    for index, symbol in enumerate(first):
        positions[symbol] = positions.get(symbol, 0) | 1 << index
    more, less = full, 0
    for symbol in second:
        equal = positions.get(symbol, 0)
        diagonal = (((equal & more) + more) ^ more) | equal | less
        right, left = less | (full & ~(diagonal | more)), diagonal & more
        right, left = right << 1 | 1, left << 1
        more, less = full & (left | ~(diagonal | right)), full & right & diagonal
        yield more, less


def _costs(first: Text, second: Text) -> list[int]:
    """Returns the distance of each start of the first text, the empty one included, from the second text."""
    ((more, less),) = deque(_columns(first, second), 1)
    ups, downs = (f"{number:0{len(first)}b}"[::-1] for number in (more, less))
    costs = [len(second)]
    for up, down in zip(ups, downs, strict=True):
        costs.append(costs[-1] + (up == "1") - (down == "1"))
    return costs


def without_common_ends(first: Sequence[Symbol], second: Sequence[Symbol]) -> tuple[Sequence[Symbol], Sequence[Symbol]]:
    """Returns two texts without what both begin and end with."""
    shorter = min(len(first), len(second))
    start = next((index for index in range(shorter) if first[index] != second[index]), shorter)
    most = shorter - start
    end = next((index for index in range(most) if first[-1 - index] != second[-1 - index]), most)
    return first[start : len(first) - end], second[start : len(second) - end]
