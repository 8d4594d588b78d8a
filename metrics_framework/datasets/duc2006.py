"""DUC 2006: summaries that answer a question."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, LicensedDataset, Part
from metrics_framework.datasets.shared_tasks.pyramids import PyramidFiles
from metrics_framework.datasets.shared_tasks.score_tables import ScoreTable
from metrics_framework.datasets.shared_tasks.tasks import DUC_STEPS, DocumentFiles, ScoreFiles, Task


def _cluster(path: Sequence[str]) -> str | None:
    return path[1][:-1].lower() if len(path) > 2 else None


_QUALITY = "NISTeval/linguistic_quality/linguistic_quality.table"
_TASK = Task(
    archives=("NISTeval2.tar.gz",),
    folders=("NISTeval2/ROUGE/peers/",),  # which contains the references, too
    scores=[
        ScoreFiles(
            "NISTeval2.tar.gz", {"NISTeval2/ROUGE/rougejk.m.out": "_jk", "NISTeval2/BE/simplejk.m.hm.out": "_jk"}
        ),
        ScoreFiles(
            "NISTeval.tar.gz",
            {},
            [
                ScoreTable("NISTeval/responsiveness/overall.table", {"overall_responsiveness": 4}),
                ScoreTable("NISTeval/responsiveness/content.table", {"content_responsiveness": 4}),
                ScoreTable(
                    "NISTeval/linguistic_quality/linguistic_quality.table", {"linguistic_quality": 5}, question=4
                ),
            ],
        ),
        ScoreFiles(
            "DUC2006pyramiddata.tar.gz",
            {},
            [
                ScoreTable(
                    "scoring/2006_modified_scores.txt",
                    {"modified_pyramid_score": 2, "num_scus": 3, "num_repetitions": 4},
                    system=1,
                )
            ],
        ),
    ],
    pyramids=PyramidFiles("DUC2006pyramiddata.tar.gz", "allpyramids/", "allpans/"),
    documents=DocumentFiles(
        "DUC2006_Summarization_Documents.tgz", "DUC2006_Summarization_Documents/duc2006_docs.tar.gz", _cluster
    ),
)


@Dataset.register("duc2006")
class Duc2006(LicensedDataset):
    """DUC 2006: summaries of 50 sets of news articles for a question, with references and ratings; licensed by NIST."""

    steps = DUC_STEPS
    archives = (
        "NISTeval.tar.gz",
        "NISTeval2.tar.gz",
        "DUC2006pyramiddata.tar.gz",
        "DUC2006_Summarization_Documents.tgz",
    )

    @overrides
    def parts(self) -> list[Part]:
        return [*_TASK.parts(self, "duc2006")]
