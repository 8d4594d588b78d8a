"""Signatures: strings that identify exactly what was computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics_framework.version import __version__

SACREBLEU_VERSION = "2.6.0"


def signature(name: str, options: Mapping[str, Any]) -> str:
    """Joins a metric's name, its options and the version of this package.

    >>> signature("ter", {"case": "lc"}).rpartition("|")[0]
    'ter|case:lc'
    """
    parts = [name, *(f"{key}:{_value(value)}" for key, value in options.items()), f"fw:{__version__}"]
    return "|".join(parts)


def sacrebleu_signature(refs: str, options: Mapping[str, Any]) -> str:
    """Returns the signature of sacreBLEU.

    Args:
        refs: The number of references, as in ``8`` or ``1-10``.
        options: The other fields of the signature, in sacreBLEU's order.

    >>> sacrebleu_signature("1-10", {"case": "lc", "norm": False})
    'nrefs:var|case:lc|norm:no|version:2.6.0'
    """
    fields = {"nrefs": refs if refs.isdecimal() else "var", **options, "version": SACREBLEU_VERSION}
    return "|".join(f"{key}:{_value(value)}" for key, value in fields.items())


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return "+".join(map(_value, value))
    return "none" if value is None else str(value)
