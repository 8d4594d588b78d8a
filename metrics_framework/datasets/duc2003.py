"""DUC 2003: four tasks of short and long summaries."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from functools import partial

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, LicensedDataset, Part
from metrics_framework.datasets.shared_tasks.names import Output, author_of, document_output, instance_id
from metrics_framework.datasets.shared_tasks.score_tables import AnnotatedTable, RatedTwice, is_multi_document
from metrics_framework.datasets.shared_tasks.summaries import lines_of_annotated
from metrics_framework.datasets.shared_tasks.tasks import DUC_STEPS, DocumentFiles, ScoreFiles, Table, Task

_ABSTRACTS = "detagged.duc2003.abstracts.tar.gz"
_DOCUMENTS = "DUC2003_Summarization_Documents.tgz"
_RATINGS = "original.results.corrected.improved.withPenaltyForExcess"
_FOLDERS = {
    1: ("peer1.1", "peer6.1", "peer7.1"),
    2: ("peer2.2", "peer3.2", "peer6.2", "peer7.2"),
    3: ("peer2.3", "peer3.3", "peer6.3", "peer7.3"),
    4: ("peer4.4", "peer5.4", "peer6.4", "peer7.4"),
}
_LENGTH_OF_ENDING = 4  # of the name of a document in the table of usefulness, which lacks the full stop


def _output_of(path: str, folders: Sequence[str]) -> Output | None:
    """Returns the output in a file of one of the folders of a task."""
    if posixpath.basename(posixpath.dirname(path)) not in folders or not path.endswith(".html"):
        return None
    parts = posixpath.basename(path).split(".")
    if parts[1] == "M":
        return Output(instance_id(parts[0]), author_of(parts[4]))
    return document_output(path, 2)


def _document_of_usefulness(name: str) -> str:
    return f"{name[:-_LENGTH_OF_ENDING]}.{name[-_LENGTH_OF_ENDING:]}"


def _instance_of(cells: Sequence[str]) -> str:
    return instance_id(cells[0]) if is_multi_document(cells) else cells[2]


def _document(path: Sequence[str]) -> str | None:
    return path[3] if len(path) == 4 else None


def _cluster(path: Sequence[str]) -> str | None:
    return path[2][:-1].lower() if len(path) == 4 else None


def _task(number: int, input_of: Callable[[Sequence[str]], str | None], *tables: Table) -> Task:
    ratings = AnnotatedTable(f"{_RATINGS}/short.results.table{number}", 34, 8, 11, 12, _instance_of)
    inner = f"DUC2003_Summarization_Documents/duc2003_testdata/task{number}/task{number}.docs.tar.gz"
    return Task(
        (_ABSTRACTS,),
        output_of=partial(_output_of, folders=_FOLDERS[number]),
        lines_of=lines_of_annotated,
        scores=[ScoreFiles("", {}, [ratings, *tables])],
        documents=DocumentFiles(_DOCUMENTS, inner, input_of, elements=(("text",), ("graphic",))),
    )


_USEFULNESS = RatedTwice("results.table.U.paired.noheader", "usefulness", 1, 3, (5, 7), _document_of_usefulness)
_RESPONSIVENESS = RatedTwice("results.table.R.paired.noheader", "responsiveness", 0, 2, (4, 6), instance_id)
_TASKS = {
    1: _task(1, _document, _USEFULNESS),
    2: _task(2, _cluster),
    3: _task(3, _cluster),
    4: _task(4, _cluster, _RESPONSIVENESS),
}


@Dataset.register("duc2003")
class Duc2003(LicensedDataset):
    """DUC 2003: headlines and summaries of sets of news articles (tasks 1 to 4), with ratings; licensed by NIST.

    Task 1 is about single documents, the other tasks about sets of documents.
    """

    steps = DUC_STEPS
    archives = (
        _ABSTRACTS,
        f"{_RATINGS}/short.results.table1 to 4",
        "results.table.R.paired.noheader",
        "results.table.U.paired.noheader",
        _DOCUMENTS,
    )

    @overrides
    def parts(self) -> list[Part]:
        return [part for number, task in _TASKS.items() for part in task.parts(self, f"duc2003-task{number}")]
