"""Scores a batch of outputs with every metric of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.evaluation.json_rows import RowLines, Scores
from metrics_framework.evaluation.score_names import Names, ScoreNames
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.metrics.base.metric import Statistics

Column: TypeAlias = "tuple[Sequence[Scores], Sequence[Statistics | None]]"
Batch: TypeAlias = "Sequence[EvalInstance]"


@dataclass
class Scoring:
    """What a run does with its outputs; other processes are sent one of these.

    Args:
        metrics: The metrics.
        score: Scores a batch of outputs with every metric.
        lines: Whether lines are to be made.
        totals: Whether the scores are needed for totals.
    """

    metrics: Sequence[LabelledMetric]
    score: Callable[[Batch], list[Column]]
    lines: bool
    totals: bool


class ScoredBatch(NamedTuple):
    """Some outputs with their scores.

    Attributes:
        instances: The outputs.
        lines: For each output its row, under the names that scores have in this run; empty if none are to be made.
        columns: For each metric the scores of all outputs, and their additive statistics where it has any; empty if
            there are to be no totals.
        names: For each metric the names of scores that no batch before had.
    """

    instances: Batch
    lines: list[str]
    columns: list[Column]
    names: list[Names]


class BatchScorer:
    """Scores one batch after the other.

    Args:
        scoring: What to do.
    """

    def __init__(self, scoring: Scoring) -> None:
        self.scoring = scoring
        self.names = ScoreNames(scoring.metrics)
        self._lines = RowLines()

    def __call__(self, batch: Batch) -> ScoredBatch:
        """Scores a batch."""
        columns = self.scoring.score(batch)
        renamed, names = self.names.renamed([scores for scores, _ in columns])
        lines = self._lines.lines(batch, renamed) if self.scoring.lines else []
        return ScoredBatch(batch, lines, columns if self.scoring.totals else [], names)
