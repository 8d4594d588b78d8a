"""What lists of arguments contain: plain texts, and how many different objects; without a step for each of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

LISTS = {list, tuple}


def are_plain(arguments: Sequence[Any], kinds: str) -> bool:
    """Returns whether the arguments are lists or tuples of one length, each of its kind.

    Args:
        arguments: The arguments.
        kinds: For each argument one character: ``t`` for texts, ``l`` for non-empty lists of texts, ``g`` for lists of
            texts. A text is a `str`, not one of a subclass.

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
    if kind == "t":
        return set(map(type, argument)) <= {str}
    return (
        kind in ("l", "g")
        and set(map(type, argument)) <= LISTS
        and (kind == "g" or all(argument))
        and set(map(type, chain.from_iterable(argument))) <= {str}
    )
