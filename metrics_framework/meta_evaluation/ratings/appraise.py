"""Exports of Appraise, with which WMT collects error span annotations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Literal, NamedTuple, get_args

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.tables import csv_rows
from metrics_framework.inputs.values import USUAL, plain_number
from metrics_framework.meta_evaluation.ratings.campaign import Campaign, checked_score, checked_spans, domain_in
from metrics_framework.meta_evaluation.ratings.rating_format import Rating, RatingFormat

Kind = Literal["tutorial", "bad", "type", "incomplete", "duplicate", "document-score", "replaced"]
"""What is left out of an export; a row is of the first kind that applies."""


class _Exported(NamedTuple):
    """A row of an export of Appraise: the cells of its twelve columns."""

    rater: str
    system: str
    segment: str
    item_type: str
    source_language: str
    target_language: str
    score: str
    document: str
    flag: str
    spans: str
    start: str
    end: str


_IS_OF_KIND: dict[Kind, Callable[[_Exported], object]] = {
    "tutorial": lambda row: "-tutorial" in row.document,
    "bad": lambda row: row.item_type == "BAD" or re.search(r"#bad\d*\Z", row.document),
    "type": lambda row: row.item_type not in ("TGT", "BAD"),
    "incomplete": lambda row: "#incomplete" in row.document,
    "duplicate": lambda row: "#dup" in row.document,
    "document-score": lambda row: not row.segment,
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

    kinds: ClassVar[Sequence[str]] = get_args(Kind)
    _highest = -1.0

    @overrides
    def ratings(self, path: str, problems: Problems) -> Iterator[Rating]:
        width = 0
        for line, cells in csv_rows(path):
            width = width or len(cells)
            with problems.at(path, line):
                if width == len(cells) == len(_Exported._fields) - 1:  # of campaigns without error spans
                    cells.insert(_Exported._fields.index("spans"), "")
                if len(cells) != len(_Exported._fields):
                    columns = f"the {len(_Exported._fields)} columns of Appraise ({', '.join(_Exported._fields)})"
                    raise DataError(f"must have {columns}, got {len(cells)}")
                yield self._rating(_Exported(*map(str.strip, cells)))

    def _rating(self, row: _Exported) -> Rating:
        kind = self.left_out_as(kind for kind, is_of_kind in _IS_OF_KIND.items() if is_of_kind(row))
        pair = f"{row.source_language}-{row.target_language}"
        of_output = (row.rater, row.system, pair, row.document, row.segment)
        if kind:
            score = plain_number(row.score)
            return Rating(kind, *of_output, {} if score is None else {"esa": score}, (), plain_number(row.end) or 0.0)
        score = checked_score(row.score, "score")
        self._highest = max(self._highest, score)
        spans = checked_spans(row.spans, "spans")
        about = domain_in(row.document) or domain_in(row.segment)
        return Rating("", *of_output, {"esa": score}, spans, USUAL.number_of(row.end, "end"), about)

    @overrides
    def notes(self) -> Sequence[str]:
        zeros = "all scores are 0, as in exports of MQM annotations: use the spans"
        return [*super().notes(), *[zeros] * (self._highest == 0)]
