"""Annotations of the type of an option, which say which values are valid and how they are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, overload


class NamesFrom(Sequence[str]):
    """The names that a function returns, called at each use.

    It annotates an option whose choices are registered names, as ``Literal`` does for fixed names.

    Args:
        names: Returns the names.
        find: Returns one of the names, given this or another spelling of it, and raises `UnknownChoiceError` for other
            words; by default, names have one spelling.
    """

    def __init__(self, names: Callable[[], Sequence[str]], find: Callable[[str], str] | None = None) -> None:
        self._names = names
        self.find = find

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...

    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        """Returns a name, or a list of names."""
        return self._names()[index]

    def __len__(self) -> int:
        """Returns the number of names."""
        return len(self._names())


class AtLeast(NamedTuple):
    """The smallest value of a number.

    >>> AtLeast(2).allows(2), AtLeast(2).allows(1), f"an integer{AtLeast(2)}"
    (True, False, 'an integer, 2 or more')
    """

    least: float

    def allows(self, value: float) -> bool:
        """Returns whether a number is finite and large enough."""
        return self.least <= value < math.inf

    def __str__(self) -> str:
        """Returns the end of a description of the valid numbers."""
        return f", {self.least:g} or more"


class Between(NamedTuple):
    """The bounds of a number, which are themselves not valid.

    >>> Between(0, 1).allows(0.5), Between(0, 1).allows(1), f"a number{Between(0, 1)}"
    (True, False, 'a number between 0 and 1')
    """

    low: float
    high: float

    def allows(self, value: float) -> bool:
        """Returns whether a number is between the bounds."""
        return self.low < value < self.high

    def __str__(self) -> str:
        """Returns the end of a description of the valid numbers."""
        return f" between {self.low:g} and {self.high:g}"


class Form(NamedTuple):
    """How the value of an option is written as one word.

    Args:
        metavar: Its name in help texts, such as ``COLUMN``.
        convert: Returns the value of a word, and raises `ValueError` for other words; by default that of the type.
        expected: Describes the words, for messages; needed with ``convert`` unless its errors do.
    """

    metavar: str
    convert: Callable[[Any], Any] | None = None
    expected: str = ""


class Files(NamedTuple):
    """Files, which a function may also take as tables in memory.

    Args:
        metavar: Their name in help texts.
        several: Whether several words may follow the flag; otherwise it is repeated for several files.
    """

    metavar: str = "FILE"
    several: bool = False
