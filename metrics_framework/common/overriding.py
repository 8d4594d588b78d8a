"""The decorator `@overrides` of this package, which only marks a method."""

from __future__ import annotations

from typing import TypeVar

_Method = TypeVar("_Method")


def overrides(method: _Method) -> _Method:
    """Marks a method that overrides one of a base class.

    The decorator of the package `overrides` compares signatures whenever a class is created, which took a third of the
    start-up time of a command. The tests put that decorator in place of this one before they import any class
    (`tests/checked_overrides.py`), so each override is checked there (decision 0003).

    Args:
        method: The method.
    """
    method.__override__ = True  # type: ignore[attr-defined]
    return method
