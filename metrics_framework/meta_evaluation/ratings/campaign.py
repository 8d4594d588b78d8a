"""The base class of exports of annotation campaigns, and error spans as they have them."""

from __future__ import annotations

import csv
import math
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from metrics_framework.common.errors import DataError, FwError, Problems, UnknownChoiceError, UsageError
from metrics_framework.common.options import Between
from metrics_framework.common.overriding import overrides
from metrics_framework.data.texts import is_missing, shown
from metrics_framework.inputs.exports import decoded, parts_of_doc_id
from metrics_framework.inputs.pearmut import is_pearmut
from metrics_framework.inputs.roles import column_key
from metrics_framework.inputs.tables import is_of_appraise
from metrics_framework.inputs.values import USUAL
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.reading import is_read_once, start_of
from metrics_framework.meta_evaluation.ratings.rating_format import Rating, RatingFormat, Span

REPLACED = "replaced"
"""The kind of ratings that the rater replaced later."""
_BOUNDS = {"start": ("start", "start_i"), "end": ("end", "end_i")}
_MISSING = "missing"
"""The bounds of a span that marks an omission."""
DROPPED = "dropped-rater"
"""The kind of ratings by raters who are left out."""
_RULE = re.compile(r"(\w+)([<>])(-?\d*\.?\d+)")
_REFERENCE = re.compile(r"(.*\.)?ref(erence)?[-_.]?\w?")


class Campaign(RatingFormat):
    """An export with one rating from 0 to 100 per output and rater, and what else the raters saw.

    Rows have the fields of ``esa``, ``language_pair``, ``document`` and ``segment``, and the texts, if the export has
    them, so that metrics score the same rows: ``source``, ``summary``, and as ``references`` the human translations.
    What is left out is counted by kind.

    Args:
        keep: Kinds that are kept; of a rater's replaced ratings of one output, the second is of RATER#2.
        references: Systems that are human translations, besides those called ref, refA, refB, ….
        drop_raters: Which raters are left out: a column of the raters' report, < or >, and a number, as in passed<0.6.
        error_free: The least mean score of an output without errors, as in 85; rows have ``error_free``, 1 if no more
            than half of the raters marked an error, and else 0.

    Attributes:
        kinds: What is left out; a rating is of the first kind that applies.
        checks: The rater of each attention check with a right answer that `ratings` read, and whether it was given.
    """

    kinds: ClassVar[Sequence[str]]

    def __init__(
        self,
        keep: Sequence[str] = (),
        references: Sequence[str] = (),
        drop_raters: str = "",
        error_free: Annotated[float, Between(0, 100, includes_high=True)] | None = None,
    ) -> None:
        self.keep = frozenset(keep)
        self.checks: list[tuple[str, bool]] = []
        self.error_free = error_free
        self.drop_raters = drop_raters.replace(" ", "")
        self.references = frozenset(references)
        for kind in keep:
            if kind not in self.kinds:
                raise UnknownChoiceError("keep", kind, self.kinds)

    @abstractmethod
    def ratings(self, path: str, problems: Problems) -> Iterator[Rating]:
        """Yields the ratings of a file; a kind in `keep` does not count as one.

        Args:
            path: The file.
            problems: Collects invalid lines.
        """

    def left_out_as(self, kinds: Iterable[str]) -> str:
        """Returns the first of the kinds that apply to a rating or page that is not kept; empty if there is none."""
        return next((kind for kind in kinds if kind not in self.keep), "")

    @overrides
    def rows(self, path: str, problems: Problems) -> Iterator[dict[str, Any]]:
        self.dropped.update(dict.fromkeys(self.kinds, 0))
        outputs: dict[tuple[str, ...], dict[str, list[Rating]]] = {}
        ratings = self.ratings(path, problems)
        if self.drop_raters:
            ratings = self._without_raters([*ratings])
        for rating in ratings:
            if rating.kind:
                self.dropped[rating.kind] += 1
                continue
            output = outputs.setdefault((rating.pair, rating.document, rating.segment, rating.system), {})
            output.setdefault(rating.rater, []).append(rating)
        systems = {system for *_, system in outputs}
        unknown = sorted(self.references - systems)
        if unknown and not problems:
            known = ", ".join(sorted(systems))
            raise UsageError(f"no system '{unknown[0]}' among the references; the systems are {known}")
        people = {system for system in systems if system in self.references or _REFERENCE.fullmatch(system)}
        translations: dict[tuple[str, ...], dict[str, str]] = {}  # of an input by people
        for (*instance, system), by_rater in outputs.items():
            if system in people and (text := next(iter(by_rater.values()))[0].about.get("summary")) is not None:
                translations.setdefault(tuple(instance), {})[system] = text
        for (pair, document, segment, system), by_rater in outputs.items():
            of_input = translations.get((pair, document, segment), {})
            references = [text for name, text in of_input.items() if name != system]
            ids = {"instance_id": segment_id(pair, document, segment), "summarizer_id": system}
            kind = "reference" if system in people else "peer"
            about = {"language_pair": pair, "document": document, "segment": segment}
            about |= next(iter(by_rater.values()))[0].about
            texts = {"references": references} if references else {}
            yield {**ids, "summarizer_type": kind, **about, **texts, **self._rated(self._last(by_rater))}

    def _rated(self, by_rater: Mapping[str, Rating]) -> dict[str, Any]:
        fields = rated({rater: (one.scores, one.spans) for rater, one in by_rater.items()})
        scores = [one.score for one in by_rater.values() if not math.isnan(one.score)]
        if self.error_free is not None:
            marked = sum(bool(one.spans) for one in by_rater.values())
            is_good = bool(scores) and math.fsum(scores) / len(scores) >= self.error_free
            fields["metrics"]["error_free"] = int(is_good and 2 * marked <= len(by_rater)) if scores else None
        return fields

    def _without_raters(self, ratings: Sequence[Rating]) -> Iterator[Rating]:
        """Yields ratings; those of the raters that `drop_raters` leaves out are of the kind ``rater``."""
        from metrics_framework.meta_evaluation.ratings.raters import raters_report

        reports = raters_report(ratings, self.checks)
        found = _RULE.fullmatch(self.drop_raters)
        columns = list(reports[0].numbers()) if reports else []
        if found is None or (columns and found[1] not in columns):
            known = ", ".join(columns)
            raise UsageError(f"'drop_raters' must be a rule such as passed<0.6, on {known}; got '{self.drop_raters}'")
        sign, limit = {"<": 1, ">": -1}[found[2]], float(found[3])
        dropped = {one.rater for one in reports if sign * one.numbers()[found[1]] < sign * limit}
        for rating in ratings:
            is_dropped = rating.rater in dropped and not rating.kind
            yield rating._replace(kind=DROPPED) if is_dropped else rating

    @overrides
    def signature(self) -> str:
        given = {"drop-raters": self.drop_raters or None, "error-free": self.error_free}
        return super().signature() + "".join(f"|{name}:{one}" for name, one in given.items() if one is not None)

    @overrides
    def signatures(self) -> dict[str, str]:
        own = {} if self.error_free is None else {"error_free": self.signature()}
        return {**super().signatures(), **own}

    def _last(self, by_rater: Mapping[str, Sequence[Rating]]) -> dict[str, Rating]:
        """Returns the last rating of each rater, or all of them if the replaced ones are kept."""
        found = {}
        for rater, ratings in by_rater.items():
            ordered = sorted(ratings, key=lambda rating: rating.end)
            if REPLACED not in self.keep:
                self.dropped[REPLACED] += len(ordered) - 1
                ordered = ordered[-1:]
            found.update({f"{rater}#{number}" if number > 1 else rater: one for number, one in enumerate(ordered, 1)})
        return found

    @overrides
    def notes(self) -> Sequence[str]:
        return [f"{note}; --keep keeps the named kinds" for note in super().notes()]


def segment_id(pair: str, document: str, segment: str) -> str:
    """Returns the id of a segment.

    >>> segment_id("eng-ces", "news-1", "7")
    'eng-ces_###_news-1_###_7'
    """
    return "_###_".join(filter(None, (pair, document, segment)))


def domain_in(document: str) -> dict[str, str]:
    """Returns the field ``domain`` of an id that states it; of other ids, no field.

    The id may be DOMAIN_###_DOCUMENT, SET_###_DOMAIN_###_SOURCE_###_TARGET_###_DOCUMENT or PAIR_#_DOMAIN_#_DOCUMENT.

    >>> [domain_in(name) for name in ("news_###_n0", "wmt26_###_news_###_en_###_cs_###_n0", "en-cs_#_news_#_n0", "n0")]
    [{'domain': 'news'}, {'domain': 'news'}, {'domain': 'news'}, {}]
    """
    parts = parts_of_doc_id(document)[1:] or document.split("_###_")
    return {"domain": parts[0]} if len(parts) > 1 else {}


def rated(by_rater: Mapping[str, tuple[Mapping[str, float], Sequence[Span]]]) -> dict[str, Any]:
    """Returns the fields of a row with the ratings of an output, sorted by rater: scores and error spans."""
    ordered = dict(sorted(by_rater.items()))
    spans = [{**span, "rater": rater} for rater, (_, of_rater) in ordered.items() for span in of_rater]
    omissions = [span for span in spans if span["start"] == _MISSING]
    names = dict.fromkeys(name for scores, _ in ordered.values() for name in scores)
    values = {name: [scores.get(name, math.nan) for scores, _ in ordered.values()] for name in names}
    return {
        "raters": list(ordered),
        "spans": [span for span in spans if span["start"] != _MISSING],
        "omissions": [{name: span[name] for name in span if name not in _BOUNDS} for span in omissions],
        "metrics": {name: [None if math.isnan(one) else one for one in found] for name, found in values.items()},
    }


def only_column(columns: Iterable[str], names: Sequence[str]) -> str | None:
    """Returns the column of one of some names; `None` if there is none.

    Raises:
        DataError: if there are two.
    """
    found = [name for name in columns if column_key(name) in names]
    if len(found) > 1:
        raise DataError(f"'{found[0]}' and '{found[1]}' have the same meaning; rename or remove one of them")
    return found[0] if found else None


def checked_score(cell: Any, column: str) -> float:
    """Returns a score from 0 to 100, NaN if it is missing.

    Raises:
        DataError: if it is none.
    """
    score = USUAL.number_of(cell, column)
    if not math.isnan(score) and not 0 <= score <= 100:
        raise DataError(f"'{column}' must be from 0 to 100, got {score:g}")
    return score


def checked_spans(value: Any, column: str) -> list[Span]:
    """Returns the spans in a cell, each with ``start``, ``end`` and ``severity``.

    Raises:
        DataError: if it has other values.
    """
    if is_missing(value):
        return []
    spans = decoded(value)
    if not isinstance(spans, (list, tuple)) or not all(isinstance(span, dict) for span in spans):
        raise DataError(f"'{column}' must be a JSON list of error spans, got {shown(value)}")
    return [_span(span, column) for span in spans]


def _span(span: Span, column: str) -> Span:
    severity = span.get("severity")
    if not isinstance(severity, str) or not severity:
        raise DataError(f"an error span of '{column}' needs a 'severity', got {shown(span)}")
    bounds: Span = {}
    for name, spellings in _BOUNDS.items():
        spelling = only_column(span, spellings)
        bound = None if spelling is None else span[spelling]
        if bound != _MISSING and (not isinstance(bound, int) or isinstance(bound, bool) or bound < 0):
            raise DataError(f"'{name}' of an error span must be an index, got {shown(bound)}")
        bounds[name] = bound + 1 if spelling == "end_i" and bound != _MISSING else bound  # the last character
    others = {name: value for name, value in span.items() if name not in ("severity", *sum(_BOUNDS.values(), ()))}
    if (bounds["start"] == _MISSING) != (bounds["end"] == _MISSING):
        raise DataError(f"both ends of an error span must be an index, or both '{_MISSING}', got {shown(span)}")
    return {**bounds, "severity": severity.casefold(), **others}


def campaign_of(source: object, **options: Any) -> Campaign | None:
    """Returns the format of a campaign's export, which its content decides; `None` for other sources.

    Args:
        source: A file, or what is no file.
        options: The options of the format.
    """
    name = export_format(source) if isinstance(source, str) else None
    found = None if name is None else RatingFormat.by_name(name)(**options)
    return found if isinstance(found, Campaign) else None


def export_format(path: str) -> str | None:
    """Returns the name of the format of a campaign's export; `None` if a file is no such export."""
    try:
        start = start_of(path)
        first = start.partition(b"\n")[0].decode("utf-8", "replace")
        if is_of_appraise(next(csv.reader([first]), [])):
            return "appraise"
        if is_read_once(path):  # of which only the start can be read before
            return "pearmut" if b'"annotation"' in start and b'"user_id"' in start else None
        _, row = next(read_jsonl(path, Problems()), (0, {}))
    except FwError:  # which the reader of another format reports
        return None
    return "pearmut" if is_pearmut(row) else None
