"""Pyramids of a task and the annotations of its summaries, from files of DUCView."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.common.logs import Log
from metrics_framework.data.pyramid import Part, Pyramid, PyramidAnnotation
from metrics_framework.datasets.shared_tasks.names import Output, author_of, instance_id
from metrics_framework.datasets.shared_tasks.packed_files import find_file, packed_files
from metrics_framework.io.ducview import parse_ducview

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

    def pyramid_rows(self, folder: str, log: Log) -> Iterator[dict[str, Any]]:
        """Yields the pyramid of every input; a file that cannot be read is reported and skipped."""
        known: dict[str, Pyramid] = {}
        for path, content in self._files(folder, self.pyramids).items():
            output = _output_of(path)
            if output.instance_id not in known:  # annotations repeat the pyramid of their input
                with _reported(log):
                    known[output.instance_id] = parse_ducview(content, path).to_pyramid(output.instance_id)
        yield from (_pyramid_row(pyramid) for _, pyramid in sorted(known.items()))

    def annotation_rows(self, folder: str, log: Log) -> Iterator[dict[str, Any]]:
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
    return {
        "instance_id": pyramid.instance_id,
        "summarizer_ids": list(pyramid.summarizer_ids),
        "summarizer_types": list(pyramid.summarizer_types),
        "summaries": list(pyramid.summaries),
        "scus": [
            {
                "scu_id": scu.scu_id,
                "label": scu.label,
                "contributors": [
                    {"summary_index": index, "parts": _parts(scu.parts[number : number + 1])}
                    for number, index in enumerate(scu.contributors)
                ],
            }
            for scu in pyramid.scus
        ],
    }


def _annotation_row(annotation: PyramidAnnotation) -> dict[str, Any]:
    return {
        "instance_id": annotation.instance_id,
        "summarizer_id": annotation.summarizer_id,
        "summarizer_type": annotation.summarizer_type,
        "summary": annotation.summary,
        "scus": [
            {"scu_id": scu_id, "contributors": [{"parts": _parts(annotation.parts[number : number + 1])}]}
            for number, scu_id in enumerate(annotation.scus)
        ],
    }


def _parts(lists: Sequence[Sequence[Part]]) -> list[dict[str, Any]]:
    return [asdict(part) for parts in lists for part in parts]
