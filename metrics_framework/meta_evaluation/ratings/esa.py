"""Error span annotation (ESA): a score from 0 to 100 after marking error spans."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.overriding import overrides
from metrics_framework.data.fields import column_of
from metrics_framework.data.texts import shown
from metrics_framework.inputs.rating_rows import (
    IdColumns,
    LongRow,
    number_of,
    read_long_rows,
    spelling_if_missing,
)
from metrics_framework.meta_evaluation.ratings.rating_format import RatingFormat

SCORE_COLUMNS = ("esa", "score", "esa_score")
SPAN_COLUMNS = ("spans", "error_spans", "esa_spans", "mqm")
_BOUNDS = {"start": ("start", "start_i"), "end": ("end", "end_i")}
_MISSING = "missing"
"""The bounds of a span that marks an omission."""


@RatingFormat.register("esa")
class Esa(RatingFormat):
    """Reads ESA annotations: a table or JSONL file with one rating from 0 to 100 per line.

    Columns are those of ids (seg_id, system, …), the rater, the score (esa or score) and, optionally, the error spans:
    a JSON list of objects with start, end and severity. Rows have ``esa``, a list with one score per rater; ``spans``,
    each with its rater, which the reader error-spans reads; and ``omissions``, errors whose start is "missing".
    """

    @overrides
    def rows(self, path: str, problems: Problems) -> Iterator[dict[str, Any]]:
        outputs: dict[tuple[str, str], dict[str, tuple[LongRow, float, list[Any]]]] = {}
        for row in read_long_rows(path, IdColumns(), problems):
            try:
                score, spans = _score(row), _spans(row)
                if not row.summarizer_id or row.rater is None:
                    raise DataError(f"has no {'rater' if row.summarizer_id else 'system'}")
                ratings = outputs.setdefault(row.unit, {})
                if row.rater in ratings:
                    first = ratings[row.rater][0].location
                    raise DataError(f"rater '{row.rater}' rates {row.output_name} twice (first at {first})")
            except DataError as problem:
                problems.add(DataError(problem.message, row.path, row.line))
            else:
                ratings[row.rater] = row, score, spans
        for (instance, system), by_rater in outputs.items():
            ordered = dict(sorted(by_rater.items()))
            scores = [None if math.isnan(score) else score for _, score, _ in ordered.values()]
            spans = [{**span, "rater": rater} for rater, (_, _, of_rater) in ordered.items() for span in of_rater]
            yield {
                "instance_id": instance,
                "summarizer_id": system,
                "raters": list(ordered),
                "spans": [span for span in spans if span["start"] != _MISSING],
                "omissions": [_without_bounds(span) for span in spans if span["start"] == _MISSING],
                "metrics": {"esa": scores},
            }


def _without_bounds(span: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in span.items() if name not in _BOUNDS}


def _score(row: LongRow) -> float:
    column = column_of(row.cells, SCORE_COLUMNS)
    if column is None:
        raise DataError(f"has no score (one of {', '.join(SCORE_COLUMNS)}); it has {', '.join(row.cells)}")
    score = number_of(row.cells[column], column)
    if not math.isnan(score) and not 0 <= score <= 100:
        raise DataError(f"'{column}' must be from 0 to 100, got {score:g}")
    return score


def _spans(row: LongRow) -> list[dict[str, Any]]:
    """Returns the spans of a row, each with ``start``, ``end`` and ``severity``."""
    column = column_of(row.cells, SPAN_COLUMNS)
    value = None if column is None else row.cells[column]
    if column is None or spelling_if_missing(value) is not None:
        return []
    try:
        spans = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        spans = None
    if not isinstance(spans, (list, tuple)) or not all(isinstance(span, dict) for span in spans):
        raise DataError(f"'{column}' must be a JSON list of error spans, got {shown(value)}")
    return [_span(span, column) for span in spans]


def _span(span: dict[str, Any], column: str) -> dict[str, Any]:
    severity = span.get("severity")
    if not isinstance(severity, str) or not severity:
        raise DataError(f"an error span of '{column}' needs a 'severity', got {shown(span)}")
    bounds: dict[str, Any] = {}
    for name, spellings in _BOUNDS.items():
        spelling = column_of(span, spellings)
        bound = None if spelling is None else span[spelling]
        if bound != _MISSING and (not isinstance(bound, int) or isinstance(bound, bool) or bound < 0):
            raise DataError(f"'{name}' of an error span must be an index, got {shown(bound)}")
        bounds[name] = bound
    others = {name: value for name, value in span.items() if name not in ("severity", *sum(_BOUNDS.values(), ()))}
    if (bounds["start"] == _MISSING) != (bounds["end"] == _MISSING):
        raise DataError(f"both ends of an error span must be an index, or both '{_MISSING}', got {shown(span)}")
    return {**bounds, "severity": severity.casefold(), **others}
