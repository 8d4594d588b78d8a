"""`EvalInstance`: one output, with the fields that metrics need to score it."""

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
    fields: dict[str, Any] = field(default_factory=dict)
    path: str | None = None
    line: int | None = None
