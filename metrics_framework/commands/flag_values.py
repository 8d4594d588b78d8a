"""How the parser stores the values of flags: lists add up, and no value replaces another silently."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from typing import Any

from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides

BOOLEANS = ("true", "false", "yes", "no", "on", "off", "1", "0")


NO_VALUE = object()
"""The value of a flag without a value that leaves the default as it is."""


class Given(argparse.Namespace):
    """Parsed arguments.

    Attributes:
        set_by_flags: The values that flags set, in contrast to defaults: name to the first flag.
        options: The values of declared options that flags set.
    """

    __slots__ = ("options", "set_by_flags")
    set_by_flags: dict[str, str]
    options: dict[str, Any]


class StoreValue(argparse.Action):
    """Stores the value of a flag or argument.

    A flag that takes several values adds up when it is repeated. A flag that takes one value may be repeated only with
    the same value.
    """

    @overrides
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Stores the value.

        Raises:
            UsageError: if the flag already has another value.
        """
        if option_string is not None and isinstance(namespace, Given):
            first = namespace.set_by_flags.get(self.dest)
            namespace.set_by_flags.setdefault(self.dest, option_string)
            if values is NO_VALUE:
                return
            if first is not None and hasattr(namespace, self.dest):
                values = self._with_earlier(getattr(namespace, self.dest), values, first, option_string)
        setattr(namespace, self.dest, values)

    def _with_earlier(self, earlier: Any, values: Any, first: str, flag: str) -> Any:
        if self.nargs in ("+", "*") or (isinstance(self.nargs, int) and self.nargs > 0):
            return [*earlier, *values]
        if values == earlier:
            return values
        if flag != first:
            raise UsageError(f"{first} and {flag} contradict each other; use only one of them")
        raise UsageError(f"{flag} is given twice, as {_shown(earlier)} and {_shown(values)}; use only one of them")


class StoreList(StoreValue):
    """Stores the items of lists; each word is one item, or a list of several: ``3 4``, ``'[3, 4]'``."""

    @overrides
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        words = [values] if self.nargs is None else values
        items = [item for word in words for item in (word if isinstance(word, list) else [word])]
        super().__call__(parser, namespace, items, option_string)

    @overrides
    def _with_earlier(self, earlier: Any, values: Any, first: str, flag: str) -> Any:
        return [*earlier, *values]


class StoreConstant(StoreValue):
    """Stores the constant of a flag that takes no value."""

    @overrides
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        super().__call__(parser, namespace, self.const, option_string)


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"'{value}'"


def is_boolean_value(word: str) -> bool:
    """Returns whether a word after a Boolean flag is its value: a truth value, or a word that cannot be a file."""
    return word.lower() in BOOLEANS or cannot_be_file(word)


def is_number(word: str) -> bool:
    """Returns whether a word is a number, such as a confidence level.

    >>> [is_number(word) for word in ("0.99", "95", "95%", "scores.json")]
    [True, True, True, False]
    """
    try:
        float(word.removesuffix("%"))
    except ValueError:
        return False
    return True


def is_level(word: str) -> bool:
    """Returns whether a word after ``--confidence`` is its level: a number, or a word that cannot be a file."""
    return is_number(word) or cannot_be_file(word)


def cannot_be_file(word: str) -> bool:
    """Returns whether a word is the name of no existing file, and has neither folder nor ending.

    >>> [cannot_be_file(word) for word in ("maybe", "out.json", "out/scores", "-", "--strict")]
    [True, False, False, False, False]
    """
    return not (word.startswith("-") or any(mark in word for mark in (".", "/", os.sep)) or os.path.exists(word))


def joined_with_values(words: Sequence[str], flags: dict[str, Callable[[str], bool]]) -> list[str]:
    """Joins flags whose value may be absent with their value, or with ``true``, so that argparse takes no other word.

    Underscores in flags become hyphens.

    Args:
        words: The arguments.
        flags: Maps each flag whose value may be absent to a function that recognizes its values.

    >>> joined_with_values(["--lowercase", "out.json", "--confidence", "95"], {"--lowercase": is_boolean_value,
    ...     "--confidence": is_number})
    ['--lowercase=true', 'out.json', '--confidence=95']
    """
    joined: list[str] = []
    for word in words:
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            word = name.replace("_", "-") + equals + value
        elif joined and joined[-1] in flags and flags[joined[-1]](word):
            word = f"{joined.pop()}={word}"
        joined.append(word)
    return [f"{word}=true" if word in flags else word for word in joined]
