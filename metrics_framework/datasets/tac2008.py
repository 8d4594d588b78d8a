"""TAC 2008: the update summarization task."""

from __future__ import annotations

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset
from metrics_framework.datasets.licensed import LicensedDataset
from metrics_framework.datasets.parts import Part
from metrics_framework.datasets.shared_tasks.organizers import TAC_STEPS
from metrics_framework.datasets.shared_tasks.pyramids import PyramidFiles
from metrics_framework.datasets.shared_tasks.score_tables import ScoreTable
from metrics_framework.datasets.shared_tasks.tasks import DocumentFiles, ScoreFiles, Task, part_of_cluster

_RATED = {"linguistic_quality": 5, "overall_responsiveness": 6}
_TASK = Task(
    archives=("UpdateSumm08_eval.tar.gz",),
    folders=("UpdateSumm08_eval/ROUGE/models/", "UpdateSumm08_eval/ROUGE/peers/"),
    scores=[
        ScoreFiles(
            "UpdateSumm08_eval.tar.gz",
            {
                "UpdateSumm08_eval/ROUGE/rouge.m.out": "",
                "UpdateSumm08_eval/ROUGE/rougejk.m.out": "_jk",
                "UpdateSumm08_eval/BE/simple.m.hm.out": "",
                "UpdateSumm08_eval/BE/simplejk.m.hm.out": "_jk",
            },
            [
                ScoreTable(
                    "UpdateSumm08_eval/manual/manual.model",
                    {"num_scus_jk": 2, "modified_pyramid_score_jk": 4, **_RATED},
                    system=1,
                ),
                ScoreTable(
                    "UpdateSumm08_eval/manual/manual.peer",
                    {
                        "modified_pyramid_score": 2,
                        "num_scus": 3,
                        "num_repetitions": 4,
                        "modified_pyramid_score_jk": 6,
                        "linguistic_quality": 7,
                        "overall_responsiveness": 8,
                    },
                    system=1,
                ),
            ],
        )
    ],
    pyramids=PyramidFiles(
        "UpdateSumm08_eval.tar.gz", "UpdateSumm08_eval/manual/pyramids/", "UpdateSumm08_eval/manual/peers/"
    ),
    documents=DocumentFiles(
        "TAC2008_Summarization_Documents.tgz",
        "TAC2008_Update_Summarization_Documents/UpdateSumm08_test_docs_files.tar.gz",
        part_of_cluster,
    ),
)


@Dataset.register("tac2008")
class Tac2008(LicensedDataset):
    """TAC 2008: update summaries of 48 topics of news articles, with references and ratings; licensed by NIST."""

    steps = TAC_STEPS
    archives = ("UpdateSumm08_eval.tar.gz", "TAC2008_Summarization_Documents.tgz")

    @overrides
    def parts(self) -> list[Part]:
        return [*_TASK.parts(self, "tac2008", ("A", "B"))]
