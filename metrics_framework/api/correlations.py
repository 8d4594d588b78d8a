"""The result of `correlate`, as records, tables of other libraries, text, HTML and a plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from metrics_framework.api.columns import as_frame
from metrics_framework.api.tabular import Library, Tabular
from metrics_framework.common.errors import UnknownChoiceError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.file_formats import head_of
from metrics_framework.meta_evaluation.choices import Level
from metrics_framework.reports.formats.output_format import JSON

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.correlate.answers import Answer
    from metrics_framework.meta_evaluation.correlate.comparisons import Comparison
    from metrics_framework.meta_evaluation.correlate.correlation import Correlation
    from metrics_framework.meta_evaluation.correlate.study import Study

Of = Literal["correlations", "differences"]


@dataclass(repr=False)
class CorrelationResult(Tabular):
    """The correlations of metrics with human ratings.

    ``print(result)`` shows the table that ``fw correlate`` prints, and a notebook shows it as HTML.

    Attributes:
        study: All results: correlations, comparisons of metrics, slices.
        warnings: What may make the correlations misleading.
        has_sacrerouge_form: Whether the JSON has the names of SacreROUGE, as for pairs of scores.
    """

    study: Study
    warnings: list[str] = field(default_factory=list)
    library: str | None = None
    has_sacrerouge_form: bool = False

    @property
    def correlations(self) -> Sequence[Correlation]:
        """One correlation for each pair of a metric and a rating, with its levels and intervals."""
        return self.study.correlations

    @property
    def comparisons(self) -> Sequence[Comparison]:
        """The comparisons of the metrics, for each rating, level and coefficient; empty without a test."""
        return self.study.comparisons

    def __getitem__(self, metric: str) -> Correlation:
        """Returns the first correlation of a metric."""
        for correlation in self.correlations:
            if correlation.metric1 == metric:
                return correlation
        raise KeyError(metric)

    def __len__(self) -> int:
        """Returns the number of correlations."""
        return len(self.correlations)

    def __iter__(self) -> Iterator[Correlation]:
        """Yields the correlations."""
        return iter(self.correlations)

    def __repr__(self) -> str:
        """Returns the names of the pairs."""
        return f"CorrelationResult({[(result.metric1, result.metric2) for result in self.correlations]})"

    @property
    def answers(self) -> list[Answer]:
        """For each rating, the best metric, those not distinguishable from it, and what to mind."""
        from metrics_framework.meta_evaluation.correlate.answers import answers_of

        return answers_of(self.study)

    def summary(self) -> str:
        """Returns the answers in words, one paragraph for each rating."""
        from metrics_framework.reports.correlation_notes import answer_text

        return "\n\n".join(map(answer_text, self.answers))

    @overrides
    def table(self, format: str = "table") -> str:
        from metrics_framework.reports.correlation_tables import study_table

        if format == JSON:
            return self.to_json()
        return study_table(self.study, format).removesuffix("\n")

    def to_json(self) -> str:
        """Returns the results as ``fw correlate --output-file`` writes them.

        Pairs of scores are one object each, with the names that SacreROUGE gave to coefficients; several are a list.
        A study of metrics against ratings is one object: with one pair, it has the keys of the pair.
        """
        from metrics_framework.io.jsonl import to_json
        from metrics_framework.reports.correlation_notes import answer_text

        rows = [result.as_json(self.has_sacrerouge_form) for result in self.correlations]
        if self.has_sacrerouge_form:
            return to_json(rows[0] if len(rows) == 1 else rows, indent=2)
        found = rows[0] if len(rows) == 1 else {"correlations": rows}
        answers = [{**answer.as_json(), "text": answer_text(answer)} for answer in self.answers]
        return to_json({**head_of("fw correlate"), "answers": answers, **found, **self.study.as_json()}, indent=2)

    def plot(self, level: Level | None = None) -> str:
        """Returns the plot that ``fw correlate --plot`` writes, as SVG.

        Args:
            level: The level to show; by default all.
        """
        from metrics_framework.reports.correlation_plot import correlation_plot

        return correlation_plot(self.correlations, level)

    def chart(self, kind: Literal["forest", "p-values", "ranks", "epsilon"]) -> str:
        """Returns a chart of the whole study, as SVG.

        Args:
            kind: Coefficients with their intervals (``forest``); the p-values of all pairs of metrics (``p-values``);
                ranks of metrics with their intervals (``ranks``); accuracy against ε (``epsilon``).

        Raises:
            InputError: if the study has no comparisons of metrics, or no acc-eq, to draw.
        """
        from metrics_framework.reports import correlation_page as correlation_charts

        if kind == "forest":
            return correlation_charts.forest_chart(self.study)
        if kind == "epsilon":
            return correlation_charts.epsilon_chart(self.correlations)
        draw = correlation_charts.chart_of_ranks if kind == "ranks" else correlation_charts.matrix_chart
        return draw(self.study.comparisons)

    def task_table(self) -> str:
        """Returns the table of metrics and tasks that ``fw correlate --task-table`` writes, as LaTeX.

        The best metric of a column is bold; a dagger marks those that the test does not distinguish from it.
        """
        from metrics_framework.reports.correlation_tables import task_table

        return task_table(self.study)

    def page(self) -> str:
        """Returns the page that ``fw correlate --report`` writes, as HTML."""
        from metrics_framework.reports.correlation_page import correlation_page

        return correlation_page(self.study, self.warnings)

    def to_records(self, of: Of = "correlations") -> list[dict[str, Any]]:
        """Returns a dictionary for each coefficient at each level, with its interval and p-value.

        Args:
            of: ``correlations``, or ``differences`` for a dictionary for each pair of compared metrics.
        """
        if of not in ("correlations", "differences"):
            raise UnknownChoiceError("of", of, ("correlations", "differences"))
        if of == "differences":
            return [record for comparison in self.comparisons for record in comparison.to_records()]
        return [
            {
                "metric1": result.metric1,
                "metric2": result.metric2,
                "summarizer_type": result.summarizer_type,
                "level": level,
                "n": level_result.points,
                "coefficient": name,
                "value": estimate.value,
                "lower": estimate.lower,
                "upper": estimate.upper,
                "p_value": estimate.p_value,
            }
            for result in self.correlations
            for level, level_result in result.levels.items()
            for name, estimate in level_result.estimates.items()
        ]

    def to_frame(self, library: Library | None = None, of: Of = "correlations") -> Any:
        """Returns `to_records` as a DataFrame of pandas or polars, or a table of pyarrow.

        Args:
            library: The library; by default that of the scores, else one that is imported or installed.
            of: ``correlations`` or ``differences``.

        Raises:
            InputError: if no library is installed.
        """
        return as_frame(self.to_records(of), library or self.library)
