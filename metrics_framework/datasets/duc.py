"""DUC 2001 to 2007: summaries of single documents, of sets of documents, and for a question."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, FolderPart, LicensedDataset, Part
from metrics_framework.datasets.score_tables import (
    AnnotatedTable,
    RatedTwice,
    ScoreTable,
    is_multi_document,
    without_zeros,
)
from metrics_framework.datasets.shared_task_files import (
    Output,
    author_of,
    document_output,
    find_file,
    instance_id,
    lines_of_annotated,
    packed_files,
    paragraphs_in,
    summary_rows,
)
from metrics_framework.datasets.shared_tasks import DocumentFiles, PyramidFiles, ScoreFiles, SharedTask, Table, Task

_STEPS = (
    "Read duc.nist.gov/data.html; sign the agreements for the data of DUC and send them to NIST",
    "NIST answers with a user name and a password for the past data of DUC",
)
_TEXT_OR_GRAPHIC = (("text",), ("graphic",))


_ARCHIVE_2001 = "DUC2001_Summarization_Documents.tgz"
_TEST_2001 = "DUC2001_Summarization_Documents/data/test/"
_TRAINING_2001 = "DUC2001_Summarization_Documents/data/training/"
_SUMMARIES = (f"{_TEST_2001}original.summaries/", f"{_TEST_2001}duplicate.summaries/", _TRAINING_2001)
_SINGLE = "perdocs"
_LENGTHS = ("50", "100", "200", "400")
_SUMMARY = re.compile(rb'<SUM((?:\s+\w+\s*=\s*"[^"]*")*)\s*>?(.*?)</SUM>', re.DOTALL | re.IGNORECASE)  # one lacks its >
_DOCUMENT_REFERENCE = re.compile(rb'docref\s*=\s*"([^"]*)"', re.IGNORECASE)
_MISSPELT = {  # names of documents in files of summaries, as SacreROUGE 0.2.5 corrects them
    "SMN91-06154062": "SJMN91-06154062",
    "AP870611-0085": "WSJ870611-0085",
    "SJMN91-0605144": "SJMN91-06015144",
    "APP890515-0232": "AP890515-0232",
    "WSJ891125-0090": "AP891125-0090",
    "FT931-100514": "FT931-10514",
    "FB153-57782": "FBIS3-57782",
    "FBIS4-45908": "FBIS-45908",
    "FBIS3-41815": "FBIS-41815",
    "FBIS4-35908": "FBIS-45908",
    "AP890325-0143": "AP830325-0143",
    "LA081489-0225": "LA081489-0025",
}
_NOT_A_DOCUMENT = "FBIS-41815~"  # an editor's copy


def _summaries_of_documents(path: str, content: bytes) -> Iterator[tuple[Output, list[str]]]:
    if posixpath.basename(path) == _SINGLE:
        for attributes, text in _SUMMARY.findall(content):
            for name in _DOCUMENT_REFERENCE.findall(attributes):
                document = name.decode("ascii", "replace")
                yield Output(_MISSPELT.get(document, document), _author(path)), _lines(text)


def _summaries_of_sets(path: str, content: bytes) -> Iterator[tuple[Output, list[str]]]:
    length = posixpath.basename(path)
    if length in _LENGTHS:
        for _, text in _SUMMARY.findall(content)[:1]:
            yield Output(f"{_cluster_2001(path)}-{length}", _author(path)), _lines(text)


def _author(path: str) -> str:
    """Returns the author: the last letter of the folder, such as B for ``d04ab``."""
    return posixpath.basename(posixpath.dirname(path))[-1].upper()


def _cluster_2001(path: str) -> str:
    folder = posixpath.basename(posixpath.dirname(path))
    return folder[: -1 if path.startswith(_TRAINING_2001) else -2]


def _lines(text: bytes) -> list[str]:
    return paragraphs_in(b"<text>" + text + b"</text>")


def _rows_2001(
    folder: str, part: str, summaries_of: Callable[[str, bytes], Iterator[tuple[Output, list[str]]]]
) -> Iterator[dict[str, Any]]:
    """Yields the summaries in one part of the data."""
    wanted = tuple(name for name in _SUMMARIES if name.startswith(part))
    names = (_SINGLE, *_LENGTHS)
    files = packed_files(
        find_file(folder, _ARCHIVE_2001), lambda name: name.startswith(wanted) and posixpath.basename(name) in names
    )
    yield from summary_rows(dict(pair for path, content in files.items() for pair in summaries_of(path, content)))


def _test_document_2001(path: Sequence[str]) -> str | None:
    is_one = "/".join(path).startswith(f"{_TEST_2001}docs/") and len(path) == 6 and path[-1] != _NOT_A_DOCUMENT
    return path[-1] if is_one else None


def _training_document_2001(path: Sequence[str]) -> str | None:
    return path[-1] if "/".join(path).startswith(_TRAINING_2001) and "docs" in path[4:5] else None


@Dataset.register("duc2001")
class Duc2001(LicensedDataset):
    """DUC 2001: 60 sets of news articles, with summaries by people of articles and of sets; licensed by NIST.

    The inputs of task 2 are named after their set and the length of the summary in words, as ``d04-100``. The outputs
    of systems are not part of the data.
    """

    steps = _STEPS
    archives = (_ARCHIVE_2001,)

    @overrides
    def parts(self) -> list[Part]:
        parts: list[Part] = []
        halves = (("train", _TRAINING_2001, _training_document_2001), ("test", _TEST_2001, _test_document_2001))
        for kind, prefix, input_of in halves:
            documents = DocumentFiles(_ARCHIVE_2001, "", input_of, (("leadpara", "lp", "text"),))
            single = partial(_rows_2001, part=prefix, summaries_of=_summaries_of_documents)
            sets = partial(_rows_2001, part=prefix, summaries_of=_summaries_of_sets)
            parts += [
                FolderPart(f"duc2001-{kind}-task1-summaries", self, "summaries", single),
                FolderPart(f"duc2001-{kind}-task1-documents", self, "documents", documents.rows),
                FolderPart(f"duc2001-{kind}-task2-summaries", self, "summaries", sets),
            ]
        return parts


class _Duc(SharedTask):
    """DUC from 2002 on."""

    steps = _STEPS


def _set_of(folder: str) -> str:
    """Returns the id of a set of documents, given its folder, such as d061 for D061j."""
    return folder[:-1].lower()


def _output_of_document_2002(path: str) -> Output | None:
    parts = posixpath.basename(path).split(".")
    if not path.endswith(".html") or parts[1] == "M":
        return None
    return Output(parts[5], author_of(parts[4]))


def _output_of_set_2002(path: str) -> Output | None:
    parts = posixpath.basename(path).split(".")
    if not path.endswith(".html") or parts[1] != "M":
        return None
    return Output(f"{instance_id(parts[0])}-{without_zeros(parts[2])}", author_of(parts[4]))


def _document_of_row_2002(cells: Sequence[str]) -> str | None:
    return None if is_multi_document(cells) else cells[2]


def _set_of_row_2002(cells: Sequence[str]) -> str | None:
    return f"{instance_id(cells[0])}-{without_zeros(cells[3])}" if is_multi_document(cells) else None


def _document_2002(path: Sequence[str]) -> str | None:
    return path[3].removesuffix(".S") if len(path) > 3 else None


_PEERS_2002 = ("baseline1peers", "baseline2peers", "baseline3peers", "manualpeers", "submittedpeers")
_ARCHIVES_2002 = tuple(f"{name}.tar.gz" for name in _PEERS_2002)
_RATINGS_2002 = "phase1/short.results.table"
_DOCUMENTS_2002 = "DUC2002_Summarization_Documents.tgz"


@Dataset.register("duc2002")
class Duc2002(_Duc):
    """DUC 2002: abstracts of news articles (task 1) and of sets of them (task 2), with ratings; licensed by NIST.

    The inputs of task 2 are named after their set and the length of the abstract in words, as ``d061-100``. Extracts
    are not read.
    """

    archives = (*_ARCHIVES_2002, f"{_RATINGS_2002} (of results/abstracts)", _DOCUMENTS_2002)
    tasks = {
        "duc2002-task1": Task(
            _ARCHIVES_2002,
            output_of=_output_of_document_2002,
            lines_of=lines_of_annotated,
            scores=[ScoreFiles("", {}, [AnnotatedTable(_RATINGS_2002, 33, 8, 10, 12, _document_of_row_2002)])],
            documents=DocumentFiles(
                _DOCUMENTS_2002,
                "DUC2002_Summarization_Documents/duc2002testdocswithsentences.tar.gz",
                _document_2002,
                breaks=("s",),
            ),
        ),
        "duc2002-task2": Task(
            _ARCHIVES_2002,
            output_of=_output_of_set_2002,
            lines_of=lines_of_annotated,
            scores=[ScoreFiles("", {}, [AnnotatedTable(_RATINGS_2002, 33, 8, 10, 12, _set_of_row_2002)])],
            groups=("10", "50", "100", "200"),
        ),
    }


def _output_2003(path: str, folders: Sequence[str]) -> Output | None:
    """Returns the output in a file of one of the folders of a task."""
    if posixpath.basename(posixpath.dirname(path)) not in folders or not path.endswith(".html"):
        return None
    parts = posixpath.basename(path).split(".")
    if parts[1] == "M":
        return Output(instance_id(parts[0]), author_of(parts[4]))
    return document_output(path, 2)


def _document_with_full_stop(name: str) -> str:
    """Returns the name of a document in the table of usefulness, which lacks the full stop before its ending."""
    return f"{name[:-4]}.{name[-4:]}"


def _instance_of_row_2003(cells: Sequence[str]) -> str:
    return instance_id(cells[0]) if is_multi_document(cells) else cells[2]


def _document_2003(path: Sequence[str]) -> str | None:
    return path[3] if len(path) == 4 else None


def _set_2003(path: Sequence[str]) -> str | None:
    return _set_of(path[2]) if len(path) == 4 else None


_ABSTRACTS_2003 = "detagged.duc2003.abstracts.tar.gz"
_DOCUMENTS_2003 = "DUC2003_Summarization_Documents.tgz"
_RATINGS_2003 = "original.results.corrected.improved.withPenaltyForExcess/short.results.table"


def _task_2003(
    number: int, folders: Sequence[str], input_of: Callable[[Sequence[str]], str | None], *tables: Table
) -> Task:
    ratings = AnnotatedTable(f"{_RATINGS_2003}{number}", 34, 8, 11, 12, _instance_of_row_2003)
    inner = f"DUC2003_Summarization_Documents/duc2003_testdata/task{number}/task{number}.docs.tar.gz"
    return Task(
        (_ABSTRACTS_2003,),
        output_of=partial(_output_2003, folders=folders),
        lines_of=lines_of_annotated,
        scores=[ScoreFiles("", {}, [ratings, *tables])],
        documents=DocumentFiles(_DOCUMENTS_2003, inner, input_of, elements=_TEXT_OR_GRAPHIC),
    )


@Dataset.register("duc2003")
class Duc2003(_Duc):
    """DUC 2003: headlines and summaries of sets of news articles (tasks 1 to 4), with ratings; licensed by NIST.

    Task 1 is about single documents, the other tasks about sets of documents.
    """

    archives = (
        _ABSTRACTS_2003,
        f"{_RATINGS_2003}1 to 4",
        "results.table.R.paired.noheader",
        "results.table.U.paired.noheader",
        _DOCUMENTS_2003,
    )
    tasks = {
        "duc2003-task1": _task_2003(
            1,
            ("peer1.1", "peer6.1", "peer7.1"),
            _document_2003,
            RatedTwice("results.table.U.paired.noheader", "usefulness", 1, 3, (5, 7), _document_with_full_stop),
        ),
        "duc2003-task2": _task_2003(2, ("peer2.2", "peer3.2", "peer6.2", "peer7.2"), _set_2003),
        "duc2003-task3": _task_2003(3, ("peer2.3", "peer3.3", "peer6.3", "peer7.3"), _set_2003),
        "duc2003-task4": _task_2003(
            4,
            ("peer4.4", "peer5.4", "peer6.4", "peer7.4"),
            _set_2003,
            RatedTwice("results.table.R.paired.noheader", "responsiveness", 0, 2, (4, 6), instance_id),
        ),
    }


_RESULTS_2004 = "duc2004_results.tgz"
_DOCUMENTS_2004 = "DUC2004_Summarization_Documents.tgz"
_TASKS_1_AND_2 = "DUC2004_Summarization_Documents/duc2004_testdata/tasks1and2/duc2004_tasks1and2_docs/docs/"
_TASK_5 = "DUC2004_Summarization_Documents/duc2004_testdata/task5/duc2004_task5_docs/docs/"


def _document_2004(path: Sequence[str]) -> str | None:
    return path[-1] if "/".join(path).startswith(_TASKS_1_AND_2) else None


def _set_2004(path: Sequence[str], folder: str) -> str | None:
    return _set_of(path[-2]) if "/".join(path).startswith(folder) else None


def _summaries_2004(number: int) -> Sequence[str]:
    return [f"duc2004_results/ROUGE/duc2004.task{number}.ROUGE.{kind}.tar.gz" for kind in ("models", "peers")]


def _ratings_2004(number: int) -> AnnotatedTable:
    return AnnotatedTable(
        f"duc2004_results/SEE/short.results.table{number}", 23, 7, 8, 7, lambda cells: instance_id(cells[0])
    )


@Dataset.register("duc2004")
class Duc2004(_Duc):
    """DUC 2004: headlines and summaries of 50 sets of news articles (tasks 1 to 5), with ratings; licensed by NIST.

    Tasks 1 and 3 are about single documents, task 1 in English and task 3 translated from Arabic; tasks 2, 4 and 5 are
    about sets of documents.
    """

    archives = (_RESULTS_2004, _DOCUMENTS_2004)
    tasks = {
        "duc2004-task1": Task(
            (_RESULTS_2004,),
            inner=_summaries_2004(1),
            output_of=partial(document_output, words=2),
            documents=DocumentFiles(_DOCUMENTS_2004, "", _document_2004),
        ),
        "duc2004-task2": Task(
            (_RESULTS_2004,),
            inner=_summaries_2004(2),
            scores=[ScoreFiles(_RESULTS_2004, {}, [_ratings_2004(2)])],
            documents=DocumentFiles(_DOCUMENTS_2004, "", partial(_set_2004, folder=_TASKS_1_AND_2)),
        ),
        "duc2004-task3": Task((_RESULTS_2004,), inner=_summaries_2004(3), output_of=partial(document_output, words=3)),
        "duc2004-task4": Task((_RESULTS_2004,), inner=_summaries_2004(4)),
        "duc2004-task5": Task(
            (_RESULTS_2004,),
            inner=_summaries_2004(5),
            scores=[
                ScoreFiles(
                    _RESULTS_2004,
                    {},
                    [
                        _ratings_2004(5),
                        ScoreTable("duc2004_results/Responsiveness/results.table.R", {"responsiveness": 4}),
                    ],
                )
            ],
            documents=DocumentFiles(_DOCUMENTS_2004, "", partial(_set_2004, folder=_TASK_5)),
        ),
    }


_QUALITY = {"linguistic_quality": 5}
_CONTENT = {"content_responsiveness": 4}


def _set_2005(path: Sequence[str]) -> str | None:
    """Returns the set of a document of DUC 2005 or 2006."""
    return _set_of(path[1]) if len(path) > 2 else None


@Dataset.register("duc2005")
class Duc2005(_Duc):
    """DUC 2005: summaries of 50 sets of news articles for a question, with references and ratings; licensed by NIST."""

    archives = ("results.tar (of results/NIST)", "DUC2005.tar.gz", "DUC2005_Summarization_Documents.tgz")
    tasks = {
        "duc2005": Task(
            archives=("results.tar",),
            folders=("results/ROUGE/models/", "results/ROUGE/peers/"),
            scores=[
                ScoreFiles(
                    "results.tar",
                    {"results/ROUGE/rougejk.m.out": "_jk"},
                    [
                        ScoreTable("results/responsiveness/responsiveness.table", {"responsiveness": 4}),
                        ScoreTable("results/linguistic_quality/linguistic_quality.table", _QUALITY, question=4),
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
                _set_2005,
                elements=_TEXT_OR_GRAPHIC,
            ),
        )
    }


_PYRAMID = {"modified_pyramid_score": 2, "num_scus": 3, "num_repetitions": 4}


@Dataset.register("duc2006")
class Duc2006(_Duc):
    """DUC 2006: summaries of 50 sets of news articles for a question, with references and ratings; licensed by NIST."""

    archives = (
        "NISTeval.tar.gz",
        "NISTeval2.tar.gz",
        "DUC2006pyramiddata.tar.gz",
        "DUC2006_Summarization_Documents.tgz",
    )
    tasks = {
        "duc2006": Task(
            archives=("NISTeval2.tar.gz",),
            folders=("NISTeval2/ROUGE/peers/",),  # which contains the references, too
            scores=[
                ScoreFiles(
                    "NISTeval2.tar.gz",
                    {"NISTeval2/ROUGE/rougejk.m.out": "_jk", "NISTeval2/BE/simplejk.m.hm.out": "_jk"},
                ),
                ScoreFiles(
                    "NISTeval.tar.gz",
                    {},
                    [
                        ScoreTable("NISTeval/responsiveness/overall.table", {"overall_responsiveness": 4}),
                        ScoreTable("NISTeval/responsiveness/content.table", _CONTENT),
                        ScoreTable("NISTeval/linguistic_quality/linguistic_quality.table", _QUALITY, question=4),
                    ],
                ),
                ScoreFiles(
                    "DUC2006pyramiddata.tar.gz",
                    {},
                    [ScoreTable("scoring/2006_modified_scores.txt", _PYRAMID, system=1)],
                ),
            ],
            pyramids=PyramidFiles("DUC2006pyramiddata.tar.gz", "allpyramids/", "allpans/"),
            documents=DocumentFiles(
                "DUC2006_Summarization_Documents.tgz", "DUC2006_Summarization_Documents/duc2006_docs.tar.gz", _set_2005
            ),
        )
    }


_DOCUMENTS_2007 = "DUC2007_Summarization_Documents.tgz"
_INNER_2007 = "DUC2007_Summarization_Documents/duc2007_testdocs.tar.gz"


def _main_set_2007(path: Sequence[str]) -> str | None:
    return _set_of(path[2]) if len(path) > 3 and path[1] == "main" else None


def _update_set_2007(path: Sequence[str]) -> str | None:
    return f"{_set_of(path[2])}-{path[3][-1]}" if len(path) > 4 and path[1] != "main" else None


@Dataset.register("duc2007")
class Duc2007(_Duc):
    """DUC 2007: summaries of 45 sets of news articles for a question, and updates, with ratings; licensed by NIST."""

    archives = ("mainEval.tar.gz", "mainPyramidEval.tar.gz", "updateEval.tar.gz", _DOCUMENTS_2007)
    tasks = {
        "duc2007-main": Task(
            archives=("mainEval.tar.gz",),
            folders=("mainEval/ROUGE/models/", "mainEval/ROUGE/peers/"),
            scores=[
                ScoreFiles(
                    "mainEval.tar.gz",
                    {"mainEval/ROUGE/rougejk.m.out": "_jk", "mainEval/BE/simplejk.m.hm.out": "_jk"},
                    [
                        ScoreTable("mainEval/manual/content.table", _CONTENT),
                        ScoreTable("mainEval/manual/linguistic_quality.table", _QUALITY, question=4),
                    ],
                ),
                ScoreFiles(
                    "mainPyramidEval.tar.gz",
                    {},
                    [ScoreTable("mainPyramidEval/scoring/2007_modified_scores.txt", _PYRAMID, system=1)],
                ),
            ],
            documents=DocumentFiles(_DOCUMENTS_2007, _INNER_2007, _main_set_2007),
            pyramids=PyramidFiles("mainPyramidEval.tar.gz", "mainPyramidEval/allpyramids/", "mainPyramidEval/allpans/"),
        ),
        "duc2007-update": Task(
            archives=("updateEval.tar.gz",),
            folders=("updateEval/ROUGE/models/", "updateEval/ROUGE/peers/"),
            scores=[
                ScoreFiles(
                    "updateEval.tar.gz",
                    {"updateEval/ROUGE/rougejk.m.out": "_jk", "updateEval/BE/simplejk.m.hm.out": "_jk"},
                    [
                        ScoreTable("updateEval/Responsiveness/content.table", _CONTENT),
                        ScoreTable("updateEval/Pyramid/scoring/2007_modified_scores.txt", _PYRAMID, system=1),
                    ],
                )
            ],
            documents=DocumentFiles(_DOCUMENTS_2007, _INNER_2007, _update_set_2007),
            pyramids=PyramidFiles(
                "updateEval.tar.gz", "updateEval/Pyramid/allpyramids/", "updateEval/Pyramid/allpans/"
            ),
            groups=("A", "B", "C"),
        ),
    }
