"""The names that other communities use in their files, beside ours, which come first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics_framework.common.errors import DataError

NAMES: dict[str, tuple[str, ...]] = {
    "instance_id": ("sent_id", "segment_id", "seg_id", "id"),
    "summarizer_id": ("system_id", "sys_name", "system"),
    "summarizer_type": ("system_type",),
    "summary": ("prediction", "output", "hypothesis", "simp_sent"),
    "source": ("sources", "orig_sent"),
}
WEAK = ("id", "segment_id", "seg_id", "system", "output")
IDENTITY = ("instance_id", "summarizer_id", "summarizer_type")
_OURS = {theirs: ours for ours, names in NAMES.items() for theirs in names}
_THEIRS = frozenset(_OURS)


def with_our_names(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Replaces the names that other communities use by ours.

    The names in `WEAK`, which may be anything, count only where no other name of the thing is there.

    Raises:
        DataError: if a row has two names of one thing.
    """
    if _THEIRS.isdisjoint(row):
        return row
    renamed: dict[str, Any] = {}
    given: dict[str, str] = {}
    for name in sorted(row, key=lambda name: (name in _OURS) + (name in WEAK)):
        ours = _OURS.get(name, name)
        if ours in given and name in WEAK:
            renamed[name] = row[name]
            continue
        if ours in given:
            raise DataError(f"has both '{given[ours]}' and '{name}', which mean the same")
        given[ours] = name
        renamed[ours] = row[name]
    return renamed
