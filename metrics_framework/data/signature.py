"""Signatures: strings that say exactly what was computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics_framework.version import __version__


def signature(name: str, options: Mapping[str, Any]) -> str:
    """Joins a metric's name, its options and the version of this package.

    >>> signature("ter", {"case": "lc"}).rpartition("|")[0]
    'ter|case:lc'
    """
    parts = [name, *(f"{key}:{_value(value)}" for key, value in options.items()), f"fw:{__version__}"]
    return "|".join(parts)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return "+".join(map(_value, value))
    return "none" if value is None else str(value)
