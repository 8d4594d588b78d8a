"""The tasks of TAC 2009 to 2011, whose files are the same but for their names."""

from __future__ import annotations

from metrics_framework.datasets.shared_tasks.pyramids import PyramidFiles
from metrics_framework.datasets.shared_tasks.score_tables import AesopTable, ScoreTable
from metrics_framework.datasets.shared_tasks.tasks import DocumentFiles, ScoreFiles, Task

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
