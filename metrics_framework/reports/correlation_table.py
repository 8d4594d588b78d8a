"""Tables of correlations for people and papers: plain text, Markdown, LaTeX, CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from metrics_framework.meta_evaluation.result import (
    COEFFICIENTS,
    RESAMPLED,
    SYMBOLS,
    Correlation,
    Estimate,
    IntervalSettings,
)

TITLES = {"pearson": "Pearson r", "spearman": "Spearman ρ", "kendall": "Kendall τ-b"}
LATEX_TITLES = {"pearson": "Pearson $r$", "spearman": r"Spearman $\rho$", "kendall": r"Kendall $\tau_b$"}
LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
FORMATS = ("table", "markdown", "latex", "csv")

Lines: TypeAlias = "list[str]"


def correlation_table(results: Sequence[Correlation], format: str = "table") -> str:
    """Writes correlations as a table, followed by what they rest on.

    Args:
        results: The correlations; all were asked for with the same options.
        format: ``table``, ``markdown``, ``latex`` or ``csv`` (one line a coefficient, numbers in full, no remarks).
    """
    if format == "csv":
        return _csv(results)
    header, rows = _header(LATEX_TITLES if format == "latex" else TITLES), _rows(results)
    remarks = [line for result in results for line in _remarks(result, named=len(results) > 1)]
    remarks = list(dict.fromkeys(remarks))
    if format == "latex":
        return "\n".join([*_latex(header, rows), *(f"% {line}" for line in remarks)]) + "\n"
    if format == "markdown":
        rows = [[cell.replace("|", "\\|") for cell in row] for row in rows]
        return "\n".join([*_markdown(header, rows), "", *(f"- {line}" for line in remarks)]) + "\n"
    return "\n".join([*_plain(header, rows), "", *remarks]) + "\n"


def _header(titles: dict[str, str]) -> list[str]:
    return ["metric", "against", "level", "n", *(titles[name] for name in COEFFICIENTS)]


def _rows(results: Sequence[Correlation]) -> list[list[str]]:
    rows = []
    for result in results:
        first = [result.metric1, result.metric2]
        for level, one in result.levels.items():
            count = next(iter(one.size.values()))
            unit = {"input": "input", "system": "system", "global": "output"}[level]
            n = f"{count} {unit}{'s' * (count != 1)}"
            rows.append([*first, level, n, *(_estimate(one.estimates[name]) for name in COEFFICIENTS)])
            first = ["", ""]
    return rows


def _estimate(estimate: Estimate) -> str:
    if not estimate.defined:
        return "undefined"
    if estimate.lower is None or estimate.upper is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.lower:.3f}, {estimate.upper:.3f}]"


def _plain(header: list[str], rows: list[list[str]]) -> Lines:
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in [header, *rows]]
    return [line.rstrip() for line in lines]


def _markdown(header: list[str], rows: list[list[str]]) -> Lines:
    widths = [max(3, *map(len, column)) for column in zip(header, *rows, strict=True)]
    ruler = ["-" * width for width in widths]
    return [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in [header, ruler, *rows]
    ]


def _latex(header: list[str], rows: list[list[str]]) -> Lines:
    escaped = [["".join(LATEX_SPECIAL.get(sign, sign) for sign in cell) for cell in row] for row in rows]
    body = [" & ".join(row) + r" \\" for row in [header, *escaped]]
    return [
        rf"\begin{{tabular}}{{{'l' * len(header)}}}",
        r"\toprule",
        body[0],
        r"\midrule",
        *body[1:],
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _csv(results: Sequence[Correlation]) -> str:
    import csv
    import io

    columns = [
        "metric1",
        "metric2",
        "summarizer_type",
        "level",
        "n",
        "coefficient",
        "value",
        "lower",
        "upper",
        "p_value",
    ]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    for result in results:
        for level, one in result.levels.items():
            for name, estimate in one.estimates.items():
                numbers = [estimate.value if estimate.defined else None, estimate.lower, estimate.upper]
                p_value = None if estimate.p_value != estimate.p_value else estimate.p_value  # NaN differs from itself
                n = next(iter(one.size.values()))
                whose = [result.metric1, result.metric2, result.summarizer_type, level, n, SYMBOLS[name]]
                writer.writerow([*whose, *numbers, p_value])
    return stream.getvalue()


def _remarks(result: Correlation, named: bool) -> Lines:
    """Says what a correlation rests on, one matter a line, starting with the metric where there are several."""
    lines = [outputs_of(result), *_groups(result), *_ties(result)]
    if named:
        lines = [f"{result.metric1}: {line}" for line in lines]
    else:
        lines[0] = f"data: {lines[0]}"
    lines.append(f"intervals: {_interval(result.interval)}")
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
    outputs = f"{matrix.num_cells} outputs of {len(matrix.systems)} systems ({whose}) on {len(matrix.inputs)} inputs"
    return f"{outputs}; left out: {', '.join(dropped) or 'none'}"


def _groups(result: Correlation) -> Lines:
    level = result.levels.get("input")
    if level is None:
        return []
    used = level.size["num_summary_groups"]
    skipped = [(level.details["num_groups_one_system"], "with one system")]
    skipped.append((level.details["num_groups_constant"], "constant in a metric"))
    left_out = ", ".join(f"{count} {why}" for count, why in skipped if count) or "none"
    sizes = ", ".join(f"{count} of {size} systems" for size, count in level.details["group_sizes"].items())
    return [f"input level: {used} input{'s' * (used != 1)} used{f' ({sizes})' if sizes else ''}; skipped: {left_out}"]


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
