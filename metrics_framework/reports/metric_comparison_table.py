"""The tables of comparisons: metrics by rank, with the p-values of their differences."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.correlation.comparisons import Comparison
from metrics_framework.reports.correlation_table import TITLES
from metrics_framework.reports.formats.output_format import OutputFormat


def comparison_tables(comparisons: Sequence[Comparison], output: OutputFormat) -> list[str]:
    """Writes a table for each comparison: rank, value, and the adjusted p-value against each better metric."""
    return [_table(comparison, output) for comparison in comparisons if comparison.metrics]


def _table(comparison: Comparison, output: OutputFormat) -> str:
    numbers = [str(number) for number in range(1, len(comparison.metrics))]
    header = ["rank", "", f"{comparison.level} level", TITLES[comparison.coefficient], *(f"p vs. {n}" for n in numbers)]
    rows = []
    for index, name in enumerate(comparison.metrics):
        p_values = [_p(comparison.adjusted[index][other]) if other < index else "" for other in range(len(numbers))]
        number, rank = str(index + 1), str(comparison.ranks[name])
        rows.append([rank, number, comparison.label(name), f"{comparison.values[name]:.3f}", *p_values])
    return output.render(header, rows, left=3)


def _p(value: float) -> str:
    if value != value:  # NaN
        return "undefined"
    return "<.0001" if value < 0.0001 else f"{value:.4f}"


def comparison_notes(comparisons: Sequence[Comparison]) -> list[str]:
    """Describes what was compared, on which outputs, by which test, and what ranks mean."""
    lines = []
    for comparison in comparisons:
        where = f"comparison, {comparison.level} level"
        systems, inputs = counted(comparison.num_systems, "system"), counted(comparison.num_inputs, "input")
        outputs = f"{counted(comparison.num_outputs, 'output')} of {systems} on {inputs}"
        lines.append(f"compared: {outputs} that have all metrics; left out: {comparison.dropped or 'none'}")
        if comparison.negated:
            lines.append(f"negated for comparisons, because lower is better: {', '.join(comparison.negated)}")
        if comparison.undefined:
            name = TITLES[comparison.coefficient]
            lines.append(f"{where}: {name} of {', '.join(comparison.undefined)} is undefined, not compared")
        lines.append(f"{where}: {_test(comparison)}")
        lines += [f"{where}: {note}" for note in comparison.notes]
        lines.append(
            f"ranks: a metric starts a new rank if a metric of the current one is significantly better (one-sided "
            f"p ≤ {comparison.alpha:g}, not corrected); ranks hide that differences need not be transitive"
        )
    return [*dict.fromkeys(lines)]


def _test(comparison: Comparison) -> str:
    corrections = {"holm": "Holm", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli", "none": "none"}
    if comparison.arrangements:
        how = f"{comparison.arrangements} {'arrangements, all of them' if comparison.is_exact else 'arrangements'}"
    else:
        how = "a formula"
    return (
        f"two-sided p-values {comparison.population}; test '{comparison.test}', {how}, "
        f"correction {corrections[comparison.correction]}"
    )
