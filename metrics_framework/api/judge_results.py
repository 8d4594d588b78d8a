"""The result of `judge`, as records, tables of other libraries, text and HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from overrides import overrides

from metrics_framework.api.results import Records
from metrics_framework.reports.formats.output_format import JSON

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.judges.judging import JudgeReport, Judging


@dataclass(repr=False)
class JudgeResult(Records):
    """Whether judges may replace raters.

    ``print(result)`` shows the tables that ``fw judge`` prints, and a notebook shows them as HTML.

    Attributes:
        judging: All results.
        rating: The rated quality.
        names: The judges.
        confidence: The level of the intervals.
        resamples: The number of resamples.
        seed: The random seed.
        warnings: What may make the result misleading.
    """

    judging: Judging
    rating: str
    names: Sequence[str]
    confidence: float
    resamples: int
    seed: int
    warnings: list[str] = field(default_factory=list)
    library: str | None = None

    def __getitem__(self, name: str) -> JudgeReport:
        """Returns what is found about a judge or a sentinel.

        Raises:
            KeyError: if there is none of this name.
        """
        for report in self.judging.judges:
            if report.name == name:
                return report
        raise KeyError(name)

    def __iter__(self) -> Iterator[JudgeReport]:
        """Yields judges, followed by sentinels."""
        return iter(self.judging.judges)

    def __repr__(self) -> str:
        """Returns the names of the judges."""
        return f"JudgeResult({list(self.names)})"

    @overrides
    def table(self, format: str = "table") -> str:
        from metrics_framework.reports.judge_table import judge_table

        if format == JSON:
            return self.to_json()
        settings = (self.confidence, self.resamples, self.seed)
        return judge_table(self.judging, self.rating, settings, format)

    def to_json(self) -> str:
        """Returns all results as ``fw judge --output-file`` writes them."""
        from metrics_framework.io.jsonl import to_json
        from metrics_framework.reports.judge_data import judging_as_json

        options = {"confidence": self.confidence, "resamples": self.resamples, "seed": self.seed}
        return to_json(judging_as_json(self.judging, self.rating, options), indent=2)

    @overrides
    def to_records(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each judge and sentinel."""
        from metrics_framework.reports.judge_data import judge_record

        return [judge_record(report) for report in self.judging.judges]
