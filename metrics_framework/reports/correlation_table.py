"""The table of correlations that ``correlate`` prints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.result import Correlation, Estimate
from metrics_framework.reports.formats.output_format import OutputFormat

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.correlate.people import HumanCeiling


class HasDataSet(Protocol):
    """A part of a result, of one data set."""

    @property
    def data_set(self) -> str:
        """The name of the data set; empty if there is only one."""


UNITS = {"input": "input", "system": "system", "global": "output", "within-system": "system"}
"""Level to what its coefficients count."""
DATA_COLUMNS = ["metric1", "metric2", "summarizer_type", "level", "n", "coefficient"]
DATA_COLUMNS += ["value", "lower", "upper", "p_value"]


def correlation_table(results: Sequence[Correlation], ceilings: Sequence[HumanCeiling], output: OutputFormat) -> str:
    """Writes correlations as a table for people, one row per metric and level, with the ceilings below them.

    Args:
        results: The correlations, all computed with the same settings.
        ceilings: The ceilings of human scores.
        output: The format.
    """
    names = results[0].request.coefficients
    shown = data_set_header(results)
    header = [*shown, "metric", "against", "level", "n", *(load_coefficient(name).title for name in names)]
    rows = without_repeats([row for result in results for row in _rows(result, len(shown))], len(shown) + 2)
    for one in ceilings:
        rows += without_repeats(_ceiling_rows(one, names, len(shown)), len(shown) + 2)
    return output.render(header, rows, left=len(header))


def data_set_header(results: Sequence[HasDataSet]) -> list[str]:
    """Returns the heading of the column of data sets; no column for a single data set without a name."""
    return ["data set"] if any(result.data_set for result in results) else []


def without_repeats(rows: Sequence[list[str]], labels: int) -> list[list[str]]:
    """Leaves out the labels of rows that repeat those above.

    Args:
        rows: The rows.
        labels: The number of columns of labels.

    >>> without_repeats([["ter", "quality", "1"], ["ter", "quality", "2"]], 2)
    [['ter', 'quality', '1'], ['', '', '2']]
    """
    return [
        [""] * labels + row[labels:] if index and row[:labels] == rows[index - 1][:labels] else row
        for index, row in enumerate(rows)
    ]


def data_table(results: Sequence[Correlation], output: OutputFormat) -> str:
    """Writes correlations as a table for programs, one row per coefficient, with all digits."""
    header = [name.replace(" ", "_") for name in data_set_header(results)]
    return output.render([*header, *DATA_COLUMNS], _data_rows(results))


def _rows(result: Correlation, data_sets: int) -> list[list[str]]:
    rows = []
    for level, found in result.levels.items():
        estimates = (found.estimates.get(name) for name in result.request.coefficients)
        cells = ["" if estimate is None else estimate_cell(estimate) for estimate in estimates]
        where = [*[result.data_set][:data_sets], result.metric1, result.metric2, level]
        rows.append([*where, counted(found.points, UNITS[level]), *cells])
    return rows


def _ceiling_rows(found: HumanCeiling, names: Sequence[str], data_sets: int) -> list[list[str]]:
    """Returns the rows of a ceiling: one rater against the others, and the reliability of all."""
    rows = []
    for kind, label in (("one_vs_rest", "(one rater)"), ("reliability", "(mean of raters)")):
        for level in dict.fromkeys(level for level, _ in found.ceilings):
            ceilings = [found.ceilings.get((level, name)) for name in names]
            values = [math.nan if one is None else getattr(one, kind) for one in ceilings]
            if all(math.isnan(value) for value in values):
                continue
            used = max(one.raters for one in ceilings if one is not None)
            count = used if kind == "one_vs_rest" else found.num_raters
            cells = ["" if math.isnan(value) else f"{value:.3f}" for value in values]
            where = [*[found.data_set][:data_sets], label, found.human, level]
            rows.append([*where, counted(count, "rater"), *cells])
    return rows


def estimate_cell(estimate: Estimate) -> str:
    """Returns a coefficient with its interval, as tables for people show it."""
    if not estimate.defined:
        return "undefined"
    if estimate.lower is None or estimate.upper is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.lower:.3f}, {estimate.upper:.3f}]"


def _data_rows(results: Sequence[Correlation]) -> list[list[str]]:
    rows = []
    data_sets = len(data_set_header(results))
    for result in results:
        for level, level_result in result.levels.items():
            for name, estimate in level_result.estimates.items():
                value = estimate.value if estimate.defined else None
                p_value = None if estimate.p_value != estimate.p_value else estimate.p_value  # NaN
                numbers = [value, estimate.lower, estimate.upper, p_value]
                whose = [result.metric1, result.metric2, result.summarizer_type, level, level_result.points, name]
                cells = [*[result.data_set][:data_sets], *whose, *numbers]
                rows.append(["" if cell is None else str(cell) for cell in cells])
    return rows
