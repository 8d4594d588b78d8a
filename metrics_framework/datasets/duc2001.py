"""DUC 2001: documents, and summaries by people."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, FolderPart, LicensedDataset, Part
from metrics_framework.datasets.shared_tasks.documents import paragraphs_in
from metrics_framework.datasets.shared_tasks.names import Output
from metrics_framework.datasets.shared_tasks.packed_files import find_file, packed_files
from metrics_framework.datasets.shared_tasks.summaries import summary_rows
from metrics_framework.datasets.shared_tasks.tasks import DUC_STEPS, DocumentFiles, Task

_ARCHIVE = "DUC2001_Summarization_Documents.tgz"
_TEST = "DUC2001_Summarization_Documents/data/test/"
_TRAINING = "DUC2001_Summarization_Documents/data/training/"
_SUMMARIES = (f"{_TEST}original.summaries/", f"{_TEST}duplicate.summaries/", _TRAINING)
_SINGLE = "perdocs"
_LENGTHS = ("50", "100", "200", "400")
_SUMMARY = re.compile(rb'<SUM((?:\s+\w+\s*=\s*"[^"]*")*)\s*>?(.*?)</SUM>', re.DOTALL | re.IGNORECASE)  # one lacks its >
_DOCUMENT = re.compile(rb'docref\s*=\s*"([^"]*)"', re.IGNORECASE)
_MISSPELT = {  # names of documents in files of summaries, as SacreROUGE 0.2.5 corrects them
    "SMN91-06154062": "SJMN91-06154062",
    "AP870611-0085": "WSJ870611-0085",
    "SJMN91-0605144": "SJMN91-06015144",
    "APP890515-0232": "AP890515-0232",
    "WSJ891125-0090": "AP891125-0090",
    "FT931-100514": "FT931-10514",
    "FB153-57782": "FBIS3-57782",
    "FBIS4-45908": "FBIS-45908",
    "FBIS3-41815": "FBIS-41815",
    "FBIS4-35908": "FBIS-45908",
    "AP890325-0143": "AP830325-0143",
    "LA081489-0225": "LA081489-0025",
}
_NOT_A_DOCUMENT = "FBIS-41815~"  # an editor's copy


def _summaries_of_documents(path: str, content: bytes) -> Iterator[tuple[Output, list[str]]]:
    if posixpath.basename(path) == _SINGLE:
        for attributes, text in _SUMMARY.findall(content):
            for name in _DOCUMENT.findall(attributes):
                document = name.decode("ascii", "replace")
                yield Output(_MISSPELT.get(document, document), _author(path)), _lines(text)


def _summaries_of_sets(path: str, content: bytes) -> Iterator[tuple[Output, list[str]]]:
    length = posixpath.basename(path)
    if length in _LENGTHS:
        for _, text in _SUMMARY.findall(content)[:1]:
            yield Output(f"{_cluster(path)}-{length}", _author(path)), _lines(text)


def _author(path: str) -> str:
    """Returns the author: the last letter of the folder, such as B for ``d04ab``."""
    return posixpath.basename(posixpath.dirname(path))[-1].upper()


def _cluster(path: str) -> str:
    folder = posixpath.basename(posixpath.dirname(path))
    return folder[: -1 if path.startswith(_TRAINING) else -2]


def _lines(text: bytes) -> list[str]:
    return paragraphs_in(b"<text>" + text + b"</text>")


def _rows(
    folder: str, part: str, summaries_of: Callable[[str, bytes], Iterator[tuple[Output, list[str]]]]
) -> Iterator[dict[str, Any]]:
    """Yields the summaries in one part of the data."""
    wanted = tuple(name for name in _SUMMARIES if name.startswith(part))
    names = (_SINGLE, *_LENGTHS)
    files = packed_files(
        find_file(folder, _ARCHIVE), lambda name: name.startswith(wanted) and posixpath.basename(name) in names
    )
    yield from summary_rows(dict(pair for path, content in files.items() for pair in summaries_of(path, content)))


def _test_document(path: Sequence[str]) -> str | None:
    is_one = "/".join(path).startswith(f"{_TEST}docs/") and len(path) == 6 and path[-1] != _NOT_A_DOCUMENT
    return path[-1] if is_one else None


def _training_document(path: Sequence[str]) -> str | None:
    return path[-1] if "/".join(path).startswith(_TRAINING) and "docs" in path[4:5] else None


def _documents(input_of: Callable[[Sequence[str]], str | None]) -> Callable[[str], Iterator[dict[str, Any]]]:
    return Task(
        (_ARCHIVE,), documents=DocumentFiles(_ARCHIVE, "", input_of, (("leadpara", "lp", "text"),))
    ).document_rows


@Dataset.register("duc2001")
class Duc2001(LicensedDataset):
    """DUC 2001: 60 sets of news articles, with summaries by people of articles and of sets; licensed by NIST.

    The inputs of task 2 are named after their set and the length of the summary in words, as ``d04-100``. The outputs
    of systems are not part of the data.
    """

    steps = DUC_STEPS
    archives = (_ARCHIVE,)

    @overrides
    def parts(self) -> list[Part]:
        parts: list[Part] = []
        for kind, prefix, document in (("train", _TRAINING, _training_document), ("test", _TEST, _test_document)):
            single = partial(_rows, part=prefix, summaries_of=_summaries_of_documents)
            sets = partial(_rows, part=prefix, summaries_of=_summaries_of_sets)
            parts += [
                FolderPart(f"duc2001-{kind}-task1-summaries", self, "summaries", single),
                FolderPart(f"duc2001-{kind}-task1-documents", self, "documents", _documents(document)),
                FolderPart(f"duc2001-{kind}-task2-summaries", self, "summaries", sets),
            ]
        return parts
