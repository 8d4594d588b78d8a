"""`ScoredOutput`: what one row of one file says of an output."""

from __future__ import annotations

from typing import NamedTuple

from metrics_framework.data.metrics_dict import MetricsDict


class ScoredOutput(NamedTuple):
    """Holds the scores of an output, and where they stand.

    Args:
        instance_id: Which input.
        summarizer_id: Which system.
        summarizer_type: ``peer``, ``reference`` or None, where the file does not say.
        metrics: The scores.
        path: The file.
        line: The line, counted from 1.
    """

    instance_id: str
    summarizer_id: str
    summarizer_type: str | None
    metrics: MetricsDict
    path: str
    line: int

    @property
    def key(self) -> tuple[str, str]:
        """What tells outputs apart."""
        return self.instance_id, self.summarizer_id

    @property
    def name(self) -> str:
        """The output as a message names it."""
        return f"instance '{self.instance_id}' of summarizer '{self.summarizer_id}'"

    @property
    def place(self) -> str:
        """The place as ``file:line``."""
        return f"{self.path}:{self.line}"
