"""TAC 2008 to 2011: update and guided summarization; the files of the tasks from 2009 on differ only in their names."""

from __future__ import annotations

from functools import partial

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, FolderPart, LicensedDataset, Part
from metrics_framework.datasets.shared_tasks.documents import gigaword_rows
from metrics_framework.datasets.shared_tasks.pyramids import PyramidFiles
from metrics_framework.datasets.shared_tasks.score_tables import AesopTable, ScoreTable
from metrics_framework.datasets.shared_tasks.tasks import TAC_STEPS, DocumentFiles, ScoreFiles, Task, part_of_cluster

PARTS = ("A", "B")
_MODEL = {"num_scus_jk": 2, "modified_pyramid_score_jk": 5, "linguistic_quality": 6, "overall_responsiveness": 7}
_PEER = {
    "modified_pyramid_score": 2,
    "num_scus": 3,
    "num_repetitions": 4,
    "modified_pyramid_score_jk": 7,
    "linguistic_quality": 8,
    "overall_responsiveness": 9,
}


def two_part_task(
    archive: str, root: str, aesop_archive: str, aesop_root: str, first: int, documents: DocumentFiles | None
) -> Task:
    """Returns a task with an initial (A) and an update part (B).

    Args:
        archive: The archive of summaries, ratings and scores.
        root: The folder in it.
        aesop_archive: The archive of the automatic measures that took part in the AESOP task of the year.
        aesop_root: The folder in it.
        first: The number of the input before the first.
        documents: The documents.
    """
    rouge = {
        f"{root}/{folder}/{program}{suffix.removeprefix('_')}_{part}.{ending}": suffix
        for folder, program, ending in (("ROUGE", "rouge", "m.out"), ("BE", "simple", "m.hm.out"))
        for suffix in ("", "_jk")
        for part in PARTS
    }
    ratings = [
        ScoreTable(f"{root}/manual/manual.{kind}.{part}", columns, system=1)
        for kind, columns in (("model", _MODEL), ("peer", _PEER))
        for part in PARTS
    ]
    measures = [AesopTable(f"{aesop_root}/data/aesop_allpeers_{part}", first, part) for part in PARTS]
    return Task(
        archives=(archive,),
        folders=(f"{root}/ROUGE/models/", f"{root}/ROUGE/peers/"),
        scores=[ScoreFiles(archive, rouge, ratings), ScoreFiles(aesop_archive, {}, measures)],
        documents=documents,
        pyramids=PyramidFiles(archive, f"{root}/manual/pyramids/", f"{root}/manual/peers/"),
    )


_RATED = {"linguistic_quality": 5, "overall_responsiveness": 6}
_TASK_2008 = Task(
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
        return [*_TASK_2008.parts(self, "tac2008", ("A", "B"))]


_TASK_2009 = two_part_task(
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
        return [*_TASK_2009.parts(self, "tac2009", PARTS)]


_TASK_2010 = two_part_task(
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
        return [*_TASK_2010.parts(self, "tac2010", PARTS)]


_TOPICS = "GuidedSumm11_test_topics.xml.txt"
_TASK_2011 = two_part_task(
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
            *_TASK_2011.parts(self, "tac2011", PARTS),
            FolderPart("tac2011-documents", self, "documents", read),
        ]
