"""Readers of pyramids and of annotations of summaries: rows, and files of DUCView."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from metrics_framework.common.errors import DataError, Problems, location_of
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import IDENTITY_FIELDS, SimilarNames
from metrics_framework.data.pyramid import Pyramid, PyramidAnnotation
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.inputs.rows import JoinedRows
from metrics_framework.io.ducview import DucviewFile, read_ducview
from metrics_framework.io.reading import stem

_OF_PYRAMIDS = ("summarizer_ids", "summarizer_types", "summaries")


@DatasetReader.register("pyramid-based")
class PyramidBasedReader(DatasetReader):
    """Reads two files joined by ``instance_id``: pyramids first, then annotations.

    An annotation of a model summary is scored against the pyramid without that summary. It is read from the file or,
    if the file has none, derived from the pyramid. If neither file has ids, row n of the pyramids belongs to row n of
    the annotations, which are of one system.

    Args:
        include_reference_annotations: Whether to derive annotations of model summaries, for all inputs that have an
            annotation in the file.
    """

    number_of_files: ClassVar[int | None] = 2
    files_meaning: ClassVar[str] = "the pyramids, then the annotations"
    row_fields: ClassVar[Sequence[str] | None] = ("scus", *_OF_PYRAMIDS)

    def __init__(self, include_reference_annotations: bool = True) -> None:
        self.include_reference_annotations = include_reference_annotations

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        pyramids_file, annotations_file = input_files
        index = PyramidIndex(pyramids_file)
        fields = ("instance_id", "scus", *_OF_PYRAMIDS), (*IDENTITY_FIELDS, "summary", "scus")
        rows = JoinedRows(input_files, problems, self.row_counts(), self.view, fields)
        for line, row in rows.inputs():
            with problems.at(pyramids_file, line):
                index.add(Pyramid.from_json(row), pyramids_file, line)
        for line, row in rows.outputs():
            with problems.at(annotations_file, line):
                annotation = PyramidAnnotation.from_json(row, stem(annotations_file))
                yield index.instance(annotation, annotations_file, line)
        if self.include_reference_annotations:
            yield from index.model_summaries()


_DOCUMENT_SET = re.compile(r"(?:\A|(?<=\.))[Dd][0-9]+[A-Za-z]?(?:-[A-Za-z])?(?=\.|\Z)")


@DatasetReader.register("ducview")
class DucviewReader(DatasetReader):
    """Reads pyramids (.pyr) and annotations (.pan) of the annotation tool DUCView, one XML file each, in any order.

    The names of the files contain the ids, as in the data of DUC and TAC: D0631.pyr is the pyramid of the input D0631,
    D0631.M.250.J.5.pan its annotation of the system 5, and D0913-A.M.100.A.12 one of the input D0913-A. If no pyramid
    of an input is given, the copy in its first annotation is used.

    Args:
        include_reference_annotations: Whether to derive annotations of model summaries, for all inputs that have an
            annotation.
    """

    files_meaning: ClassVar[str] = "pyramids and annotations of DUCView"

    def __init__(self, include_reference_annotations: bool = True) -> None:
        self.include_reference_annotations = include_reference_annotations

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        files = list[DucviewFile]()
        for path in input_files:
            with problems.at(path):
                files.append(read_ducview(path))
        index = PyramidIndex("the input files")
        for file in sorted(files, key=lambda file: file.annotation is not None):
            instance_id = ids_of(file.path)[0]
            if file.annotation is None or (instance_id not in index and file.pyramid is not None):
                with problems.at(file.path):
                    index.add(file.to_pyramid(instance_id), file.path)
        for file in files:
            if file.annotation is not None:
                with problems.at(file.path):
                    yield index.instance(file.to_annotation(*ids_of(file.path)), file.path)
        if self.include_reference_annotations:
            yield from index.model_summaries()


def ids_of(path: str) -> tuple[str, str]:
    """Returns the input and the system that the name of a file states.

    The input is the first part of the name that is like ``D0631`` or ``D0913-A``, else the first part; the system is
    the last part.

    >>> ids_of("pans/114.D0631.M.250.J.5.pan"), ids_of("D0913-A.M.100.A.12"), ids_of("bridge.pyr")
    (('D0631', '5'), ('D0913-A', '12'), ('bridge', 'bridge'))
    """
    name = re.sub(r"\.(pyr|pan|xml)\Z", "", os.path.basename(path), flags=re.IGNORECASE)
    found = _DOCUMENT_SET.search(name)
    return found[0] if found else name.partition(".")[0], name.rpartition(".")[2]


@dataclass(slots=True)
class _Known:
    """A pyramid, where it was read, and its annotations read so far."""

    pyramid: Pyramid
    path: str
    line: int | None
    scu_ids: frozenset[int]
    is_annotated: bool = False
    annotated_models: set[int] = field(default_factory=set)

    @property
    def place(self) -> str:
        """The file, and the line if it has several pyramids."""
        return location_of(self.path, self.line)


class PyramidIndex:
    """The pyramids of an input, by `instance_id`.

    Args:
        path: The name of the file or files of pyramids in error messages.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._known: dict[str, _Known] = {}
        self._similar = SimilarNames(self._known)

    def __contains__(self, instance_id: str) -> bool:
        return instance_id in self._known

    def add(self, pyramid: Pyramid, path: str, line: int | None = None) -> None:
        """Adds a pyramid.

        Args:
            pyramid: The pyramid.
            path: Its file.
            line: Its line, `None` if the file is one pyramid.

        Raises:
            DataError: if the input has a pyramid already.
        """
        if pyramid.instance_id in self._known:
            first = self._known[pyramid.instance_id]
            where = f"in {first.path}" if first.line is None else f"on line {first.line}"
            raise DataError(f"duplicate pyramid of '{pyramid.instance_id}' (first {where})")
        scu_ids = frozenset(scu.scu_id for scu in pyramid.scus)
        self._known[pyramid.instance_id] = _Known(pyramid, path, line, scu_ids)

    def instance(self, annotation: PyramidAnnotation, path: str, line: int | None = None) -> EvalInstance:
        """Returns an annotation with the pyramid that it is scored against.

        Raises:
            DataError: if the input has no pyramid, or the annotation does not fit to it.
        """
        if annotation.instance_id not in self._known:
            hint = self._similar.hint(annotation.instance_id)
            raise DataError(f"no pyramid of '{annotation.instance_id}' in {self._path}{hint}")
        known = self._known[annotation.instance_id]
        missing = [str(scu) for scu in annotation.scus if scu not in known.scu_ids]
        if missing:
            listing = ", ".join(missing[:5]) + (", …" if len(missing) > 5 else "")
            raise DataError(f"'scus' must be content units of the pyramid at {known.place}, got {listing}")
        known.is_annotated, pyramid = True, known.pyramid
        if annotation.summarizer_id in pyramid.summarizer_ids:
            if annotation.summarizer_type == "peer":
                raise DataError(
                    f"'{annotation.summarizer_id}' must be of type 'reference', got 'peer': it wrote a model summary "
                    f"at {known.place}"
                )
            index = pyramid.summarizer_ids.index(annotation.summarizer_id)
            known.annotated_models.add(index)
            pyramid = pyramid.remove_summary(index)
        return _instance(annotation, pyramid, path, line)

    def model_summaries(self) -> Iterator[EvalInstance]:
        """Yields the model summaries of annotated inputs that the files do not annotate."""
        for known in self._known.values():
            for index in range(len(known.pyramid.summarizer_ids) if known.is_annotated else 0):
                if index not in known.annotated_models:
                    annotation = known.pyramid.annotation(index)
                    yield _instance(annotation, known.pyramid.remove_summary(index), known.path, known.line)


def _instance(annotation: PyramidAnnotation, pyramid: Pyramid, path: str, line: int | None) -> EvalInstance:
    return EvalInstance(
        annotation.instance_id,
        annotation.summarizer_id,
        annotation.summarizer_type,
        {"annotation": annotation, "pyramid": pyramid},
        path,
        line,
    )
