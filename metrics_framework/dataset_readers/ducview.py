"""The reader ``ducview``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.pyramids import PyramidIndex
from metrics_framework.io.ducview import DucviewFile, read_ducview

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
        files = list(_read(input_files, problems))
        index = PyramidIndex("the input files")
        for file in sorted(files, key=lambda file: file.annotation is not None):
            instance_id = ids_of(file.path)[0]
            if file.annotation is None or (instance_id not in index and file.pyramid is not None):
                with _collected(problems, file.path):
                    index.add(file.to_pyramid(instance_id), file.path)
        for file in files:
            if file.annotation is not None:
                with _collected(problems, file.path):
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


def _read(paths: Sequence[str], problems: Problems) -> Iterator[DucviewFile]:
    for path in paths:
        with _collected(problems, path):
            yield read_ducview(path)


@contextmanager
def _collected(problems: Problems, path: str) -> Iterator[None]:
    """Adds a problem of a file to the problems, with its path."""
    try:
        yield
    except DataError as error:
        problems.add(error if error.path else DataError(error.message, path))
