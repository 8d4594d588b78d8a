"""TAC 2008 to 2011: update and guided summarization; the files of the tasks from 2009 on differ only in their names."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from metrics_framework.common.errors import DataError
from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, FolderPart, Part
from metrics_framework.datasets.score_tables import AesopTable, ScoreTable
from metrics_framework.datasets.shared_task_files import find_file, paragraphs_in
from metrics_framework.datasets.shared_tasks import DocumentFiles, PyramidFiles, ScoreFiles, SharedTask, Task

_PARTS = ("A", "B")


class _Tac(SharedTask):
    steps: ClassVar[Sequence[str]] = (
        "Read tac.nist.gov/data/index.html; sign the agreements for the data of TAC and send them to NIST",
        "NIST answers with a user name and a password for the past data of TAC",
    )


def _task(
    archive: str,
    documents: DocumentFiles | None,
    measures: ScoreFiles | None = None,
    first_rating: int = 5,
    parts_of_tables: Sequence[str] = _PARTS,
) -> Task:
    """Returns a task with an initial (A) and an update part (B).

    Args:
        archive: The archive of summaries, ratings and scores.
        documents: The documents.
        measures: The automatic measures that took part in the AESOP task of the year.
        first_rating: The column of the first rating of a reference.
        parts_of_tables: The endings of the names of tables, which have one table for each part.
    """
    root = _root(archive)
    rouge = {
        f"{root}/{folder}/" + f"{program}{suffix.removeprefix('_')}_{part}".rstrip("_") + f".{ending}": suffix
        for folder, program, ending in (("ROUGE", "rouge", "m.out"), ("BE", "simple", "m.hm.out"))
        for suffix in ("", "_jk")
        for part in parts_of_tables
    }
    of_people = {"num_scus_jk": 2, **_ratings(first_rating)}
    of_systems = {"modified_pyramid_score": 2, "num_scus": 3, "num_repetitions": 4, **_ratings(first_rating + 2)}
    ratings = [
        ScoreTable(f"{root}/manual/manual.{kind}.{part}".rstrip("."), columns, system=1)
        for kind, columns in (("model", of_people), ("peer", of_systems))
        for part in parts_of_tables
    ]
    return Task(
        archives=(archive,),
        folders=(f"{root}/ROUGE/models/", f"{root}/ROUGE/peers/"),
        scores=[ScoreFiles(archive, rouge, ratings), *([measures] if measures else [])],
        documents=documents,
        pyramids=PyramidFiles(archive, f"{root}/manual/pyramids/", f"{root}/manual/peers/"),
        groups=_PARTS,
    )


def _root(archive: str) -> str:
    """Returns the folder in an archive, which has its name."""
    return archive.removesuffix(".tar.gz").removesuffix(".tgz")


def _ratings(first: int) -> dict[str, int]:
    return {"modified_pyramid_score_jk": first, "linguistic_quality": first + 1, "overall_responsiveness": first + 2}


def _aesop(archive: str, first: int) -> ScoreFiles:
    """Returns the automatic measures of a year, given the number of the input before the first."""
    root = _root(archive)
    return ScoreFiles(archive, {}, [AesopTable(f"{root}/data/aesop_allpeers_{part}", first, part) for part in _PARTS])


def _documents(year: int, inner: str) -> DocumentFiles:
    return DocumentFiles(f"TAC{year}_Summarization_Documents.tgz", inner, _part_of_cluster)


def _part_of_cluster(path: Sequence[str]) -> str | None:
    """Returns the id of the input of a document; `None` for other files.

    >>> _part_of_cluster(["UpdateSumm08_test_docs_files", "D0801A", "D0801A-B", "NYT_ENG_20041001.0001"])
    'd0801-B'
    """
    if len(path) < 4:
        return None
    return f"{path[-3][:-1].lower()}-{path[-2][-1]}"


@Dataset.register("tac2008")
class Tac2008(_Tac):
    """TAC 2008: update summaries of 48 topics of news articles, with references and ratings; licensed by NIST."""

    archives = ("UpdateSumm08_eval.tar.gz", "TAC2008_Summarization_Documents.tgz")
    tasks = {
        "tac2008": _task(
            "UpdateSumm08_eval.tar.gz",
            _documents(2008, "TAC2008_Update_Summarization_Documents/UpdateSumm08_test_docs_files.tar.gz"),
            first_rating=4,
            parts_of_tables=("",),
        )
    }


@Dataset.register("tac2009")
class Tac2009(_Tac):
    """TAC 2009: update summaries of 44 topics of news articles, with references and ratings; licensed by NIST."""

    archives = ("UpdateSumm09_eval.tar.gz", "AESOP09_eval.tar.gz", "TAC2009_Summarization_Documents.tgz")
    tasks = {
        "tac2009": _task(
            "UpdateSumm09_eval.tar.gz",
            _documents(2009, "TAC2009_Summarization_Documents/UpdateSumm09_test_docs_files.tar.gz"),
            _aesop("AESOP09_eval.tar.gz", 900),
        )
    }


@Dataset.register("tac2010")
class Tac2010(_Tac):
    """TAC 2010: guided summaries of 46 topics of news articles, with references and ratings; licensed by NIST."""

    archives = ("GuidedSumm2010_eval.tgz", "AESOP2010_eval.tgz", "TAC2010_Summarization_Documents.tgz")
    tasks = {
        "tac2010": _task(
            "GuidedSumm2010_eval.tgz",
            _documents(2010, "TAC2010_Summarization_Documents/GuidedSumm10_test_docs_files.tar.gz"),
            _aesop("AESOP2010_eval.tgz", 1000),
        )
    }


_TOPICS = "GuidedSumm11_test_topics.xml.txt"


@Dataset.register("tac2011")
class Tac2011(_Tac):
    """TAC 2011: guided summaries of 44 topics of news articles, with references and ratings; licensed by NIST.

    Its documents are articles of the English Gigaword corpus, which the Linguistic Data Consortium licenses.
    """

    steps = (*_Tac.steps, "For the documents, get English Gigaword from the Linguistic Data Consortium (LDC2009T13)")
    archives = ("GuidedSumm2011_eval.tgz", "AESOP2011_eval_V1.2.tgz", _TOPICS, "and the .gz files of Gigaword")
    tasks = {"tac2011": _task("GuidedSumm2011_eval.tgz", None, _aesop("AESOP2011_eval_V1.2.tgz", 1100))}

    @overrides
    def parts(self) -> list[Part]:
        return [*super().parts(), FolderPart("tac2011-documents", self, "documents", _gigaword_rows)]


_TOPIC = re.compile(r'<topic\s+id\s*=\s*"([^"]+)".*?</topic>', re.DOTALL | re.IGNORECASE)
_SET = re.compile(r"<docset([ab])\b.*?</docset\1>", re.DOTALL | re.IGNORECASE)
_DOCUMENT = re.compile(r'<doc\s+id\s*=\s*"([^"]+)"', re.IGNORECASE)
_LENGTH_OF_LDC_ID = len(".LDC2009T13")
_LENGTH_OF_FILE = len("NYT_ENG_200501")


def _gigaword_rows(folder: str) -> Iterator[dict[str, Any]]:
    """Yields the documents of every input.

    Args:
        folder: A folder with the file of topics and the files of Gigaword, such as ``nyt_eng_200501.gz``.

    Raises:
        DataError: if a file or a document is missing.
    """
    path = find_file(folder, _TOPICS)
    with open(path, encoding="utf-8", errors="replace") as stream:
        content = stream.read()
    topics = list(_TOPIC.finditer(content))
    if not topics:
        raise DataError("contains no topics", path)
    articles = _Articles(folder)
    for topic in topics:
        for documents in _SET.finditer(topic[0]):
            ids = [name[:-_LENGTH_OF_LDC_ID] for name in _DOCUMENT.findall(documents[0])]
            yield {
                "instance_id": f"{topic[1].strip()[:-1].lower()}-{documents[1].upper()}",
                "documents": [{"filename": name, "text": articles.paragraphs(name)} for name in ids],
            }


class _Articles:
    """The articles of Gigaword; the file read last is kept, because inputs share files."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._path = ""
        self._content = b""

    def paragraphs(self, name: str) -> list[str]:
        path = find_file(self._folder, f"{name[:_LENGTH_OF_FILE].lower()}.gz")
        if path != self._path:
            try:
                with gzip.open(path) as stream:
                    self._content = stream.read()
            except (OSError, EOFError) as error:
                raise DataError(f"cannot be read: {error}", path) from None
            self._path = path
        start = self._content.find(f'<DOC id="{name}"'.encode())
        end = self._content.find(b"</DOC>", start)
        if start < 0 or end < 0:
            raise DataError(f"does not contain the document '{name}'", path)
        return paragraphs_in(self._content[start:end])
