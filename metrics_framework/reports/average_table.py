"""The tables of averages over data sets, and of the differences that tests can detect."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.comparisons import Average, Comparison
from metrics_framework.reports.correlation_table import data_set_header
from metrics_framework.reports.formats.output_format import OutputFormat
from metrics_framework.reports.metric_comparison_table import correction_of, p_cell, ranks_note, tails_of


def average_tables(averages: Sequence[Average], output: OutputFormat) -> list[str]:
    """Writes metrics by rank with their averages, and the values of each task."""
    return [table for average in averages for table in (_ranks(average, output), _tasks(average, output))]


def _ranks(average: Average, output: OutputFormat) -> str:
    found = average.found
    numbers = range(max(0, len(found.metrics) - 1))
    header = ["rank", "", average.preset or "average", "average", *(f"p vs. {number + 1}" for number in numbers)]
    rows = [
        [str(found.ranks[name]), str(index + 1), _label(average, name), f"{found.averages[name]:.3f}"]
        + [p_cell(found.ranking_p_values[index, other]) if other < index else "" for other in numbers]
        for index, name in enumerate(found.metrics)
    ]
    return output.render(header, rows, left=3)


def _tasks(average: Average, output: OutputFormat) -> str:
    found = average.found
    header = ["task", "weight", "test", *(_label(average, name) for name in found.metrics)]
    rows = [
        [task, f"{found.weights[task]:g}", found.tests[task], *(f"{values[name]:.3f}" for name in found.metrics)]
        for task, values in found.task_values.items()
    ]
    return output.render(header, rows, left=1)


def _label(average: Average, name: str) -> str:
    return f"-{name}" if name in average.negated else name


def average_notes(averages: Sequence[Average]) -> list[str]:
    """Describes how averages were computed and tested."""
    lines = []
    for average in averages:
        found = average.found
        what = f"the coefficients of {average.preset}" if average.preset else "all coefficients, with equal weights"
        drawn = f"{'all ' if found.is_exact else ''}{found.permutations} permutations"
        lines.append(
            f"average of {what}; correlations r count as (r + 1) / 2; {tails_of(found)} p-values {found.population}; "
            f"{drawn}, {PROCEDURES[found.procedure]}; {correction_of(found)}"
        )
        if len(found.metrics) > 1:
            lines.append(ranks_note(found))
        if average.found.left_out:
            lines.append(f"left out of the average, undefined in a task: {', '.join(average.found.left_out)}")
    return [*dict.fromkeys(lines)]


PROCEDURES = {
    "joint": "one of a data set for all its tasks",
    "published": "drawn separately for each task, as the shared tasks did, although tasks of one data set depend on "
    "each other: the p-values are too small",
}


def power_tables(comparisons: Sequence[Comparison], output: OutputFormat) -> list[str]:
    """Writes what the tests of each comparison can detect."""
    shown = data_set_header(comparisons)
    rows = [
        [
            *[comparison.data_set][: len(shown)],
            comparison.level,
            load_coefficient(comparison.coefficient).title,
            f"{comparison.label(first)} vs. {comparison.label(second)}",
            power.test,
            _number(power.difference),
            _number(power.standard_error),
            f"none: {power.reason}" if power.reason else _number(power.least_detectable),
            "" if power.needed is None else f"{power.needed} {power.unit}",
        ]
        for comparison in comparisons
        for (first, second), each in comparison.found.power.items()
        for power in each
    ]
    header = [*shown, "level", "coefficient", "metrics", "test", "difference", "std. error", "detectable", "needed"]
    return [output.render(header, rows, left=len(shown) + 4)] if rows else []


def power_notes(comparisons: Sequence[Comparison]) -> list[str]:
    """Describes what power means."""
    found = [power for comparison in comparisons for each in comparison.found.power.values() for power in each]
    if not found:
        return []
    return [
        f"power: detectable is the least difference that the test of the comparison finds with probability "
        f"{found[0].power:g} at α = {found[0].alpha:g}; needed is the number of units to find the observed difference"
    ]


def _number(value: float) -> str:
    return "undefined" if value != value else f"{value:.3f}"
