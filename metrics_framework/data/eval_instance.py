"""`EvalInstance`: one output to be scored, with all that a metric may need."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SUMMARIZER_TYPES = ("peer", "reference")


@dataclass(slots=True)
class EvalInstance:
    """Holds one output of one system.

    Args:
        instance_id: Which input.
        summarizer_id: Which system.
        summarizer_type: ``peer`` (a system) or ``reference`` (a person).
        fields: Field name (``summary``, ``references``, ``source``, ``documents``, …) to value.
        path: The file it came from, for messages.
        line: The line in that file.
    """

    instance_id: str
    summarizer_id: str
    summarizer_type: str
    fields: dict[str, Any] = field(default_factory=dict)
    path: str | None = None
    line: int | None = None
