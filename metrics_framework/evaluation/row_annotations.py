"""Members of rows besides their scores, such as error spans that a metric predicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metrics_framework.common.errors import UsageError
from metrics_framework.data.metrics_dict import AnnotatedScores, annotations_of
from metrics_framework.io.jsonl import to_json
from metrics_framework.metrics.base.labelled_metric import LabelledMetric

_END = "}\n"


def annotated(lines: list[str], columns: Sequence[Sequence[Any]], metrics: Sequence[LabelledMetric]) -> list[str]:
    """Adds the annotations of scores to rows, after the scores.

    Args:
        lines: The rows, as JSON with a line break.
        columns: For each metric the scores of all outputs.
        metrics: The metrics.

    Raises:
        UsageError: if two metrics have an annotation of the same name.
    """
    owners: dict[str, LabelledMetric] = {}
    for metric, column in zip(metrics, columns, strict=True):
        if not any(isinstance(scores, AnnotatedScores) for scores in column):
            continue
        annotations = list(map(annotations_of, column))
        for name in dict.fromkeys(name for of_output in annotations for name in of_output):
            other = owners.setdefault(name, metric)
            if other is not metric:
                raise UsageError(
                    f"the metrics '{other.label}' and '{metric.label}' both write '{name}' into the rows; use one of "
                    "them in a run"
                )
        lines = [
            f"{line[: -len(_END)]}, {to_json(of_output)[1:-1]}{_END}" if of_output else line
            for line, of_output in zip(lines, annotations, strict=True)
        ]
    return lines
