"""TAC 2010: the guided summarization task."""

from __future__ import annotations

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset
from metrics_framework.datasets.licensed import LicensedDataset
from metrics_framework.datasets.parts import Part
from metrics_framework.datasets.shared_tasks.organizers import TAC_STEPS
from metrics_framework.datasets.shared_tasks.tasks import DocumentFiles, part_of_cluster
from metrics_framework.datasets.shared_tasks.two_part_tasks import PARTS, two_part_task

_TASK = two_part_task(
    "GuidedSumm2010_eval.tgz",
    "GuidedSumm2010_eval",
    "AESOP2010_eval.tgz",
    "AESOP2010_eval",
    1000,
    DocumentFiles(
        "TAC2010_Summarization_Documents.tgz",
        "TAC2010_Summarization_Documents/GuidedSumm10_test_docs_files.tar.gz",
        part_of_cluster,
    ),
)


@Dataset.register("tac2010")
class Tac2010(LicensedDataset):
    """TAC 2010: guided summaries of 46 topics of news articles, with references and ratings; licensed by NIST."""

    steps = TAC_STEPS
    archives = ("GuidedSumm2010_eval.tgz", "AESOP2010_eval.tgz", "TAC2010_Summarization_Documents.tgz")

    @overrides
    def parts(self) -> list[Part]:
        return [*_TASK.parts(self, "tac2010", PARTS)]
