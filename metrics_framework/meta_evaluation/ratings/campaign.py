"""Scores with error spans: tables of ESA, and exports of campaigns of Appraise, Pearmut and WMT's general task."""

from __future__ import annotations

import math
import os
import re
import shlex
from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

from metrics_framework.common.errors import (
    DataError,
    Problems,
    UnknownChoiceError,
    UsageError,
    counted,
)
from metrics_framework.common.options import Between
from metrics_framework.common.overriding import overrides
from metrics_framework.data.texts import is_missing, shown
from metrics_framework.inputs.exports import (
    KINDS,
    Page,
    Resets,
    decoded,
    is_pearmut,
    pages,
    parts_of_doc_id,
    scores_in,
    seconds_between,
)
from metrics_framework.inputs.keys import LongRow
from metrics_framework.inputs.rating_rows import campaign_in
from metrics_framework.inputs.roles import column_key
from metrics_framework.inputs.tables import csv_rows
from metrics_framework.inputs.values import USUAL, plain_number
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.reading import stem
from metrics_framework.meta_evaluation.ratings.rating_format import (
    Rating,
    RatingFormat,
    Span,
    about_input,
    annotation_rows,
)

if TYPE_CHECKING:
    from metrics_framework.significance.interval_methods import Interval

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
    are_higher_better: ClassVar[bool] = True

    def __init__(
        self,
        keep: Sequence[str] = (),
        references: Sequence[str] = (),
        drop_raters: str = "",
        error_free: Annotated[float, Between(0, 100, includes_high=True)] | None = None,
    ) -> None:
        kept = [kind.strip() for kinds in keep for kind in kinds.split(",") if kind.strip()]
        self.keep = frozenset(kept)
        self.checks: list[tuple[str, bool]] = []
        self.error_free = error_free
        self.drop_raters = drop_raters.replace(" ", "")
        self.references = frozenset(references)
        for kind in kept:
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
        return [f"{note}; fw convert-ratings --keep keeps the named kinds" for note in super().notes()]


def campaign_of(source: object, **options: Any) -> Campaign | None:
    """Returns the format of a campaign's export, which its content decides; `None` for other sources.

    Args:
        source: A file, or what is no file.
        options: The options of the format.
    """
    name = campaign_in(source) if isinstance(source, str) else ""
    return None if not name else (Appraise if name == "appraise" else Pearmut)(**options)


# ---- formats ---------------------------------------------------------------------------------------------------------


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
        if isinstance(campaign_of(path), Pearmut):
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
            score, end = plain_number(row["score"]), plain_number(row["end"])
            return Rating(kind, *of_output, {} if score is None else {"esa": score}, (), end or 0.0)
        score = checked_score(row["score"], "score")
        self._highest = max(self._highest, score)
        spans = checked_spans(row["spans"], "spans")
        about = domain_in(row["document"]) or domain_in(row["segment"])
        return Rating("", *of_output, {"esa": score}, spans, USUAL.number_of(row["end"], "end"), about)

    @overrides
    def notes(self) -> Sequence[str]:
        zeros = "all scores are 0, as in exports of MQM annotations: use the spans"
        return [*super().notes(), *[zeros] * (self._highest == 0)]


@RatingFormat.register("pearmut")
class Pearmut(Campaign):
    """Reads logs of Pearmut: the downloaded annotations.json of campaigns, or the CAMPAIGN.jsonl of a server.

    Rows have the fields of ``esa``, ``language_pair``, the name of the campaign, ``document`` and ``segment``,
    ``domain``, if ids are DOMAIN_###_DOCUMENT_###_NUMBER, the source, the output, and as references the human
    translations, so that metrics score the same rows. The score of an output without one is the mean of its sliders,
    which are separate scores, too. What is no rating of an output is left out, and counted by kind: pages that the
    rater reset, forms, pages of welcome, at random places and of goodbye, skipped pages, and ratings of tutorials and
    attention checks, and those replaced later.

    Args:
        resets: Whose earlier pages a reset cancels: those of the same ``user``, or of all users of the ``campaign``, as
            WMT's script does.
    """

    kinds: ClassVar[Sequence[str]] = KINDS

    def __init__(self, resets: Resets = "user", **options: Any) -> None:
        super().__init__(**options)
        self.resets = resets
        self.unscored = 0

    @overrides
    def notes(self) -> Sequence[str]:
        return [*super().notes(), *([f"{counted(self.unscored, 'rating')} without a score"] if self.unscored else [])]

    @overrides
    def ratings(self, path: str, problems: Problems) -> Iterator[Rating]:
        rows = [*read_jsonl(path, problems)]
        for line, row in rows:
            if not is_pearmut(row):
                raise DataError("is no entry of a log of Pearmut, with annotation, item and user_id", path, line)
        for page in pages(rows, self.resets):
            if "reset" not in page.kinds:
                given = page.entry.get("validations") or ()
                self.checks += [(str(page.entry["user_id"]), bool(one)) for one in given]
            kind = self.left_out_as(page.kinds)
            if kind:
                self.dropped[kind] += 1
                continue
            with problems.at(path, page.line):
                yield from self._ratings(page, path)

    def _ratings(self, page: Page, path: str) -> Iterator[Rating]:
        pair = (page.campaign or stem(path)).replace("---", "-")
        for item, number, model, rating, kinds in page.ratings(path):
            of_output = (str(page.entry["user_id"]), model, pair, *page.document(item, number))
            kind = self.left_out_as(kinds)
            if kind:
                yield Rating(kind, *of_output, {}, ())
                continue
            scores = {name: checked_score(score, name) for name, score in scores_in(rating).items()}
            scores = {"esa": scores.pop("score"), **scores}
            self.unscored += math.isnan(scores["esa"])
            spans = checked_spans(rating.get("error_spans"), "error_spans")
            about = {"source": str(item["src"]), "summary": str(item["tgt"].get(model, ""))}
            about = {**domain_in(of_output[3]), **about}
            yield Rating("", *of_output, scores, spans, about=about, seconds=page.seconds())


AUTOMATIC = ("language_pair", "domain", "document_id", "metric_scores")
"""The members of the rows of automatic scores."""
_ENDING = ".jsonl"


@RatingFormat.register("genmt")
class GenMt(Campaign):
    """Reads files of WMT's general translation task as JSON lines.

    - Scores of people: a segment a line, with doc_id and ``scores``: system to its ratings, each with score, annotator
      and errors. Rows have the fields of ``esa``, and ``language_pair``, ``domain``, ``document`` and ``segment``.
    - Automatic scores: a document of a system a line, with language_pair, domain, document_id and ``metric_scores``:
      metric to the scores of the segments. The file is the system; of a folder, all files are read. Rows have these
      scores.

    Args:
        pair: The language pair, such as en-de.
    """

    kinds: ClassVar[Sequence[str]] = (REPLACED,)

    def __init__(self, pair: str = "", **options: Any) -> None:
        super().__init__(**options)
        self.pair = pair
        self._pairs: dict[str, None] = {}

    def _is_wanted(self, pair: str) -> bool:
        self._pairs[pair] = None
        return self.pair in ("", pair)

    @overrides
    def rows(self, path: str, problems: Problems) -> Iterator[dict[str, Any]]:
        _, _, first = next(_rows_in(path, problems), ("", 0, {}))
        if "metric_scores" not in first:
            yield from super().rows(path, problems)
        else:
            for file, line, row in _rows_in(path, problems):
                with problems.at(file, line):
                    yield from self._automatic(row, stem(file))
        if self.pair and self.pair not in self._pairs and not problems:
            raise UnknownChoiceError("pair", self.pair, [*self._pairs])

    def _automatic(self, row: Mapping[str, Any], system: str) -> Iterator[dict[str, Any]]:
        missing = [name for name in AUTOMATIC if name not in row]
        if missing:
            raise DataError(f"has no '{missing[0]}'; rows of automatic scores have {', '.join(AUTOMATIC)}")
        pair, domain, document, scores = (row[name] for name in AUTOMATIC)
        if not isinstance(pair, str):
            raise DataError(f"'language_pair' must be a text, got {shown(pair)}")
        if not isinstance(scores, dict) or not all(isinstance(values, list) for values in scores.values()):
            raise DataError(f"'metric_scores' must be an object of lists, got {shown(scores)}")
        if not self._is_wanted(pair):
            return
        sizes = {name: len(values) for name, values in scores.items()}
        if len({*sizes.values()}) > 1:
            raise DataError(f"must have a score of each metric for each segment, got {shown(sizes)}")
        for number, values in enumerate(zip(*scores.values(), strict=True), 1):
            about = {"language_pair": pair, "domain": domain, "document": document, "segment": str(number)}
            ids = {"instance_id": segment_id(pair, str(document), str(number)), "summarizer_id": system}
            yield {**ids, **about, "metrics": dict(zip(scores, values, strict=True))}

    @overrides
    def ratings(self, path: str, problems: Problems) -> Iterator[Rating]:
        numbers: Counter[str] = Counter()  # of the segments of each document, which tell those without a number apart
        for file, line, row in _rows_in(path, problems):
            with problems.at(file, line):
                if "doc_id" not in row or not isinstance(row.get("scores"), dict):
                    raise DataError("must have 'doc_id' and 'scores', or the members of automatic scores")
                doc_id = str(row["doc_id"])
                parts = parts_of_doc_id(doc_id)
                if not parts:
                    known = "SET_###_DOMAIN_###_SOURCE_###_TARGET_###_DOCUMENT or PAIR_#_DOMAIN_#_DOCUMENT"
                    raise DataError(f"'doc_id' must be {known}, got {shown(row['doc_id'])}")
                numbers[doc_id] += 1
                pair, domain, document, *number = [*parts, str(numbers[doc_id])]
                if self._is_wanted(pair):
                    yield from _ratings((pair, document, number[0]), domain, row)


def _ratings(segment: tuple[str, str, str], domain: str, row: Mapping[str, Any]) -> Iterator[Rating]:
    texts = row.get("tgt_text") or {}
    if not isinstance(texts, dict):
        raise DataError(f"'tgt_text' must be an object of texts, got {shown(texts)}")
    for system, ratings in row["scores"].items():
        if not isinstance(ratings, list) or not all(isinstance(rating, dict) for rating in ratings):
            raise DataError(f"'scores' must have a list of ratings for '{system}', got {shown(ratings)}")
        known = {"domain": domain, "source": row.get("src_text"), "summary": texts.get(system)}
        about = {name: str(value) for name, value in known.items() if value is not None}
        for rating in ratings:
            scores = {str(rating.get("protocol") or "esa").casefold(): checked_score(rating.get("score"), "score")}
            end = max((USUAL.number_of(time, "times") for time in rating.get("times") or ()), default=0.0)
            spans = checked_spans(rating.get("errors"), "errors")
            end = 0.0 if math.isnan(end) else end
            yield Rating("", str(rating.get("annotator", "")), system, *segment, scores, spans, end, about)


def _rows_in(path: str, problems: Problems) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yields the rows of a file, or of the files in a folder, with their file and line.

    Raises:
        DataError: if the folder has no files of rows.
    """
    files = [path]
    if os.path.isdir(path):
        files = [os.path.join(path, name) for name in sorted(os.listdir(path)) if name.endswith(_ENDING)]
    if not files:
        raise DataError(f"has no file that ends in {_ENDING}", path)
    for file in files:
        yield from ((file, line, row) for line, row in read_jsonl(file, problems))


SCORE_COLUMNS = ("esa", "score", "esa_score")
SPAN_COLUMNS = ("spans", "error_spans", "esa_spans", "mqm")


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
    are_higher_better: ClassVar[bool] = True

    @overrides
    def rows(self, path: str, problems: Problems) -> Iterator[dict[str, Any]]:
        campaign = campaign_of(path)
        if isinstance(campaign, Appraise):
            campaign.dropped = self.dropped
            yield from campaign.rows(path, problems)
            return
        outputs: dict[tuple[str, str], dict[str, tuple[str, Any]]] = {}
        about: dict[tuple[str, str], dict[str, str]] = {}
        for row, _ in annotation_rows(path, (), problems, self.rules):
            rater = row.rater or ""
            with problems.at(row.path, row.line):
                about.setdefault(row.unit, about_input(row))
                rating = row.location, _esa_of(row)
                location, _ = outputs.setdefault(row.unit, {}).setdefault(rater, rating)
                if location != row.location:
                    raise DataError(f"rater '{rater}' rates {row.output_name} twice (first at {location})")
        self.dropped.update(self.rules.left_out)
        for (instance, system), by_rater in outputs.items():
            ids = {"instance_id": instance, "summarizer_id": system, **about[instance, system]}
            yield {**ids, **rated({name: one for name, (_, one) in by_rater.items()})}


def _esa_of(row: LongRow) -> tuple[dict[str, float], list[Span]]:
    """Returns the score of a row, NaN if it is missing, and its error spans."""
    score, spans = only_column(row.cells, SCORE_COLUMNS), only_column(row.cells, SPAN_COLUMNS)
    if score is None:
        raise DataError(f"has no score (one of {', '.join(SCORE_COLUMNS)}); it has {', '.join(row.cells)}")
    return {"esa": checked_score(row.cells[score], score)}, checked_spans(row.cells[spans], spans) if spans else []


# ---- ids, scores and error spans -------------------------------------------------------------------------------------


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


# ---- raters ----------------------------------------------------------------------------------------------------------


_MIN_SHARED = 3
"""With fewer outputs that others rate, too, there is no correlation with them."""


class RaterReport(NamedTuple):
    """What the ratings of a rater say about their quality.

    Attributes:
        rater: The rater.
        ratings: The number of ratings that count.
        minutes: The median of the minutes per segment; NaN if times are unknown.
        checks: The number of attention checks.
        passed: The share of passed ones, with its score interval: answers as they should be, or degraded outputs that
            have a lower score than the original.
        p_value: The one-sided p-value of the sign test: how often a rater without attention passes as many of the
            degraded outputs whose score differs; NaN without such outputs.
        repeats: The number of outputs that were rated a second time to see how much ratings differ.
        repeat_difference: The mean absolute difference between both ratings; NaN without repeats.
        shared: The number of outputs that others rate, too.
        correlation: Pearson's r of the ratings of these with the mean of the others'.
        severity: The mean difference between the ratings of these and the mean of the others'; below 0 is severe.
        commonest: The share of the most frequent score.
    """

    rater: str
    ratings: int
    minutes: float
    checks: int
    passed: Interval
    p_value: float
    repeats: int
    repeat_difference: float
    shared: int
    correlation: float
    severity: float
    commonest: float

    def numbers(self) -> dict[str, float]:
        """Returns the numbers of the report by name; the passed share without its interval."""
        numbers = {**self._asdict(), "passed": self.passed.value}
        del numbers["rater"]
        return numbers


def raters_report(
    ratings: Iterable[Rating], checks: Iterable[tuple[str, bool]] = (), confidence: float = 95
) -> list[RaterReport]:
    """Returns a report on each rater, sorted by rater.

    A degraded output (kind ``bad``) and a repeated one (``duplicate``) are compared with the last rating of the same
    output by the same rater that counts.

    Args:
        ratings: All ratings, also those that do not count.
        checks: The rater of each attention check that has a right answer, and whether it was given.
        confidence: The confidence level of the intervals of shares.
    """
    import numpy as np
    from scipy.special import bdtrc

    from metrics_framework.significance.proportions import EffectiveTrials

    by_kind: dict[str, list[Rating]] = defaultdict(list)
    ends: dict[str, set[float]] = defaultdict(set)
    for one in sorted(ratings, key=lambda one: one.end):
        by_kind[one.kind].append(one)
        ends[one.rater].update([one.end] * (one.end > 0))
    last = {(one.rater, *one.output): one for one in by_kind[""]}
    scores = {key: one.score for key, one in last.items() if not math.isnan(one.score)}
    by_output: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for (rater, *output), score in scores.items():
        by_output[tuple(output)][rater] = score
    degraded, repeated = (_pairs(scores, by_kind[kind]) for kind in ("bad", "duplicate"))
    answers, found = [*checks], []
    for rater in sorted({rater for rater, *_ in last}):
        of_rater = [one for one in last.values() if one.rater == rater]
        lower = [first > second for first, second in degraded[rater]]
        passes = [*(is_right for who, is_right in answers if who == rater), *lower]
        unequal = sum(first != second for first, second in degraded[rater])
        p = float(bdtrc(sum(lower) - 1, unequal, 0.5)) if unequal else math.nan
        seconds = [one.seconds for one in of_rater if not math.isnan(one.seconds)] or seconds_between(ends[rater])
        minutes = float(np.median(seconds)) / 60 if seconds else math.nan
        attention = minutes, len(passes), EffectiveTrials.of(passes).interval(confidence), p
        differences = [abs(first - second) for first, second in repeated[rater]]
        difference = math.fsum(differences) / len(differences) if differences else math.nan
        own = [one.score for one in of_rater if not math.isnan(one.score)]
        commonest = max(Counter(own).values()) / len(own) if own else math.nan
        shared = _against_others(rater, by_output.values())
        found.append(RaterReport(rater, len(own), *attention, len(differences), difference, *shared, commonest))
    return found


def _pairs(scores: Mapping[tuple[str, ...], float], ratings: Sequence[Rating]) -> dict[str, list[tuple[float, float]]]:
    """Returns by rater the scores of outputs that count, and those of their second ratings."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for one in ratings:
        first = scores.get((one.rater, *one.output), math.nan)
        if not math.isnan(first) and not math.isnan(one.score):
            found[one.rater].append((first, one.score))
    return found


def _against_others(rater: str, outputs: Iterable[Mapping[str, float]]) -> tuple[int, float, float]:
    """Returns the number of outputs that others rate, too, the correlation with their means, and the severity."""
    import numpy as np

    own, others = [], []
    for by_rater in outputs:
        if rater in by_rater and len(by_rater) > 1:
            own.append(by_rater[rater])
            others.append((math.fsum(by_rater.values()) - own[-1]) / (len(by_rater) - 1))
    if not own:
        return 0, math.nan, math.nan
    varies = len(own) >= _MIN_SHARED and np.ptp(own) > 0 and np.ptp(others) > 0
    correlation = float(np.corrcoef(own, others)[0, 1]) if varies else math.nan
    return len(own), correlation, float(np.mean(np.subtract(own, others)))
