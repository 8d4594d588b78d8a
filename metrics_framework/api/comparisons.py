"""The result of `compare`, as records, tables of other libraries, text, HTML and a plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from metrics_framework.api.columns import as_frame
from metrics_framework.api.tabular import Library, Tabular
from metrics_framework.common.errors import UnknownChoiceError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import UndefinedScoresError, is_defined
from metrics_framework.evaluation.score_comparison import CompareSettings, ScoreComparison, as_json
from metrics_framework.reports.comparison import comparison_table
from metrics_framework.reports.formats.output_format import JSON

Of = Literal["systems", "pairs"]


@dataclass(repr=False)
class ComparisonResult(Tabular):
    """The comparison of systems under one or several scores.

    ``print(result)`` shows the tables that ``fw compare`` prints, and a notebook shows them as HTML.

    Attributes:
        comparisons: One comparison per score, with its systems and pairs.
        settings: How the systems were compared.
        num_instances: The number of inputs.
        warnings: What may make the comparison misleading.
    """

    comparisons: list[ScoreComparison]
    settings: CompareSettings
    num_instances: int
    warnings: list[str] = field(default_factory=list)
    library: str | None = None

    def __getitem__(self, score: str) -> ScoreComparison:
        """Returns the comparison under a score."""
        for comparison in self.comparisons:
            if comparison.score.name == score:
                return comparison
        raise KeyError(score)

    def __len__(self) -> int:
        """Returns the number of scores."""
        return len(self.comparisons)

    def __iter__(self) -> Iterator[ScoreComparison]:
        """Yields the comparisons."""
        return iter(self.comparisons)

    def __repr__(self) -> str:
        """Returns the names of the scores and of the systems."""
        systems = list(dict.fromkeys(system.system for one in self.comparisons for system in one.systems))
        return f"ComparisonResult(scores={[one.score.name for one in self.comparisons]}, systems={systems})"

    def check_scores(self) -> None:
        """Checks that a system has a score.

        Raises:
            UndefinedScoresError: if all scores of all systems are undefined.
        """
        systems = [one.systems for one in self.comparisons]
        if systems and not any(is_defined(system.score) for each in systems for system in each):
            outputs = max(sum(system.inputs + system.undefined for system in each) for each in systems)
            raise UndefinedScoresError([one.score.name for one in self.comparisons], outputs)

    @overrides
    def table(self, format: str = "table", digits: int = 2) -> str:
        """Returns the result as text.

        Args:
            format: An output format of ``fw compare --format``, such as ``markdown``, ``latex``, ``csv`` or ``json``.
            digits: The number of decimal places; ratios have two more.
        """
        if format == JSON:
            return self.to_json()
        return comparison_table(self.comparisons, self.settings, format, digits)

    def to_json(self) -> str:
        """Returns the results as ``fw compare --output-file`` writes them."""
        from metrics_framework.io.jsonl import to_json

        return to_json(as_json(self.comparisons, self.settings, self.num_instances), indent=2)

    def plot(self) -> str:
        """Returns the plot that ``fw compare --plot`` writes, as SVG."""
        from metrics_framework.reports.comparison import comparison_plot

        return comparison_plot(self.comparisons, self.settings)

    def to_records(self, of: Of = "pairs") -> list[dict[str, Any]]:
        """Returns a dictionary for each pair, or for each system, under each score.

        Args:
            of: ``pairs`` or ``systems``.
        """
        if of not in ("pairs", "systems"):
            raise UnknownChoiceError("of", of, ("pairs", "systems"))
        written = as_json(self.comparisons, self.settings, self.num_instances)["scores"]
        return [{"score": name, **record} for name, one in written.items() for record in _records(one, of)]

    def to_frame(self, of: Of = "pairs", library: Library | None = None) -> Any:
        """Returns `to_records` as a DataFrame of pandas or polars, or a table of pyarrow.

        Args:
            of: ``pairs`` or ``systems``.
            library: The library; by default that of the scores, else one that is imported or installed.

        Raises:
            InputError: if no library is installed.
        """
        return as_frame(self.to_records(of), library or self.library)


def _records(comparison: dict[str, Any], of: Of) -> Sequence[dict[str, Any]]:
    if of == "pairs":
        return comparison["pairs"]  # type: ignore[no-any-return]
    return [{"system": system, **record} for system, record in comparison["systems"].items()]
