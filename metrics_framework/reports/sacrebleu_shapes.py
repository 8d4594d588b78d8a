"""Scores as sacreBLEU 2.6.0 prints them: one line of text or one JSON object a metric, and a grid for several systems.

Metrics that sacreBLEU does not have are printed in the same shapes, with their own names and signatures.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from metrics_framework.common.errors import TAKEN, UsageError, printable
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.evaluation.system_scores import Evaluation
from metrics_framework.metrics.base.metric import LabelledMetric
from metrics_framework.reports.formats.text_table import display_width
from metrics_framework.significance.confidence import Confidence, described_inputs
from metrics_framework.significance.interval_methods import Interval

PROGRAM = "sacrebleu"
DIGITS = 1
"""The default number of decimal places."""
SIGNIFICANT_P = 0.05
_SHORT = {  # the abbreviations of all metrics, then of one
    "": {"nrefs": "#", "version": "v", "seed": "rs", "case": "c"},
    "bleu": {"eff": "e", "smooth": "s"},
    "chrf": {"eff": "e", "space": "s"},
    "ter": {"tok": "t", "norm": "nr", "punct": "pn", "asian": "as"},
}


@dataclass
class Shape:
    """How to print scores.

    Args:
        kind: Lines of text or JSON.
        digits: The number of decimal places.
        score_only: Whether to print nothing but scores.
        short: Whether to abbreviate signatures, in lines of text.
        scores: The chosen scores; by default the main score of each metric.
    """

    kind: Literal["text", "json"] = "text"
    digits: int = DIGITS
    score_only: bool = False
    short: bool = False
    scores: Sequence[str] = ()


@dataclass
class Cell:
    """The score of a system with a metric.

    Args:
        name: The name of the score.
        signature: The signature.
        score: The score.
        details: What sacreBLEU prints after the score of BLEU; empty for other metrics. If some outputs have no score,
            how many have one.
        interval: The interval, if there is one.
        p: The p-value of the comparison with the baseline, if there is one.
        is_partial: Whether some outputs have no score.
    """

    name: str
    signature: str
    score: float
    details: str = ""
    interval: Interval | None = None
    p: float | None = None
    is_partial: bool = False

    def number(self, shape: Shape) -> str:
        """Writes the score, with the mean of the resampled scores and its interval if there is one."""
        score = f"{self.score:.{shape.digits}f}"
        return f"{score} ({self.confidence(shape)})" if self.interval is not None else score

    def confidence(self, shape: Shape) -> str:
        """Writes the mean of the resampled scores and half the width of the interval."""
        assert self.interval is not None
        return f"μ = {self.interval.mean:.{shape.digits}f} ± {self.interval.half_width:.{shape.digits}f}"

    def line(self, shape: Shape) -> str:
        """Writes the score as a line of text."""
        if shape.score_only:
            return self.number(shape)
        text = f"{self.name}|{self.signature} = {self.number(shape)}"
        return f"{text} {self.details}" if self.details else text

    def as_json(self, shape: Shape) -> dict[str, Any]:
        """Returns the JSON object of a single system."""
        written: dict[str, Any] = {"name": self.name, "score": _rounded(self.score, shape), "signature": self.signature}
        if self.interval is not None:
            written["confidence_mean"] = _rounded(self.interval.mean, shape)
            written["confidence_var"] = _rounded(self.interval.half_width, shape)
            written["confidence"] = self.confidence(shape)
        if self.details:
            written["verbose_score"] = self.details
        return {**written, **dict(part.split(":", 1) for part in self.signature.split("|"))}

    def compared_as_json(self) -> dict[str, Any]:
        """Returns the JSON object of one of several systems that were tested."""
        scored = {"verbose_score": self.details} if self.is_partial else {}
        drawn = (math.nan, math.nan) if self.interval is None else (self.interval.mean, self.interval.half_width)
        mean, half_width = map(_finite, drawn)
        return {"score": _finite(self.score), "p_value": self.p, "mean": mean, "ci": half_width, **scored}


def in_shape(evaluation: Evaluation, metrics: Sequence[LabelledMetric], shape: Shape) -> str:
    """Writes the scores of all systems in a shape of sacreBLEU."""
    systems = {system: _cells(evaluation, metrics, shape, system) for system in evaluation.systems}
    if len(systems) == 1:
        (cells,) = systems.values()
        return _single(cells, shape)
    if shape.score_only:
        return "\n".join("\t".join(cell.number(shape) for cell in cells) for cells in systems.values())
    return _as_json(systems, shape) if shape.kind == "json" else _grid(systems, evaluation.confidence, shape)


def sentence_lines(
    rows: Iterable[Mapping[str, Any]], evaluation: Evaluation, metric: LabelledMetric, shape: Shape
) -> str:
    """Writes a line for each output, given its scores."""
    score = _printed_score(evaluation, metric, shape)
    return "\n".join(_cell(MetricsDict(row), evaluation, metric, shape, score).line(shape) for row in rows)


def _cells(evaluation: Evaluation, metrics: Sequence[LabelledMetric], shape: Shape, system: str) -> list[Cell]:
    """Returns the score of a system with each metric, in the order of sacreBLEU: by name."""
    confidence = evaluation.confidence
    cells = []
    for metric in sorted(metrics, key=lambda metric: metric.label):
        name = _printed_score(evaluation, metric, shape)
        cell = _cell(evaluation.systems[system], evaluation, metric, shape, name)
        if confidence is not None:
            interval = confidence.systems[system].get(name)
            tests = confidence.significance
            p = None if tests is None else tests.p_values.get(system, {}).get(name)
            # sacreBLEU prints no intervals beside its approximate randomization
            has_intervals = confidence.resampling.test != "paired-ar"
            if has_intervals and isinstance(interval, Interval) and not math.isnan(interval.mean):
                cell.interval = interval
            cell.p = p if isinstance(p, float) else None
        count = evaluation.scored_counts(name).get(system)
        if count is not None:
            cell.details, cell.is_partial = f"(scored = {count})", True
        cells.append(cell)
    return cells


def _cell(scores: MetricsDict, evaluation: Evaluation, metric: LabelledMetric, shape: Shape, score: str) -> Cell:
    flat = scores.flatten()
    own = evaluation.signature[metric.label].partition("|")[2]
    signature = evaluation.other_signatures.get(metric.label, {}).get(PROGRAM, own)
    if shape.short and shape.kind == "text":
        signature = _shortened(signature, metric.metric.name)
    name = _name(metric) if score == metric.label else score
    if shape.kind == "text":
        name, signature = printable(name), printable(signature)
    value = flat.get(score)
    if isinstance(value, (list, str)):
        raise UsageError(f"--scores: the output of sacreBLEU has numbers, and '{score}' is none")
    return Cell(
        name, signature, math.nan if value is None else value, _details(flat, metric) if score == metric.label else ""
    )


def _printed_score(evaluation: Evaluation, metric: LabelledMetric, shape: Shape) -> str:
    """Returns the score of a metric that is printed: the chosen or main one, or the first F-score of several.

    Raises:
        UsageError: if there are several, and no F-score.
    """
    names = evaluation.names[metric.label]
    found = [name for name in names if name in shape.scores] or metric.main_scores(names)
    if len(found) > 1:
        found = [name for name in found if name.endswith(("_f1", "_fmeasure"))][:1]
        for name in found:
            TAKEN.get()(f"'{metric.label}' has {len(names)} scores; {name} is printed; choose another with --scores")
    if not found:
        advice = f"choose one with --scores, as in --scores {names[0]}"
        raise UsageError(f"'{metric.label}' has {len(names)} scores, and this output one of each metric; {advice}")
    return found[0]


def _name(metric: LabelledMetric) -> str:
    """Returns the name of a score in sacreBLEU; for other metrics and with a label, that of this run."""
    options = metric.metric.signature_options()
    if metric.label not in (metric.metric.name, "chrf++"):
        return metric.label
    if metric.metric.name == "chrf":
        return f"chrF{options['beta']}{'+' * options['nw']}"
    return {"bleu": "BLEU", "sent-bleu": "BLEU", "ter": "TER"}.get(metric.metric.name, metric.label)


def _details(scores: Mapping[str, Any], metric: LabelledMetric) -> str:
    """Returns what sacreBLEU prints after BLEU: precisions, brevity penalty and lengths."""
    if metric.metric.name != "bleu":
        return ""
    precisions, penalty, length, reference_length = (
        scores[metric.renamed_score(f"bleu_{name}")] for name in ("precisions", "bp", "sys_len", "ref_len")
    )
    ratio = length / reference_length if reference_length else 0
    return (
        f"{'/'.join(f'{precision:.1f}' for precision in precisions)} (BP = {penalty:.3f} ratio = {ratio:.3f} "
        f"hyp_len = {length:d} ref_len = {reference_length:d})"
    )


def _shortened(signature: str, metric: str) -> str:
    """Abbreviates the names of the fields of a signature.

    >>> _shortened("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0", "bleu")
    '#:1|c:mixed|e:no|tok:13a|s:exp|v:2.6.0'
    """
    short = {**_SHORT[""], **_SHORT.get(metric.removeprefix("sent-"), {})}
    parts = (part.partition(":") for part in signature.split("|"))
    return "|".join(f"{short.get(name, name)}{colon}{value}" for name, colon, value in parts)


# ---- one system -----------------------------------------------------------------------------------------------------


def _single(cells: Sequence[Cell], shape: Shape) -> str:
    if shape.kind == "json":
        values = [_rounded(cell.score, shape) if shape.score_only else cell.as_json(shape) for cell in cells]
        objects = [json.dumps(value, indent=1, ensure_ascii=False) for value in values]
        return objects[0] if len(objects) == 1 else "[\n" + ",\n".join(objects) + "\n]"
    lines = [cell.line(shape) for cell in cells]
    if len(lines) == 1 or shape.score_only:
        return "\n".join(lines)
    before = [line.index(" = ") for line in lines]
    return "\n".join(" " * (max(before) - width) + line for width, line in zip(before, lines, strict=True))


# ---- several systems ------------------------------------------------------------------------------------------------


def _as_json(systems: Mapping[str, Sequence[Cell]], shape: Shape) -> str:
    written = []
    for number, (system, cells) in enumerate(systems.items()):
        is_tested = any(cell.p is not None for other in systems.values() for cell in other)
        name = f"Baseline: {system}" if is_tested and number == 0 else system
        scores = {
            cell.name: cell.compared_as_json()
            if is_tested
            else cell.number(shape) + f" {cell.details}" * cell.is_partial  # how many outputs have a score
            for cell in cells
        }
        written.append({"system": name, **scores})
    return json.dumps(written, indent=4)


def _grid(systems: Mapping[str, Sequence[Cell]], confidence: Confidence | None, shape: Shape) -> str:
    """Draws a grid with a row for each system, and lists the signatures."""
    baseline = None if confidence is None or confidence.significance is None else confidence.significance.baseline
    columns = list(next(iter(systems.values())))
    with_intervals = any(cell.interval is not None for cell in columns)
    head = ["System", *(f"{cell.name} (μ ± 95% CI)" if with_intervals else cell.name for cell in columns)]
    rows = []
    for system, cells in systems.items():
        name = printable(system)
        rows.append([[f"Baseline: {name}" if system == baseline else name], *(_lines(cell, shape) for cell in cells)])
    signatures = [f" - {cell.name:<10} {cell.signature}" for cell in columns]
    parts = [[_drawn(head, rows)], _tests(confidence), ["", *_title("Metric signatures"), *signatures]]
    return "\n".join(line for part in parts for line in part)


def _tests(confidence: Confidence | None) -> list[str]:
    """Describes the significance tests, if there are any."""
    if confidence is None or (tested := confidence.significance) is None:
        return []
    described = confidence.resampling.described_test(tested.numbers_of_inputs)
    lines = ["", *_title(described[0].upper() + described[1:] if described.startswith("paired") else described)]
    lines.append(f" - Each system is compared with the baseline: {printable(tested.baseline)}.")
    lines.append(f" - p-values are not corrected for several comparisons; * marks p < {SIGNIFICANT_P}.")
    for name in tested.names_of_scored:
        inputs = printable(described_inputs(tested, name))
        lines.append(f" - {printable(name)}: on the inputs for which both systems have a score: {inputs}.")
    return lines


def _title(text: str) -> list[str]:
    return ["-" * len(text), text, "-" * len(text)]


def _lines(cell: Cell, shape: Shape) -> list[str]:
    """Returns the lines of a cell of the grid."""
    text = f"{cell.score:.{shape.digits}f}"
    if cell.interval is not None:
        text += f" ({cell.confidence(shape).removeprefix('μ = ')})"
    lines = [text] if cell.p is None else [text, f"(p = {cell.p:.4f}){'' if cell.p > SIGNIFICANT_P else '*'}"]
    return [*lines, cell.details] if cell.is_partial else lines


def _drawn(head: Sequence[str], rows: Sequence[Sequence[Sequence[str]]]) -> str:
    widths = [
        max(display_width(text) + 2, *(display_width(line) for row in rows for line in row[column])) + 2
        for column, text in enumerate(head)
    ]
    top, double, single, bottom = (
        f"{left}{middle.join(line * width for width in widths)}{right}"
        for left, line, middle, right in ("╒═╤╕", "╞═╪╡", "├─┼┤", "╘═╧╛")
    )
    drawn = f"\n{single}\n".join("\n".join(_row(row, widths)) for row in rows)
    return "\n".join([top, *_row([[text] for text in head], widths), double, drawn, bottom])


def _row(cells: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    """Draws the lines of a row: the first cell right-aligned, the other cells centred."""
    lines = []
    for number in range(max(map(len, cells))):
        texts = [cell[number] if number < len(cell) else "" for cell in cells]
        padded = []
        for column, (text, width) in enumerate(zip(texts, widths, strict=True)):
            free = width - display_width(text)
            left = free - 1 if column == 0 else free // 2
            padded.append(" " * left + text + " " * (free - left))
        lines.append("│" + "│".join(padded) + "│")
    return lines


def _rounded(value: float, shape: Shape) -> float | None:
    return _finite(float(f"{value:.{shape.digits}f}"))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
