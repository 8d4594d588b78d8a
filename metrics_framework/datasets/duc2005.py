"""DUC 2005: summaries that answer a question."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, LicensedDataset, Part
from metrics_framework.datasets.shared_tasks.pyramids import PyramidFiles
from metrics_framework.datasets.shared_tasks.score_tables import ScoreTable
from metrics_framework.datasets.shared_tasks.tasks import DUC_STEPS, DocumentFiles, ScoreFiles, Task


def _cluster(path: Sequence[str]) -> str | None:
    return path[1][:-1].lower() if len(path) > 2 else None


_QUALITY = "results/linguistic_quality/linguistic_quality.table"
_TASK = Task(
    archives=("results.tar",),
    folders=("results/ROUGE/models/", "results/ROUGE/peers/"),
    scores=[
        ScoreFiles(
            "results.tar",
            {"results/ROUGE/rougejk.m.out": "_jk"},
            [
                ScoreTable("results/responsiveness/responsiveness.table", {"responsiveness": 4}),
                ScoreTable(
                    "results/linguistic_quality/linguistic_quality.table", {"linguistic_quality": 5}, question=4
                ),
            ],
        ),
        ScoreFiles(
            "DUC2005.tar.gz",
            {},
            [
                ScoreTable(
                    "processed_pans.txt",
                    {"pyramid_score": 2, "modified_pyramid_score": 3, "num_scus": 4, "num_repetitions": 5},
                    system=1,
                    prefix="d",
                )
            ],
        ),
    ],
    pyramids=PyramidFiles("DUC2005.tar.gz", "pans/", "pans/"),
    documents=DocumentFiles(
        "DUC2005_Summarization_Documents.tgz",
        "DUC2005_Summarization_Documents/duc2005_docs.tar.gz",
        _cluster,
        elements=(("text",), ("graphic",)),
    ),
)


@Dataset.register("duc2005")
class Duc2005(LicensedDataset):
    """DUC 2005: summaries of 50 sets of news articles for a question, with references and ratings; licensed by NIST."""

    steps = DUC_STEPS
    archives = ("results.tar (of results/NIST)", "DUC2005.tar.gz", "DUC2005_Summarization_Documents.tgz")

    @overrides
    def parts(self) -> list[Part]:
        return [*_TASK.parts(self, "duc2005")]
