"""TAC 2009: the update summarization task."""

from __future__ import annotations

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset
from metrics_framework.datasets.licensed import LicensedDataset
from metrics_framework.datasets.parts import Part
from metrics_framework.datasets.shared_tasks.organizers import TAC_STEPS
from metrics_framework.datasets.shared_tasks.tasks import DocumentFiles, part_of_cluster
from metrics_framework.datasets.shared_tasks.two_part_tasks import PARTS, two_part_task

_TASK = two_part_task(
    "UpdateSumm09_eval.tar.gz",
    "UpdateSumm09_eval",
    "AESOP09_eval.tar.gz",
    "AESOP09_eval",
    900,
    DocumentFiles(
        "TAC2009_Summarization_Documents.tgz",
        "TAC2009_Summarization_Documents/UpdateSumm09_test_docs_files.tar.gz",
        part_of_cluster,
    ),
)


@Dataset.register("tac2009")
class Tac2009(LicensedDataset):
    """TAC 2009: update summaries of 44 topics of news articles, with references and ratings; licensed by NIST."""

    steps = TAC_STEPS
    archives = ("UpdateSumm09_eval.tar.gz", "AESOP09_eval.tar.gz", "TAC2009_Summarization_Documents.tgz")

    @overrides
    def parts(self) -> list[Part]:
        return [*_TASK.parts(self, "tac2009", PARTS)]
