"""DUC 2004: five tasks of short and long summaries."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, LicensedDataset, Part
from metrics_framework.datasets.shared_tasks.names import Output, document_output, instance_id
from metrics_framework.datasets.shared_tasks.score_tables import AnnotatedTable, ScoreTable
from metrics_framework.datasets.shared_tasks.tasks import DUC_STEPS, DocumentFiles, ScoreFiles, Task

_RESULTS = "duc2004_results.tgz"
_DOCUMENTS = "DUC2004_Summarization_Documents.tgz"
_TASKS_1_AND_2 = "DUC2004_Summarization_Documents/duc2004_testdata/tasks1and2/duc2004_tasks1and2_docs/docs/"
_TASK_5 = "DUC2004_Summarization_Documents/duc2004_testdata/task5/duc2004_task5_docs/docs/"


def _inner(task: int) -> Sequence[str]:
    return [f"duc2004_results/ROUGE/duc2004.task{task}.ROUGE.{kind}.tar.gz" for kind in ("models", "peers")]


def _ratings(task: int) -> AnnotatedTable:
    file = f"duc2004_results/SEE/short.results.table{task}"
    return AnnotatedTable(file, 23, 7, 8, 7, lambda cells: instance_id(cells[0]))


def _document(path: Sequence[str]) -> str | None:
    return path[-1] if "/".join(path).startswith(_TASKS_1_AND_2) else None


def _cluster_of_task_2(path: Sequence[str]) -> str | None:
    return path[-2][:-1].lower() if "/".join(path).startswith(_TASKS_1_AND_2) else None


def _cluster_of_task_5(path: Sequence[str]) -> str | None:
    return path[-2][:-1].lower() if "/".join(path).startswith(_TASK_5) else None


def _output_of_task_1(path: str) -> Output:
    return document_output(path, 2)


def _output_of_task_3(path: str) -> Output:
    return document_output(path, 3)


_RESPONSIVENESS = ScoreTable("duc2004_results/Responsiveness/results.table.R", {"responsiveness": 4})
_TASKS = {
    1: Task(
        (_RESULTS,),
        inner=_inner(1),
        output_of=_output_of_task_1,
        documents=DocumentFiles(_DOCUMENTS, "", _document),
    ),
    2: Task(
        (_RESULTS,),
        inner=_inner(2),
        scores=[ScoreFiles(_RESULTS, {}, [_ratings(2)])],
        documents=DocumentFiles(_DOCUMENTS, "", _cluster_of_task_2),
    ),
    3: Task((_RESULTS,), inner=_inner(3), output_of=_output_of_task_3),
    4: Task((_RESULTS,), inner=_inner(4)),
    5: Task(
        (_RESULTS,),
        inner=_inner(5),
        scores=[ScoreFiles(_RESULTS, {}, [_ratings(5), _RESPONSIVENESS])],
        documents=DocumentFiles(_DOCUMENTS, "", _cluster_of_task_5),
    ),
}


@Dataset.register("duc2004")
class Duc2004(LicensedDataset):
    """DUC 2004: headlines and summaries of 50 sets of news articles (tasks 1 to 5), with ratings; licensed by NIST.

    Tasks 1 and 3 are about single documents, task 1 in English and task 3 translated from Arabic; tasks 2, 4 and 5 are
    about sets of documents.
    """

    steps = DUC_STEPS
    archives = (_RESULTS, _DOCUMENTS)

    @overrides
    def parts(self) -> list[Part]:
        return [part for number, task in _TASKS.items() for part in task.parts(self, f"duc2004-task{number}")]
