"""Outputs with their scores as rows of JSON: formatting and writing them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.io.jsonl import to_json
from metrics_framework.kernels.dispatch import native_json, native_rows
from metrics_framework.metrics.base.labelled_metric import LabelledMetric

Scores: TypeAlias = "Mapping[str, Any] | str"
"""The scores of an output, or the members of a JSON object that a kernel made of them."""


class RowFormatter:
    """Formats outputs and their scores as JSON: the keys in their fixed order, NaN as ``null``."""

    def __init__(self) -> None:
        self._scores_as_json: Callable[[Sequence[Mapping[str, Any]]], str | None] | None = native_json()
        self._rows_as_json = native_rows()

    def lines(self, batch: ColumnBatch, columns: Sequence[Sequence[Scores]]) -> list[str]:
        """Returns the rows of outputs, each with a line end.

        Args:
            batch: The outputs.
            columns: For each metric the scores of all outputs; no two metrics have a score of the same name.
        """
        members = tuple(self._members(column) for column in columns)
        systems = list(zip(batch.systems, batch.types, strict=True))
        heads = {system: _head(*system) for system in set(systems)}
        heads_of_rows = [heads[system] for system in systems]
        lines = None if self._rows_as_json is None else self._rows_as_json(batch.ids, heads_of_rows, members)
        return rows_as_json(batch.ids, heads_of_rows, members) if lines is None else lines

    def _members(self, column: Sequence[Any]) -> list[str]:
        """Returns scores as the members of JSON objects."""
        if column and isinstance(column[0], str):  # a kernel wrote all of them
            return column  # type: ignore[return-value]
        texts = [None if self._scores_as_json is None else self._scores_as_json((scores,)) for scores in column]
        return [(to_json(scores) if text is None else text)[1:-1] for scores, text in zip(column, texts, strict=True)]


def rows_as_json(ids: Sequence[str], heads: Sequence[str], columns: Sequence[Sequence[str]]) -> list[str]:
    """Formats rows; the Python twin of the native formatter.

    Args:
        ids: The ids of the inputs.
        heads: The text between each id and the scores.
        columns: For each metric the members of the JSON objects of the scores, empty for an output without scores.
    """
    scores = [", ".join(filter(None, parts)) for parts in zip(*columns, strict=True)] if columns else [""] * len(ids)
    return [
        f'{{"instance_id": {to_json(name)}{head}{{{members}}}}}\n'
        for name, head, members in zip(ids, heads, scores, strict=True)
    ]


def _head(summarizer_id: str, summarizer_type: str) -> str:
    """Returns the text between the id of the input and the scores."""
    return f', "summarizer_id": {to_json(summarizer_id)}, "summarizer_type": {to_json(summarizer_type)}, "metrics": '


class RowWriter:
    """Writes rows; the first one also gets the signatures of the metrics (decision 0002).

    Args:
        write: Writes a string that holds whole rows.
        metrics: The metrics of the run.
    """

    def __init__(self, write: Callable[[str], object], metrics: Sequence[LabelledMetric]) -> None:
        self._write = write
        self._signature = {metric.label: metric.metric.signature() for metric in metrics}

    def write(self, lines: Sequence[str]) -> None:
        """Writes rows."""
        if lines and self._signature:
            first = lines[0][: -len("}\n")]
            lines = [f'{first}, "signature": {to_json(self._signature)}}}\n', *lines[1:]]
            self._signature = {}
        self._write("".join(lines))
