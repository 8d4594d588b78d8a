"""Checks of arguments that are one of several names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from metrics_framework.common.errors import InputError
from metrics_framework.common.suggestions import advice

Name = TypeVar("Name", bound=str)


def checked_choice(value: str, choices: Sequence[Name], argument: str) -> Name:
    """Returns a value if it is one of the choices.

    Raises:
        InputError: if it is not; the message lists the choices.
    """
    if value not in choices:
        listed = ", ".join(choices)
        raise InputError(f"'{argument}' must be one of {listed}, got {value!r}{advice(str(value), [*choices])}")
    return value  # type: ignore[return-value]
