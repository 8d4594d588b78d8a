"""Outputs with their scores as lines of JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.io.jsonl import to_json
from metrics_framework.kernels.dispatch import native_json

MOST_HEADS = 10_000
Scores: TypeAlias = "Mapping[str, Any] | str"
"""The scores of an output, or the members of a JSON object that a kernel made of them."""


class RowLines:
    """Makes lines of outputs and their scores: the keys in their fixed order, NaN as ``null``."""

    def __init__(self) -> None:
        self._scores_as_json: Callable[[Sequence[Mapping[str, Any]]], str | None] | None = native_json()
        self._heads: dict[tuple[str, str], str] = {}

    def line(self, instance: EvalInstance, parts: Sequence[Scores]) -> str:
        """Returns the row of an output, with the end of the line.

        Args:
            instance: The output.
            parts: Its scores under each metric; those of several metrics have different names.
        """
        members = [part if isinstance(part, str) else self._members(part) for part in parts]
        scores = ", ".join([one for one in members if one])
        name = instance.instance_id
        quoted = f'"{name}"' if name.isalnum() and name.isascii() else to_json(name)
        return f'{{"instance_id": {quoted}{self._head(instance)}{{{scores}}}}}\n'

    def _members(self, scores: Mapping[str, Any]) -> str:
        text = None if self._scores_as_json is None else self._scores_as_json((scores,))
        return (to_json(scores) if text is None else text)[1:-1]

    def _head(self, instance: EvalInstance) -> str:
        """Returns what stands between the id of the input and the scores: few systems have many rows."""
        key = instance.summarizer_id, instance.summarizer_type
        head = self._heads.get(key)
        if head is None:
            system, kind = map(to_json, key)
            head = f', "summarizer_id": {system}, "summarizer_type": {kind}, "metrics": '
            if len(self._heads) < MOST_HEADS:
                self._heads[key] = head
        return head
