"""`MetricsRow`: the scores of one output, as in score files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from metrics_framework.data.metrics_dict import MetricsDict


@dataclass
class MetricsRow:
    """The scores of one output.

    Args:
        instance_id: The input.
        summarizer_id: The system.
        summarizer_type: ``peer`` or ``reference``.
        metrics: The scores.
    """

    instance_id: str
    summarizer_id: str
    summarizer_type: str
    metrics: MetricsDict = field(default_factory=MetricsDict)

    def as_json(self) -> dict[str, Any]:
        """Returns the row as it is written, with keys in their fixed order."""
        return {
            "instance_id": self.instance_id,
            "summarizer_id": self.summarizer_id,
            "summarizer_type": self.summarizer_type,
            "metrics": self.metrics,
        }
