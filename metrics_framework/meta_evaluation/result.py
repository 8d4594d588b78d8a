"""What `correlate` answers: plain values, ready for a file or a report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.score_matrix import ScoreMatrix

COEFFICIENTS = ("pearson", "spearman", "kendall")
LEVELS = ("input", "system", "global")
SUMMARIZER_TYPES = ("all", "reference", "peer")

SYMBOLS = {"pearson": "r", "spearman": "rho", "kendall": "tau"}
"""The key of a coefficient's value in the JSON file."""

JSON_LEVELS = {"input": "summary_level", "system": "system_level", "global": "global"}
"""The key of a level in the JSON file; the input level has the older name that users' scripts look for."""

RESAMPLED = {
    "bootstrap-both": "systems and inputs",
    "bootstrap-input": "inputs",
    "bootstrap-system": "systems",
}
INTERVAL_METHODS = {
    "none": "none",
    "fisher": "fisher",
    "bootstrap-both": "bootstrap-both",
    "bootstrap-inputs": "bootstrap-input",
    "bootstrap-systems": "bootstrap-system",
    "bootstrap-input": "bootstrap-input",
    "bootstrap-system": "bootstrap-system",
}
"""Every accepted name of an interval method, with the name that the JSON file has."""


@dataclass(frozen=True)
class Estimate:
    """Holds one coefficient at one level.

    Args:
        value: The coefficient; NaN where it is undefined.
        p_value: The p-value of no correlation; None at the input level, where averages have none.
        lower: The lower end of the interval, if there is one.
        upper: The upper end.
        undefined_resamples: The resamples in which the coefficient is undefined; None without a bootstrap.
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
    """Holds the coefficients of one level.

    Args:
        level: ``input``, ``system`` or ``global``.
        size: What was correlated, counted: the keys of the JSON file.
        estimates: The coefficients by name.
        ties: Pairs compared, and pairs tied in the first, the second and both metrics.
        details: Further counts; at the input level the groups that were skipped and the sizes of groups.
    """

    level: str
    size: Mapping[str, int]
    estimates: Mapping[str, Estimate]
    ties: Mapping[str, int]
    details: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self, interval: IntervalSettings) -> dict[str, Any]:
        """Returns the level as it is written."""
        row: dict[str, Any] = {**self.size, **interval.as_json()}
        for name, estimate in self.estimates.items():
            row[name] = {SYMBOLS[name]: estimate.value}
            if self.level != "input":
                row[name]["p_value"] = estimate.p_value
            row[name].update(lower=estimate.lower, upper=estimate.upper)
        row.update(self.details)
        row["ties"] = dict(self.ties)
        if interval.is_bootstrap:
            row["undefined_resamples"] = {name: one.undefined_resamples for name, one in self.estimates.items()}
        return row


@dataclass(frozen=True)
class IntervalSettings:
    """Says which intervals are wanted.

    Args:
        method: ``none``, ``fisher``, ``bootstrap-both``, ``bootstrap-input`` or ``bootstrap-system``.
        confidence: In percent.
        two_tailed: Whether both ends share the error; else each end has all of it.
        resamples: How many, for a bootstrap.
        seed: Of the random numbers, for a bootstrap.
    """

    method: str = "bootstrap-both"
    confidence: float = 95.0
    two_tailed: bool = True
    resamples: int = 1000
    seed: int = 0

    @property
    def alpha(self) -> float:
        """The error, a share of one."""
        return round((100 - self.confidence) / 100, 12)

    @property
    def tail(self) -> float:
        """The error at each end, a share of one."""
        return self.alpha / 2 if self.two_tailed else self.alpha

    @property
    def is_bootstrap(self) -> bool:
        """Whether resamples are drawn."""
        return self.method in RESAMPLED

    def as_json(self) -> dict[str, Any]:
        """Returns the settings as each level repeats them."""
        return {"ci_method": self.method, "alpha": self.alpha, "two_tailed": self.two_tailed}


@dataclass(frozen=True)
class Correlation:
    """Holds all that is known of how two metrics agree.

    Args:
        metric1: Flat name of the first.
        metric2: Flat name of the second.
        summarizer_type: Whose outputs: ``all``, ``reference`` or ``peer``.
        interval: Which intervals were made.
        levels: The results, by level, in the order of `LEVELS`.
        dropped: How many outputs were left out, by cause.
        matrix: The scores themselves.
        input_coefficients: By coefficient, its value at every input (NaN where undefined); empty without that level.
        signatures: What exactly was computed, by metric.
        orientation: What a sign means.
        notes: What is good to know.
        warnings: What may make a result misleading.
        missing_judgements: How many numbers were missing in lists of judgements.
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

    def as_json(self) -> dict[str, Any]:
        """Returns the result as it is written; undefined values are NaN here and ``null`` in the file."""
        row: dict[str, Any] = {
            "metric1": self.metric1,
            "metric2": self.metric2,
            "summarizer_type": self.summarizer_type,
        }
        for level, result in self.levels.items():
            row[JSON_LEVELS[level]] = result.as_json(self.interval)
        row["dropped"] = dict(self.dropped)
        row["missing_judgements"] = self.missing_judgements
        row["confidence"] = self.interval.confidence
        row["resamples"] = self.interval.resamples if self.interval.is_bootstrap else None
        row["seed"] = self.interval.seed if self.interval.is_bootstrap else None
        row["orientation"] = self.orientation
        row["signatures"] = dict(self.signatures)
        row["notes"] = list(self.notes)
        row["warnings"] = list(self.warnings)
        return row
