"""The tables of correlations within slices of the data."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.result import Correlation
from metrics_framework.meta_evaluation.correlate.slices import Slice, SliceChange
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.reports.correlation_table import UNITS, data_set_header, estimate_cell, without_repeats
from metrics_framework.reports.formats.output_format import OutputFormat


def slice_tables(slices: Sequence[Slice], changes: Sequence[SliceChange], output: OutputFormat) -> list[str]:
    """Writes a table for each column of slices: the coefficients of each slice, and their mean.

    Args:
        slices: The slices of all columns.
        changes: The means over slices.
        output: The format.
    """
    tables = []
    shown = data_set_header(slices)
    for column in dict.fromkeys(one.column for one in slices):
        of_column = [one for one in slices if one.column == column]
        labels = len(shown) + 1
        rows = without_repeats([row for one in of_column for row in _slice_rows(one, len(shown))], labels)
        means = [change for change in changes if change.column == column]
        rows += without_repeats(_mean_rows(means, len(shown)), labels)
        names = _names(of_column)
        titles = (load_coefficient(name).title for name in names)
        header = [*shown, column, "metric", "against", "level", "n", *titles]
        tables.append(output.render(header, rows, left=len(header)))
    return tables


def _names(slices: Sequence[Slice]) -> Sequence[str]:
    return next(found.request.coefficients for one in slices for found in one.correlations)


def _slice_rows(one: Slice, data_sets: int) -> list[list[str]]:
    first = [*[one.data_set][:data_sets], one.value]
    return [
        [*first, found.metric1, found.metric2, level, counted(result.points, UNITS[level]), *_cells(found, level)]
        for found in one.correlations
        for level, result in found.levels.items()
    ]


def _cells(found: Correlation, level: Level) -> list[str]:
    estimates = (found.levels[level].estimates.get(name) for name in found.request.coefficients)
    return ["" if estimate is None else estimate_cell(estimate) for estimate in estimates]


def _mean_rows(changes: Sequence[SliceChange], data_sets: int) -> list[list[str]]:
    """Returns the means over slices, with their difference from the pooled coefficient."""
    names = dict.fromkeys(change.coefficient for change in changes)
    by_row: dict[tuple[str, str, str, Level], dict[str, SliceChange]] = {}
    for change in changes:
        where = change.data_set, change.metric1, change.metric2, change.level
        by_row.setdefault(where, {})[change.coefficient] = change
    rows = []
    for where, of_row in by_row.items():
        most = max(change.slices for change in of_row.values())
        first = [*[where[0]][:data_sets], "mean of slices (change)"]
        rows.append([*first, *where[1:], counted(most, "slice"), *(_mean(of_row.get(name)) for name in names)])
    return rows


def _mean(change: SliceChange | None) -> str:
    if change is None:
        return ""
    if change.mean_of_slices != change.mean_of_slices:  # NaN
        return "undefined"
    return f"{change.mean_of_slices:.3f} ({change.change:+.3f})"
