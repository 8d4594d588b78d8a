"""The tables of correlations within slices of the data."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.correlation.result import Correlation
from metrics_framework.meta_evaluation.correlation.slices import Slice, SliceChange
from metrics_framework.reports.correlation_table import TITLES, UNITS, estimate_cell
from metrics_framework.reports.formats.output_format import OutputFormat


def slice_tables(slices: Sequence[Slice], changes: Sequence[SliceChange], output: OutputFormat) -> list[str]:
    """Writes a table for each column of slices: the coefficients of each slice, and their mean.

    Args:
        slices: The slices of all columns.
        changes: The means over slices.
        output: The format.
    """
    tables = []
    for column in dict.fromkeys(one.column for one in slices):
        of_column = [one for one in slices if one.column == column]
        rows = [row for one in of_column for row in _slice_rows(one)]
        rows += _mean_rows([change for change in changes if change.column == column])
        names = _names(of_column)
        header = [column, "metric", "against", "level", "n", *(TITLES[name] for name in names)]
        tables.append(output.render(header, rows, left=len(header)))
    return tables


def _names(slices: Sequence[Slice]) -> Sequence[str]:
    return next(found.settings.coefficients for one in slices for found in one.correlations)


def _slice_rows(one: Slice) -> list[list[str]]:
    rows = []
    first = one.value
    for found in one.correlations:
        for level, result in found.levels.items():
            count = counted(result.points, UNITS[level])
            rows.append([first, found.metric1, found.metric2, level, count, *_cells(found, level)])
            first = ""
    return rows


def _cells(found: Correlation, level: str) -> list[str]:
    estimates = (found.levels[level].estimates.get(name) for name in found.settings.coefficients)
    return ["" if estimate is None else estimate_cell(estimate) for estimate in estimates]


def _mean_rows(changes: Sequence[SliceChange]) -> list[list[str]]:
    """Returns the means over slices, with their difference from the pooled coefficient."""
    names = dict.fromkeys(change.coefficient for change in changes)
    by_row: dict[tuple[str, str, str], dict[str, SliceChange]] = {}
    for change in changes:
        by_row.setdefault((change.metric1, change.metric2, change.level), {})[change.coefficient] = change
    rows = []
    first = "mean of slices (change)"
    for where, of_row in by_row.items():
        most = max(change.slices for change in of_row.values())
        rows.append([first, *where, counted(most, "slice"), *(_mean(of_row.get(name)) for name in names)])
        first = ""
    return rows


def _mean(change: SliceChange | None) -> str:
    if change is None:
        return ""
    if change.mean_of_slices != change.mean_of_slices:  # NaN
        return "undefined"
    return f"{change.mean_of_slices:.3f} ({change.change:+.3f})"
