"""All tables that ``fw correlate`` prints: correlations, comparisons of metrics, slices, and notes."""

from __future__ import annotations

from metrics_framework.meta_evaluation.correlation.study import Study
from metrics_framework.reports.correlation_notes import correlation_notes
from metrics_framework.reports.correlation_table import correlation_table, data_table
from metrics_framework.reports.formats.output_format import OutputFormat


def study_table(study: Study, format: str = "table") -> str:
    """Writes the results of a study as text.

    Args:
        study: The results.
        format: The name of an output format. Formats for programs have one row per coefficient, with all digits.
    """
    output: OutputFormat = OutputFormat.by_name(format)()
    if not output.for_people:
        return data_table(study.correlations, output) + "\n"
    tables = [correlation_table(study.correlations, output)]
    notes = correlation_notes(study.correlations)
    return output.with_notes("\n\n".join(tables), notes) + "\n"
