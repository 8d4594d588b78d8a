"""Tasks of DUC 2005 to TAC 2011: where their summaries, scores and documents are."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from metrics_framework.common.errors import DataError
from metrics_framework.datasets.dataset import FolderPart, LicensedDataset, Rows
from metrics_framework.datasets.shared_tasks.documents import paragraphs_in
from metrics_framework.datasets.shared_tasks.names import Output, output_of
from metrics_framework.datasets.shared_tasks.packed_files import files_packed_twice, find_file, packed_files
from metrics_framework.datasets.shared_tasks.pyramids import PyramidFiles
from metrics_framework.datasets.shared_tasks.score_tables import Scores, read_rouge, score_rows
from metrics_framework.datasets.shared_tasks.summaries import lines_of, read_summaries, summary_rows
from metrics_framework.io.reading import content_of

DUC_STEPS = (
    "Read duc.nist.gov/data.html; sign the agreements for the data of DUC and send them to NIST",
    "NIST answers with a user name and a password for the past data of DUC",
)
TAC_STEPS = (
    "Read tac.nist.gov/data/index.html; sign the agreements for the data of TAC and send them to NIST",
    "NIST answers with a user name and a password for the past data of TAC",
)


class Table(Protocol):
    """A table of scores in an archive."""

    @property
    def file(self) -> str: ...

    def read(self, content: bytes, scores: Scores) -> None: ...


@dataclass(frozen=True)
class ScoreFiles:
    """Files of scores in one archive.

    Args:
        archive: The name of the archive; empty if the files are not packed.
        rouge: The outputs of the official ROUGE program, each with the suffix of its scores: ``_jk`` if it left out one
            reference at a time.
        tables: The tables of ratings.
    """

    archive: str
    rouge: Mapping[str, str] = field(default_factory=dict)
    tables: Sequence[Table] = ()


@dataclass(frozen=True)
class DocumentFiles:
    """The documents of a task.

    Args:
        archive: The name of the archive.
        inner: The archive inside it that contains the documents; empty for none.
        input_of: Returns the id of the input of a document, given the folders and the name of its file; `None` for
            files of other tasks.
        elements: Groups of elements with the text of a document; the first group that has any is used.
        breaks: The elements that start a paragraph.
    """

    archive: str
    inner: str
    input_of: Callable[[Sequence[str]], str | None]
    elements: Sequence[Sequence[str]] = (("text",),)
    breaks: Sequence[str] = ("p",)


@dataclass(frozen=True)
class Task:
    """A task: its summaries, their scores, and its documents.

    Args:
        archives: The archives of the summaries.
        folders: The folders of summaries in them; empty for all files.
        scores: The files of scores, possibly none.
        documents: The documents, if they are not part of another task.
        output_of: Returns the output in a file of a summary, and of a line of ROUGE.
        inner: The archives inside the first archive that contain the summaries, if they are packed twice.
        lines_of: Returns the lines of a file of a summary.
        pyramids: The pyramids and annotations.
    """

    archives: Sequence[str]
    folders: Sequence[str] = ("",)
    scores: Sequence[ScoreFiles] = ()
    documents: DocumentFiles | None = None
    output_of: Callable[[str], Output | None] = output_of
    inner: Sequence[str] = ()
    lines_of: Callable[[bytes], list[str]] = lines_of
    pyramids: PyramidFiles | None = None

    def parts(self, dataset: LicensedDataset, name: str, groups: Sequence[str] = ()) -> list[FolderPart]:
        """Returns the parts of the data set that contain this task: all inputs, then each group of inputs.

        Args:
            dataset: The data set.
            name: The first words of the names of the parts.
            groups: The groups; the ids of their inputs end in a hyphen and the group.
        """
        contents: dict[str, Callable[[str], Rows]] = {"summaries": self.summary_rows}
        if self.scores:
            contents["metrics"] = self.score_rows
        if self.documents is not None:
            contents["documents"] = self.document_rows
        pyramids = self.pyramids
        if pyramids is not None:
            contents["pyramids"] = lambda folder: pyramids.pyramid_rows(folder, dataset.log)
            contents["annotations"] = lambda folder: pyramids.annotation_rows(folder, dataset.log)
        return [
            FolderPart(f"{name}-{group}{content}", dataset, content, partial(_of_group, read, group.rstrip("-")))
            for group in ("", *(f"{group}-" for group in groups))
            for content, read in contents.items()
        ]

    def summary_rows(self, folder: str) -> Iterator[dict[str, Any]]:
        """Yields the summaries with their references."""
        summaries = read_summaries(self._summary_files(folder), self.output_of, self.lines_of)
        yield from summary_rows(summaries)

    def _summary_files(self, folder: str) -> dict[str, bytes]:
        files: dict[str, bytes] = {}
        for archive in self.archives:
            path = find_file(folder, archive)
            if self.inner:
                for inner in self.inner:
                    files |= files_packed_twice(path, inner, lambda name: True)
            else:
                files |= packed_files(path, lambda name: name.startswith(tuple(self.folders)))
        return files

    def score_rows(self, folder: str) -> Iterator[dict[str, Any]]:
        """Yields the scores of every summary.

        Raises:
            DataError: if a file is missing or cannot be read.
        """
        scores: dict[Output, dict[str, Any]] = {}
        for source in self.scores:
            tables = {table.file: table for table in source.tables}
            files = _files_of(folder, source.archive, [*source.rouge, *tables])
            for name, suffix in source.rouge.items():
                read_rouge(files[name], name, self.output_of, suffix, scores)
            for name, table in tables.items():
                table.read(files[name], scores)
        yield from score_rows(scores)

    def document_rows(self, folder: str) -> Iterator[dict[str, Any]]:
        """Yields the documents of every input."""
        source = self.documents
        assert source is not None  # parts() offers documents only if there are any
        path = find_file(folder, source.archive)
        read = partial(files_packed_twice, path, source.inner) if source.inner else partial(packed_files, path)
        files = read(lambda name: source.input_of(name.split("/")) is not None)
        documents: dict[str, list[dict[str, Any]]] = {}
        for name, content in files.items():
            texts = (paragraphs_in(content, group, source.breaks) for group in source.elements)
            text = next(filter(None, texts), [])
            document = {"filename": posixpath.basename(name), "text": text}
            documents.setdefault(str(source.input_of(name.split("/"))), []).append(document)
        for instance_id, texts_of_input in sorted(documents.items()):
            yield {"instance_id": instance_id, "documents": texts_of_input}


def _files_of(folder: str, archive: str, names: Sequence[str]) -> dict[str, bytes]:
    """Returns the contents of files in an archive, or of files that are not packed."""
    if not archive:
        return {name: content_of(find_file(folder, name)) for name in names}
    path = find_file(folder, archive)
    files = packed_files(path, set(names).__contains__)
    for name in names:
        if name not in files:
            raise DataError(f"must contain '{name}'", path)
    return files


def _of_group(read: Callable[[str], Rows], group: str, folder: str) -> Rows:
    for row in read(folder):
        if not group or row["instance_id"].endswith(f"-{group}"):
            yield row


def part_of_cluster(path: Sequence[str]) -> str | None:
    """Returns the id of the input of a document of TAC; `None` for other files.

    >>> part_of_cluster(["UpdateSumm08_test_docs_files", "D0801A", "D0801A-B", "NYT_ENG_20041001.0001"])
    'd0801-B'
    """
    if len(path) < 4:
        return None
    return f"{path[-3][:-1].lower()}-{path[-2][-1]}"
