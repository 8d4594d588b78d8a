"""Numbers for names, so that each is stored once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class Numbering(Generic[T]):
    """Numbers names in the order in which they first appear, so that each is stored once.

    Args:
        names: The first names.

    >>> systems = Numbering[str]()
    >>> [systems.number(name) for name in ("a", "b", "a")], systems.names
    ([0, 1, 0], ['a', 'b'])
    """

    def __init__(self, names: Iterable[T] = ()) -> None:
        self._numbers = {name: number for number, name in enumerate(names)}
        self.names = [*self._numbers]

    def __len__(self) -> int:
        return len(self.names)

    def number(self, name: T) -> int:
        """Returns the number of a name."""
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self.names)
            self.names.append(name)
        return number
