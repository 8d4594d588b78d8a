"""Whether arguments of a metric are plain lists of texts, without a step for each text."""

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


def _is_plain(argument: Sequence[Any], kind: str) -> bool:
    if kind == "t":
        return set(map(type, argument)) <= {str}
    return (
        kind in ("l", "g")
        and set(map(type, argument)) <= LISTS
        and (kind == "g" or all(argument))
        and set(map(type, chain.from_iterable(argument))) <= {str}
    )
