"""Files of WMT's general translation task: human scores of segments, and automatic scores of each system."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from metrics_framework.common.errors import DataError, Problems, UnknownChoiceError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.texts import shown
from metrics_framework.inputs.exports import parts_of_doc_id
from metrics_framework.inputs.values import USUAL
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.reading import stem
from metrics_framework.meta_evaluation.ratings.campaign import (
    REPLACED,
    Campaign,
    checked_score,
    checked_spans,
    segment_id,
)
from metrics_framework.meta_evaluation.ratings.rating_format import Rating, RatingFormat

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
        files = _files(path)
        first = next((row for file in files for _, row in read_jsonl(file, problems)), {})
        if "metric_scores" not in first:
            yield from super().rows(path, problems)
        else:
            for file in files:
                for line, row in read_jsonl(file, problems):
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
        numbers: Counter[str] = Counter()
        for file in _files(path):
            for line, row in read_jsonl(file, problems):
                with problems.at(file, line):
                    if "doc_id" not in row or not isinstance(row.get("scores"), dict):
                        raise DataError("must have 'doc_id' and 'scores', or the members of automatic scores")
                    segment = Segment.of(row["doc_id"], numbers)
                    if self._is_wanted(segment.pair):
                        yield from _ratings(segment, row)


class Segment(NamedTuple):
    """What the id of a segment says."""

    pair: str
    domain: str
    document: str
    number: str

    @classmethod
    def of(cls, doc_id: str, numbers: Counter[str]) -> Segment:
        """Returns the segment of an id, ``SET_###_DOMAIN_###_SOURCE_###_TARGET_###_DOCUMENT`` or ``PAIR_#_DOMAIN_#_…``.

        Args:
            doc_id: The id, which may end in the number of the segment.
            numbers: The number of segments of each document, which tells those without a number apart.

        Raises:
            DataError: if it has another form.

        >>> Segment.of("en-cs_#_news_#_a_#_3", Counter())
        Segment(pair='en-cs', domain='news', document='a', number='3')
        >>> Segment.of("wmt26_###_news_###_en_###_cs_###_a", Counter())
        Segment(pair='en-cs', domain='news', document='a', number='1')
        """
        parts = parts_of_doc_id(str(doc_id))
        if not parts:
            known = "SET_###_DOMAIN_###_SOURCE_###_TARGET_###_DOCUMENT or PAIR_#_DOMAIN_#_DOCUMENT"
            raise DataError(f"'doc_id' must be {known}, got {shown(doc_id)}")
        numbers[str(doc_id)] += 1
        pair, domain, document, *line = parts
        return cls(pair, domain, document, line[0] if line else str(numbers[str(doc_id)]))


def _ratings(segment: Segment, row: Mapping[str, Any]) -> Iterator[Rating]:
    texts = row.get("tgt_text") or {}
    if not isinstance(texts, dict):
        raise DataError(f"'tgt_text' must be an object of texts, got {shown(texts)}")
    for system, ratings in row["scores"].items():
        if not isinstance(ratings, list) or not all(isinstance(rating, dict) for rating in ratings):
            raise DataError(f"'scores' must have a list of ratings for '{system}', got {shown(ratings)}")
        known = {"domain": segment.domain, "source": row.get("src_text"), "summary": texts.get(system)}
        about = {name: str(value) for name, value in known.items() if value is not None}
        for rating in ratings:
            name = str(rating.get("protocol") or "esa").casefold()
            score = checked_score(rating.get("score"), "score")
            of_output = (str(rating.get("annotator", "")), system, segment.pair, segment.document, segment.number)
            end = max((USUAL.number_of(time, "times") for time in rating.get("times") or ()), default=0.0)
            spans = checked_spans(rating.get("errors"), "errors")
            yield Rating("", *of_output, {name: score}, spans, 0.0 if math.isnan(end) else end, about)


def _files(path: str) -> list[str]:
    """Returns the file, or the files in a folder.

    Raises:
        DataError: if the folder has none.
    """
    if not os.path.isdir(path):
        return [path]
    names = sorted(name for name in os.listdir(path) if name.endswith(_ENDING))
    if not names:
        raise DataError(f"has no file that ends in {_ENDING}", path)
    return [os.path.join(path, name) for name in names]
