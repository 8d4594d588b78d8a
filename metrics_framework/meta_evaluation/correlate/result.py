"""The correlation of two scores: plain values for the JSON file and the reports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from metrics_framework.meta_evaluation.coefficients import REGISTRY as COEFFICIENTS
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.request import (
    NONE,
    CorrelateRequest,
    IntervalSettings,
    coefficient_name,
    sacrerouge_interval_name,
)
from metrics_framework.meta_evaluation.levels import AVERAGED, Level

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
    from metrics_framework.meta_evaluation.scores.score_columns import ScoreMatrix

JSON_LEVELS = {
    "input": "summary_level",
    "system": "system_level",
    "global": "global",
    "within-system": "within_system_level",
}
"""The key of a level in the JSON file; the input level keeps the name that SacreROUGE gave it."""


@dataclass(frozen=True)
class Estimate:
    """One coefficient at one level.

    Args:
        value: The coefficient; NaN if undefined.
        p_value: The two-sided p-value of no correlation; `None` for averages and coefficients without one.
        lower: The lower end of the confidence interval, if there is one.
        upper: The upper end.
        undefined_resamples: The number of resamples in which the coefficient is undefined; `None` without a bootstrap.
        interval_method: How the interval was computed; ``none`` if there is none.
        groups: The number of groups averaged; `None` at the levels system and global.
        details: What a coefficient reports beyond its value, such as ``epsilon``.
    """

    value: float
    p_value: float | None = None
    lower: float | None = None
    upper: float | None = None
    undefined_resamples: int | None = None
    interval_method: str = NONE
    groups: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def defined(self) -> bool:
        """Whether the coefficient has a value."""
        return not math.isnan(self.value)

    def as_json(self, name: str, level: str, sacrerouge: bool) -> dict[str, Any]:
        """Returns the estimate as it appears in the JSON file.

        Args:
            name: The coefficient.
            level: The level.
            sacrerouge: Whether to add the value under the name that SacreROUGE gave it.
        """
        known = load_coefficient(name).sacrerouge_name
        row: dict[str, Any] = {known[1]: self.value} if sacrerouge and known is not None else {}
        row["value"] = self.value
        if level not in AVERAGED and known is not None:
            row["p_value"] = self.p_value
        row.update(lower=self.lower, upper=self.upper)
        if not sacrerouge:
            row["ci_method"] = self.interval_method
            if self.groups is not None:
                row["num_groups"] = self.groups
        row.update(self.details)
        return row


class Estimates(dict[str, Estimate]):
    """Coefficient to estimate; ``kendall`` is another name of ``kendall-b``."""

    def __missing__(self, name: str) -> Estimate:
        """Returns the estimate of a coefficient by another of its names."""
        own = coefficient_name(name) if name in COEFFICIENTS.names(aliases=True) else name
        if own == name or own not in self:
            raise KeyError(name)
        return self[own]


@dataclass(frozen=True)
class LevelResult:
    """The coefficients of one level.

    Args:
        level: ``input``, ``system``, ``global`` or ``within-system``.
        size: The numbers of correlated points, under their keys in the JSON file.
        estimates: Coefficient name to estimate.
        ties: The number of pairs, and of pairs tied in the first, the second and both metrics.
        details: Further counts; for averages the skipped groups and the sizes of groups.
        groups: Coefficient name to its value for every input or system (NaN if undefined); empty at the levels system
            and global.
    """

    level: Level
    size: Mapping[str, int]
    estimates: Estimates
    ties: Mapping[str, int]
    details: Mapping[str, Any] = field(default_factory=dict)
    groups: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @property
    def points(self) -> int:
        """The number of correlated points, or of groups averaged."""
        return next(iter(self.size.values()))

    def as_json(self, interval: IntervalSettings, sacrerouge: bool = True) -> dict[str, Any]:
        """Returns the level as it appears in the JSON file.

        Args:
            interval: How intervals were requested.
            sacrerouge: Whether to use the names that SacreROUGE gave to coefficients and methods.
        """
        methods = {estimate.interval_method for estimate in self.estimates.values()}
        method = methods.pop() if len(methods) == 1 else interval.method
        row: dict[str, Any] = dict(self.size)
        row["ci_method"] = sacrerouge_interval_name(method) if sacrerouge else method
        row.update(alpha=interval.alpha, two_tailed=interval.two_tailed)
        names = {name: _json_name(load_coefficient(name), sacrerouge) for name in self.estimates}
        for name, estimate in self.estimates.items():
            row[names[name]] = estimate.as_json(name, self.level, sacrerouge)
        row.update(self.details)
        row["ties"] = dict(self.ties)
        undefined = {
            names[name]: estimate.undefined_resamples
            for name, estimate in self.estimates.items()
            if estimate.undefined_resamples is not None
        }
        if undefined:
            row["undefined_resamples"] = undefined
        return row


def _json_name(coefficient: Coefficient, sacrerouge: bool) -> str:
    known = coefficient.sacrerouge_name
    return known[0] if sacrerouge and known is not None else coefficient.name


@dataclass(frozen=True)
class Correlation:
    """The correlation of two metrics at every level.

    Args:
        metric1: Flat name of the first metric.
        metric2: Flat name of the second, by convention the human one.
        summarizer_type: Which outputs: ``all``, ``reference`` or ``peer``.
        request: What was computed.
        levels: Level to result, in the order of `LEVELS`.
        dropped: Maps each cause to the number of outputs left out.
        matrix: The scores.
        signatures: Metric to its signature.
        orientation: What the sign of a coefficient means.
        notes: Hints for the user.
        warnings: Warnings of possibly misleading results.
        missing_judgements: The number of judgements missing from lists of judgements.
        missing_values: Metric to the counts of its missing values in tables, by their spelling.
        data_set: The data set of the outputs; empty if there is only one.
        higher_is_better: Whether higher scores of the first metric are better; `None` if that is unknown.
    """

    metric1: str
    metric2: str
    summarizer_type: str
    request: CorrelateRequest
    levels: Mapping[Level, LevelResult]
    dropped: Mapping[str, int]
    matrix: ScoreMatrix
    signatures: Mapping[str, str]
    orientation: str
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    missing_judgements: int = 0
    missing_values: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    data_set: str = ""
    higher_is_better: bool | None = None

    @property
    def interval(self) -> IntervalSettings:
        """How confidence intervals were requested."""
        return self.request.interval

    @property
    def is_resampled(self) -> bool:
        """Whether an interval depends on the seed."""
        return any(
            estimate.undefined_resamples is not None
            for level in self.levels.values()
            for estimate in level.estimates.values()
        )

    def as_json(self, sacrerouge: bool = True) -> dict[str, Any]:
        """Returns the result as it appears in the JSON file; undefined values are NaN here and ``null`` there.

        Args:
            sacrerouge: Whether to use the names that SacreROUGE gave to coefficients and methods.
        """
        row: dict[str, Any] = {"data_set": self.data_set} if self.data_set else {}
        row |= {
            "metric1": self.metric1,
            "metric2": self.metric2,
            "summarizer_type": self.summarizer_type,
        }
        for level, result in self.levels.items():
            row[JSON_LEVELS[level]] = result.as_json(self.interval, sacrerouge)
        row["dropped"] = dict(self.dropped)
        row["missing_judgements"] = self.missing_judgements
        row["missing_values"] = {name: dict(counts) for name, counts in self.missing_values.items()}
        row["confidence"] = self.interval.confidence
        row["resamples"] = self.interval.resamples if self.is_resampled else None
        row["seed"] = self.interval.seed if self.is_resampled else None
        row["orientation"] = self.orientation
        row["signatures"] = dict(self.signatures)
        row["notes"] = list(self.notes)
        row["warnings"] = list(self.warnings)
        return row
