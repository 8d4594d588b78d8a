"""From files to scored outputs, one batch at a time: what ``evaluate`` and ``score`` share."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

from metrics_framework.common.logs import Log
from metrics_framework.common.progress import Progress
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batches import Duplicates, Seen, checked_batches
from metrics_framework.evaluation.labels import LabelledMetric, Names, ScoreNames
from metrics_framework.evaluation.row_lines import RowLines, Scores
from metrics_framework.kernels.dispatch import is_without_native
from metrics_framework.metrics.metric import Statistics

MANY_OUTPUTS = 10_000
BUILDS = "builds them when this package is installed, and scores come many times faster"
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


def scored_batches(
    reader: DatasetReader,
    input_files: Sequence[str],
    scoring: Scoring,
    seen: Seen,
    log: Log,
    duplicates: Duplicates = "error",
    jobs: int = 1,
) -> Generator[ScoredBatch, None, None]:
    """Gives the outputs of files with their scores, in the order of the files.

    Args:
        reader: Reads the files.
        input_files: The files.
        scoring: What to do with the outputs.
        seen: Takes note of what was read.
        log: Takes warnings.
        duplicates: What to do with a second output of one system for one input.
        jobs: How many processes score; one means this one. What is given does not depend on it.

    Raises:
        DataError: if the input is not as it must be.
        UsageError: if two metrics give a score of the same name.
        ProcessError: if another process cannot be started, or is gone.
    """
    scorer = BatchScorer(scoring)
    batches = checked_batches(reader, input_files, scoring.metrics, seen, duplicates)
    with Progress("scored", "outputs", log) as progress, _means(scorer, jobs) as scored:
        for batch in scored(batches):
            scorer.names.claim(batch.names)
            yield batch
            before = progress.count
            progress.advance(len(batch.instances))
            if before < MANY_OUTPUTS <= progress.count and is_without_native():
                log.note(f"more than {MANY_OUTPUTS:,} outputs are scored without native kernels; a C compiler {BUILDS}")
    seen.tell(log)


@contextmanager
def _means(scorer: BatchScorer, jobs: int) -> Iterator[Callable[[Iterator[Batch]], Iterator[ScoredBatch]]]:
    """Gives what scores batches: this process alone, or others with it."""
    if jobs == 1:
        yield partial(map, scorer)
        return
    from metrics_framework.evaluation.pieces import PieceScorer, scored_in_pieces
    from metrics_framework.evaluation.workers import started

    with started(partial(PieceScorer, scorer.scoring), jobs) as workers:
        yield partial(scored_in_pieces, scorer=scorer, workers=workers)
