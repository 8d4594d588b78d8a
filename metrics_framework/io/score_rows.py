"""Rows of score files in JSON lines: ids, type, and scores."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.data.fields import column_of, parse_id, parse_summarizer_type
from metrics_framework.data.scored_output import INSTANCE_NAMES, SUMMARIZER_NAMES, TYPE_NAMES, ScoredOutput
from metrics_framework.data.texts import shown

_NUMBERS = frozenset({float, int})


def scored_row(row: Mapping[str, Any], path: str, line: int) -> ScoredOutput:
    """Returns the scores of a row of a score file.

    Args:
        row: The row.
        path: The file.
        line: The line.

    Raises:
        DataError: if an id is missing or invalid, or a score is not a finite number, `None`, or a list or object of
            these.
    """
    instance = _id(row, INSTANCE_NAMES, path, line)
    summarizer = _id(row, SUMMARIZER_NAMES, path, line)
    type_name = column_of(row, TYPE_NAMES)
    summarizer_type = None if type_name is None else row[type_name]
    if summarizer_type is not None:
        summarizer_type = parse_summarizer_type(summarizer_type, "summarizer_type")
    metrics = row.get("metrics")
    if not isinstance(metrics, dict):
        actual = f"got {shown(metrics)}" if "metrics" in row else "but is missing"
        hint = "; score the outputs first: fw METRIC score" if "summary" in row else ""
        raise DataError(f"'metrics' must be an object of scores, {actual}{hint}", path, line)
    if not _are_finite_numbers(metrics.values()):
        for name, value in metrics.items():
            _check_score(name, value, path, line)
    return ScoredOutput(instance, summarizer, summarizer_type, metrics, path, line)


def _id(row: Mapping[str, Any], names: Sequence[str], path: str, line: int) -> str:
    name = column_of(row, names)
    if name is None:
        raise DataError(f"'{names[0]}' is missing; the row has {', '.join(map(repr, row)) or 'no keys'}", path, line)
    return parse_id(row[name], name)


def _are_finite_numbers(values: Collection[Any]) -> bool:
    """Returns whether all scores are finite numbers, as they nearly always are; not all of these are recognized."""
    try:
        return _NUMBERS.issuperset(map(type, values)) and math.isfinite(math.fsum(values))
    except (OverflowError, ValueError):  # a sum beyond the range of floats, infinities of both signs
        return False


def _check_score(name: str, value: Any, path: str, line: int) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_score(f"{name}_{key}", inner, path, line)
        return
    for number in value if isinstance(value, list) else [value]:
        is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
        if number is None or (is_number and not _is_infinite(number)):
            continue
        subject = f"score '{name}'" if name else "'metrics'"
        raise DataError(
            f"{subject} must be a finite number, null, or a list or object of these, got {shown(value)}", path, line
        )


def _is_infinite(number: float) -> bool:
    try:
        return math.isinf(number)
    except OverflowError:  # an integer beyond the range of floats
        return True
