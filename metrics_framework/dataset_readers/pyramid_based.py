"""The reader ``pyramid-based``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from overrides import overrides

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.field_names import with_standard_names
from metrics_framework.data.pyramid import Pyramid, PyramidAnnotation
from metrics_framework.data.similar_names import SimilarNames
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.rows import read_rows
from metrics_framework.io.streams import stem


@dataclass(slots=True)
class _Known:
    """A pyramid, its line in the file, and its annotations read so far."""

    pyramid: Pyramid
    line: int
    scu_ids: frozenset[int]
    is_annotated: bool = False
    annotated_models: set[int] = field(default_factory=set)


@DatasetReader.register("pyramid-based")
class PyramidBasedReader(DatasetReader):
    """Reads two files joined by ``instance_id``: pyramids first, then annotations.

    An annotation of a model summary is scored against the pyramid without that summary. It is read from the file or,
    if the file has none, derived from the pyramid.

    Args:
        include_reference_annotations: Whether to derive annotations of model summaries, for all inputs that have an
            annotation in the file.
    """

    number_of_files: ClassVar[int | None] = 2
    files_meaning: ClassVar[str] = "the pyramids, then the annotations"

    def __init__(self, include_reference_annotations: bool = True) -> None:
        self.include_reference_annotations = include_reference_annotations

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        pyramids_file, annotations_file = input_files
        pyramids = _pyramids(pyramids_file, problems)
        similar = SimilarNames(pyramids)
        for line, row in read_rows(annotations_file, problems):
            try:
                annotation = PyramidAnnotation.from_json(with_standard_names(row), stem(annotations_file))
                pyramid = _matching(annotation, pyramids, pyramids_file, similar)
                yield _instance(annotation, pyramid, annotations_file, line)
            except DataError as problem:
                problems.add(DataError(problem.message, annotations_file, line))
        if self.include_reference_annotations:
            yield from _model_summaries(pyramids, pyramids_file)


def _pyramids(path: str, problems: Problems) -> dict[str, _Known]:
    pyramids: dict[str, _Known] = {}
    for line, row in read_rows(path, problems):
        try:
            pyramid = Pyramid.from_json(with_standard_names(row))
            if pyramid.instance_id in pyramids:
                first = pyramids[pyramid.instance_id].line
                raise DataError(f"duplicate pyramid of '{pyramid.instance_id}' (first on line {first})")
            pyramids[pyramid.instance_id] = _Known(pyramid, line, frozenset(scu.scu_id for scu in pyramid.scus))
        except DataError as problem:
            problems.add(DataError(problem.message, path, line))
    return pyramids


def _matching(
    annotation: PyramidAnnotation, pyramids: Mapping[str, _Known], path: str, similar: SimilarNames
) -> Pyramid:
    """Returns the pyramid that an annotation is scored against."""
    if annotation.instance_id not in pyramids:
        raise DataError(f"no pyramid of '{annotation.instance_id}' in {path}{similar.hint(annotation.instance_id)}")
    known = pyramids[annotation.instance_id]
    missing = [str(scu) for scu in annotation.scus if scu not in known.scu_ids]
    if missing:
        listing = ", ".join(missing[:5]) + (", …" if len(missing) > 5 else "")
        raise DataError(f"'scus' must be content units of the pyramid at {path}:{known.line}, got {listing}")
    known.is_annotated = True
    if annotation.summarizer_id not in known.pyramid.summarizer_ids:
        return known.pyramid
    if annotation.summarizer_type == "peer":
        raise DataError(
            f"'{annotation.summarizer_id}' must be of type 'reference', got 'peer': it wrote a model summary at "
            f"{path}:{known.line}"
        )
    index = known.pyramid.summarizer_ids.index(annotation.summarizer_id)
    known.annotated_models.add(index)
    return known.pyramid.remove_summary(index)


def _model_summaries(pyramids: Mapping[str, _Known], path: str) -> Iterator[EvalInstance]:
    for known in pyramids.values():
        for index in range(len(known.pyramid.summarizer_ids) if known.is_annotated else 0):
            if index not in known.annotated_models:
                annotation = known.pyramid.annotation(index)
                yield _instance(annotation, known.pyramid.remove_summary(index), path, known.line)


def _instance(annotation: PyramidAnnotation, pyramid: Pyramid, path: str, line: int) -> EvalInstance:
    return EvalInstance(
        annotation.instance_id,
        annotation.summarizer_id,
        annotation.summarizer_type,
        {"annotation": annotation, "pyramid": pyramid},
        path,
        line,
    )
