"""`EvalInstance`: one output, with the fields that metrics need to score it."""

from __future__ import annotations

from dataclasses import dataclass
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
