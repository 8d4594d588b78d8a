"""The reader ``error-spans``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from metrics_framework.common.errors import DataError, Problems, location_of
from metrics_framework.common.overriding import overrides
from metrics_framework.data.error_spans import ErrorSpan, parse_spans
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.texts import shown
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.files_of_outputs import path_names
from metrics_framework.inputs.rows import identity, prepared
from metrics_framework.io.jsonl import read_jsonl

HUMAN, PREDICTED = "spans", "predicted_spans"
OMITTED = ("missing", -1)
"""What the start of a span is that marks an omission."""
_Key = tuple[str, str]


@DatasetReader.register("error-spans")
class ErrorSpansReader(DatasetReader):
    """Reads JSON lines with error spans: human ones in ``spans``, predicted ones in ``predicted_spans``.

    A span is an object with ``start`` and ``end`` (the index after the last character), and optionally ``severity`` and
    ``side`` (``target`` or ``source``). Rows with only one of both fields are joined by output, also across files.

    Args:
        predictions: Files whose ``spans`` are predicted ones.
        rater: The rater whose human spans are read, if spans name their raters, as ``fw convert-ratings esa`` writes
            them, or ``raters`` names that of each list of spans; outputs that the rater has not rated are left out.
        drop_omissions: Whether to leave out spans that mark an omission, with the ``start`` ``missing``, instead of
            rejecting them.
    """

    files_meaning: ClassVar[str] = "files of spans"
    row_fields: ClassVar[Sequence[str] | None] = (HUMAN, PREDICTED, "raters")

    def __init__(self, predictions: Sequence[str] = (), rater: str | None = None, drop_omissions: bool = False) -> None:
        self.predictions = list(predictions)
        self.rater = rater
        self.drop_omissions = drop_omissions

    @overrides
    def provides(self) -> set[str] | None:
        return {HUMAN, PREDICTED}

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        waiting: dict[_Key, EvalInstance] = {}
        not_rated: set[_Key] = set()
        files = [*input_files, *self.predictions]
        for index, (path, name) in enumerate(zip(files, path_names(files), strict=True)):
            with problems.at(path):
                yield from self._of_file(path, name, index >= len(input_files), (waiting, not_rated), problems)
        for one in waiting.values():
            missing = PREDICTED if HUMAN in one.fields else HUMAN
            message = f"no '{missing}' of the output of '{one.summarizer_id}' for input '{one.instance_id}'"
            problems.add(DataError(message, one.path, one.line))

    def _of_file(
        self,
        path: str,
        name: str,
        is_predicted: bool,
        state: tuple[dict[_Key, EvalInstance], set[_Key]],
        problems: Problems,
    ) -> Iterator[EvalInstance]:
        waiting, not_rated = state
        for line, row in prepared(read_jsonl(path, problems), path, problems, None, self.row_view()):
            if is_predicted and PREDICTED not in row and HUMAN in row:
                row = {PREDICTED if field == HUMAN else field: value for field, value in row.items()}
            with problems.at(path, line):
                ids = identity(row, name)
                spans = _spans(row, self)
                if spans is None:
                    not_rated.add(ids[:2])
                    waiting.pop(ids[:2], None)
                elif (joined := _joined(EvalInstance(*ids, spans, path, line), waiting, not_rated)) is not None:
                    yield joined


def _spans(row: Mapping[str, Any], reader: ErrorSpansReader) -> dict[str, tuple[ErrorSpan, ...]] | None:
    """Returns the spans of a row by field; `None` if the chosen rater has not rated the output."""
    found = {name: row[name] for name in (HUMAN, PREDICTED) if row.get(name) is not None}
    if not found:
        raise DataError(f"'{HUMAN}' and '{PREDICTED}' are missing; the row has {', '.join(map(repr, row))}")
    if HUMAN in found:
        found[HUMAN] = _of_rater(found[HUMAN], row.get("raters"), reader.rater)
        if found[HUMAN] is None:
            return None
    return {name: parse_spans(_with_places(value, name, reader), name) for name, value in found.items()}


def _of_rater(spans: Any, raters: Any, rater: str | None) -> Any:
    """Returns the spans of one rater, from spans that name their raters, or a list of spans for each rater.

    `None` if the chosen rater has rated nothing.

    Raises:
        DataError: if there are spans of several raters, and none is chosen.
    """
    by_rater = _by_rater(spans, raters)
    if not by_rater:
        return spans
    if rater is None and len(by_rater) > 1:
        raise DataError(
            f"'{HUMAN}' has spans of several raters ({', '.join(by_rater)}); choose one with the option "
            "'rater' of the reader, as in error-spans:rater=NAME"
        )
    return next(iter(by_rater.values())) if rater is None else by_rater.get(rater)


def _by_rater(spans: Any, raters: Any) -> dict[str, Any]:
    """Returns rater to spans; nothing if spans have no raters.

    Raises:
        DataError: if there is a list of spans for each rater, but not one rater for each.
    """
    if not isinstance(spans, list):
        return {}
    if spans and all(isinstance(part, list) for part in spans):
        if not isinstance(raters, list) or len(raters) != len(spans):
            raise DataError(
                f"'raters' must name the rater of each of the {len(spans)} lists of '{HUMAN}', got {shown(raters)}"
            )
        return dict(zip(map(str, raters), spans, strict=True))
    if not all(isinstance(span, Mapping) and "rater" in span for span in spans):
        return {}
    names = [*(raters if isinstance(raters, list) else ()), *(span["rater"] for span in spans)]
    return {str(name): [span for span in spans if str(span["rater"]) == str(name)] for name in names}


def _with_places(spans: Any, name: str, reader: ErrorSpansReader) -> Any:
    """Leaves out spans that mark an omission, if the reader does."""
    if not isinstance(spans, list):
        return spans  # which is reported later
    placed = [span for span in spans if not (isinstance(span, Mapping) and span.get("start") in OMITTED)]
    if len(placed) < len(spans) and not reader.drop_omissions:
        raise DataError(
            f"'{name}' has a span that marks an omission, which has no place in the output; leave such spans out with "
            "the option 'drop_omissions' of the reader, as in error-spans:drop_omissions=true"
        )
    return placed


def _joined(one: EvalInstance, waiting: dict[_Key, EvalInstance], not_rated: set[_Key]) -> EvalInstance | None:
    """Returns an output with both kinds of spans; `None` if one kind is not read yet."""
    if len(one.fields) == 2:
        return one
    key = one.instance_id, one.summarizer_id
    other = waiting.pop(key, None)
    if other is None:
        if key not in not_rated:
            waiting[key] = one
        return None
    if other.fields.keys() == one.fields.keys():
        waiting[key] = other
        raise DataError(
            f"duplicate '{next(iter(one.fields))}' of the output of '{one.summarizer_id}' for input "
            f"'{one.instance_id}' (first at {location_of(str(other.path), other.line)})"
        )
    other.fields.update(one.fields)
    return other
