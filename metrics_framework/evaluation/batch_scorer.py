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
    """What a run does with its outputs; worker processes receive one of these.

    Args:
        metrics: The metrics.
        score: Scores a batch of outputs with every metric.
        lines: Whether rows are written.
        totals: Whether the scores are needed for totals.
    """

    metrics: Sequence[LabelledMetric]
    score: Callable[[ColumnBatch], list[BatchScores]]
    lines: bool
    totals: bool


class ScoredBatch(NamedTuple):
    """A batch of outputs with their scores.

    Attributes:
        batch: The outputs.
        lines: For each output its row, with the names that scores have in this run; empty if no rows are written.
        results: For each metric the results of all outputs; empty if no totals are needed.
        names: For each metric the names of scores that no earlier batch had.
    """

    batch: ColumnBatch
    lines: list[str]
    results: list[BatchScores]
    names: list[Names]


class BatchScorer:
    """Scores one batch after the other.

    Args:
        scoring: What to do.
    """

    def __init__(self, scoring: Scoring) -> None:
        self.scoring = scoring
        self.names = ScoreNames(scoring.metrics)
        self._formatter = RowFormatter() if scoring.lines else None

    def __call__(self, batch: ColumnBatch) -> ScoredBatch:
        """Scores a batch."""
        results = self.scoring.score(batch)
        renamed, names = self.names.renamed([found.json or found.scores for found in results])
        lines = [] if self._formatter is None else self._formatter.lines(batch, renamed)
        return ScoredBatch(batch, lines, results if self.scoring.totals else [], names)
