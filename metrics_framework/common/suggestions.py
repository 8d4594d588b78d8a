"""Suggestions for names that do not exist: "did you mean"."""

from __future__ import annotations

import re
from collections.abc import Iterable

_CUTOFF = 0.5


def closest(name: str, known: Iterable[str], cutoff: float = _CUTOFF) -> str:
    """Returns the known name that is most similar, regardless of case, hyphens, underscores and spaces.

    A name of which the given one is the beginning comes before other similar names.

    Args:
        name: The name.
        known: The names that exist.
        cutoff: The lowest similarity, from 0 to 1.

    >>> closest("BLEU", ["bleu", "chrf"]), closest("sent_bleu", ["bleu", "sent-bleu"]), closest("xyz", ["bleu"])
    ('bleu', 'sent-bleu', '')
    """
    from difflib import get_close_matches

    names = {_simplified(one): one for one in known}
    wanted = _simplified(name)
    if wanted in names:
        return names[wanted]
    begun = [one for one in names if len(wanted) > 2 and one.startswith(wanted)]
    close = get_close_matches(wanted, begun or names, n=1, cutoff=0 if begun else cutoff)
    return names[close[0]] if close else ""


def advice(name: str, known: Iterable[str]) -> str:
    """Returns what to do about an unknown name: use the closest one, or name the parts of a list one by one.

    >>> advice("sari,BLEU", ["bleu", "sari"])
    "; name them one at a time: 'sari', 'bleu'"
    >>> advice("sarri", ["bleu", "sari"]), advice("xyz", ["bleu", "sari"])
    ("; did you mean 'sari'?", '')
    """
    known = list(known)
    parts = [closest(part, known) for part in re.split(r"[\s,;+]+", name.strip()) if part]
    if len(parts) > 1 and all(parts):
        return f"; name them one at a time: {', '.join(map(repr, parts))}"
    close = closest(name, known)
    return f"; did you mean '{close}'?" if close else ""


def _simplified(name: str) -> str:
    return re.sub(r"[-_\s]", "", name.casefold())
