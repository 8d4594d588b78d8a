"""The table of scores that ``evaluate`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from metrics_framework.common.errors import PluginError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.evaluation.evaluate import Evaluation
from metrics_framework.evaluation.profiles.profile import Profile
from metrics_framework.io.jsonl import to_json
from metrics_framework.reports.formats.output_format import JSON, OutputFormat, Rows
from metrics_framework.reports.printable import display_width
from metrics_framework.significance.bootstrap import Interval
from metrics_framework.significance.multiple_testing import is_significant
from metrics_framework.significance.systems import Confidence, Intervals, PValues

ALL_SYSTEMS = "(all)"
WIDEST = 120
"""A wider table for a terminal has a row for each score instead of each system, if that makes it narrower."""
SIGNIFICANT = "*"
UNDEFINED = "–"
Scores: TypeAlias = Mapping[str, MetricsDict]


def score_table(
    evaluation: Evaluation, format: str = "table", digits: int = 2, profile: Profile | type[Profile] | None = None
) -> str:
    """Writes a row of scores for each system, and one for all systems if there are several and no profile is given.

    Args:
        evaluation: The scores. A score with an interval is written as ``45.12 ± 0.88``: half the width of the interval.
        format: The name of an output format, or ``json`` for the content of the macro file.
        digits: The number of decimal places. Formats for programs have all of them, and intervals and p-values in
            separate columns.
        profile: The scores to show, and their headings; by default all scores, under their names.

    Raises:
        PluginError: if the metrics of the profile do not return a score that has a column in it.
    """
    if format == JSON:
        return to_json(evaluation.as_json(), indent=2)
    output: OutputFormat = OutputFormat.by_name(format)()
    scores = {system: nested.flatten() for system, nested in evaluation.systems.items()}
    overall, num_outputs = evaluation.metrics.flatten(), dict(evaluation.num_outputs)
    if len(scores) > 1 and profile is None:
        scores[ALL_SYSTEMS], num_outputs[ALL_SYSTEMS] = overall, sum(num_outputs.values())
    headings = {name: name for name in overall} if profile is None else _profile_headings(evaluation, profile)
    if not output.for_people:
        return _data_table(output, scores, num_outputs, list(headings), evaluation.confidence)
    cells = {system: [number(flat[name], digits) for name in headings] for system, flat in scores.items()}
    notes = signature_lines(evaluation)
    if evaluation.confidence is not None:
        _add_intervals(cells, scores, list(headings), evaluation.confidence, digits)
        notes = [*_legend(evaluation.confidence), *notes]
    header = ["system", "outputs", *headings.values()]
    rows = [[system, str(num_outputs[system]), *row] for system, row in cells.items()]
    is_marked = output.for_terminal and evaluation.confidence is not None
    table = output.render(header, _with_aligned_marks(rows) if is_marked else rows)
    if output.for_terminal and max(map(display_width, table.splitlines())) > WIDEST:
        table = _narrower(table, output, header, rows)
    return output.with_notes(table, notes, verbatim=True)


def signature_lines(evaluation: Evaluation) -> list[str]:
    """Returns the signatures, one per line."""
    lines = [f"signature  {signature}" for signature in evaluation.signature.values()]
    for of_programs in evaluation.other_signatures.values():
        lines.extend(f"{program.ljust(9)}  {signature}" for program, signature in of_programs.items())
    return lines


def number(value: object, digits: int = 2) -> str:
    """Writes a score: integers in full, other numbers with fixed decimal places, undefined scores as a dash.

    >>> number([62.5, 37.125])
    '62.50/37.12'
    """
    if isinstance(value, list):
        return "/".join(number(item, digits) for item in value)
    if value is None or (isinstance(value, float) and value != value):
        return UNDEFINED
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value}" if isinstance(value, int) else f"{value:.{digits}f}"


def _profile_headings(evaluation: Evaluation, profile: Profile | type[Profile]) -> dict[str, str]:
    """Returns the headings of the scores of a profile, and of the metrics added to it."""
    names = evaluation.metrics.flatten()
    for name in profile.columns:
        if name not in names:
            raise PluginError(
                f"the profile '{profile.registered_name}' has a column for '{name}', which its metrics "
                f"{', '.join(profile.metrics)} do not return; they return {', '.join(names)}"
            )
    added = list(evaluation.names.values())[len(profile.metrics) :]
    return {**profile.columns, **{name: name for names_of_metric in added for name in names_of_metric}}


def _narrower(table: str, output: OutputFormat, header: Sequence[str], rows: Rows) -> str:
    """Returns the table with a column for each system instead of a row, if that is narrower."""
    columns, *transposed = zip(header, *rows, strict=True)
    other = output.render(["score", *columns[1:]], _with_aligned_marks(transposed))
    return min(table, other, key=lambda text: max(map(display_width, text.splitlines())))


# ---- intervals and tests --------------------------------------------------------------------------------------------


def _add_intervals(
    cells: Mapping[str, list[str]], scores: Scores, names: Sequence[str], confidence: Confidence, digits: int
) -> None:
    """Adds intervals to the scores that are not integers, and marks those that differ from the baseline."""
    for system, row in cells.items():
        intervals, p_values = _intervals_and_p_values(confidence, system)
        for index, name in enumerate(names):
            interval, p = intervals.get(name), p_values.get(name)
            if isinstance(scores[system][name], float) and isinstance(interval, Interval):
                if interval.half_width == interval.half_width:  # not NaN
                    row[index] += f" ± {interval.half_width:.{digits}f}"
                if isinstance(p, float) and is_significant(p, confidence.resampling.alpha):
                    row[index] += SIGNIFICANT


def _intervals_and_p_values(confidence: Confidence, system: str) -> tuple[Intervals, PValues]:
    if system == ALL_SYSTEMS:
        return confidence.metrics, {}
    tested = confidence.significance
    return confidence.systems[system], {} if tested is None else tested.adjusted.get(system, {})


def _with_aligned_marks(rows: Rows) -> list[list[str]]:
    """Appends a space where another cell of the column ends in a mark, so that the digits are aligned."""
    marked = [any(cell.endswith(SIGNIFICANT) for cell in column) for column in zip(*rows, strict=True)]
    return [
        [
            f"{cell} " if is_marked and not cell.endswith(SIGNIFICANT) else cell
            for cell, is_marked in zip(row, marked, strict=True)
        ]
        for row in rows
    ]


def _legend(confidence: Confidence) -> Iterator[str]:
    """Explains ± and the mark."""
    drawn, tested = confidence.resampling, confidence.significance
    level, count = f"{100 * drawn.level:g} %", drawn.resamples
    yield f"±          half-width of the {level} confidence interval ({count} bootstrap resamples)"
    if tested is None:
        return
    num_tested = len(tested.inputs)
    holm = f", Holm correction for {num_tested} systems" if num_tested > 1 else ""
    yield (
        f"{SIGNIFICANT}          differs significantly from '{tested.baseline}' "
        f"(p < {drawn.alpha:g}, {drawn.described_test(tested.inputs.values())}{holm})"
    )
    too_few = tested.too_few(drawn)
    if too_few is not None:
        yield f"note       {too_few}"


# ---- formats for programs -------------------------------------------------------------------------------------------


def _data_table(
    output: OutputFormat,
    scores: Scores,
    num_outputs: Mapping[str, int],
    names: Sequence[str],
    confidence: Confidence | None,
) -> str:
    """Writes all digits, with intervals and p-values in separate columns."""
    endings = [""]
    if confidence is not None:
        endings += ["_low", "_high"] if confidence.significance is None else ["_low", "_high", "_p"]
    rows = []
    for system, flat in scores.items():
        intervals, p_values = ({}, {}) if confidence is None else _intervals_and_p_values(confidence, system)
        row = [system, str(num_outputs[system])]
        for name in names:
            row += [_datum(flat[name]), *_ends(intervals.get(name)), _datum(p_values.get(name))][: len(endings)]
        rows.append(row)
    return output.render(["system", "outputs", *(name + ending for name in names for ending in endings)], rows)


def _ends(interval: Interval | list[Interval] | None) -> list[str]:
    if isinstance(interval, list):
        return [_datum([part.low for part in interval]), _datum([part.high for part in interval])]
    return ["", ""] if interval is None else [_datum(interval.low), _datum(interval.high)]


def _datum(value: object) -> str:
    return "" if number(value) == UNDEFINED else str(value)
