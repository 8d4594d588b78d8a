"""The reader ``pyramid-based``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import IDENTITY_FIELDS, with_standard_names
from metrics_framework.data.pyramid import Pyramid, PyramidAnnotation
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.joined_rows import JoinedRows
from metrics_framework.dataset_readers.pyramids import PyramidIndex
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
        of_pyramids = of_annotations = self.view
        if self.view is not None:
            of_pyramids = self.view.restricted(("instance_id", "scus", *_OF_PYRAMIDS), has_conditions=False)
            of_annotations = self.view.restricted((*IDENTITY_FIELDS, "summary", "scus"), has_conditions=True)
        rows = JoinedRows(input_files, problems, self.row_counts())
        for line, row in rows.inputs(of_pyramids):
            try:
                index.add(Pyramid.from_json(with_standard_names(row)), pyramids_file, line)
            except DataError as problem:
                problems.add(DataError(problem.message, pyramids_file, line))
        for line, row in rows.outputs(of_annotations):
            try:
                annotation = PyramidAnnotation.from_json(with_standard_names(row), stem(annotations_file))
                yield index.instance(annotation, annotations_file, line)
            except DataError as problem:
                problems.add(DataError(problem.message, annotations_file, line))
        if self.include_reference_annotations:
            yield from index.model_summaries()
