"""Signatures: strings that identify exactly what was computed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from metrics_framework.version import __version__

SACREBLEU_VERSION = "2.6.0"
_OF_THE_RELEASE = re.compile(r"[|;](?:fw:[^|;]*|def:1(?=[|;]|$))")
_OF_A_RUN = re.compile(r"\|(?:refs:(?P<refs>[^|]*)|bs:).*?(?=\|def:|$)")


def signature(name: str, options: Mapping[str, Any], definition: int = 1) -> str:
    """Joins a metric's name, its options, the version of its definition from 2 on, and the version of this package.

    >>> signature("ter", {"case": "lc"}).rpartition("|")[0], signature("ter", {}, definition=2).rpartition("|")[0]
    ('ter|case:lc', 'ter|def:2')
    """
    parts = [name, *(f"{key}:{_value(value)}" for key, value in options.items())]
    parts += [f"def:{definition}"] if definition > 1 else []
    return "|".join([*parts, f"fw:{__version__}"])


def definition_of(signature: str) -> str:
    """Returns what a signature says of scores, without what depends only on the release (decision 0068).

    Signatures are compared by this: it leaves out the version of the package, also in the signature that those of
    ``precomputed`` contain (``of:ter;case:lc;fw:1.0.0``), and ``def:1``, which is the same as no ``def``.

    >>> definition_of("ter|case:lc|fw:1.0.0") == definition_of("ter|case:lc|def:1|fw:1.2.0")
    True
    >>> definition_of("ter|case:lc|def:2|fw:1.2.0")
    'ter|case:lc|def:2'
    """
    return _OF_THE_RELEASE.sub("", signature)


def same_for_outputs(signature: str, other: str) -> bool:
    """Returns whether two signatures mean the same scores of an output.

    Those of systems add what belongs to a run: the number of references, which the scores of outputs that ``fw score``
    writes row by row do not know, so that it is compared only if both have it; and resampling, which changes no score
    of an output.

    >>> same_for_outputs("ter|case:lc|fw:1.0.0", "ter|case:lc|refs:3|bs:1000|seed:0|fw:1.0.0")
    True
    >>> same_for_outputs("ter|case:lc|refs:1|fw:1.0.0", "ter|case:lc|refs:3|fw:1.0.0")
    False
    """
    definitions = definition_of(signature), definition_of(other)
    ours, others = (_OF_A_RUN.sub("", definition) for definition in definitions)
    references = {run["refs"] for run in map(_OF_A_RUN.search, definitions) if run is not None and run["refs"]}
    return ours == others and len(references) <= 1


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
