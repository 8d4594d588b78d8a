"""All tables that ``fw correlate`` prints: correlations, comparisons of metrics, slices, and notes."""

from __future__ import annotations

import math

from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.correlate.study import Study
from metrics_framework.reports.average_table import average_notes, average_tables, power_notes, power_tables
from metrics_framework.reports.correlation_notes import correlation_notes
from metrics_framework.reports.correlation_table import correlation_table, data_table
from metrics_framework.reports.explanation_tables import (
    calibration_tables,
    partial_notes,
    partial_tables,
    rater_tables,
)
from metrics_framework.reports.formats.output_format import OutputFormat
from metrics_framework.reports.metric_comparison_table import comparison_notes, comparison_tables
from metrics_framework.reports.slice_table import slice_tables


def study_table(study: Study, format: str = "table") -> str:
    """Writes the results of a study as text.

    Args:
        study: The results.
        format: The name of an output format. Formats for programs have one row per coefficient, with all digits.
    """
    output: OutputFormat = OutputFormat.by_name(format)()
    if not output.for_people:
        return data_table(study.correlations, output) + "\n"
    return output.with_notes("\n\n".join(tables_of(study, output)), notes_of(study)) + "\n"


def tables_of(study: Study, output: OutputFormat) -> list[str]:
    """Writes the tables of a study for people: correlations first, then comparisons, calibrations and details."""
    return [
        correlation_table(study.correlations, study.ceilings, output),
        *comparison_tables(study.comparisons, output),
        *power_tables(study.comparisons, output),
        *average_tables(study.averages, output),
        *calibration_tables(study.correlations, output),
        *partial_tables(study.partials, output),
        *rater_tables(study.raters, output),
        *slice_tables(study.slices, study.changes, output),
    ]


def notes_of(study: Study) -> list[str]:
    """Describes data, intervals and tests, one line each."""
    return [
        *correlation_notes(study.correlations),
        *comparison_notes(study.comparisons),
        *power_notes(study.comparisons),
        *average_notes(study.averages),
        *partial_notes(study.partials),
        *_ceilings(study),
        *_variance(study),
    ]


def _variance(study: Study) -> list[str]:
    """Describes how much of the variance of human scores lies between inputs, systems and within."""
    return [
        f"variance of {name}: {100 * shares.inputs:.0f}% between inputs, {100 * shares.systems:.0f}% between systems, "
        f"{100 * shares.within:.0f}% within; a metric that sees only the source reaches at most "
        f"r = {math.sqrt(shares.inputs):.2f} at the global level"
        for name, shares in study.variance.items()
        if not math.isnan(shares.inputs)
    ]


def _ceilings(study: Study) -> list[str]:
    return [
        f"ceiling of {one.human}: {counted(one.num_raters, 'rater')} of {counted(one.num_outputs, 'output')}; one "
        "rater against the mean of the others, and the reliability of the mean of all by split halves (Spearman-Brown)"
        for one in study.ceilings
    ]
