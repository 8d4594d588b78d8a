"""Scores of an output with what a metric found in it, such as error spans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics_framework.data.metrics_dict import MetricsDict

PREDICTED_SPANS = "predicted_spans"
"""The annotation of metrics that predict error spans."""


class AnnotatedScores(MetricsDict):
    """The scores of one output, and further members of its row; sums and means have none.

    Args:
        values: The scores.
        annotations: The members of the row besides its scores, as JSON values: ``predicted_spans``.
    """

    def __init__(self, values: Mapping[str, Any] | None = None, annotations: Mapping[str, Any] | None = None) -> None:
        super().__init__(values)
        self.annotations = dict(annotations or {})


def annotations_of(scores: Any) -> dict[str, Any]:
    """Returns the further members of the row of an output; none for plain scores.

    >>> annotations_of(AnnotatedScores({"a": 1}, {"predicted_spans": []})), annotations_of({"a": 1})
    ({'predicted_spans': []}, {})
    """
    return scores.annotations if isinstance(scores, AnnotatedScores) else {}
