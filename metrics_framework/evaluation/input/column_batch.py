"""A batch of instances by columns, which are checked and counted without a step for every row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any

from metrics_framework.data.eval_instance import EvalInstance


class Columns:
    """The instances of a batch, and what they have in common one below the other.

    Attributes:
        instances: The instances.
        ids: Which inputs.
        systems: Which systems.
        types: The types of the systems.
        fields: The fields.
    """

    def __init__(self, instances: Sequence[EvalInstance]) -> None:
        self.instances = instances
        self.ids = [one.instance_id for one in instances]
        self.systems = [one.summarizer_id for one in instances]
        self.types = [one.summarizer_type for one in instances]
        self.fields: list[dict[str, Any]] = [one.fields for one in instances]

        self._columns: dict[str, tuple[list[Any], set[type]]] = {}

    @cached_property
    def outputs(self) -> dict[tuple[str, str], int]:
        """The number of outputs of each system and type."""
        kinds = set(self.types)
        if len(kinds) == 1:
            kind = kinds.pop()
            return {(system, kind): count for system, count in Counter(self.systems).items()}
        return Counter(zip(self.systems, self.types, strict=True))

    def column(self, name: str) -> tuple[list[Any], set[type]]:
        """Returns the values of a field, `None` where it is not there, and the set of their types."""
        if name not in self._columns:
            try:
                values = list(map(itemgetter(name), self.fields))
            except KeyError:
                values = [fields.get(name) for fields in self.fields]
            self._columns[name] = values, set(map(type, values))
        return self._columns[name]
