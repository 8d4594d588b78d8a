"""The page of ``fw correlate --report``: tables, pictures, notes and method in one HTML file."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.correlate.study import Study
from metrics_framework.reports.correlation_charts import (
    chart_of_ranks,
    epsilon_chart,
    forest_chart,
    is_calibrated,
    matrix_chart,
)
from metrics_framework.reports.correlation_plot import MAX_ROWS, correlation_plot
from metrics_framework.reports.correlation_tables import notes_of, tables_of
from metrics_framework.reports.html.analysis_page import AnalysisPage, Figure, PageTables, Section

_METHOD = (
    "At the input level, a coefficient is computed over the systems for each input, and averaged over inputs; within "
    "systems, over the inputs of each system, and averaged over systems. At the system level, the means of systems are "
    "correlated; at the global level, all outputs.",
    "An interval or p-value speaks of the population that was resampled, which the notes name: other inputs with these "
    "systems, other systems on these inputs, or both.",
    "Undefined coefficients, as of constant scores, are left out of means and counted; they are never 0.",
)


def correlation_page(study: Study, warnings: Sequence[str]) -> str:
    """Writes the results of a study as an HTML page without scripts or network requests.

    Args:
        study: The results.
        warnings: What may make them misleading.
    """
    first, *others = tables_of(study, PageTables())
    compared = [one for one in study.comparisons if len(one.found.metrics) > 1]
    sections = [Section("coefficients", "Coefficients", "", [first, Figure("", forest_chart(study))])]
    if others or compared:
        charts = [Figure("", matrix_chart(compared)), Figure("", chart_of_ranks(compared))] if compared else []
        sections.append(Section("comparisons", "Comparisons and details", "", [*others, *charts]))
    sections += _scatter(study)
    estimates = (
        estimate for one in study.correlations for found in one.levels.values() for estimate in found.estimates.values()
    )
    if any(map(is_calibrated, estimates)):
        sections.append(Section("ties", "Ties", "", [Figure("", epsilon_chart(study.correlations))]))
    sections.append(Section("notes", "Notes", "", [], notes_of(study)))
    sections.append(Section("method", "Method", "", [], _METHOD))
    return AnalysisPage(_title(study), _lead(study), _facts(study), sections, warnings).html()


def _scatter(study: Study) -> list[Section]:
    """Returns the section of plots; without it if there are too many pairs for one picture."""
    if len(study.correlations) > MAX_ROWS:
        return []
    return [Section("scores", "Scores", "", [Figure("", correlation_plot(study.correlations))])]


def _names(study: Study) -> tuple[list[str], list[str]]:
    metrics = list(dict.fromkeys(result.metric1 for result in study.correlations))
    return metrics, list(dict.fromkeys(result.metric2 for result in study.correlations))


def _title(study: Study) -> str:
    metrics, humans = _names(study)
    return f"{metrics[0] if len(metrics) == 1 else 'Metrics'} against {', '.join(humans)}"


def _lead(study: Study) -> str:
    metrics, humans = _names(study)
    return f"{counted(len(metrics), 'metric')} and {counted(len(humans), 'human score')}: {', '.join(metrics)}."


def _facts(study: Study) -> dict[str, str]:
    matrix = study.correlations[0].matrix
    return {
        "Systems": str(len(matrix.systems)),
        "Inputs": str(len(matrix.inputs)),
        "Outputs": str(matrix.num_cells),
    }
