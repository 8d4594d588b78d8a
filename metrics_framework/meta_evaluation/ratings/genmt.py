"""Files of WMT's general translation task: human scores of segments, and automatic scores of each system."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

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
