"""MultiLing 2011: summaries in seven languages."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, FolderPart, LicensedDataset, Part
from metrics_framework.datasets.score_tables import parsed_lines, read_rouge, score_rows
from metrics_framework.datasets.shared_task_files import (
    Output,
    author_of,
    files_packed_twice,
    find_file,
    lines_of,
    summary_rows,
)

_ARCHIVE = "PublishedCorpusFileSet.zip"
_INPUT_OF_ROUGE = dict(enumerate(["M002", "M003", "M001", "M000", "M007", "M005", "M004", "M006", "M008", "M009"], 1))
"""The input of each number in the output of ROUGE, as SacreROUGE 0.2.5 found by computing the scores."""
LANGUAGES = {
    "ar": "arabic",
    "cs": "czech",
    "el": "greek",
    "en": "english",
    "fr": "french",
    "he": "hebrew",
    "hi": "hindi",
}


def _files(folder: str, inner: str, language: str) -> dict[str, bytes]:
    """Returns the files of a language in one of the inner archives."""
    inner = f"PublishedCorpusFileSet/MultiLingPilot2011-{inner}.zip"
    return files_packed_twice(find_file(folder, _ARCHIVE), inner, lambda name: language in name.lower())


def _summaries(folder: str, language: str) -> Iterator[dict[str, Any]]:
    summaries: dict[Output, list[str]] = {}
    for path, content in _files(folder, "ModelSummaries", language).items():
        if path.endswith(".250"):
            cluster, author = posixpath.basename(path).split(".")[:2]
            summaries[Output(cluster[:4], author)] = lines_of(content)
    for path, content in _files(folder, "PeerSummaries", language).items():
        parts = path.split("/")
        if len(parts) > 3 and parts[2].lower() == language and parts[3].startswith("M00"):
            summaries[Output(parts[3][:4], author_of(parts[1][2:]))] = lines_of(content)
    yield from summary_rows(summaries)


def _documents(folder: str, language: str) -> Iterator[dict[str, Any]]:
    documents: dict[str, list[dict[str, Any]]] = {}
    for path, content in _files(folder, "SourceTextsV1.0", f".{language}").items():
        name = posixpath.basename(path)
        documents.setdefault(name[:4], []).append({"filename": name, "text": lines_of(content)})
    for instance_id, texts in documents.items():
        yield {"instance_id": instance_id, "documents": texts}


def _metrics(folder: str, language: str) -> Iterator[dict[str, Any]]:
    scores: dict[Output, dict[str, Any]] = {}
    for path, content in _files(folder, "EvaluationResults", language).items():
        kind = path.removeprefix("PublishedEvaluation/")
        if kind.startswith("HumanEvaluation/"):
            problem = "must have an input, a system, and grades in columns 5 and 7"
            for output, grade, length_aware in parsed_lines(content, path, _grades, problem, first=2):
                scores.setdefault(output, {}).setdefault("grade", []).append(grade)
                scores[output].setdefault("length_aware_grade", []).append(length_aware)
        elif kind.startswith("AutomaticEvaluation/ROUGE/Detailed/"):
            read_rouge(content, path, _output_of_rouge, "", scores)
        elif kind.startswith("AutomaticEvaluation/AutoSummENG/Detailed/"):
            problem = "must have an input, a system, and a number in column 4"
            for output, score in parsed_lines(content, path, _graph_score, problem, first=2):
                scores.setdefault(output, {})["MeMoG"] = score
    yield from score_rows(scores)


def _output_of_rouge(name: str) -> Output:
    """Returns the output of a line of ROUGE, such as ``5.ID3``."""
    number, _, system = name.partition(".")
    if not number.isdecimal() or int(number) not in _INPUT_OF_ROUGE:
        raise DataError("has an unknown input; expected 1 to 10, a full stop and ID with the number of a system", name)
    return Output(_INPUT_OF_ROUGE[int(number)], author_of(system[2:]))


def _grades(cells: Sequence[str]) -> tuple[Output, int, float]:
    return Output(cells[0].strip('"'), author_of(cells[1].strip('"')[2:])), int(cells[4]), float(cells[6])


def _graph_score(cells: Sequence[str]) -> tuple[Output, float]:
    return Output(cells[0], author_of(cells[1][2:])), float(cells[3])


@Dataset.register("multiling2011")
class MultiLing2011(LicensedDataset):
    """MultiLing 2011: summaries of ten sets of news articles in seven languages, with references and grades."""

    reason = "is not downloaded, because its address has changed and no checksum is known"
    steps = ("Get the file set of the TAC 2011 MultiLing Pilot from multiling.iit.demokritos.gr (CC BY 3.0)",)
    archives = (_ARCHIVE,)

    @overrides
    def parts(self) -> list[Part]:
        contents = {"summaries": _summaries, "metrics": _metrics, "documents": _documents}
        return [
            FolderPart(f"multiling2011-{code}-{content}", self, content, partial(read, language=language))
            for code, language in LANGUAGES.items()
            for content, read in contents.items()
        ]
