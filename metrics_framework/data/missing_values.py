"""Spellings of a missing value in tables: those of R, Excel, pandas, JSON and C."""

from __future__ import annotations

from collections.abc import Mapping

SPELLINGS = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "none", "null"})


def is_missing(cell: str) -> bool:
    """Returns whether a cell states that a value is missing; neither case nor surrounding spaces matter.

    >>> [is_missing(cell) for cell in ("NA", " n/a ", "", "0", "nano")]
    [True, True, True, False, False]
    """
    return cell.strip().casefold() in SPELLINGS


def described(counts: Mapping[str, int]) -> str:
    """Describes counts of missing values.

    >>> described({"": 1, "NA": 2})
    "2 'NA', 1 empty"
    """
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count} '{spelling}'" if spelling else f"{count} empty" for spelling, count in ordered)
