"""The tables of comparisons: metrics by rank, with the p-values of their differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.choices import CORRECTED
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.comparisons import Comparison
from metrics_framework.meta_evaluation.correlate.request import NONE
from metrics_framework.reports.formats.output_format import OutputFormat
from metrics_framework.reports.numbers import number, p_value

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.differences.averages import AverageMatrix
    from metrics_framework.meta_evaluation.differences.compared_metrics import DifferenceMatrix
    from metrics_framework.meta_evaluation.differences.difference_test import Tested


def comparison_tables(comparisons: Sequence[Comparison], output: OutputFormat) -> list[str]:
    """Writes a table for each comparison: rank, value, and the p-value against each better metric."""
    return [_table(comparison, output) for comparison in comparisons if comparison.found.metrics]


def _table(comparison: Comparison, output: OutputFormat) -> str:
    found = comparison.found
    better = range(max(0, len(found.metrics) - 1))
    title = load_coefficient(comparison.coefficient).title
    header = ["rank", "", _level(comparison), title, *(f"p vs. {index + 1}" for index in better)]
    rows, deciding = [], found.ranking_p_values
    for index, name in enumerate(found.metrics):
        p_values = [p_value(deciding[index, other]) if other < index else "" for other in better]
        rows.append(
            [str(found.ranks[name]), str(index + 1), comparison.label(name), number(found.values[name]), *p_values]
        )
    return output.render(header, rows, left=3)


def _level(comparison: Comparison) -> str:
    level = f"{comparison.level} level"
    return f"{level}, {comparison.data_set}" if comparison.data_set else level


def comparison_notes(comparisons: Sequence[Comparison]) -> list[str]:
    """Describes what was compared, on which outputs, by which test, and what ranks mean."""
    lines = []
    for comparison in comparisons:
        found = comparison.found
        where = f"comparison, {_level(comparison)}"
        systems, inputs = counted(found.shape[0], "system"), counted(found.shape[1], "input")
        outputs = f"{counted(found.cells, 'output')} of {systems} on {inputs}"
        compared = f"compared, {comparison.data_set}" if comparison.data_set else "compared"
        lines.append(f"{compared}: {outputs} that have all metrics; left out: {found.dropped or 'none'}")
        if comparison.negated:
            lines.append(f"negated for comparisons, because lower is better: {', '.join(comparison.negated)}")
        if found.undefined:
            name = load_coefficient(comparison.coefficient).title
            lines.append(f"{where}: {name} of {', '.join(found.undefined)} is undefined, not compared")
        if len(found.metrics) > 1:
            lines.append(f"{where}: {_test(found)}")
        if found.epsilons:
            lines.append(f"{where}: ε of each metric is calibrated once on these data, and kept in all permutations")
        lines += [f"{where}: {note}" for note in found.notes]
        if len(found.metrics) > 1:
            lines.append(ranks_note(found))
    return [*dict.fromkeys(lines)]


def ranks_note(found: DifferenceMatrix | AverageMatrix) -> str:
    """Says what ranks mean, and which p-values they follow."""
    corrected = found.ranking == CORRECTED
    names = p_values_named(2 if corrected else 1, found.correction if corrected else NONE)
    return (
        "ranks: a metric starts a new rank if a metric of the current one is significantly better "
        f"(p ≤ {found.alpha:g}, {names}{', as in the shared tasks of WMT' * (not corrected)})"
    )


def p_values_named(sides: int, correction: str, pairs: int = 0) -> str:
    """Names p-values by their tails and their correction.

    Args:
        sides: 2 or 1.
        correction: The correction.
        pairs: The number of pairs; 0 not to name it.

    >>> p_values_named(2, "holm", 6), p_values_named(1, "none")
    ('two-sided p-values, corrected for 6 pairs (Holm)', 'one-sided p-values, not corrected')
    """
    tails = "two-sided" if sides == 2 else "one-sided"
    if correction == NONE:
        return f"{tails} p-values, not corrected"
    corrected = f"corrected for {counted(pairs, 'pair')}" if pairs else "corrected"
    return f"{tails} p-values, {corrected} ({CORRECTIONS[correction]})"


CORRECTIONS = {"holm": "Holm", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli", "none": "none"}


def _test(found: DifferenceMatrix) -> str:
    parts = [f"{one.test} {_draws(one)}" for one in found.parts]
    draws = "; ".join(parts) or _draws(found)
    return f"{tails_of(found)} p-values {found.population}; test '{found.test}', {draws}, {correction_of(found)}"


def tails_of(found: DifferenceMatrix | AverageMatrix) -> str:
    """Names the tails of the p-values of a table, which ranks follow."""
    return "two-sided" if found.ranking == CORRECTED else "one-sided"


def correction_of(found: DifferenceMatrix | AverageMatrix) -> str:
    """Names the correction of the p-values of a table."""
    return f"correction: {CORRECTIONS[found.correction if found.ranking == CORRECTED else NONE]}"


def _draws(found: DifferenceMatrix | Tested) -> str:
    """Describes where the p-values of a test come from."""
    undefined = found.undefined_draws
    without = f", up to {undefined} of them undefined" if undefined else ""
    if found.resamples:
        return f"{found.resamples} resamples{without}"
    if not found.permutations:
        return "a formula"
    return f"{'all ' if found.is_exact else ''}{found.permutations} permutations{without}"
