"""The table of correlations that ``correlate`` prints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.correlation.result import Correlation, Estimate
from metrics_framework.reports.formats.output_format import OutputFormat

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.correlation.human_scores import HumanCeiling

TITLES = {
    "pearson": "Pearson r",
    "spearman": "Spearman ρ",
    "kendall-a": "Kendall τ-a",
    "kendall-b": "Kendall τ-b",
    "kendall-c": "Kendall τ-c",
    "tau-23": "τ_23",
    "acc-23": "acc_23",
    "acc-eq": "acc-eq",
    "kendall-like": "Kendall-like",
    "pairwise-accuracy": "pairwise accuracy",
    "spa": "SPA",
    "spa:normal": "SPA (normal)",
    "pdp": "PDP",
}
"""Coefficient to the heading of its column."""
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
    names = results[0].settings.coefficients
    header = ["metric", "against", "level", "n", *(TITLES[name] for name in names)]
    rows = [*_rows(results), *(row for one in ceilings for row in _ceiling_rows(one, names))]
    return output.render(header, rows, left=len(header))


def data_table(results: Sequence[Correlation], output: OutputFormat) -> str:
    """Writes correlations as a table for programs, one row per coefficient, with all digits."""
    return output.render(DATA_COLUMNS, _data_rows(results))


def _rows(results: Sequence[Correlation]) -> list[list[str]]:
    rows = []
    for result in results:
        first = [result.metric1, result.metric2]
        for level, level_result in result.levels.items():
            estimates = (level_result.estimates.get(name) for name in result.settings.coefficients)
            cells = ["" if estimate is None else estimate_cell(estimate) for estimate in estimates]
            rows.append([*first, level, counted(level_result.points, UNITS[level]), *cells])
            first = ["", ""]
    return rows


def _ceiling_rows(found: HumanCeiling, names: Sequence[str]) -> list[list[str]]:
    """Returns the rows of a ceiling: one rater against the others, and the reliability of all."""
    rows = []
    for kind, label in (("one_vs_rest", "(one rater)"), ("reliability", "(mean of raters)")):
        first = [label, found.human]
        for level in dict.fromkeys(level for level, _ in found.ceilings):
            ceilings = [found.ceilings.get((level, name)) for name in names]
            values = [math.nan if one is None else getattr(one, kind) for one in ceilings]
            if all(math.isnan(value) for value in values):
                continue
            used = max(one.raters for one in ceilings if one is not None)
            count = used if kind == "one_vs_rest" else found.num_raters
            cells = ["" if math.isnan(value) else f"{value:.3f}" for value in values]
            rows.append([*first, level, counted(count, "rater"), *cells])
            first = ["", ""]
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
    for result in results:
        for level, level_result in result.levels.items():
            for name, estimate in level_result.estimates.items():
                value = estimate.value if estimate.defined else None
                p_value = None if estimate.p_value != estimate.p_value else estimate.p_value  # NaN
                numbers = [value, estimate.lower, estimate.upper, p_value]
                whose = [result.metric1, result.metric2, result.summarizer_type, level, level_result.points, name]
                rows.append(["" if cell is None else str(cell) for cell in [*whose, *numbers]])
    return rows
