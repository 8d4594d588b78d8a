"""The tables that explain correlations: raters as metrics, partial correlations, and the ε of accuracies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.partials import Partial
from metrics_framework.meta_evaluation.correlate.result import Correlation
from metrics_framework.reports.correlation_table import correlation_table, data_set_header, without_repeats
from metrics_framework.reports.formats.output_format import OutputFormat


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
                if "folds" in load_coefficient(name).uses:
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
    epsilon = details["epsilon"]
    shown = ", ".join(map(_epsilon, epsilon)) if isinstance(epsilon, list) else _epsilon(epsilon)
    tied = details.get("tied", math.nan)
    return [shown, "" if math.isnan(tied) else f"{100 * tied:.1f}%"]


def _epsilon(epsilon: float) -> str:
    return "undefined" if math.isnan(epsilon) else f"{epsilon:.4g}"


def _value(value: float | None) -> str:
    if value is None:
        return ""
    return "undefined" if value != value else f"{value:.3f}"
