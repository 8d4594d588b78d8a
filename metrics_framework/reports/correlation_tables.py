"""All tables that ``fw correlate`` prints: correlations, comparisons of metrics, slices, and notes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.answers import answers_of
from metrics_framework.meta_evaluation.correlate.partials import Partial
from metrics_framework.meta_evaluation.correlate.request import CorrelateRequest
from metrics_framework.meta_evaluation.correlate.result import Correlation
from metrics_framework.meta_evaluation.correlate.shown_levels import as_shown
from metrics_framework.meta_evaluation.correlate.slices import Slice, SliceChange
from metrics_framework.meta_evaluation.correlate.study import Study
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.reports.answer_text import answer_text
from metrics_framework.reports.average_table import average_notes, average_tables, power_notes, power_tables
from metrics_framework.reports.correlation_notes import correlation_notes
from metrics_framework.reports.correlation_table import (
    UNITS,
    correlation_table,
    data_set_header,
    data_table,
    estimate_cell,
    without_repeats,
)
from metrics_framework.reports.formats.output_format import OutputFormat
from metrics_framework.reports.metric_comparison_table import comparison_notes, comparison_tables


def study_table(study: Study, format: str = "table") -> str:
    """Writes the results of a study as text: the answers in words, tables, and notes.

    Tables for people have the levels that were asked for, else the one that the data support best.

    Args:
        study: The results.
        format: The name of an output format. Formats for programs have one row per coefficient, with all digits.
    """
    output: OutputFormat = OutputFormat.by_name(format)()
    if not output.for_people:
        return data_table(study.correlations, output) + "\n"
    shown = as_shown(study)
    parts = [*(output.paragraph(answer_text(one)) for one in answers_of(study)), *tables_of(shown, output)]
    return output.with_notes("\n\n".join(parts), notes_of(shown)) + "\n"


def tables_of(study: Study, output: OutputFormat) -> list[str]:
    """Writes the tables of a study for people: correlations first, then comparisons, calibrations and details."""
    return [
        correlation_table(study.correlations, study.ceilings, output),
        *comparison_tables(study.comparisons, output),
        *detail_tables(study, output),
    ]


def detail_tables(study: Study, output: OutputFormat) -> list[str]:
    """Writes the tables of what was asked for beside correlations and comparisons."""
    return [
        *power_tables(study.comparisons, output),
        *average_tables(study.averages, output),
        *calibration_tables(study.correlations, output),
        *partial_tables(study.partials, output),
        *rater_tables(study.raters, output),
        *slice_tables(study, output),
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
        *_hidden(study),
        *_variance(study),
    ]


def _hidden(study: Study) -> list[str]:
    """Says which levels are not shown."""
    if not study.hidden_levels:
        return []
    return [
        f"level: {', '.join(study.request.levels)}, which these data support best; the JSON file also has "
        f"{' and '.join(study.hidden_levels)}, and --level selects levels to show"
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


def slice_tables(study: Study, output: OutputFormat) -> list[str]:
    """Writes a table for each column of slices: the coefficients of each slice, and their mean.

    Args:
        study: The results.
        output: The format.
    """
    tables = []
    shown, names = data_set_header(study.slices), study.request.coefficients
    for column in dict.fromkeys(one.column for one in study.slices):
        labels = len(shown) + 1
        of_column = [one for one in study.slices if one.column == column]
        rows = [row for one in of_column for row in _slice_rows(one, study.request, len(shown))]
        means = [change for change in study.changes if change.column == column]
        rows = [*without_repeats(rows, labels), *without_repeats(_mean_rows(means, names, len(shown)), labels)]
        header = [*shown, column, "metric", "against", "level", "n", *(load_coefficient(name).title for name in names)]
        tables.append(output.render(header, rows, left=len(header)))
    return tables


def _slice_rows(one: Slice, request: CorrelateRequest, data_sets: int) -> list[list[str]]:
    """Returns a row for each level of each pair, and one without values for a pair that has no output with both."""
    first = [*[one.data_set][:data_sets], one.value]
    by_pair = {(found.metric1, found.metric2): found for found in one.correlations}
    rows = []
    for pair in [*by_pair, *(pair for pair in request.pairs if pair not in by_pair)]:
        found = by_pair.get(pair)
        if found is None:
            rows.append([*first, *pair, "", counted(0, "output"), *[""] * len(request.coefficients)])
            continue
        for level, result in found.levels.items():
            rows.append([*first, *pair, level, counted(result.points, UNITS[level]), *_cells(found, level)])
    return rows


def _cells(found: Correlation, level: Level) -> list[str]:
    estimates = (found.levels[level].estimates.get(name) for name in found.request.coefficients)
    return ["" if estimate is None else estimate_cell(estimate) for estimate in estimates]


def _mean_rows(changes: Sequence[SliceChange], names: Sequence[str], data_sets: int) -> list[list[str]]:
    """Returns the means over slices, with their difference from the pooled coefficient."""
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


def rater_tables(raters: Sequence[Correlation], output: OutputFormat) -> list[str]:
    """Writes the correlations of raters as metrics."""
    return [correlation_table(raters, [], output)] if raters else []


def partial_tables(partials: Sequence[Partial], output: OutputFormat) -> list[str]:
    """Writes partial correlations, each with the correlation without covariates."""
    if not partials:
        return []
    names = [*dict.fromkeys(partial.coefficient for partial in partials)]
    shown = data_set_header(partials)
    rows: dict[tuple[str, ...], dict[str, Partial]] = {}
    for partial in partials:
        where = (*(partial.data_set,)[: len(shown)], partial.metric1, partial.metric2, partial.level)
        rows.setdefault(where, {})[partial.coefficient] = partial
    header = [*shown, "partial", "against", "level", "n"]
    header += [f"{load_coefficient(name).title}{kind}" for name in names for kind in ("", " without")]
    cells = []
    for where, found in rows.items():
        outputs = next(iter(found.values())).found.outputs
        values = [value for name in names for value in (found[name].found.value, found[name].found.uncontrolled)]
        cells.append([*where, counted(outputs, "output"), *map(_value, values)])
    return [output.render(header, cells, left=len(header))]


def partial_notes(partials: Sequence[Partial]) -> list[str]:
    """Describes what partial correlations control for."""
    left_out = {partial.found.left_out for partial in partials if partial.found.left_out}
    return [
        f"partial: at equal values of {', '.join(covariates)}; without: the same outputs, not controlled"
        + (f"; left out: {counted(max(left_out), 'output')} without a covariate" if left_out else "")
        for covariates in dict.fromkeys(tuple(partial.covariates) for partial in partials)
    ]


def calibration_tables(results: Sequence[Correlation], output: OutputFormat) -> list[str]:
    """Writes the ε of calibrated accuracies at each level, the pairs it ties, and the accuracies at both ends of ε."""
    rows: dict[str, list[list[str]]] = {}
    shown = data_set_header(results)
    for result in results:
        for level, found in result.levels.items():
            for name, estimate in found.estimates.items():
                if load_coefficient(name).calibrates_epsilon:
                    cells = [*_calibration(estimate.details), _value(estimate.value)]
                    cells += [_value(estimate.details.get(key)) for key in ("accuracy_at_zero", "accuracy_all_tied")]
                    where = [result.metric1, result.metric2, level]
                    rows.setdefault(name, []).append([result.data_set][: len(shown)] + where + cells)
    header = ["against", "level", "ε", "pairs tied", "accuracy", "at ε = 0", "all tied"]
    return [
        output.render([*shown, name, *header], without_repeats(of_name, len(shown) + 2), left=len(shown) + 3)
        for name, of_name in rows.items()
    ]


def _calibration(details: Mapping[str, Any]) -> list[str]:
    tied = details.get("tied", math.nan)
    return [_epsilon(details["epsilon"]), "" if math.isnan(tied) else f"{100 * tied:.1f}%"]


def _epsilon(epsilon: float) -> str:
    return "undefined" if math.isnan(epsilon) else f"{epsilon:.4g}"


def _value(value: float | None) -> str:
    if value is None:
        return ""
    return "undefined" if value != value else f"{value:.3f}"
