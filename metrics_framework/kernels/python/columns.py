"""Twins of the calls that read columns of texts and numbers: what they contain, and their sums."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

LISTS = {list, tuple}
_ENDS_IN_BRACKET = operator.methodcaller("endswith", ("]", ")"))


def are_plain(arguments: Sequence[Any], kinds: str) -> bool:
    """Returns whether the arguments are lists or tuples of one length, each of its kind.

    Args:
        arguments: The arguments.
        kinds: For each argument one character: ``t`` for texts, ``l`` for non-empty lists of texts, ``g`` for lists of
            texts. A text is a `str`, not one of a subclass; of the kinds ``T``, ``L`` and ``G``, no text ends in a
            closing bracket, as lists do that were written as texts.

    >>> are_plain((["a"], [["b", "c"]]), "tl"), are_plain((["a"], [[]]), "tl")
    (True, False)
    """
    if len(arguments) != len(kinds) or not set(map(type, arguments)) <= LISTS:
        return False
    return len(set(map(len, arguments))) < 2 and all(map(_is_plain, arguments, kinds))


def count_objects(values: Sequence[Any]) -> int:
    """Returns the number of different objects in a list or tuple; equal ones may be different objects.

    >>> references = ["a", "b"]
    >>> count_objects([references, ["a", "b"], references])
    2
    """
    return len(set(map(id, values)))


def _is_plain(argument: Sequence[Any], kind: str) -> bool:
    texts: Iterable[Any] = argument
    if kind in "lLgG":
        if not set(map(type, argument)) <= LISTS or not (kind in "gG" or all(argument)):
            return False
        texts = list(chain.from_iterable(argument))
    elif kind not in "tT":
        return False
    return set(map(type, texts)) <= {str} and (kind.islower() or not any(map(_ENDS_IN_BRACKET, texts)))


def vector_sums(data: bytearray, width: int, rows: list[int] | None, start: list[float] | None) -> list[float]:
    """Returns the sum of each column, added from top to bottom (decision 0013).

    Args:
        data: The table, row after row.
        width: The number of columns.
        rows: The rows to add, in this order; `None` for all.
        start: The numbers to which they are added; `None` to add to the first row.

    Raises:
        ValueError: if a row does not exist, nothing is to be added, or an argument has a wrong size.
    """
    if width < 1 or len(data) % (8 * width) or (start is not None and len(start) != width):
        raise ValueError("'data' must be a table of doubles, and 'start' have a number for each column")
    numbers = memoryview(data).cast("d")
    height = len(numbers) // width
    chosen: Iterable[int] = range(height) if rows is None else rows
    if not all(0 <= row < height for row in chosen) or (start is None and not chosen):
        raise ValueError("there is no such row")
    before = [[float(number)] for number in start] if start is not None else [[] for _ in range(width)]
    return [
        functools.reduce(operator.add, [*first, *(numbers[row * width + column] for row in chosen)])
        for column, first in enumerate(before)
    ]
