"""SummEval: ratings of the outputs of 16 summarization systems."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, FolderPart, LicensedDataset, Part
from metrics_framework.datasets.shared_task_files import find_file
from metrics_framework.io.jsonl import read_jsonl

_FILE = "model_annotations.aligned.jsonl"
_ASPECTS = ("coherence", "consistency", "fluency", "relevance")
_RATERS = {"expert": "expert_annotations", "turker": "turker_annotations"}
_HIGHLIGHT = "@highlight"  # what follows in a story is its reference


def _rows(folder: str) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    path = find_file(folder, _FILE)
    for line, row in read_jsonl(path):
        for field in ("id", "model_id", "decoded", "references", "filepath", *_RATERS.values()):
            if field not in row:
                raise DataError(f"'{field}' is missing", path, line)
        yield path, line, row


def _ids(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"instance_id": row["id"], "summarizer_id": row["model_id"], "summarizer_type": "peer"}


def _summaries(folder: str) -> Iterator[dict[str, Any]]:
    """Yields the outputs; the first reference is that of CNN/DailyMail, the others are by crowd workers."""
    for _, _, row in _rows(folder):
        yield {**_ids(row), "summary": row["decoded"], "references": row["references"]}


def _metrics(folder: str) -> Iterator[dict[str, Any]]:
    for path, line, row in _rows(folder):
        try:
            ratings = {
                raters: {aspect: [rating[aspect] for rating in row[field]] for aspect in _ASPECTS}
                for raters, field in _RATERS.items()
            }
        except (KeyError, TypeError):
            raise DataError(f"every rating must have {', '.join(_ASPECTS)}", path, line) from None
        yield {**_ids(row), "metrics": ratings}


def _documents(folder: str) -> Iterator[dict[str, Any]]:
    """Yields the article of every input, from the field ``text`` or from the story that ``filepath`` names."""
    known = set()
    for _, _, row in _rows(folder):
        if row["id"] not in known:
            known.add(row["id"])
            text = row["text"] if "text" in row else _story(find_file(folder, os.path.basename(row["filepath"])))
            yield {"instance_id": row["id"], "documents": [text]}


def _story(path: str) -> str:
    """Returns the article of a story of CNN/DailyMail, on one line."""
    with open(path, encoding="utf-8", errors="replace") as stream:
        article = stream.read().partition(_HIGHLIGHT)[0]
    return " ".join(line.strip() for line in article.splitlines() if line.strip())


@Dataset.register("summeval")
class SummEval(LicensedDataset):
    """SummEval: outputs of 16 systems for 100 articles of CNN/DailyMail, with ratings by experts and crowd workers."""

    reason = "is not downloaded, because no checksum of its files is known"
    steps = (
        f"Download {_FILE} from github.com/Yale-LILY/SummEval (human annotations)",
        "For the articles, pair it with the stories of CNN/DailyMail, or put the .story files into the folder",
    )
    archives = (_FILE,)

    @overrides
    def parts(self) -> list[Part]:
        return [
            FolderPart("summeval-summaries", self, "summaries", _summaries),
            FolderPart("summeval-metrics", self, "metrics", _metrics),
            FolderPart("summeval-documents", self, "documents", _documents),
        ]
