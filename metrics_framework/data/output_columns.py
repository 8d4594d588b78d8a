"""`OutputColumns`: consecutive outputs of a file as columns, without an object for each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from metrics_framework.data.eval_instance import EvalInstance


@dataclass
class OutputColumns:
    """Consecutive outputs of a file.

    Args:
        ids: The input of each output.
        systems: The system of each output.
        types: The type of each output.
        fields: The values of each field; `None` for an output without it.
        path: The file.
        first: The row of the first output, counted from 1.
    """

    ids: list[str]
    systems: list[str]
    types: list[str]
    fields: dict[str, list[Any]] = field(default_factory=dict)
    path: str | None = None
    first: int = 1

    def instances(self) -> list[EvalInstance]:
        """Returns the outputs one by one."""
        names = list(self.fields)
        rows = zip(*self.fields.values(), strict=True) if names else [()] * len(self.ids)
        return [
            EvalInstance(instance_id, system, output_type, _present(names, values), self.path, line)
            for line, (instance_id, system, output_type, values) in enumerate(
                zip(self.ids, self.systems, self.types, rows, strict=True), self.first
            )
        ]


def _present(names: list[str], values: tuple[Any, ...]) -> dict[str, Any]:
    return {name: value for name, value in zip(names, values, strict=True) if value is not None}
