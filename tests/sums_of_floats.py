"""Sums of floats in tests: `sum` of Python 3.12 and later compensates for their rounding errors."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterable
from typing import Any

import pytest

SUM: Callable[..., Any] = builtins.sum
"""The `sum` of this Python."""


def refusing_sum(iterable: Iterable[Any], /, start: Any = 0) -> Any:
    """Sums values as Python does.

    Raises:
        AssertionError: if the package sums floats; it needs `plain_sum` or `math.fsum` (decision 0013).
    """
    caller = sys._getframe(1)
    if not caller.f_globals.get("__name__", "").startswith("metrics_framework."):
        return SUM(iterable, start)
    values = list(iterable)
    if any(isinstance(value, float) for value in (start, *values)):
        where = f"{caller.f_globals['__name__']}, line {caller.f_lineno}"
        raise AssertionError(f"{where}: sum of floats depends on the version of Python; use plain_sum or math.fsum")
    return SUM(values, start)


def rounded(score: float) -> Any:
    """Returns a BLEU score of sacreBLEU to compare with, which sums logarithms with `sum`: equal before Python 3.12."""
    return score if sys.version_info < (3, 12) else pytest.approx(score, rel=0, abs=1e-12)
