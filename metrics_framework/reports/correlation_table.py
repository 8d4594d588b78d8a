"""The table of correlations that ``correlate`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.correlation.result import SYMBOLS, Correlation, Estimate
from metrics_framework.meta_evaluation.settings import COEFFICIENTS, RESAMPLED, IntervalSettings
from metrics_framework.reports.formats.output_format import OutputFormat

TITLES = {"pearson": "Pearson r", "spearman": "Spearman ρ", "kendall": "Kendall τ-b"}
DATA_COLUMNS = ["metric1", "metric2", "summarizer_type", "level", "n", "coefficient"]
DATA_COLUMNS += ["value", "lower", "upper", "p_value"]

Lines: TypeAlias = "list[str]"


def correlation_table(results: Sequence[Correlation], format: str = "table") -> str:
    """Writes correlations as a table, followed by notes on the data and the intervals, but not by warnings.

    Args:
        results: The correlations, all computed with the same options.
        format: The name of an output format. Formats for programs have one row per coefficient, with all digits.
    """
    output: OutputFormat = OutputFormat.by_name(format)()
    if not output.for_people:
        return output.render(DATA_COLUMNS, _data_rows(results)) + "\n"
    header = ["metric", "against", "level", "n", *(TITLES[name] for name in COEFFICIENTS)]
    notes = dict.fromkeys(
        line for result, name in zip(results, names_among(results), strict=True) for line in _notes(result, name)
    )
    return output.with_notes(output.render(header, _rows(results), left=len(header)), list(notes)) + "\n"


def names_among(results: Sequence[Correlation]) -> list[str]:
    """Returns for each correlation the name that tells it from the others: nothing if it is the only one.

    The name is that of the metric, with that of the rating if there are several.
    """
    if len(results) == 1:
        return [""]
    if len({result.metric2 for result in results}) == 1:
        return [result.metric1 for result in results]
    return [f"{result.metric1} against {result.metric2}" for result in results]


def _rows(results: Sequence[Correlation]) -> list[list[str]]:
    rows = []
    for result in results:
        first = [result.metric1, result.metric2]
        for level, level_result in result.levels.items():
            count = next(iter(level_result.size.values()))
            unit = {"input": "input", "system": "system", "global": "output"}[level]
            n = counted(count, unit)
            rows.append([*first, level, n, *(_estimate(level_result.estimates[name]) for name in COEFFICIENTS)])
            first = ["", ""]
    return rows


def _estimate(estimate: Estimate) -> str:
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
                p_value = None if estimate.p_value != estimate.p_value else estimate.p_value
                numbers = [value, estimate.lower, estimate.upper, p_value]
                n = next(iter(level_result.size.values()))
                whose = [result.metric1, result.metric2, result.summarizer_type, level, n, SYMBOLS[name]]
                rows.append(["" if cell is None else str(cell) for cell in [*whose, *numbers]])
    return rows


def _notes(result: Correlation, name: str) -> Lines:
    """Returns the notes on a correlation, one per line; with several correlations, each starts with its name."""
    systems = len(result.matrix.systems)
    lines = [outputs_of(result), *_groups(result), *_ties(result)]
    if name:
        lines = [f"{name}: {line}" for line in lines]
    else:
        lines[0] = f"data: {lines[0]}"
    lines.append(f"intervals: {_interval(result.interval)}")
    if result.interval.method == "fisher" and "input" in result.levels:
        lines.append(
            f"input-level intervals: for one input with {counted(systems, 'system')}, not for the mean over inputs"
        )
    if undefined := _undefined(result):
        lines.append(undefined)
    lines.append(f"sign: {result.orientation}")
    for label, signature in result.signatures.items():
        is_name = signature.split("|")[0] == label
        lines.append(f"signature: {signature}" if is_name else f"signature {label}: {signature}")
    return lines


def outputs_of(result: Correlation) -> str:
    """Describes the outputs that a correlation is computed on, and those left out."""
    matrix = result.matrix
    causes = {
        "summarizer_type": f"not of type {result.summarizer_type}",
        "metric1_missing": f"{result.metric1} missing",
        "metric2_missing": f"{result.metric2} missing",
        "both_missing": "both missing",
    }
    dropped = [f"{count} {causes[cause]}" for cause, count in result.dropped.items() if count]
    whose = {"all": "peers and references", "peer": "peers", "reference": "references"}[result.summarizer_type]
    outputs, systems = counted(matrix.num_cells, "output"), counted(len(matrix.systems), "system")
    outputs = f"{outputs} of {systems} ({whose}) on {counted(len(matrix.inputs), 'input')}"
    return f"{outputs}; left out: {', '.join(dropped) or 'none'}"


def _groups(result: Correlation) -> Lines:
    level = result.levels.get("input")
    if level is None:
        return []
    used = level.size["num_summary_groups"]
    skipped = [(level.details["num_groups_one_system"], "with one system")]
    skipped.append((level.details["num_groups_constant"], "constant in a metric"))
    left_out = ", ".join(f"{count} {why}" for count, why in skipped if count) or "none"
    sizes = ", ".join(
        f"{count} of {counted(int(size), 'system')}" for size, count in level.details["group_sizes"].items()
    )
    return [f"input level: {counted(used, 'input')} used{f' ({sizes})' if sizes else ''}; skipped: {left_out}"]


def _ties(result: Correlation) -> Lines:
    parts = []
    for level, level_result in result.levels.items():
        tied = level_result.ties["metric1"], level_result.ties["metric2"], level_result.ties["both"]
        if any(tied):
            parts.append(
                f"{level} {tied[0]} in {result.metric1}, {tied[1]} in {result.metric2}, {tied[2]} in both, "
                f"of {level_result.ties['pairs']} pairs"
            )
    return [f"ties: {'; '.join(parts) or 'none'} (τ-b corrects for them)"] if parts else ["ties: none"]


def _interval(interval: IntervalSettings) -> str:
    tails = "two-tailed" if interval.two_tailed else "one-tailed"
    if interval.method == "none":
        return "none"
    if interval.method == "fisher":
        return f"{interval.confidence:g}% {tails}, Fisher's transformation"
    return (
        f"{interval.confidence:g}% {tails}, percentile bootstrap over {RESAMPLED[interval.method]}, "
        f"{interval.resamples} resamples, seed {interval.seed}"
    )


def _undefined(result: Correlation) -> str:
    parts = [
        f"{estimate.undefined_resamples} at the {level} level"
        for level, level_result in result.levels.items()
        for name, estimate in level_result.estimates.items()
        if name == "pearson" and estimate.undefined_resamples
    ]
    return f"undefined resamples, skipped: {', '.join(parts)}" if parts else ""
