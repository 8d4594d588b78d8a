"""`Provenance`: what is known about scores besides their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

NEGATED = "-"
"""Before the name of a score: the score with the opposite sign, for metrics of which lower values are better."""


@dataclass(frozen=True)
class Provenance:
    """What is known about scores besides their values.

    Args:
        signatures: Metric to its signature.
        directions: Metric to whether higher is better.
        missing: Metric to the counts of its missing values in tables, by their spelling.
        negated: Name of a negated score to the score.
    """

    signatures: Mapping[str, str] = field(default_factory=dict)
    directions: Mapping[str, bool] = field(default_factory=dict)
    missing: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    negated: Mapping[str, str] = field(default_factory=dict)
