"""DUC 2002: summaries of single documents and of sets of documents."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, LicensedDataset, Part
from metrics_framework.datasets.shared_tasks.names import Output, author_of, instance_id
from metrics_framework.datasets.shared_tasks.score_tables import AnnotatedTable, is_multi_document, without_zeros
from metrics_framework.datasets.shared_tasks.summaries import lines_of_annotated
from metrics_framework.datasets.shared_tasks.tasks import DUC_STEPS, DocumentFiles, ScoreFiles, Task

_PEERS = ("baseline1peers", "baseline2peers", "baseline3peers", "manualpeers", "submittedpeers")
_ARCHIVES = tuple(f"{name}.tar.gz" for name in _PEERS)
_RATINGS = "phase1/short.results.table"
_DOCUMENTS = "DUC2002_Summarization_Documents.tgz"
_INNER = "DUC2002_Summarization_Documents/duc2002testdocswithsentences.tar.gz"
_LENGTHS = ("10", "50", "100", "200")


def _single_output(path: str) -> Output | None:
    parts = posixpath.basename(path).split(".")
    if not path.endswith(".html") or parts[1] == "M":
        return None
    return Output(parts[5], author_of(parts[4]))


def _multiple_output(path: str) -> Output | None:
    parts = posixpath.basename(path).split(".")
    if not path.endswith(".html") or parts[1] != "M":
        return None
    return Output(f"{instance_id(parts[0])}-{without_zeros(parts[2])}", author_of(parts[4]))


def _single_instance(cells: Sequence[str]) -> str | None:
    return None if is_multi_document(cells) else cells[2]


def _multiple_instance(cells: Sequence[str]) -> str | None:
    return f"{instance_id(cells[0])}-{without_zeros(cells[3])}" if is_multi_document(cells) else None


def _document(path: Sequence[str]) -> str | None:
    return path[3].removesuffix(".S") if len(path) > 3 else None


_SINGLE = Task(
    _ARCHIVES,
    output_of=_single_output,
    lines_of=lines_of_annotated,
    scores=[ScoreFiles("", {}, [AnnotatedTable(_RATINGS, 33, 8, 10, 12, _single_instance)])],
    documents=DocumentFiles(_DOCUMENTS, _INNER, _document, breaks=("s",)),
)
_MULTIPLE = Task(
    _ARCHIVES,
    output_of=_multiple_output,
    lines_of=lines_of_annotated,
    scores=[ScoreFiles("", {}, [AnnotatedTable(_RATINGS, 33, 8, 10, 12, _multiple_instance)])],
)


@Dataset.register("duc2002")
class Duc2002(LicensedDataset):
    """DUC 2002: abstracts of news articles (task 1) and of sets of them (task 2), with ratings; licensed by NIST.

    The inputs of task 2 are named after their set and the length of the abstract in words, as ``d061-100``. Extracts
    are not read.
    """

    steps = DUC_STEPS
    archives = (*_ARCHIVES, f"{_RATINGS} (of results/abstracts)", _DOCUMENTS)

    @overrides
    def parts(self) -> list[Part]:
        return [*_SINGLE.parts(self, "duc2002-task1"), *_MULTIPLE.parts(self, "duc2002-task2", _LENGTHS)]
