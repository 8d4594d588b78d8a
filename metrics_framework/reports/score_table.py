"""The table of scores that ``evaluate`` prints."""

from __future__ import annotations

from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.evaluation.evaluate import Evaluation
from metrics_framework.io.jsonl import to_json
from metrics_framework.reports.tables import number, render

EVERYTHING = "(all)"


def score_table(evaluation: Evaluation, format: str = "table", digits: int = 2) -> str:
    """Writes one row a system, and one for all of them together if there are several.

    Args:
        evaluation: The scores.
        format: ``table``, ``markdown``, ``latex``, ``csv``, ``tsv``, or ``json`` for what the macro file holds.
        digits: Digits behind the point; CSV and TSV always have all of them.
    """
    if format == "json":
        return to_json(evaluation.as_json(), indent=2)
    if format in ("csv", "tsv"):
        digits = 17
    names = list(evaluation.metrics.flatten())
    rows = [
        [system, str(evaluation.num_outputs[system]), *_cells(scores, names, digits, format)]
        for system, scores in evaluation.systems.items()
    ]
    if len(rows) > 1:
        outputs = str(sum(evaluation.num_outputs.values()))
        rows.append([EVERYTHING, outputs, *_cells(evaluation.metrics, names, digits, format)])
    table = render(["system", "outputs", *names], rows, format)
    signatures = signature_lines(evaluation)
    if format == "latex":
        return "\n".join([table, *(f"% {line}" for line in signatures)])
    if format == "markdown":
        return "\n".join([table, "", *(f"- `{line}`" for line in signatures)])
    return "\n".join([table, "", *signatures]) if format == "table" else table


def _cells(scores: MetricsDict, names: list[str], digits: int, format: str) -> list[str]:
    flat = scores.flatten()
    if format in ("csv", "tsv"):
        return ["" if number(flat[name]) == "–" else str(flat[name]) for name in names]
    return [number(flat[name], digits) for name in names]


def signature_lines(evaluation: Evaluation) -> list[str]:
    """Writes each signature on a line of its own."""
    lines = [f"signature  {signature}" for signature in evaluation.signature.values()]
    for others in evaluation.other_signatures.values():
        lines.extend(f"{program.ljust(9)}  {signature}" for program, signature in others.items())
    return lines
