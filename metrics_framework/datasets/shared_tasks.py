"""The tasks of DUC and TAC: where their summaries, scores, documents and pyramids are."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from itertools import zip_longest
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.data.pyramid import Pyramid, PyramidAnnotation
from metrics_framework.datasets.dataset import FolderPart, LicensedDataset, Part, Rows, declared_in
from metrics_framework.datasets.score_tables import KINDS, read_rouge, score_rows, without_zeros
from metrics_framework.datasets.shared_task_files import (
    Output,
    author_of,
    document_output,
    files_packed_twice,
    find_file,
    instance_id,
    lines_of,
    lines_of_annotated,
    output_of,
    packed_files,
    paragraphs_in,
    read_summaries,
    summary_rows,
)
from metrics_framework.io.ducview import parse_ducview
from metrics_framework.io.reading import content_of


@dataclass(frozen=True)
class DocumentFiles:
    """The documents of a task.

    Args:
        archive: The name of the archive.
        inputs: The pattern of the paths of documents. Its groups, joined by hyphens, are the id of the input; that
            of the group ``set`` in lower case.
        inner: The archive inside it that contains the documents; empty for none.
        elements: Groups of elements with the text of a document; the first group that has any is used.
        breaks: The elements that start a paragraph.
    """

    archive: str
    inputs: str
    inner: str = ""
    elements: Sequence[Sequence[str]] = (("text",),)
    breaks: Sequence[str] = ("p",)

    def rows(self, folder: str) -> Rows:
        """Yields the documents of every input."""
        path = find_file(folder, self.archive)
        read = partial(files_packed_twice, path, self.inner) if self.inner else partial(packed_files, path)
        files = read(lambda name: self._input_of(name) is not None)
        documents: dict[str, list[dict[str, Any]]] = {}
        for name, content in files.items():
            texts = (paragraphs_in(content, group, self.breaks) for group in self.elements)
            document = {"filename": posixpath.basename(name), "text": next(filter(None, texts), [])}
            documents.setdefault(str(self._input_of(name)), []).append(document)
        for instance, texts_of_input in sorted(documents.items()):
            yield {"instance_id": instance, "documents": texts_of_input}

    def _input_of(self, path: str) -> str | None:
        groups = found.groupdict() if (found := re.fullmatch(self.inputs, path)) else {}
        return "-".join(text.lower() if name == "set" else text for name, text in groups.items()) if found else None


_INPUT = re.compile(r"[Dd]\d+(?:-[A-C]+)?")
_ENDING = re.compile(r"\.(pyr|pan|xml)\Z", re.IGNORECASE)


@dataclass(frozen=True)
class PyramidFiles:
    """The pyramids and annotations of a task.

    Args:
        archive: The name of the archive.
        pyramids: The folder of pyramids in it.
        annotations: The folder of annotations.
    """

    archive: str
    pyramids: str
    annotations: str

    def pyramid_rows(self, folder: str, log: Log) -> Rows:
        """Yields the pyramid of every input; a file that cannot be read is reported and skipped."""
        known: dict[str, Pyramid] = {}
        for path, content in self._files(folder, self.pyramids).items():
            output = _output_of(path)
            if output.instance_id not in known:  # annotations repeat the pyramid of their input
                with _reported(log):
                    known[output.instance_id] = parse_ducview(content, path).to_pyramid(output.instance_id)
        yield from (_pyramid_row(pyramid) for _, pyramid in sorted(known.items()))

    def annotation_rows(self, folder: str, log: Log) -> Rows:
        """Yields the annotation of every summary; the first file of two for one summary is kept, and this reported."""
        known: dict[Output, PyramidAnnotation] = {}
        for path, content in self._files(folder, self.annotations).items():
            output = _output_of(path)
            if output in known:
                log.warn(f"{path}: skipped, because '{output.summarizer_id}' is annotated for '{output.instance_id}'")
                continue
            with _reported(log):
                known[output] = parse_ducview(content, path).to_annotation(*output, output.summarizer_type)
        yield from (_annotation_row(annotation) for _, annotation in sorted(known.items()))

    def _files(self, folder: str, prefix: str) -> Mapping[str, bytes]:
        return packed_files(find_file(folder, self.archive), lambda name: name.startswith(prefix))


def _output_of(path: str) -> Output:
    name = _ENDING.sub("", posixpath.basename(path))
    found = _INPUT.search(name)
    return Output(instance_id(found[0] if found else name.partition(".")[0]), author_of(name.rpartition(".")[2]))


@contextmanager
def _reported(log: Log) -> Iterator[None]:
    """Reports a file that cannot be read: archives contain damaged files that their users cannot repair."""
    try:
        yield
    except DataError as error:
        log.warn(f"skipped, because it cannot be read: {error}")


def _pyramid_row(pyramid: Pyramid) -> dict[str, Any]:
    row = asdict(pyramid)
    for scu in row["scus"]:
        of_summaries = zip_longest(scu.pop("contributors"), scu.pop("parts"), fillvalue=())
        scu["contributors"] = [{"summary_index": index, "parts": parts} for index, parts in of_summaries]
    return row


def _annotation_row(annotation: PyramidAnnotation) -> dict[str, Any]:
    row = asdict(annotation)
    of_units = zip_longest(row["scus"], row.pop("parts"), fillvalue=())
    return {**row, "scus": [{"scu_id": number, "contributors": [{"parts": parts}]} for number, parts in of_units]}


@dataclass(frozen=True)
class Task:
    """A task: its summaries, their scores, and its documents.

    Args:
        archives: The archives of the summaries.
        folders: The folders of summaries in them; empty for all files.
        inner: The archives inside the first archive that contain the summaries, if they are packed twice.
        html: The pattern of the files of summaries, if they are HTML; empty for text.
        words: The number of words of the name of a document, if there is a summary of each document.
        lengths: Whether summaries of one set differ in their lengths, which are then part of the id of the input.
        groups: Groups of inputs that are separate parts, too; the ids of their inputs end in a hyphen and the group.
        scores: Files of scores, possibly none: an archive, which is empty if they are not packed, the outputs of the
            official ROUGE program in it, each with the suffix of its scores (``_jk`` if it left out one reference at a
            time), and the tables of ratings.
        documents: The documents, if they are not part of another task.
        pyramids: The pyramids and annotations.
    """

    archives: Sequence[str]
    folders: Sequence[str] = ("",)
    inner: Sequence[str] = ()
    html: str = ""
    words: int = 0
    lengths: bool = False
    groups: Sequence[str] = ()
    scores: Sequence[Mapping[str, Any]] = ()
    documents: DocumentFiles | None = None
    pyramids: PyramidFiles | None = None

    def output_of(self, path: str) -> Output | None:
        """Returns the output in a file of a summary, and of a line of ROUGE; `None` for files of other tasks."""
        parts = posixpath.basename(path).split(".")
        if self.html and not re.search(self.html, path):
            return None
        if self.html and parts[1] == "M":
            length = f"-{without_zeros(parts[2])}" * self.lengths
            return Output(instance_id(parts[0]) + length, author_of(parts[4]))
        return document_output(path, self.words) if self.words else output_of(path)

    def parts(self, dataset: LicensedDataset, name: str) -> list[Part]:
        """Returns the parts of the data set that contain this task: all inputs, then each group of inputs.

        Args:
            dataset: The data set.
            name: The first words of the names of the parts.
        """
        contents: dict[str, Callable[[str], Rows]] = {"summaries": self.summary_rows}
        if self.scores:
            contents["metrics"] = self.score_rows
        if self.documents is not None:
            contents["documents"] = self.documents.rows
        pyramids = self.pyramids
        if pyramids is not None:
            contents["pyramids"] = lambda folder: pyramids.pyramid_rows(folder, dataset.log)
            contents["annotations"] = lambda folder: pyramids.annotation_rows(folder, dataset.log)
        return [
            FolderPart(f"{name}-{group}{content}", dataset, content, partial(_of_group, read, group.rstrip("-")))
            for group in ("", *(f"{group}-" for group in self.groups))
            for content, read in contents.items()
        ]

    def summary_rows(self, folder: str) -> Rows:
        """Yields the summaries with their references."""
        summaries = read_summaries(
            self._summary_files(folder), self.output_of, lines_of_annotated if self.html else lines_of
        )
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

    def score_rows(self, folder: str) -> Rows:
        """Yields the scores of every summary.

        Raises:
            DataError: if a file is missing or cannot be read.
        """
        scores: dict[Output, dict[str, Any]] = {}
        for source in self.scores:
            tables = [KINDS[kind](**one) for kind, listed in source.get("tables", {}).items() for one in listed]
            rouge = source.get("rouge", {})
            files = _files_of(folder, source["archive"], [*rouge, *(table.file for table in tables)])
            for name, suffix in rouge.items():
                read_rouge(files[name], name, self.output_of, suffix, scores)
            for table in tables:
                table.read(files[table.file], scores)
        yield from score_rows(scores)


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


class NistDataset(LicensedDataset):
    """A data set of DUC or TAC, which NIST licenses.

    Attributes:
        further_steps: The steps to get what NIST does not have.
    """

    further_steps: Sequence[str] = ()

    def __init__(self) -> None:
        super().__init__()
        name, page = self.registered_name[:3].upper(), _PAGES[self.registered_name[:3]]
        self.steps = (
            f"Read {page}; sign the agreements for the data of {name} and send them to NIST",
            f"NIST answers with a user name and a password for the past data of {name}",
            *self.further_steps,
        )


_PAGES = {"duc": "duc.nist.gov/data.html", "tac": "tac.nist.gov/data/index.html"}


_FILES: Mapping[str, Callable[..., Any]] = {"documents": DocumentFiles, "pyramids": PyramidFiles}


class SharedTask(NistDataset):
    """A data set with one or several tasks, which ``shared_tasks.json`` declares: where their files are."""

    def __init__(self) -> None:
        super().__init__()
        self.archives = declared_in("shared_tasks.json")[self.registered_name]["archives"]

    @overrides
    def parts(self) -> list[Part]:
        parts: list[Part] = []
        for name, declared in declared_in("shared_tasks.json")[self.registered_name]["tasks"].items():
            files = {key: build(**declared[key]) for key, build in _FILES.items() if key in declared}
            parts += Task(**{**declared, **files}).parts(self, name)
        return parts
