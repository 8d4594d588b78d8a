"""Outputs with their scores as lines of JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.io.jsonl import to_json
from metrics_framework.kernels.dispatch import native_json, native_rows

Scores: TypeAlias = "Mapping[str, Any] | str"
"""The scores of an output, or the members of a JSON object that a kernel made of them."""


class RowLines:
    """Makes lines of outputs and their scores: the keys in their fixed order, NaN as ``null``."""

    def __init__(self) -> None:
        self._scores_as_json: Callable[[Sequence[Mapping[str, Any]]], str | None] | None = native_json()
        self._rows_as_json = native_rows()

    def lines(self, batch: Sequence[EvalInstance], columns: Sequence[Sequence[Scores]]) -> list[str]:
        """Returns the rows of outputs, each with the end of the line.

        Args:
            batch: The outputs.
            columns: For each metric the scores of all outputs; those of several metrics have different names.
        """
        written = tuple(self._written(column) for column in columns)
        ids = [one.instance_id for one in batch]
        systems = [(one.summarizer_id, one.summarizer_type) for one in batch]
        heads = {system: _head(*system) for system in set(systems)}
        behind = [heads[system] for system in systems]
        lines = None if self._rows_as_json is None else self._rows_as_json(ids, behind, written)
        return rows_as_json(ids, behind, written) if lines is None else lines

    def _written(self, column: Sequence[Scores]) -> list[str]:
        """Returns scores as the members of JSON objects."""
        if column and isinstance(column[0], str):  # a kernel made them all
            return column  # type: ignore[return-value]
        return list(map(self._members, column))  # type: ignore[arg-type]

    def _members(self, scores: Mapping[str, Any]) -> str:
        text = None if self._scores_as_json is None else self._scores_as_json((scores,))
        return (to_json(scores) if text is None else text)[1:-1]


def rows_as_json(ids: Sequence[str], heads: Sequence[str], columns: Sequence[Sequence[str]]) -> list[str]:
    """Makes the lines of rows, the twin of the native writer.

    Args:
        ids: The ids of the inputs.
        heads: What stands between each and the scores.
        columns: For each metric the members of the JSON objects of the scores; it may have none for an output.
    """
    scores = [", ".join(filter(None, parts)) for parts in zip(*columns, strict=True)] if columns else [""] * len(ids)
    return [
        f'{{"instance_id": {to_json(name)}{head}{{{members}}}}}\n'
        for name, head, members in zip(ids, heads, scores, strict=True)
    ]


def _head(summarizer_id: str, summarizer_type: str) -> str:
    """Returns what stands between the id of the input and the scores."""
    return f', "summarizer_id": {to_json(summarizer_id)}, "summarizer_type": {to_json(summarizer_type)}, "metrics": '
