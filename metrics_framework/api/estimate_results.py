"""The result of `estimate`, as records, tables of other libraries, text and HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from overrides import overrides

from metrics_framework.api.results import Records
from metrics_framework.meta_evaluation.estimation.names import Tuning
from metrics_framework.reports.estimate_data import JudgeEstimates
from metrics_framework.reports.formats.output_format import JSON

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.estimation.system_estimates import SystemMean


@dataclass(repr=False)
class EstimateResult(Records):
    """Mean ratings of systems, and their differences.

    ``print(result)`` shows the tables that ``fw estimate`` prints, and a notebook shows them as HTML.

    Attributes:
        estimates: The estimates with the scores of each judge.
        rating: The rated quality.
        baseline: The system that others are compared with; `None` for all pairs.
        tuning: How λ is chosen.
        confidence: The level of the intervals, in percent.
        cluster: The column of clusters.
        warnings: What may make the estimates misleading.
    """

    estimates: Sequence[JudgeEstimates]
    rating: str
    baseline: str | None
    tuning: Tuning
    confidence: float
    cluster: str | None
    warnings: list[str] = field(default_factory=list)
    library: str | None = None

    def __getitem__(self, system: str) -> SystemMean:
        """Returns the mean of a system with the scores of the first judge.

        Raises:
            KeyError: if there is no system of this name.
        """
        for entry in self.estimates[0].means:
            if entry.system == system:
                return entry
        raise KeyError(system)

    def __iter__(self) -> Iterator[JudgeEstimates]:
        """Yields the estimates with the scores of each judge."""
        return iter(self.estimates)

    def __repr__(self) -> str:
        """Returns the names of the judges."""
        return f"EstimateResult({[found.judge for found in self.estimates]})"

    @overrides
    def table(self, format: str = "table") -> str:
        from metrics_framework.reports.estimate_table import estimate_table

        if format == JSON:
            return self.to_json()
        return estimate_table(self.estimates, self._options(), format)

    def _options(self) -> dict[str, Any]:
        return {
            "rating": self.rating,
            "baseline": self.baseline,
            "tuning": self.tuning,
            "confidence": self.confidence,
            "cluster": self.cluster,
        }

    def to_json(self) -> str:
        """Returns all results as ``fw estimate --output-file`` writes them."""
        from metrics_framework.io.jsonl import to_json
        from metrics_framework.reports.estimate_data import estimates_as_json

        return to_json(estimates_as_json(self.estimates, self._options()), indent=2)

    @overrides
    def to_records(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each system and each difference."""
        from metrics_framework.reports.estimate_data import estimate_records

        return estimate_records(self.estimates)
