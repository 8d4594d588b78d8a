"""The result of `prefer`, as records, tables of other libraries, text and charts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from overrides import overrides

from metrics_framework.api.columns import as_frame
from metrics_framework.api.results import Library, Tabular
from metrics_framework.reports.formats.output_format import JSON

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.preferences.analysis import Preferences
    from metrics_framework.reports.preference_table import Shown


@dataclass(repr=False)
class PreferenceResult(Tabular):
    """Strengths and ranks of systems from votes.

    ``print(result)`` shows the table that ``fw prefer`` prints, and a notebook shows it as HTML.

    Attributes:
        preferences: Strengths, ranks, wins, position bias and agreement with people.
        warnings: What may make the results misleading.
        show: The table that is printed: ``systems``, ``pairs`` or ``agreement``.
    """

    preferences: Preferences
    warnings: list[str] = field(default_factory=list)
    show: Shown | None = None
    library: str | None = None

    def __repr__(self) -> str:
        """Returns the systems, the strongest first."""
        return f"PreferenceResult({list(self.preferences.systems)})"

    @property
    def notes(self) -> list[str]:
        """What the results are based on."""
        from metrics_framework.reports.preference_table import notes_on

        return [
            " ".join(filter(None, (note.kind, note.label))) + f": {note.text}" for note in notes_on(self.preferences)
        ]

    @overrides
    def table(self, format: str = "table") -> str:
        from metrics_framework.reports.preference_table import preference_table

        if format == JSON:
            return self.to_json()
        return preference_table(self.preferences, format, self.show)

    def to_json(self) -> str:
        """Returns the results as ``fw prefer --output-file`` writes them."""
        from metrics_framework.io.jsonl import to_json
        from metrics_framework.reports.preference_data import as_json

        return to_json(as_json(self.preferences, self.warnings, self.notes), indent=2)

    def plot(self) -> str:
        """Returns the strengths with their intervals that ``fw prefer --plot`` draws, as SVG."""
        from metrics_framework.reports.preference_charts import strength_chart

        return strength_chart(self.preferences)

    def rank_plot(self) -> str:
        """Returns the ranks with their intervals that ``fw prefer --rank-plot`` draws, as SVG."""
        from metrics_framework.reports.preference_charts import rank_chart_of

        return rank_chart_of(self.preferences)

    def to_records(self, of: Shown = "systems") -> list[dict[str, Any]]:
        """Returns a dictionary for each system, pair of systems, or agreement.

        Args:
            of: ``systems``, ``pairs`` or ``agreement``.

        Raises:
            UnknownChoiceError: if it is another word.
        """
        from metrics_framework.common.errors import UnknownChoiceError
        from metrics_framework.reports.preference_table import RECORDS

        if of not in RECORDS:
            raise UnknownChoiceError("of", of, RECORDS)
        return RECORDS[of](self.preferences)

    def to_frame(self, library: Library | None = None, of: Shown = "systems") -> Any:
        """Returns `to_records` as a DataFrame of pandas or polars, or a table of pyarrow.

        Args:
            library: The library; by default that of the votes, else one that is imported or installed.
            of: ``systems``, ``pairs`` or ``agreement``.

        Raises:
            InputError: if no library is installed.
        """
        return as_frame(self.to_records(of), library or self.library)
