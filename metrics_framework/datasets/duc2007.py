"""DUC 2007: summaries that answer a question, and their updates."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, LicensedDataset, Part
from metrics_framework.datasets.shared_tasks.pyramids import PyramidFiles
from metrics_framework.datasets.shared_tasks.score_tables import ScoreTable
from metrics_framework.datasets.shared_tasks.tasks import DUC_STEPS, DocumentFiles, ScoreFiles, Task

_DOCUMENTS = "DUC2007_Summarization_Documents.tgz"
_INNER = "DUC2007_Summarization_Documents/duc2007_testdocs.tar.gz"
_PYRAMID = {"modified_pyramid_score": 2, "num_scus": 3, "num_repetitions": 4}


def _main_cluster(path: Sequence[str]) -> str | None:
    return path[2][:-1].lower() if len(path) > 3 and path[1] == "main" else None


def _update_cluster(path: Sequence[str]) -> str | None:
    return f"{path[2][:-1].lower()}-{path[3][-1]}" if len(path) > 4 and path[1] != "main" else None


_MAIN = Task(
    archives=("mainEval.tar.gz",),
    folders=("mainEval/ROUGE/models/", "mainEval/ROUGE/peers/"),
    scores=[
        ScoreFiles(
            "mainEval.tar.gz",
            {"mainEval/ROUGE/rougejk.m.out": "_jk", "mainEval/BE/simplejk.m.hm.out": "_jk"},
            [
                ScoreTable("mainEval/manual/content.table", {"content_responsiveness": 4}),
                ScoreTable("mainEval/manual/linguistic_quality.table", {"linguistic_quality": 5}, question=4),
            ],
        ),
        ScoreFiles(
            "mainPyramidEval.tar.gz",
            {},
            [ScoreTable("mainPyramidEval/scoring/2007_modified_scores.txt", _PYRAMID, system=1)],
        ),
    ],
    documents=DocumentFiles(_DOCUMENTS, _INNER, _main_cluster),
    pyramids=PyramidFiles("mainPyramidEval.tar.gz", "mainPyramidEval/allpyramids/", "mainPyramidEval/allpans/"),
)
_UPDATE = Task(
    archives=("updateEval.tar.gz",),
    folders=("updateEval/ROUGE/models/", "updateEval/ROUGE/peers/"),
    scores=[
        ScoreFiles(
            "updateEval.tar.gz",
            {"updateEval/ROUGE/rougejk.m.out": "_jk", "updateEval/BE/simplejk.m.hm.out": "_jk"},
            [
                ScoreTable("updateEval/Responsiveness/content.table", {"content_responsiveness": 4}),
                ScoreTable("updateEval/Pyramid/scoring/2007_modified_scores.txt", _PYRAMID, system=1),
            ],
        )
    ],
    documents=DocumentFiles(_DOCUMENTS, _INNER, _update_cluster),
    pyramids=PyramidFiles("updateEval.tar.gz", "updateEval/Pyramid/allpyramids/", "updateEval/Pyramid/allpans/"),
)


@Dataset.register("duc2007")
class Duc2007(LicensedDataset):
    """DUC 2007: summaries of 45 sets of news articles for a question, and updates, with ratings; licensed by NIST."""

    steps = DUC_STEPS
    archives = ("mainEval.tar.gz", "mainPyramidEval.tar.gz", "updateEval.tar.gz", _DOCUMENTS)

    @overrides
    def parts(self) -> list[Part]:
        return [*_MAIN.parts(self, "duc2007-main"), *_UPDATE.parts(self, "duc2007-update", ("A", "B", "C"))]
