"""What reading a missing score returns: assigning to one of its keys creates it, everything else is an error."""

from __future__ import annotations

from typing import Any, NoReturn


class MissingScore:
    """A key that a dictionary of scores does not have (decision 0069).

    ``scores["a"]["b"] = 1`` creates the key ``a``, as in SacreROUGE. Any other use raises `KeyError`, and reading alone
    creates nothing.

    Args:
        owner: The dictionary, or the missing key of a dictionary.
        key: The missing key.
    """

    __slots__ = ("_key", "_owner")

    def __init__(self, owner: Any, key: object) -> None:
        self._owner = owner
        self._key = key

    def __getitem__(self, key: object) -> MissingScore:
        return MissingScore(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        self.created()[key] = value

    def update(self, *others: Any, **more: Any) -> None:
        """Creates the key with a dictionary, and updates the dictionary."""
        values = dict(*others, **more)
        self.created().update(values)

    def created(self) -> Any:
        """Creates the key with an empty dictionary unless it exists now, and returns its value."""
        owner = self._owner.created() if type(self._owner) is MissingScore else self._owner
        if self._key not in owner:
            owner[self._key] = type(owner)()
        return owner[self._key]

    def fail(self, *_: object) -> NoReturn:
        """Raises the error of a key that is read."""
        keys: list[object] = [self._key]
        owner = self._owner
        while type(owner) is MissingScore:
            keys.insert(0, owner._key)
            owner = owner._owner
        found = ", ".join(map(repr, owner)) or "none"
        raise KeyError(f"there is no score {''.join(f'[{key!r}]' for key in keys)}; the keys are {found}")

    def __getattr__(self, name: str) -> NoReturn:
        self.fail()

    __hash__ = fail
    __repr__ = __str__ = __format__ = __reduce_ex__ = fail


_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "or", "and", "xor", "matmul", "divmod")
_OTHERS = ("bool", "float", "int", "complex", "index", "round", "trunc", "floor", "ceil", "neg", "pos", "abs", "invert")
_CONTAINER = ("len", "iter", "contains", "reversed", "delitem", "eq", "ne", "lt", "le", "gt", "ge", "call", "copy")
for _name in (*_OPERATORS, *(f"{side}{name}" for side in "ri" for name in _OPERATORS), *_OTHERS, *_CONTAINER):
    setattr(MissingScore, f"__{_name}__", MissingScore.fail)
