"""From files to scored outputs, one batch at a time: what ``evaluate`` and ``score`` share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from metrics_framework.common.logs import Log
from metrics_framework.common.progress import Progress
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batches import Duplicates, Seen, checked_batches
from metrics_framework.evaluation.labels import LabelledMetric, ScoreNames
from metrics_framework.evaluation.row_lines import Scores
from metrics_framework.metrics.metric import Statistics

Column: TypeAlias = "tuple[Sequence[Scores], Sequence[Statistics | None]]"
Scorer: TypeAlias = Callable[[Sequence[EvalInstance]], list[Column]]


class ScoredBatch(NamedTuple):
    """Some outputs with their scores.

    Attributes:
        instances: The outputs.
        rows: For each output its scores under each metric, by the names that they have in this run.
        columns: For each metric the scores of all outputs, and their additive statistics where it has any.
    """

    instances: Sequence[EvalInstance]
    rows: list[tuple[Any, ...]]
    columns: list[Column]


def scored_batches(
    reader: DatasetReader,
    input_files: Sequence[str],
    metrics: Sequence[LabelledMetric],
    scorer: Scorer,
    seen: Seen,
    log: Log,
    duplicates: Duplicates = "error",
) -> Iterator[ScoredBatch]:
    """Gives the outputs of files with their scores, in the order of the files.

    Args:
        reader: Reads the files.
        input_files: The files.
        metrics: The metrics.
        scorer: Scores a batch of outputs with every metric.
        seen: Takes note of what was read.
        log: Takes warnings.
        duplicates: What to do with a second output of one system for one input.

    Raises:
        DataError: if the input is not as it must be.
        UsageError: if two metrics give a score of the same name.
    """
    names = ScoreNames(metrics)
    with Progress("scored", "outputs", log) as progress:
        for batch in checked_batches(reader, input_files, metrics, seen, duplicates):
            columns = scorer(batch)
            labelled = names.labelled([scores for scores, _ in columns])
            yield ScoredBatch(batch, list(zip(*labelled, strict=True)), columns)
            progress.advance(len(batch))
    seen.tell(log)
