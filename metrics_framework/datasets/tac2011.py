"""TAC 2011: the guided summarization task."""

from __future__ import annotations

from functools import partial

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset
from metrics_framework.datasets.licensed import FolderPart, LicensedDataset
from metrics_framework.datasets.parts import Part
from metrics_framework.datasets.shared_tasks.gigaword import gigaword_rows
from metrics_framework.datasets.shared_tasks.organizers import TAC_STEPS
from metrics_framework.datasets.shared_tasks.two_part_tasks import PARTS, two_part_task

_TOPICS = "GuidedSumm11_test_topics.xml.txt"
_TASK = two_part_task(
    "GuidedSumm2011_eval.tgz", "GuidedSumm2011_eval", "AESOP2011_eval_V1.2.tgz", "AESOP2011_eval_V1.2", 1100, None
)


@Dataset.register("tac2011")
class Tac2011(LicensedDataset):
    """TAC 2011: guided summaries of 44 topics of news articles, with references and ratings; licensed by NIST.

    Its documents are articles of the English Gigaword corpus, which the Linguistic Data Consortium licenses.
    """

    steps = (*TAC_STEPS, "For the documents, get English Gigaword from the Linguistic Data Consortium (LDC2009T13)")
    archives = ("GuidedSumm2011_eval.tgz", "AESOP2011_eval_V1.2.tgz", _TOPICS, "and the .gz files of Gigaword")

    @overrides
    def parts(self) -> list[Part]:
        read = partial(gigaword_rows, topics_file=_TOPICS)
        return [
            *_TASK.parts(self, "tac2011", PARTS),
            FolderPart("tac2011-documents", self, "documents", read),
        ]
