"""The tables of comparisons: metrics by rank, with the p-values of their differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.correlation.comparisons import Comparison
from metrics_framework.reports.correlation_table import TITLES
from metrics_framework.reports.formats.output_format import OutputFormat

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.differences.matrices import DifferenceMatrix


def comparison_tables(comparisons: Sequence[Comparison], output: OutputFormat) -> list[str]:
    """Writes a table for each comparison: rank, value, and the adjusted p-value against each better metric."""
    return [_table(comparison, output) for comparison in comparisons if comparison.found.metrics]


def _table(comparison: Comparison, output: OutputFormat) -> str:
    found = comparison.found
    numbers = [str(number) for number in range(1, len(found.metrics))]
    header = ["rank", "", f"{comparison.level} level", TITLES[comparison.coefficient], *(f"p vs. {n}" for n in numbers)]
    rows = []
    for index, name in enumerate(found.metrics):
        p_values = [p_cell(found.adjusted[index, other]) if other < index else "" for other in range(len(numbers))]
        number, rank = str(index + 1), str(found.ranks[name])
        rows.append([rank, number, comparison.label(name), f"{found.values[name]:.3f}", *p_values])
    return output.render(header, rows, left=3)


def p_cell(value: float) -> str:
    """Returns a p-value as tables for people show it."""
    if value != value:  # NaN
        return "undefined"
    return "<.0001" if value < 0.0001 else f"{value:.4f}"


def comparison_notes(comparisons: Sequence[Comparison]) -> list[str]:
    """Describes what was compared, on which outputs, by which test, and what ranks mean."""
    lines = []
    for comparison in comparisons:
        found = comparison.found
        where = f"comparison, {comparison.level} level"
        systems, inputs = counted(comparison.num_systems, "system"), counted(comparison.num_inputs, "input")
        outputs = f"{counted(found.cells, 'output')} of {systems} on {inputs}"
        lines.append(f"compared: {outputs} that have all metrics; left out: {found.dropped or 'none'}")
        if comparison.negated:
            lines.append(f"negated for comparisons, because lower is better: {', '.join(comparison.negated)}")
        if found.undefined:
            name = TITLES[comparison.coefficient]
            lines.append(f"{where}: {name} of {', '.join(found.undefined)} is undefined, not compared")
        if len(found.metrics) > 1:
            lines.append(f"{where}: {_test(found)}")
        if found.epsilons:
            lines.append(f"{where}: ε of each metric is calibrated once on these data, and kept in all arrangements")
        lines += [f"{where}: {note}" for note in found.notes]
        lines.append(
            f"ranks: a metric starts a new rank if a metric of the current one is significantly better (one-sided "
            f"p ≤ {found.alpha:g}, not corrected)"
        )
    return [*dict.fromkeys(lines)]


def _test(found: DifferenceMatrix) -> str:
    corrections = {"holm": "Holm", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli", "none": "none"}
    how = "a formula"
    if found.arrangements:
        how = f"{'all ' if found.is_exact else ''}{found.arrangements} arrangements"
    corrected = f"correction: {corrections[found.correction]}"
    return f"two-sided p-values {found.population}; test '{found.test}', {how}, {corrected}"
