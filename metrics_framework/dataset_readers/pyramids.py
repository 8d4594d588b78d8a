"""Joins pyramids with annotations of summaries, for the readers of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from metrics_framework.common.errors import DataError
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import SimilarNames
from metrics_framework.data.pyramid import Pyramid, PyramidAnnotation


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
        return self.path if self.line is None else f"{self.path}:{self.line}"


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
        return _instance(annotation, self._matching(annotation), path, line)

    def _matching(self, annotation: PyramidAnnotation) -> Pyramid:
        if annotation.instance_id not in self._known:
            hint = self._similar.hint(annotation.instance_id)
            raise DataError(f"no pyramid of '{annotation.instance_id}' in {self._path}{hint}")
        known = self._known[annotation.instance_id]
        missing = [str(scu) for scu in annotation.scus if scu not in known.scu_ids]
        if missing:
            listing = ", ".join(missing[:5]) + (", …" if len(missing) > 5 else "")
            raise DataError(f"'scus' must be content units of the pyramid at {known.place}, got {listing}")
        known.is_annotated = True
        if annotation.summarizer_id not in known.pyramid.summarizer_ids:
            return known.pyramid
        if annotation.summarizer_type == "peer":
            raise DataError(
                f"'{annotation.summarizer_id}' must be of type 'reference', got 'peer': it wrote a model summary at "
                f"{known.place}"
            )
        index = known.pyramid.summarizer_ids.index(annotation.summarizer_id)
        known.annotated_models.add(index)
        return known.pyramid.remove_summary(index)

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
