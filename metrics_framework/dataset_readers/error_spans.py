"""The reader ``error-spans``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from overrides import overrides

from metrics_framework.common.errors import DataError, InputError, Problems
from metrics_framework.data.error_spans import ErrorSpan, parse_spans
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.field_names import with_standard_names
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.rows import identity
from metrics_framework.dataset_readers.system_names import path_names
from metrics_framework.io.jsonl import read_jsonl

HUMAN, PREDICTED = "spans", "predicted_spans"
_Key = tuple[str, str]


@dataclass(slots=True)
class _Annotation:
    """The spans of one output from one file."""

    identity: tuple[str, str, str]
    fields: dict[str, tuple[ErrorSpan, ...]]
    path: str
    line: int


@DatasetReader.register("error-spans")
class ErrorSpansReader(DatasetReader):
    """Reads JSON lines with error spans: human ones in ``spans``, predicted ones in ``predicted_spans``.

    A span is an object with ``start`` and ``end`` (the index after the last character), and optionally ``severity`` and
    ``side`` (``target`` or ``source``). Rows with only one of both fields are joined by output, also across files.

    Args:
        predictions: Files whose ``spans`` are predicted ones.
        rater: The rater whose human spans are read, if spans name raters in ``rater``.
    """

    files_meaning: ClassVar[str] = "files of spans"

    def __init__(self, predictions: Sequence[str] = (), rater: str | None = None) -> None:
        self.predictions = list(predictions)
        self.rater = rater

    @overrides
    def provides(self) -> set[str] | None:
        return {HUMAN, PREDICTED}

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        waiting: dict[_Key, _Annotation] = {}
        files = [*input_files, *self.predictions]
        for index, (path, name) in enumerate(zip(files, path_names(files), strict=True)):
            try:
                yield from self._of_file(path, name, index >= len(input_files), waiting, problems)
            except DataError as problem:
                problems.add(problem)
        for one in waiting.values():
            missing = PREDICTED if HUMAN in one.fields else HUMAN
            message = f"no '{missing}' of the output of '{one.identity[1]}' for input '{one.identity[0]}'"
            problems.add(DataError(message, one.path, one.line))

    def _of_file(
        self, path: str, name: str, is_predicted: bool, waiting: dict[_Key, _Annotation], problems: Problems
    ) -> Iterator[EvalInstance]:
        for line, row in read_jsonl(path, problems):
            try:
                named = with_standard_names(row)
                if is_predicted and PREDICTED not in named and HUMAN in named:
                    named = {PREDICTED if field == HUMAN else field: value for field, value in named.items()}
                one = _Annotation(identity(named, name), _spans(named, self.rater), path, line)
                joined = _joined(one, waiting)
            except (DataError, InputError) as problem:
                problems.add(DataError(getattr(problem, "message", str(problem)), path, line))
            else:
                if joined is not None:
                    yield EvalInstance(*joined.identity, dict(joined.fields), joined.path, joined.line)


def _spans(row: Mapping[str, Any], rater: str | None) -> dict[str, tuple[ErrorSpan, ...]]:
    found = {name: row[name] for name in (HUMAN, PREDICTED) if row.get(name) is not None}
    if not found:
        raise DataError(f"'{HUMAN}' and '{PREDICTED}' are missing; the row has {', '.join(map(repr, row))}")
    if HUMAN in found:
        found[HUMAN] = _of_rater(found[HUMAN], rater)
    return {name: parse_spans(value, name) for name, value in found.items()}


def _of_rater(spans: Any, rater: str | None) -> Any:
    """Returns the spans of one rater; a span without a rater belongs to all.

    Raises:
        DataError: if there are spans of several raters, and none is chosen.
    """
    if not isinstance(spans, list) or not all(isinstance(span, Mapping) for span in spans):
        return spans  # which is reported later
    raters = {str(span["rater"]) for span in spans if span.get("rater") is not None}
    if rater is None and len(raters) > 1:
        raise DataError(
            f"'{HUMAN}' has spans of several raters ({', '.join(sorted(raters))}); choose one with the option 'rater' "
            "of the reader, as in error-spans:rater=NAME"
        )
    return [span for span in spans if rater is None or str(span.get("rater") or rater) == rater]


def _joined(one: _Annotation, waiting: dict[_Key, _Annotation]) -> _Annotation | None:
    """Returns an output with both kinds of spans; `None` if one kind is not read yet."""
    if len(one.fields) == 2:
        return one
    other = waiting.pop(one.identity[:2], None)
    if other is None:
        waiting[one.identity[:2]] = one
        return None
    if other.fields.keys() == one.fields.keys():
        waiting[one.identity[:2]] = other
        raise DataError(
            f"duplicate '{next(iter(one.fields))}' of the output of '{one.identity[1]}' for input "
            f"'{one.identity[0]}' (first at {other.path}:{other.line})"
        )
    other.fields.update(one.fields)
    return other
