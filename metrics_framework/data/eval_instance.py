"""Outputs with the fields that metrics need: one (`EvalInstance`), or consecutive ones of a file as columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class EvalInstance:
    """One output of a system.

    Args:
        instance_id: The input.
        summarizer_id: The system.
        summarizer_type: ``peer`` (a system) or ``reference`` (a person).
        fields: The value of each field (``summary``, ``references``, ``source``, ``documents``, …).
        path: The file it was read from, for messages.
        line: The line in that file.
    """

    instance_id: str
    summarizer_id: str
    summarizer_type: str
    fields: dict[str, Any]
    path: str | None
    line: int | None

    def __init__(
        self,
        instance_id: str,
        summarizer_id: str,
        summarizer_type: str,
        fields: dict[str, Any] | None = None,
        path: str | None = None,
        line: int | None = None,
    ) -> None:
        self.instance_id = instance_id
        self.summarizer_id = summarizer_id
        self.summarizer_type = summarizer_type
        self.fields = {} if fields is None else fields
        self.path = path
        self.line = line


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
