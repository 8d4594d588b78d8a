"""A batch of outputs as columns, so that it is checked, counted and grouped without a step for every row."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any

from metrics_framework.data.eval_instance import EvalInstance


class ColumnBatch:
    """Outputs, and their ids, systems, types and fields as columns.

    Args:
        instances: The outputs.

    Attributes:
        instances: The outputs.
        ids: The id of the input of each output.
        systems: The system of each output.
        types: The type of each output's system.
        fields: The fields of each output.
    """

    def __init__(self, instances: Sequence[EvalInstance]) -> None:
        self.instances = instances
        self.ids = [instance.instance_id for instance in instances]
        self.systems = [instance.summarizer_id for instance in instances]
        self.types = [instance.summarizer_type for instance in instances]
        self.fields: list[dict[str, Any]] = [instance.fields for instance in instances]
        self._columns: dict[str, list[Any]] = {}

    @cached_property
    def by_system(self) -> dict[str, Sequence[int]]:
        """The indices of the outputs of each system, which appear in the order of their first output."""
        if len(set(self.systems)) == 1:
            return {self.systems[0]: range(len(self.systems))}
        indices: dict[str, list[int]] = {}
        for index, system in enumerate(self.systems):
            indices.setdefault(system, []).append(index)
        return dict(indices)

    def column(self, name: str) -> list[Any]:
        """Returns the values of a field, `None` where it is missing."""
        if name not in self._columns:
            try:
                self._columns[name] = list(map(itemgetter(name), self.fields))
            except KeyError:
                self._columns[name] = [fields.get(name) for fields in self.fields]
        return self._columns[name]
