"""`MetricsRow`: the scores of one output, a row of a score file as it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from metrics_framework.common.errors import InputError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import shown


@dataclass
class MetricsRow:
    """The scores of one output.

    Args:
        instance_id: The input.
        summarizer_id: The system.
        summarizer_type: ``peer`` or ``reference``.
        metrics: The scores; a plain dictionary becomes a `MetricsDict`.

    Raises:
        InputError: if the scores are not a dictionary.
    """

    instance_id: str
    summarizer_id: str
    summarizer_type: str
    metrics: MetricsDict = field(default_factory=MetricsDict)

    def __post_init__(self) -> None:
        if type(self.metrics) is MetricsDict:  # nearly always
            return
        if not isinstance(self.metrics, Mapping):
            raise InputError(f"'metrics' must be a dictionary of scores, got {shown(self.metrics)}")
        self.metrics = MetricsDict(self.metrics)

    def as_json(self) -> dict[str, Any]:
        """Returns the row as it is written, with keys in their fixed order."""
        return {
            "instance_id": self.instance_id,
            "summarizer_id": self.summarizer_id,
            "summarizer_type": self.summarizer_type,
            "metrics": self.metrics,
        }


OutputKey: TypeAlias = "tuple[str | None, str, str]"
"""An output of one of several data sets: data set, instance id and summarizer id."""


def name_of_output(unit: tuple[str, str], data_set: str | None = None) -> str:
    """Returns an output as messages name it.

    >>> name_of_output(("7", "ours")), name_of_output(("7", ""), "en-de")
    ("instance '7' of summarizer 'ours'", "instance '7' in 'en-de'")
    """
    instance, summarizer = unit
    system = f" of summarizer '{summarizer}'" if summarizer else ""
    return f"instance '{instance}'{system}" + ("" if data_set is None else f" in '{data_set}'")
