"""Error span annotation (ESA): a score from 0 to 100 after marking error spans, in tables and exports of Appraise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, TypeAlias

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.keys import LongRow
from metrics_framework.meta_evaluation.ratings.campaign import (
    campaign_of,
    checked_score,
    checked_spans,
    only_column,
    rated,
)
from metrics_framework.meta_evaluation.ratings.rating_format import RatingFormat, Span, about_input, annotation_rows

SCORE_COLUMNS = ("esa", "score", "esa_score")
SPAN_COLUMNS = ("spans", "error_spans", "esa_spans", "mqm")
_Rating: TypeAlias = "tuple[dict[str, float], list[Span]]"
"""The score of a rater, NaN if it is missing, and the error spans."""


@RatingFormat.register("esa")
class Esa(RatingFormat):
    """Reads ESA annotations: a table or JSONL file with one rating from 0 to 100 per line.

    Columns are those of ids (seg_id, system, …), the rater, the score (esa or score) and, optionally, the error spans:
    a JSON list of objects with start, end and severity. Rows have ``esa``, a list with one score per rater; ``spans``,
    each with its rater, which the reader error-spans reads; ``omissions``, errors whose start is "missing"; and
    ``document`` and ``domain``, if the file has them.

    ``start_i`` and ``end_i``, as Appraise calls them, are the first and the last character of a span. An export of
    Appraise, which has no header, is read as ``appraise`` reads it.
    """

    has_roles: ClassVar[bool] = True

    @overrides
    def rows(self, path: str, problems: Problems) -> Iterator[dict[str, Any]]:
        campaign = campaign_of(path)
        if campaign is not None and campaign.registered_name == "appraise":
            campaign.dropped = self.dropped
            yield from campaign.rows(path, problems)
            return
        outputs: dict[tuple[str, str], dict[str, tuple[str, _Rating]]] = {}
        about: dict[tuple[str, str], dict[str, str]] = {}
        for row, _ in annotation_rows(path, (), problems, self.rules):
            rater = row.rater or ""
            with problems.at(row.path, row.line):
                about.setdefault(row.unit, about_input(row))
                rating = row.location, _rating(row)
                location, _ = outputs.setdefault(row.unit, {}).setdefault(rater, rating)
                if location != row.location:
                    raise DataError(f"rater '{rater}' rates {row.output_name} twice (first at {location})")
        self.dropped.update(self.rules.left_out)
        for (instance, system), by_rater in outputs.items():
            ids = {"instance_id": instance, "summarizer_id": system, **about[instance, system]}
            yield {**ids, **rated({name: one for name, (_, one) in by_rater.items()})}


def _rating(row: LongRow) -> _Rating:
    score, spans = only_column(row.cells, SCORE_COLUMNS), only_column(row.cells, SPAN_COLUMNS)
    if score is None:
        raise DataError(f"has no score (one of {', '.join(SCORE_COLUMNS)}); it has {', '.join(row.cells)}")
    return {"esa": checked_score(row.cells[score], score)}, checked_spans(row.cells[spans], spans) if spans else []
