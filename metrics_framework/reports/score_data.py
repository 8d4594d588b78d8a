"""The table of scores for programs: all digits, with intervals and p-values in separate columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metrics_framework.reports.formats.output_format import OutputFormat
from metrics_framework.reports.score_numbers import UNDEFINED, Scores, intervals_and_p_values, number
from metrics_framework.significance.bootstrap import Interval
from metrics_framework.significance.systems import Confidence


def data_table(
    output: OutputFormat,
    scores: Scores,
    num_outputs: Mapping[str, int],
    names: Sequence[str],
    confidence: Confidence | None,
) -> str:
    """Writes all digits, with intervals and p-values, without and with Holm's correction, in separate columns.

    If systems are compared, the column ``baseline`` has the system that a system is compared with.
    """
    tested = None if confidence is None else confidence.significance
    endings = [""]
    if confidence is not None:
        endings += ["_low", "_high"] if tested is None else ["_low", "_high", "_p", "_p_holm"]
    rows = []
    for system, flat in scores.items():
        intervals, adjusted = ({}, {}) if confidence is None else intervals_and_p_values(confidence, system)
        p_values = {} if tested is None else tested.p_values.get(system, {})
        row = [system, str(num_outputs[system])]
        if tested is not None:
            row.append(tested.baseline if system in tested.inputs else "")
        for name in names:
            cells = [_datum(flat[name]), *_ends(intervals.get(name))]
            row += [*cells, _datum(p_values.get(name)), _datum(adjusted.get(name))][: len(endings)]
        rows.append(row)
    first = ["system", "outputs", *([] if tested is None else ["baseline"])]
    return output.render([*first, *(name + ending for name in names for ending in endings)], rows)


def _ends(interval: Interval | list[Interval] | None) -> list[str]:
    if isinstance(interval, list):
        return [_datum([part.low for part in interval]), _datum([part.high for part in interval])]
    return ["", ""] if interval is None else [_datum(interval.low), _datum(interval.high)]


def _datum(value: object) -> str:
    return "" if number(value) == UNDEFINED else str(value)
