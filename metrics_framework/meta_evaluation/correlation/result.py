"""The result of `correlate`: plain values for the JSON file and the reports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from metrics_framework.meta_evaluation.settings import IntervalSettings

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.scores.score_matrix import ScoreMatrix

SYMBOLS = {"pearson": "r", "spearman": "rho", "kendall": "tau"}
"""The key of a coefficient's value in the JSON file."""

JSON_LEVELS = {"input": "summary_level", "system": "system_level", "global": "global"}
"""The key of a level in the JSON file; the input level keeps the name that SacreROUGE gave it."""


@dataclass(frozen=True)
class Estimate:
    """One coefficient at one level.

    Args:
        value: The coefficient; NaN if undefined.
        p_value: The two-sided p-value of no correlation; `None` at the input level, where a mean has none.
        lower: The lower end of the confidence interval, if there is one.
        upper: The upper end.
        undefined_resamples: The number of resamples in which the coefficient is undefined; `None` without a bootstrap.
    """

    value: float
    p_value: float | None = None
    lower: float | None = None
    upper: float | None = None
    undefined_resamples: int | None = None

    @property
    def defined(self) -> bool:
        """Whether the coefficient has a value."""
        return not math.isnan(self.value)


@dataclass(frozen=True)
class LevelResult:
    """The coefficients of one level.

    Args:
        level: ``input``, ``system`` or ``global``.
        size: The numbers of correlated points, under their keys in the JSON file.
        estimates: Coefficient name to estimate.
        ties: The number of pairs, and of pairs tied in the first, the second and both metrics.
        details: Further counts; at the input level the skipped inputs and the numbers of systems.
    """

    level: str
    size: Mapping[str, int]
    estimates: Mapping[str, Estimate]
    ties: Mapping[str, int]
    details: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self, interval: IntervalSettings) -> dict[str, Any]:
        """Returns the level as it appears in the JSON file."""
        row: dict[str, Any] = {**self.size, **interval.as_json()}
        for name, estimate in self.estimates.items():
            row[name] = {SYMBOLS[name]: estimate.value}
            if self.level != "input":
                row[name]["p_value"] = estimate.p_value
            row[name].update(lower=estimate.lower, upper=estimate.upper)
        row.update(self.details)
        row["ties"] = dict(self.ties)
        if interval.is_bootstrap:
            row["undefined_resamples"] = {
                name: estimate.undefined_resamples for name, estimate in self.estimates.items()
            }
        return row


@dataclass(frozen=True)
class Correlation:
    """The correlation of two metrics at every level.

    Args:
        metric1: Flat name of the first metric.
        metric2: Flat name of the second.
        summarizer_type: Which outputs: ``all``, ``reference`` or ``peer``.
        interval: How confidence intervals were computed.
        levels: Level to result, in the order of `LEVELS`.
        dropped: Maps each cause to the number of outputs left out.
        matrix: The scores.
        input_coefficients: Coefficient name to its value at every input (NaN if undefined); empty if the input level
            was not requested.
        signatures: Metric to its signature.
        orientation: What the sign of a coefficient means.
        notes: Hints for the user.
        warnings: Warnings of possibly misleading results.
        missing_judgements: The number of judgements missing from lists of judgements.
        missing_values: Metric to the counts of its missing values in tables, by their spelling.
    """

    metric1: str
    metric2: str
    summarizer_type: str
    interval: IntervalSettings
    levels: Mapping[str, LevelResult]
    dropped: Mapping[str, int]
    matrix: ScoreMatrix
    input_coefficients: Mapping[str, Sequence[float]]
    signatures: Mapping[str, str]
    orientation: str
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    missing_judgements: int = 0
    missing_values: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Returns the result as it appears in the JSON file; undefined values are NaN here and ``null`` there."""
        row: dict[str, Any] = {
            "metric1": self.metric1,
            "metric2": self.metric2,
            "summarizer_type": self.summarizer_type,
        }
        for level, result in self.levels.items():
            row[JSON_LEVELS[level]] = result.as_json(self.interval)
        row["dropped"] = dict(self.dropped)
        row["missing_judgements"] = self.missing_judgements
        row["missing_values"] = {name: dict(counts) for name, counts in self.missing_values.items()}
        row["confidence"] = self.interval.confidence
        row["resamples"] = self.interval.resamples if self.interval.is_bootstrap else None
        row["seed"] = self.interval.seed if self.interval.is_bootstrap else None
        row["orientation"] = self.orientation
        row["signatures"] = dict(self.signatures)
        row["notes"] = list(self.notes)
        row["warnings"] = list(self.warnings)
        return row
