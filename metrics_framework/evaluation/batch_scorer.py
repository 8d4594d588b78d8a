"""Scores a batch of outputs with every metric of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.evaluation.json_rows import RowFormatter
from metrics_framework.evaluation.score_names import Names, ScoreNames
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.labelled_metric import LabelledMetric


@dataclass
class Scoring:
    """How a run scores its outputs; it is sent to worker processes.

    Args:
        metrics: The metrics.
        score: Scores a batch of outputs with every metric.
        lines: Whether to format rows.
        totals: Whether to return the results, for totals.
    """

    metrics: Sequence[LabelledMetric]
    score: Callable[[ColumnBatch], list[BatchScores]]
    lines: bool
    totals: bool


class ScoredBatch(NamedTuple):
    """A batch of outputs with their scores.

    Attributes:
        batch: The outputs.
        lines: For each output its row; empty if no rows are requested.
        results: For each metric the results of all outputs; empty if no totals are requested.
        names: For each metric the combinations of score names that no earlier batch had.
    """

    batch: ColumnBatch
    lines: list[str]
    results: list[BatchScores]
    names: list[Names]


class BatchScorer:
    """Scores batches of outputs.

    Args:
        scoring: How to score.
    """

    def __init__(self, scoring: Scoring) -> None:
        self.scoring = scoring
        self.names = ScoreNames(scoring.metrics)
        self._formatter = RowFormatter() if scoring.lines else None

    def __call__(self, batch: ColumnBatch) -> ScoredBatch:
        """Scores a batch."""
        results = self.scoring.score(batch)
        renamed, names = self.names.renamed([result.json or result.scores for result in results])
        lines = [] if self._formatter is None else self._formatter.lines(batch, renamed)
        return ScoredBatch(batch, lines, results if self.scoring.totals else [], names)
