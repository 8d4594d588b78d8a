"""Error span annotation (ESA): a score from 0 to 100 after marking error spans, in tables and exports of Appraise."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, get_args

from metrics_framework.common.errors import DataError, Problems, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.texts import is_missing, shown
from metrics_framework.inputs.exports import decoded
from metrics_framework.inputs.keys import LongRow
from metrics_framework.inputs.roles import column_key
from metrics_framework.inputs.tables import csv_rows
from metrics_framework.inputs.values import USUAL
from metrics_framework.io.reading import is_read_once
from metrics_framework.meta_evaluation.ratings.rating_format import RatingFormat, annotation_rows

SCORE_COLUMNS = ("esa", "score", "esa_score")
SPAN_COLUMNS = ("spans", "error_spans", "esa_spans", "mqm")
_BOUNDS = {"start": ("start", "start_i"), "end": ("end", "end_i")}
_MISSING = "missing"
"""The bounds of a span that marks an omission."""
_Rating: TypeAlias = "tuple[float, list[dict[str, Any]]]"
"""The score of a rater, NaN if it is missing, and the error spans."""


@RatingFormat.register("esa")
class Esa(RatingFormat):
    """Reads ESA annotations: a table or JSONL file with one rating from 0 to 100 per line.

    Columns are those of ids (seg_id, system, …), the rater, the score (esa or score) and, optionally, the error spans:
    a JSON list of objects with start, end and severity. Rows have ``esa``, a list with one score per rater; ``spans``,
    each with its rater, which the reader error-spans reads; and ``omissions``, errors whose start is "missing".

    ``start_i`` and ``end_i``, as Appraise calls them, are the first and the last character of a span. An export of
    Appraise, which has no header, is read as ``appraise`` reads it.
    """

    has_roles: ClassVar[bool] = True

    @overrides
    def rows(self, path: str, problems: Problems) -> Iterator[dict[str, Any]]:
        if is_appraise_export(path):
            appraise = Appraise()
            appraise.dropped = self.dropped
            yield from appraise.rows(path, problems)
            return
        outputs: dict[tuple[str, str], dict[str, tuple[str, _Rating]]] = {}
        for row, _ in annotation_rows(path, (), problems, self.rules):
            rater = row.rater or ""
            with problems.at(row.path, row.line):
                rating = row.location, _rating(row)
                location, _ = outputs.setdefault(row.unit, {}).setdefault(rater, rating)
                if location != row.location:
                    raise DataError(f"rater '{rater}' rates {row.output_name} twice (first at {location})")
        self.dropped.update(self.rules.left_out)
        for (instance, system), by_rater in outputs.items():
            yield {"instance_id": instance, "summarizer_id": system} | _rated(
                {name: one for name, (_, one) in by_rater.items()}
            )


def _rated(by_rater: Mapping[str, _Rating]) -> dict[str, Any]:
    """Returns the fields of a row with the ratings of an output, sorted by rater."""
    ordered = dict(sorted(by_rater.items()))
    spans = [{**span, "rater": rater} for rater, (_, of_rater) in ordered.items() for span in of_rater]
    omissions = [span for span in spans if span["start"] == _MISSING]
    return {
        "raters": list(ordered),
        "spans": [span for span in spans if span["start"] != _MISSING],
        "omissions": [{name: span[name] for name in span if name not in _BOUNDS} for span in omissions],
        "metrics": {"esa": [None if math.isnan(score) else score for score, _ in ordered.values()]},
    }


def _column(columns: Iterable[str], names: Sequence[str]) -> str | None:
    found = [name for name in columns if column_key(name) in names]
    if len(found) > 1:
        raise DataError(f"'{found[0]}' and '{found[1]}' have the same meaning; rename or remove one of them")
    return found[0] if found else None


def _rating(row: LongRow) -> _Rating:
    score, spans = _column(row.cells, SCORE_COLUMNS), _column(row.cells, SPAN_COLUMNS)
    if score is None:
        raise DataError(f"has no score (one of {', '.join(SCORE_COLUMNS)}); it has {', '.join(row.cells)}")
    return _checked_score(row.cells[score], score), _spans(row.cells[spans], spans) if spans else []


def _checked_score(cell: Any, column: str) -> float:
    score = USUAL.number_of(cell, column)
    if not math.isnan(score) and not 0 <= score <= 100:
        raise DataError(f"'{column}' must be from 0 to 100, got {score:g}")
    return score


def _spans(value: Any, column: str) -> list[dict[str, Any]]:
    """Returns the spans in a cell, each with ``start``, ``end`` and ``severity``."""
    if is_missing(value):
        return []
    spans = decoded(value)
    if not isinstance(spans, (list, tuple)) or not all(isinstance(span, dict) for span in spans):
        raise DataError(f"'{column}' must be a JSON list of error spans, got {shown(value)}")
    return [_span(span, column) for span in spans]


def _span(span: dict[str, Any], column: str) -> dict[str, Any]:
    severity = span.get("severity")
    if not isinstance(severity, str) or not severity:
        raise DataError(f"an error span of '{column}' needs a 'severity', got {shown(span)}")
    bounds: dict[str, Any] = {}
    for name, spellings in _BOUNDS.items():
        spelling = _column(span, spellings)
        bound = None if spelling is None else span[spelling]
        if bound != _MISSING and (not isinstance(bound, int) or isinstance(bound, bool) or bound < 0):
            raise DataError(f"'{name}' of an error span must be an index, got {shown(bound)}")
        bounds[name] = bound + 1 if spelling == "end_i" and bound != _MISSING else bound  # Appraise's last character
    others = {name: value for name, value in span.items() if name not in ("severity", *sum(_BOUNDS.values(), ()))}
    if (bounds["start"] == _MISSING) != (bounds["end"] == _MISSING):
        raise DataError(f"both ends of an error span must be an index, or both '{_MISSING}', got {shown(span)}")
    return {**bounds, "severity": severity.casefold(), **others}


# ---- exports of Appraise ---------------------------------------------------------------------------------------------

_ITEM_TYPES = ("TGT", "BAD", "CHK", "REF", "TUT")
_REFERENCE = re.compile(r"(.*\.)?ref(erence)?[-_.]?\w?")
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
class Appraise(RatingFormat):
    """Reads exports of Appraise: CSV without a header, one rating from 0 to 100 per line.

    The twelve columns are rater, system, segment, type of item, source and target language, score, document, flag,
    error spans, start and end in seconds; of campaigns without error spans, eleven. Rows have the fields of ``esa``,
    and ``language_pair``, ``document`` and ``segment``. Lines that are no ratings of outputs are left out, and counted
    by kind: tutorials, degraded outputs (bad), items of another type than TGT, incomplete documents, outputs repeated
    to fill a task (duplicate), scores of documents, and ratings that the rater replaced later.

    Args:
        keep: Kinds that are kept; of a rater's replaced ratings of one output, the second is of RATER#2.
        references: Systems that are human translations, besides those called ref, refA, refB, ….
    """

    def __init__(self, keep: Sequence[Kind] = (), references: Sequence[str] = ()) -> None:
        self.keep = frozenset(keep)
        self.references = frozenset(references)
        self._highest = -1.0

    @overrides
    def rows(self, path: str, problems: Problems) -> Iterator[dict[str, Any]]:
        self.dropped.update(dict.fromkeys(get_args(Kind), 0))
        outputs: dict[tuple[str, str, str, str], dict[str, list[tuple[float, _Rating]]]] = {}
        width = 0
        for line, cells in csv_rows(path):
            width = width or len(cells)
            with problems.at(path, line):
                if width == len(cells) == len(_Exported._fields) - 1:  # of campaigns without error spans
                    cells.insert(_Exported._fields.index("spans"), "")
                if len(cells) != len(_Exported._fields):
                    columns = f"the {len(_Exported._fields)} columns of Appraise ({', '.join(_Exported._fields)})"
                    raise DataError(f"must have {columns}, got {len(cells)}")
                row = _Exported(*map(str.strip, cells))
                kinds = (kind for kind, is_of_kind in _IS_OF_KIND.items() if is_of_kind(row))
                kind = next((kind for kind in kinds if kind not in self.keep), None)
                if kind is not None:
                    self.dropped[kind] += 1
                    continue
                rating = _checked_score(row.score, "score"), _spans(row.spans, "spans")
                pair = f"{row.source_language}-{row.target_language}"
                self._highest = max(self._highest, rating[0])
                output = outputs.setdefault((pair, row.document, row.segment, row.system), {})
                output.setdefault(row.rater, []).append((USUAL.number_of(row.end, "end"), rating))
        systems = {system for *_, system in outputs}
        unknown = sorted(self.references - systems)
        if unknown and not problems:
            raise UsageError(
                f"no system '{unknown[0]}' among the references; the systems are {', '.join(sorted(systems))}"
            )
        for (pair, document, segment, system), by_rater in outputs.items():
            is_reference = system in self.references or _REFERENCE.fullmatch(system)
            yield {
                "instance_id": "_###_".join(filter(None, (pair, document, segment))),
                "summarizer_id": system,
                "summarizer_type": "reference" if is_reference else "peer",
                "language_pair": pair,
                "document": document,
                "segment": segment,
                **_rated(self._last(by_rater)),
            }

    def _last(self, by_rater: Mapping[str, Sequence[tuple[float, _Rating]]]) -> dict[str, _Rating]:
        """Returns the last rating of each rater, or all of them if the replaced ones are kept."""
        found = {}
        for rater, ratings in by_rater.items():
            ordered = [rating for _, rating in sorted(ratings, key=lambda timed: timed[0])]
            if "replaced" not in self.keep:
                self.dropped["replaced"] += len(ordered) - 1
                ordered = ordered[-1:]
            found.update({f"{rater}#{number}" if number > 1 else rater: one for number, one in enumerate(ordered, 1)})
        return found

    @overrides
    def notes(self) -> Sequence[str]:
        notes = [f"{note}; --keep keeps the named kinds" for note in super().notes()]
        zeros = "all scores are 0, as in exports of MQM annotations: use the spans"
        return [*notes, zeros] if self._highest == 0 else notes


def is_appraise_export(path: str) -> bool:
    """Returns whether the first line of a file has the columns of Appraise, without a header."""
    if is_read_once(path):
        return False
    try:
        cells = next(csv_rows(path), (0, []))[1]
    except DataError:  # which the reader of another format reports
        return False
    return len(cells) - len(_Exported._fields) in (0, -1) and cells[3] in _ITEM_TYPES
