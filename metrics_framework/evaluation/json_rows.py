"""Formats outputs with their scores as rows of JSON, and writes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.evaluation.parts.part import PartResult
from metrics_framework.io.jsonl import to_json
from metrics_framework.io.open_files import OpenFile, plain_file_of
from metrics_framework.kernels.dispatch import native_json, native_rows
from metrics_framework.metrics.base.labelled_metric import LabelledMetric

if TYPE_CHECKING:
    from metrics_framework.evaluation.parallel.copier import Copier

Scores: TypeAlias = "Mapping[str, Any] | str"
"""The scores of an output, or the same as members of a JSON object, if a kernel wrote them."""


def formatted_rows(batch: ColumnBatch, columns: Sequence[Sequence[Scores]]) -> list[str]:
    """Returns a row of JSON for each output, with keys in a fixed order, NaN as ``null`` and a line break.

    Args:
        batch: The outputs.
        columns: For each metric the scores of all outputs; no two metrics have a score of the same name.
    """
    members = tuple(map(_members, columns))
    systems = list(zip(batch.systems, batch.types, strict=True))
    heads = {system: _head(*system) for system in set(systems)}
    heads_of_rows = [heads[system] for system in systems]
    format_natively = native_rows()
    lines = None if format_natively is None else format_natively(batch.ids, heads_of_rows, members)
    return rows_as_json(batch.ids, heads_of_rows, members) if lines is None else lines


def _members(column: Sequence[Any]) -> list[str]:
    """Returns scores as the members of JSON objects."""
    if column and isinstance(column[0], str):  # a kernel wrote the whole column
        return cast("list[str]", column)
    format_natively = native_json()
    texts = [None if format_natively is None else format_natively((scores,)) for scores in column]
    return [(to_json(scores) if text is None else text)[1:-1] for scores, text in zip(column, texts, strict=True)]


def rows_as_json(ids: Sequence[str], heads: Sequence[str], columns: Sequence[Sequence[str]]) -> list[str]:
    """Formats rows; the Python twin of the native formatter.

    Args:
        ids: The ids of the inputs.
        heads: For each row the JSON between its id and its scores.
        columns: For each metric the scores of each output as members of a JSON object; empty without scores.
    """
    scores = [", ".join(filter(None, parts)) for parts in zip(*columns, strict=True)] if columns else [""] * len(ids)
    return [
        f'{{"instance_id": {to_json(name)}{head}{{{members}}}}}\n'
        for name, head, members in zip(ids, heads, scores, strict=True)
    ]


def _head(summarizer_id: str, summarizer_type: str) -> str:
    """Returns the JSON between the id of the input and the scores."""
    return f', "summarizer_id": {to_json(summarizer_id)}, "summarizer_type": {to_json(summarizer_type)}, "metrics": '


class RowWriter:
    """Writes rows, and adds the signatures of the metrics to the first one (decision 0002).

    All rows are written when its ``with`` block ends without an error.

    Args:
        write: Writes a string of complete rows.
        metrics: The metrics of the run.
    """

    def __init__(self, write: Callable[[str], object], metrics: Sequence[LabelledMetric]) -> None:
        self._write = write
        self._metrics = metrics
        self._copier: Copier | None = None
        self._has_signature = False

    def __enter__(self) -> RowWriter:
        return self

    def __exit__(self, *error: object) -> None:
        if self._copier is not None:
            self._copier.__exit__(*error)

    def write(self, rows: str) -> None:
        """Writes rows."""
        if rows and self._metrics and not self._has_signature:  # some metrics know theirs only after scoring
            signature = {metric.label: metric.metric.signature() for metric in self._metrics}
            end = rows.index("}\n")
            rows = f'{rows[:end]}, "signature": {to_json(signature)}{rows[end:]}'
            self._has_signature = True
        if self._copier is not None:
            self._copier.finish()
        self._write(rows)

    def write_part(self, part: PartResult) -> None:
        """Writes the rows of a part, which are not sorted."""
        if part.rows_file is not None:
            self.write_file(part.rows_file)
        elif part.rows:
            self.write(part.rows)

    def write_file(self, file: OpenFile) -> None:
        """Writes the rows of an open file; where it can be, another process copies them."""
        if not self._has_signature and (first := file.first_line()):
            self.write(first)
            file = file.after(len(first.encode()))
        stream = plain_file_of(self._write)
        if stream is None:
            for text in file.texts():
                self._write(text)
            return
        if self._copier is None:
            from metrics_framework.evaluation.parallel.copier import Copier

            self._copier = Copier()
        stream.flush()
        self._copier.copy(file, stream.fileno(), stream.buffer.raw.name)
