"""Exports of Appraise, with which WMT collects error span annotations."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.tables import csv_rows
from metrics_framework.inputs.values import USUAL, plain_number
from metrics_framework.meta_evaluation.ratings.campaign import (
    REPLACED,
    Campaign,
    checked_score,
    checked_spans,
    domain_in,
    export_format,
)
from metrics_framework.meta_evaluation.ratings.rating_format import Rating, RatingFormat

_COLUMNS = (
    *("rater", "system", "segment", "item_type", "source_language", "target_language"),
    *("score", "document", "flag", "spans", "start", "end"),
)
_IS_OF_KIND: dict[str, Callable[[Mapping[str, str]], object]] = {
    "tutorial": lambda row: "-tutorial" in row["document"],
    "bad": lambda row: row["item_type"] == "BAD" or re.search(r"#bad\d*\Z", row["document"]),
    "type": lambda row: row["item_type"] not in ("TGT", "BAD"),
    "incomplete": lambda row: "#incomplete" in row["document"],
    "duplicate": lambda row: "#dup" in row["document"],
    "document-score": lambda row: not row["segment"],
}
"""Whether a row is of a kind; the rating of an output is of none."""


@RatingFormat.register("appraise")
class Appraise(Campaign):
    """Reads exports of Appraise: CSV without a header, one rating from 0 to 100 per line.

    The twelve columns are rater, system, segment, type of item, source and target language, score, document, flag,
    error spans, start and end in seconds; of campaigns without error spans, eleven. Rows have the fields of ``esa``,
    and ``language_pair``, ``document`` and ``segment``. Lines that are no ratings of outputs are left out, and counted
    by kind: tutorials, degraded outputs (bad), items of another type than TGT, incomplete documents, outputs repeated
    to fill a task (duplicate), scores of documents, and ratings that the rater replaced later.
    """

    kinds: ClassVar[Sequence[str]] = (*_IS_OF_KIND, REPLACED)
    _highest = -1.0

    @overrides
    def ratings(self, path: str, problems: Problems) -> Iterator[Rating]:
        if export_format(path) == "pearmut":
            command = f"fw convert-ratings pearmut {shlex.quote(path)} RATINGS.jsonl"
            raise DataError(f"is a log of Pearmut; convert it with: {command}", path)
        width = 0
        for line, cells in csv_rows(path):
            width = width or len(cells)
            with problems.at(path, line):
                if width == len(cells) == len(_COLUMNS) - 1:  # of campaigns without error spans
                    cells.insert(_COLUMNS.index("spans"), "")
                if len(cells) != len(_COLUMNS):
                    columns = f"the {len(_COLUMNS)} columns of Appraise ({', '.join(_COLUMNS)})"
                    raise DataError(f"must have {columns}, got {len(cells)}")
                yield self._rating(dict(zip(_COLUMNS, map(str.strip, cells), strict=True)))

    def _rating(self, row: Mapping[str, str]) -> Rating:
        kind = self.left_out_as(kind for kind, is_of_kind in _IS_OF_KIND.items() if is_of_kind(row))
        pair = f"{row['source_language']}-{row['target_language']}"
        of_output = (row["rater"], row["system"], pair, row["document"], row["segment"])
        if kind:
            score = plain_number(row["score"])
            return Rating(
                kind, *of_output, {} if score is None else {"esa": score}, (), plain_number(row["end"]) or 0.0
            )
        score = checked_score(row["score"], "score")
        self._highest = max(self._highest, score)
        spans = checked_spans(row["spans"], "spans")
        about = domain_in(row["document"]) or domain_in(row["segment"])
        return Rating("", *of_output, {"esa": score}, spans, USUAL.number_of(row["end"], "end"), about)

    @overrides
    def notes(self) -> Sequence[str]:
        zeros = "all scores are 0, as in exports of MQM annotations: use the spans"
        return [*super().notes(), *[zeros] * (self._highest == 0)]
