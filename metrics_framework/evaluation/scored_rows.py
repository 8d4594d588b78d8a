"""From files to scored rows, one at a time: what ``evaluate`` and ``score`` share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from metrics_framework.common.logs import Log
from metrics_framework.common.progress import Progress
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.metrics_row import MetricsRow
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batches import Duplicates, Seen, checked_batches
from metrics_framework.evaluation.labels import LabelledMetric, ScoreNames
from metrics_framework.metrics.metric import Metric, Scored

Scorer: TypeAlias = Callable[[Metric, Sequence[EvalInstance]], list[Scored]]


class ScoredRow(NamedTuple):
    """One output with its scores.

    Attributes:
        instance: The output.
        row: Its scores under every metric, as files hold them.
        results: For each metric the scores by themselves, and the additive statistics where it has any.
    """

    instance: EvalInstance
    row: MetricsRow
    results: list[Scored]


def scored_rows(
    reader: DatasetReader,
    input_files: Sequence[str],
    metrics: Sequence[LabelledMetric],
    scorer: Scorer,
    seen: Seen,
    log: Log,
    duplicates: Duplicates = "error",
) -> Iterator[ScoredRow]:
    """Gives the outputs of files with their scores, in the order of the files.

    Args:
        reader: Reads the files.
        input_files: The files.
        metrics: The metrics.
        scorer: Scores a batch of outputs with a metric.
        seen: Takes note of what was read.
        log: Takes warnings.
        duplicates: What to do with a second output of one system for one input.

    Raises:
        DataError: if the input is not as it must be.
        UsageError: if two metrics give a score of the same name.
    """
    names = ScoreNames()
    with Progress("scored", "outputs", log) as progress:
        for batch in checked_batches(reader, input_files, metrics, seen, duplicates):
            columns = [scorer(metric.metric, batch) for metric in metrics]
            for instance, *results in zip(batch, *columns, strict=True):
                row = MetricsRow(instance.instance_id, instance.summarizer_id, instance.summarizer_type)
                for metric, (scores, _) in zip(metrics, results, strict=True):
                    names.join(row.metrics, metric, metric.renamed(scores))
                yield ScoredRow(instance, row, results)
            progress.advance(len(batch))
    seen.tell(log)
