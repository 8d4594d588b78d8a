"""The tables of averages over data sets, and of the differences that tests can detect."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.meta_evaluation.correlation.averages import Average
from metrics_framework.meta_evaluation.correlation.comparisons import Comparison
from metrics_framework.reports.correlation_table import TITLES
from metrics_framework.reports.formats.output_format import OutputFormat
from metrics_framework.reports.metric_comparison_table import p_cell


def average_tables(averages: Sequence[Average], output: OutputFormat) -> list[str]:
    """Writes metrics by rank with their averages, and the values of each task."""
    return [table for average in averages for table in (_ranks(average, output), _tasks(average, output))]


def _ranks(average: Average, output: OutputFormat) -> str:
    found = average.found
    numbers = range(max(0, len(found.metrics) - 1))
    header = ["rank", "", average.preset or "average", "average", *(f"p vs. {number + 1}" for number in numbers)]
    rows = [
        [str(found.ranks[name]), str(index + 1), _label(average, name), f"{found.averages[name]:.3f}"]
        + [p_cell(found.adjusted[index, other]) if other < index else "" for other in numbers]
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
        what = f"the coefficients of {average.preset}" if average.preset else "all coefficients, with equal weights"
        lines.append(
            f"average of {what}; correlations r count as (r + 1) / 2; p-values from {average.found.arrangements} "
            "arrangements, drawn separately for each task"
        )
        if average.found.left_out:
            lines.append(f"left out of the average, undefined in a task: {', '.join(average.found.left_out)}")
    return [*dict.fromkeys(lines)]


def power_tables(comparisons: Sequence[Comparison], output: OutputFormat) -> list[str]:
    """Writes what the tests of each comparison can detect."""
    rows = [
        [
            comparison.level,
            TITLES[comparison.coefficient],
            f"{comparison.label(first)} vs. {comparison.label(second)}",
            _number(power.difference),
            _number(power.standard_error),
            _number(power.least_detectable),
            "" if power.needed is None else f"{power.needed} {power.unit}",
        ]
        for comparison in comparisons
        for (first, second), power in comparison.power.items()
    ]
    header = ["level", "coefficient", "metrics", "difference", "std. error", "detectable", "needed"]
    return [output.render(header, rows, left=3)] if rows else []


def power_notes(comparisons: Sequence[Comparison]) -> list[str]:
    """Describes what power means."""
    found = [power for comparison in comparisons for power in comparison.power.values()]
    if not found:
        return []
    return [
        f"power: detectable is the least difference that is found with probability {found[0].power:g} at α = "
        f"{found[0].alpha:g}; needed is the number of inputs or systems to find the observed difference"
    ]


def _number(value: float) -> str:
    return "undefined" if value != value else f"{value:.3f}"
