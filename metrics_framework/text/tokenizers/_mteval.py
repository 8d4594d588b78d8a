"""The passes that the tokenizers of mteval share.

mteval inserts spaces in passes; each reads from left to right and continues after its last match:

1. a punctuation mark after anything but a number is separated, together with the character before it;
2. a punctuation mark before anything but a number is separated;
3. a symbol is separated (13a does this first, with the same result).

Here the passes run over a string of the same length that has one letter for the kind of each character: ``.`` for a
punctuation mark, ``$`` for a character that is always separated, ``0`` for a number, ``-`` for the hyphen of 13a, a
space for whitespace, and ``a`` for anything else. A separated mark becomes ``$``; the tokens follow from the kinds.
"""

from __future__ import annotations

import re
from collections.abc import Callable

KIND_OF_CLASS = {"P": ".", "S": "$", "N": "0", "H": "-"}
"""The letters of punctuation, symbols, numbers and the hyphen of 13a."""
HYPHEN_AFTER_NUMBER = re.compile(r"(?<=0)-")
_MARK_AFTER_NO_NUMBER = re.compile(r"(?<=[^0.])\.|\.\.")
_MARK_BEFORE_NO_NUMBER = re.compile(r"\.(?=[^0])")
_TOKEN_OF_KINDS = re.compile(r"[^ $]+|\$")


class CharacterKinds(dict[int, str]):
    """Code point to the letter of its kind, filled on demand, for `str.translate`.

    Args:
        kind: Returns the letter for a character that is not whitespace.
    """

    def __init__(self, kind: Callable[[str], str]) -> None:
        super().__init__()
        self._kind = kind

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kind = self[code] = " " if character.isspace() else self._kind(character)
        return kind


def tokens_by_kinds(text: str, kinds: str) -> str:
    """Runs the passes on a text whose characters are of these kinds."""
    if "." in kinds:
        kinds = _MARK_AFTER_NO_NUMBER.sub(lambda match: "$" * len(match[0]), kinds)
        kinds = _MARK_BEFORE_NO_NUMBER.sub("$", kinds)
    return " ".join([text[slice(*match.span())] for match in _TOKEN_OF_KINDS.finditer(kinds)])
