"""Checks of arguments that are one of several names, and the choices and defaults of options of coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar, get_args

from metrics_framework.common.errors import InputError

Name = TypeVar("Name", bound=str)
Stream = Literal["default", "mt-metrics-eval"]
STREAMS: tuple[Stream, ...] = get_args(Stream)
"""How the sign flips of SPA are drawn; ``mt-metrics-eval`` repeats the draws and the sums of that program."""
SIGN_FLIPS = 1000
Ranking = Literal["corrected", "wmt"]
RANKINGS: tuple[Ranking, ...] = get_args(Ranking)
"""The p-values that ranks of metrics follow: ``corrected`` are two-sided and corrected for the number of pairs, ``wmt``
are one-sided and not corrected, as in the shared tasks of WMT."""
CORRECTED: Ranking = "corrected"


def checked_choice(value: str, choices: Sequence[Name], argument: str) -> Name:
    """Returns a value if it is one of the choices.

    Raises:
        InputError: if it is not; the message lists the choices.
    """
    if value not in choices:
        from metrics_framework.common.errors import advice

        listed = ", ".join(choices)
        raise InputError(f"'{argument}' must be one of {listed}, got {value!r}{advice(str(value), [*choices])}")
    return value  # type: ignore[return-value]
