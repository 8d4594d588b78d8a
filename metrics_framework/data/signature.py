"""Signatures: strings that identify exactly what was computed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from metrics_framework.version import __version__

SACREBLEU_VERSION = "2.6.0"
_OF_THE_RELEASE = re.compile(r"[|;](?:fw:[^|;]*|def:1(?=[|;]|$))")


def signature(name: str, options: Mapping[str, Any], definition: int = 1) -> str:
    """Joins a metric's name, its options, the version of its definition from 2 on, and the version of this package.

    >>> signature("ter", {"case": "lc"}).rpartition("|")[0], signature("ter", {}, definition=2).rpartition("|")[0]
    ('ter|case:lc', 'ter|def:2')
    """
    parts = [name, *(f"{key}:{_value(value)}" for key, value in options.items())]
    parts += [f"def:{definition}"] if definition > 1 else []
    return "|".join([*parts, f"fw:{__version__}"])


def definition_of(signature: str) -> str:
    """Returns what a signature says of scores, without what depends only on the release (decision 0108).

    Signatures are compared by this: it leaves out the version of the package, also in the signature that those of
    ``precomputed`` contain (``of:ter;case:lc;fw:1.0.0``), and ``def:1``, which is the same as no ``def``.

    >>> definition_of("ter|case:lc|fw:1.0.0") == definition_of("ter|case:lc|def:1|fw:1.2.0")
    True
    >>> definition_of("ter|case:lc|def:2|fw:1.2.0")
    'ter|case:lc|def:2'
    """
    return _OF_THE_RELEASE.sub("", signature)


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
