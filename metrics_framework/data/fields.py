"""The fields of an output: their names, also those of other communities, and the checks of their values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.data.texts import check_text, check_texts

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

    One of `AMBIGUOUS_NAMES` is replaced only if the row has no other name of the same field that is unambiguous.

    Raises:
        DataError: if a row has two names of the same field, so that the order of its names would decide.
    """
    if _STANDARD_NAMES.keys().isdisjoint(row):
        return row
    renamed: dict[str, Any] = {}
    given: dict[str, str] = {}
    for name in sorted(row, key=lambda name: (name in _STANDARD_NAMES) + (name in AMBIGUOUS_NAMES)):
        standard = _STANDARD_NAMES.get(name, name)
        if standard in given:
            if name not in AMBIGUOUS_NAMES or given[standard] in AMBIGUOUS_NAMES:
                raise DataError(f"'{given[standard]}' and '{name}' are names of the same field; remove one of them")
            renamed[name] = row[name]
            continue
        given[standard] = name
        renamed[standard] = row[name]
    return renamed


def column_of(columns: Collection[str], names: Sequence[str]) -> str | None:
    """Returns the column that has one of several names of one meaning.

    One of `AMBIGUOUS_NAMES` counts only if no other column has the meaning.

    Args:
        columns: The columns.
        names: The names of the meaning.

    Returns:
        The column; `None` if there is none.

    Raises:
        DataError: if two columns have the meaning, so that the order of names would decide.

    >>> column_of(["instance_id", "id", "ter"], ["instance_id", "sent_id", "id"])
    'instance_id'
    """
    present = [name for name in names if name in columns]
    if len(present) < 2:
        return present[0] if present else None
    found = [name for name in present if name not in AMBIGUOUS_NAMES] or present
    if len(found) > 1:
        raise DataError(f"'{found[0]}' and '{found[1]}' have the same meaning; rename or remove one of them")
    return found[0]


FIELD_CHECKS: dict[str, Callable[[Any, str], None]] = {
    "summary": check_text,
    "source": check_text,
    "references": check_texts,
    "documents": check_texts,
}


PLAIN_KINDS = {name: "t" if check is check_text else "l" for name, check in FIELD_CHECKS.items()}
"""The codes of the types of fields in `metrics_framework.kernels.dispatch.are_plain`."""


def check_field(name: str, value: Any) -> None:
    """Checks the value of a field; unknown fields are not checked.

    Raises:
        InputError: if the value is invalid.
    """
    check = FIELD_CHECKS.get(name)
    if check is not None:
        check(value, name)


def context_key(value: Any) -> Any:
    """Returns a hashable form of the value of a field: equal for equal values."""
    if type(value) is str:
        return value
    if isinstance(value, (list, tuple)):
        items = tuple(value)
        try:
            hash(items)  # items are nearly always strings
        except TypeError:
            return tuple([context_key(item) for item in items])
        return items
    if isinstance(value, dict):
        return tuple((key, context_key(item)) for key, item in sorted(value.items()))
    return value
