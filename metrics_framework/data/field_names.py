"""Field names: the standard names, and the names that other communities use in their files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics_framework.common.errors import DataError

OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "instance_id": ("sent_id", "segment_id", "seg_id", "id"),
    "summarizer_id": ("system_id", "sys_name", "system"),
    "summarizer_type": ("system_type",),
    "summary": ("prediction", "output", "hypothesis", "simp_sent"),
    "source": ("sources", "orig_sent"),
}
"""Other names of each standard name."""
AMBIGUOUS_NAMES = ("id", "segment_id", "seg_id", "system", "output")
"""Names that may also have another meaning."""
_STANDARD_NAMES = {other: name for name, others in OTHER_NAMES.items() for other in others}


def with_standard_names(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Replaces other names of fields by the standard names.

    One of `AMBIGUOUS_NAMES` is replaced only if the row has no other name of the same field.

    Raises:
        DataError: if a row has two names of the same field.
    """
    if _STANDARD_NAMES.keys().isdisjoint(row):
        return row
    renamed: dict[str, Any] = {}
    given: dict[str, str] = {}
    for name in sorted(row, key=lambda name: (name in _STANDARD_NAMES) + (name in AMBIGUOUS_NAMES)):
        standard = _STANDARD_NAMES.get(name, name)
        if standard in given and name in AMBIGUOUS_NAMES:
            renamed[name] = row[name]
            continue
        if standard in given:
            raise DataError(f"'{given[standard]}' and '{name}' are names of the same field; remove one of them")
        given[standard] = name
        renamed[standard] = row[name]
    return renamed
