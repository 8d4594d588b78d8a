"""`ScoredOutput`: one row of a score file."""

from __future__ import annotations

from typing import NamedTuple

from metrics_framework.common.errors import location_of
from metrics_framework.data.field_names import OTHER_NAMES
from metrics_framework.data.identity import IDENTITY_FIELDS
from metrics_framework.data.metrics_dict import MetricsDict

INSTANCE_NAMES, SUMMARIZER_NAMES, TYPE_NAMES = ((name, *OTHER_NAMES[name]) for name in IDENTITY_FIELDS)
"""The names of ids and types in score files: this package's name first, then names of other programs."""


class ScoredOutput(NamedTuple):
    """The scores of an output, and where they were read.

    Args:
        instance_id: The input.
        summarizer_id: The system.
        summarizer_type: ``peer``, ``reference``, or `None` if the file has none.
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
        """The key that rows of the same output share."""
        return self.instance_id, self.summarizer_id

    @property
    def name(self) -> str:
        """The output as error messages name it."""
        return f"instance '{self.instance_id}' of summarizer '{self.summarizer_id}'"

    @property
    def location(self) -> str:
        """The file and line of the row, as ``file:line``."""
        return location_of(self.path, self.line)
