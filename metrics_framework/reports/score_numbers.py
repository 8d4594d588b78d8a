"""Scores as text, and the intervals and p-values that belong to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from metrics_framework.data.metrics_dict import MetricsDict

if TYPE_CHECKING:
    from metrics_framework.significance.bootstrap import Intervals
    from metrics_framework.significance.systems import Confidence, PValues

ALL_SYSTEMS = "(all)"
UNDEFINED = "–"
Scores: TypeAlias = Mapping[str, MetricsDict]


def number(value: object, digits: int = 2) -> str:
    """Writes a score: integers in full, other numbers with fixed decimal places, undefined scores as a dash.

    >>> number([62.5, 37.125])
    '62.50/37.12'
    """
    if isinstance(value, list):
        return "/".join(number(item, digits) for item in value)
    if value is None or (isinstance(value, float) and value != value):
        return UNDEFINED
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value}" if isinstance(value, int) else f"{value:.{digits}f}"


def intervals_and_p_values(confidence: Confidence, system: str) -> tuple[Intervals, PValues]:
    """Returns the intervals of a system, or of all systems, and the p-values of its comparison with the baseline."""
    if system not in confidence.systems:
        return confidence.metrics, {}
    tested = confidence.significance
    return confidence.systems[system], {} if tested is None else tested.adjusted.get(system, {})
