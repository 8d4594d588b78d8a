"""DUC 2001 to 2007: summaries of single documents, of sets of documents, and for a question."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, FolderPart, Part, declared_in
from metrics_framework.datasets.shared_task_files import Output, find_file, packed_files, paragraphs_in, summary_rows
from metrics_framework.datasets.shared_tasks import DocumentFiles, NistDataset, SharedTask

_ARCHIVE_2001 = "DUC2001_Summarization_Documents.tgz"
_TEST_2001 = "DUC2001_Summarization_Documents/data/test/"
_TRAINING_2001 = "DUC2001_Summarization_Documents/data/training/"
_SUMMARIES = (f"{_TEST_2001}original.summaries/", f"{_TEST_2001}duplicate.summaries/", _TRAINING_2001)
_SINGLE = "perdocs"
_LENGTHS = ("50", "100", "200", "400")
_SUMMARY = re.compile(rb'<SUM((?:\s+\w+\s*=\s*"[^"]*")*)\s*>?(.*?)</SUM>', re.DOTALL | re.IGNORECASE)  # one lacks its >
_DOCUMENT_REFERENCE = re.compile(rb'docref\s*=\s*"([^"]*)"', re.IGNORECASE)
_DOCUMENTS = {  # the second pattern leaves out an editor's copy
    "train": f"{_TRAINING_2001}[^/]*/docs/(?:.*/)?(?P<document>[^/]*)",
    "test": f"{_TEST_2001}docs/[^/]*/(?!FBIS-41815~$)(?P<document>[^/]*)",
}


def _summaries_of_documents(path: str, content: bytes) -> Iterator[tuple[Output, list[str]]]:
    misspelt = declared_in("shared_tasks.json")["duc2001"]["misspelt"]  # as SacreROUGE 0.2.5 corrects them
    if posixpath.basename(path) == _SINGLE:
        for attributes, text in _SUMMARY.findall(content):
            for name in _DOCUMENT_REFERENCE.findall(attributes):
                document = name.decode("ascii", "replace")
                yield Output(misspelt.get(document, document), _author(path)), _lines(text)


def _summaries_of_sets(path: str, content: bytes) -> Iterator[tuple[Output, list[str]]]:
    length = posixpath.basename(path)
    if length in _LENGTHS:
        folder = posixpath.basename(posixpath.dirname(path))
        cluster = folder[: -1 if path.startswith(_TRAINING_2001) else -2]
        for _, text in _SUMMARY.findall(content)[:1]:
            yield Output(f"{cluster}-{length}", _author(path)), _lines(text)


def _author(path: str) -> str:
    """Returns the author: the last letter of the folder, such as B for ``d04ab``."""
    return posixpath.basename(posixpath.dirname(path))[-1].upper()


def _lines(text: bytes) -> list[str]:
    return paragraphs_in(b"<text>" + text + b"</text>")


def _rows_2001(
    folder: str, part: str, summaries_of: Callable[[str, bytes], Iterator[tuple[Output, list[str]]]]
) -> Iterator[dict[str, Any]]:
    """Yields the summaries in one part of the data."""
    wanted = tuple(name for name in _SUMMARIES if name.startswith(part))
    names = (_SINGLE, *_LENGTHS)
    files = packed_files(
        find_file(folder, _ARCHIVE_2001), lambda name: name.startswith(wanted) and posixpath.basename(name) in names
    )
    yield from summary_rows(dict(pair for path, content in files.items() for pair in summaries_of(path, content)))


@Dataset.register("duc2001")
class Duc2001(NistDataset):
    """DUC 2001: 60 sets of news articles, with summaries by people of articles and of sets; licensed by NIST.

    The inputs of task 2 are named after their set and the length of the summary in words, as ``d04-100``. The outputs
    of systems are not part of the data.
    """

    archives = (_ARCHIVE_2001,)

    @overrides
    def parts(self) -> list[Part]:
        parts: list[Part] = []
        for kind, prefix in (("train", _TRAINING_2001), ("test", _TEST_2001)):
            documents = DocumentFiles(_ARCHIVE_2001, _DOCUMENTS[kind], elements=(("leadpara", "lp", "text"),))
            single = partial(_rows_2001, part=prefix, summaries_of=_summaries_of_documents)
            sets = partial(_rows_2001, part=prefix, summaries_of=_summaries_of_sets)
            parts += [
                FolderPart(f"duc2001-{kind}-task1-summaries", self, "summaries", single),
                FolderPart(f"duc2001-{kind}-task1-documents", self, "documents", documents.rows),
                FolderPart(f"duc2001-{kind}-task2-summaries", self, "summaries", sets),
            ]
        return parts


@Dataset.register("duc2002")
class Duc2002(SharedTask):
    """DUC 2002: abstracts of news articles (task 1) and of sets of them (task 2), with ratings; licensed by NIST.

    The inputs of task 2 are named after their set and the length of the abstract in words, as ``d061-100``. Extracts
    are not read.
    """


@Dataset.register("duc2003")
class Duc2003(SharedTask):
    """DUC 2003: headlines and summaries of sets of news articles (tasks 1 to 4), with ratings; licensed by NIST.

    Task 1 is about single documents, the other tasks about sets of documents.
    """


@Dataset.register("duc2004")
class Duc2004(SharedTask):
    """DUC 2004: headlines and summaries of 50 sets of news articles (tasks 1 to 5), with ratings; licensed by NIST.

    Tasks 1 and 3 are about single documents, task 1 in English and task 3 translated from Arabic; tasks 2, 4 and 5 are
    about sets of documents.
    """


@Dataset.register("duc2005")
class Duc2005(SharedTask):
    """DUC 2005: summaries of 50 sets of news articles for a question, with references and ratings; licensed by NIST."""


@Dataset.register("duc2006")
class Duc2006(SharedTask):
    """DUC 2006: summaries of 50 sets of news articles for a question, with references and ratings; licensed by NIST."""


@Dataset.register("duc2007")
class Duc2007(SharedTask):
    """DUC 2007: summaries of 45 sets of news articles for a question, and updates, with ratings; licensed by NIST."""
