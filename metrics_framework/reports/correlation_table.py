"""Tables of correlations for people and papers: plain text, Markdown, LaTeX, CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from metrics_framework.meta_evaluation.result import SYMBOLS, Correlation, Estimate
from metrics_framework.meta_evaluation.settings import COEFFICIENTS, RESAMPLED, IntervalSettings
from metrics_framework.reports.tables import render

TITLES = {"pearson": "Pearson r", "spearman": "Spearman ρ", "kendall": "Kendall τ-b"}
FORMATS = ("table", "markdown", "latex", "csv", "tsv")
CSV_COLUMNS = ["metric1", "metric2", "summarizer_type", "level", "n", "coefficient"]
CSV_COLUMNS += ["value", "lower", "upper", "p_value"]

Lines: TypeAlias = "list[str]"


def correlation_table(results: Sequence[Correlation], format: str = "table") -> str:
    """Writes correlations as a table, followed by what they rest on.

    Args:
        results: The correlations; all were asked for with the same options.
        format: ``table``, ``markdown``, ``latex``, or ``csv`` or ``tsv`` with one line a coefficient and all digits.
    """
    if format in ("csv", "tsv"):
        return _full(results, format)
    header = ["metric", "against", "level", "n", *(TITLES[name] for name in COEFFICIENTS)]
    table = render(header, _rows(results), format, left=len(header))
    remarks = list(dict.fromkeys(line for result in results for line in _remarks(result, named=len(results) > 1)))
    if format == "latex":
        return "\n".join([table, *(f"% {line}" for line in remarks)]) + "\n"
    if format == "markdown":
        return "\n".join([table, "", *(f"- {line}" for line in remarks)]) + "\n"
    return "\n".join([table, "", *remarks]) + "\n"


def _rows(results: Sequence[Correlation]) -> list[list[str]]:
    rows = []
    for result in results:
        first = [result.metric1, result.metric2]
        for level, one in result.levels.items():
            count = next(iter(one.size.values()))
            unit = {"input": "input", "system": "system", "global": "output"}[level]
            n = counted(count, unit)
            rows.append([*first, level, n, *(_estimate(one.estimates[name]) for name in COEFFICIENTS)])
            first = ["", ""]
    return rows


def _estimate(estimate: Estimate) -> str:
    if not estimate.defined:
        return "undefined"
    if estimate.lower is None or estimate.upper is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.lower:.3f}, {estimate.upper:.3f}]"


def _full(results: Sequence[Correlation], format: str) -> str:
    rows = []
    for result in results:
        for level, one in result.levels.items():
            for name, estimate in one.estimates.items():
                value = estimate.value if estimate.defined else None
                p_value = None if estimate.p_value != estimate.p_value else estimate.p_value  # NaN differs from itself
                numbers = [value, estimate.lower, estimate.upper, p_value]
                n = next(iter(one.size.values()))
                whose = [result.metric1, result.metric2, result.summarizer_type, level, n, SYMBOLS[name]]
                rows.append(["" if cell is None else str(cell) for cell in [*whose, *numbers]])
    return render(CSV_COLUMNS, rows, format) + "\n"


def _remarks(result: Correlation, named: bool) -> Lines:
    """Says what a correlation rests on, one matter a line, starting with the metric where there are several."""
    systems = len(result.matrix.systems)
    lines = [outputs_of(result), *_groups(result), *_ties(result)]
    if named:
        lines = [f"{result.metric1}: {line}" for line in lines]
    else:
        lines[0] = f"data: {lines[0]}"
    lines.append(f"intervals: {_interval(result.interval)}")
    if result.interval.method == "fisher" and "input" in result.levels:
        lines.append(
            f"intervals at the input level: for the {counted(systems, 'system')} of one input, not for the mean"
        )
    if undefined := _undefined(result):
        lines.append(undefined)
    lines.append(f"sign: {result.orientation}")
    lines += [f"signature: {signature}" for signature in result.signatures.values()]
    lines += [f"note: {note}" for note in result.notes]
    whose = f"{result.metric1}: " if named else ""
    lines += [f"warning: {whose}{warning}" for warning in result.warnings]
    return lines


def outputs_of(result: Correlation) -> str:
    """Says how many outputs a correlation is over, and which were left out."""
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


def counted(count: int, noun: str) -> str:
    """Writes a number of things: ``1 system``, ``2 systems``."""
    return f"{count} {noun}{'s' * (count != 1)}"


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
    for level, one in result.levels.items():
        tied = one.ties["metric1"], one.ties["metric2"], one.ties["both"]
        if any(tied):
            parts.append(
                f"{level} {tied[0]} in {result.metric1}, {tied[1]} in {result.metric2}, {tied[2]} in both, "
                f"of {one.ties['pairs']} pairs"
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
        for level, one in result.levels.items()
        for name, estimate in one.estimates.items()
        if name == "pearson" and estimate.undefined_resamples
    ]
    return f"resamples skipped, being undefined: {', '.join(parts)}" if parts else ""
