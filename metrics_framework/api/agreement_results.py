"""The result of `agreement`, as records, tables of other libraries, text and HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from overrides import overrides

from metrics_framework.api.results import Records
from metrics_framework.reports.formats.output_format import JSON

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.raters.study import RatingStudy, Request


@dataclass(repr=False)
class AgreementResult(Records):
    """How well raters agree.

    ``print(result)`` shows the tables that ``fw agreement`` prints, and a notebook shows them as HTML.

    Attributes:
        studies: What is found about each rated quality.
        request: What was computed.
        warnings: What may make the result misleading.
    """

    studies: list[RatingStudy]
    request: Request
    warnings: list[str] = field(default_factory=list)
    library: str | None = None

    def __getitem__(self, rating: str) -> RatingStudy:
        """Returns what is found about a rated quality.

        Raises:
            KeyError: if there is none of this name.
        """
        for study in self.studies:
            if study.ratings.name == rating:
                return study
        raise KeyError(rating)

    def __iter__(self) -> Iterator[RatingStudy]:
        """Yields the studies of the rated qualities."""
        return iter(self.studies)

    def __repr__(self) -> str:
        """Returns the rated qualities."""
        return f"AgreementResult({[study.ratings.name for study in self.studies]})"

    @overrides
    def table(self, format: str = "table") -> str:
        from metrics_framework.reports.agreement_table import agreement_table

        return self.to_json() if format == JSON else agreement_table(self.studies, self.request, format)

    def to_json(self) -> str:
        """Returns all results as ``fw agreement --output-file`` writes them."""
        from metrics_framework.io.jsonl import to_json
        from metrics_framework.reports.agreement_data import studies_as_json

        return to_json(studies_as_json(self.studies, self.request), indent=2)

    @overrides
    def to_records(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each coefficient of each rated quality and group of outputs."""
        from metrics_framework.reports.agreement_data import agreement_records

        return agreement_records(self.studies)
