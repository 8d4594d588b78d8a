"""``score``: scores each output, with jackknifing, as input of meta-evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass

from metrics_framework.common.logs import Log
from metrics_framework.data.identity import order_keys
from metrics_framework.data.jackknifers import JACKKNIFED
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batch_scorer import ScoredBatch, Scoring
from metrics_framework.evaluation.grouping import Grouping
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.input.validation import Duplicates
from metrics_framework.evaluation.json_rows import RowWriter
from metrics_framework.evaluation.run import number_of_processes, scored_batches
from metrics_framework.evaluation.storage.external_sort import ExternalSort, sort_keys
from metrics_framework.kernels.dispatch import Request
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.metrics.base.metric import Metric

SCORES_AND_JACKKNIFED = Request.SCORES | Request.JACKKNIFED


@dataclass
class JackknifeScorer:
    """Scores batches of outputs and their leave-one-out variants.

    If the metric has a jackknifer, a ``peer`` gets its scores and, with the suffix ``_jk``, the means over its
    variants, if it has any. A ``reference`` gets its scores with the suffix only: the references of its row should not
    contain it, so its scores are comparable to the jackknifed scores of peers. Without a jackknifer, every output gets
    scores without the suffix.

    Args:
        metrics: The metrics.
        peers: Whether to compute jackknifed scores of peers.
    """

    metrics: Sequence[LabelledMetric]
    peers: bool = True

    def __call__(self, batch: ColumnBatch) -> list[BatchScores]:
        """Scores a batch with every metric."""
        grouping = Grouping(batch)
        if self.peers and set(batch.types) == {"peer"}:
            return [_score_peers(grouping, metric.metric, may_be_json=not metric.is_renamed) for metric in self.metrics]
        is_peer = [self.peers and output_type == "peer" for output_type in batch.types]
        peers, others = (
            Grouping(ColumnBatch([row for row, peer in zip(batch.instances, is_peer, strict=True) if peer is wanted]))
            for wanted in (True, False)
        )
        results = []
        for metric in (labelled.metric for labelled in self.metrics):
            if metric.jackknifer is None:
                results.append(grouping.score(metric, Request.SCORES))
                continue
            of_peers = iter(_score_peers(peers, metric, may_be_json=False).scores)
            of_others = iter(others.score(metric, Request.SCORES).scores)
            scores = [
                next(of_peers) if peer else _named_by_type(output_type, next(of_others))
                for output_type, peer in zip(batch.types, is_peer, strict=True)
            ]
            results.append(BatchScores(scores))
        return results


def _score_peers(grouping: Grouping, metric: Metric, may_be_json: bool) -> BatchScores:
    """Scores peers with a metric; as JSON if that is allowed and a kernel supports it."""
    if metric.jackknifer is None:
        return grouping.score(metric, Request.SCORES)
    results = grouping.score(metric, SCORES_AND_JACKKNIFED | Request.JSON if may_be_json else SCORES_AND_JACKKNIFED)
    for scores, mean in zip(results.scores, results.jackknifed or (), strict=False):
        scores.update({f"{name}{JACKKNIFED}": value for name, value in (mean or {}).items()})
    return results


def _named_by_type(output_type: str, scores: MetricsDict) -> MetricsDict:
    """Adds the suffix to the names of the scores of a reference."""
    if output_type != "reference":
        return scores
    return MetricsDict({f"{name}{JACKKNIFED}": value for name, value in scores.items()})


def score(
    reader: DatasetReader,
    input_files: Sequence[str],
    metrics: Sequence[LabelledMetric],
    write: Callable[[str], object],
    log: Log,
    *,
    peers: bool = True,
    duplicates: Duplicates = "error",
    jobs: int = 1,
) -> int:
    """Scores the outputs of files and returns their number.

    Args:
        reader: Reads the files.
        input_files: The files.
        metrics: The metrics.
        write: Receives strings of complete rows: one line of JSON for each output, sorted by input and system,
            numbers by value; the first row has the signatures.
        log: Receives warnings.
        peers: Whether to compute jackknifed scores of peers.
        duplicates: What to do with a second output of a system for the same input.
        jobs: The number of processes that score.

    Raises:
        DataError: if the input is invalid.
        UsageError: if two metrics have a score of the same name.
        ProcessError: if a worker process cannot be started or dies.
    """
    summary = InputSummary()
    scoring = Scoring(metrics, JackknifeScorer(metrics, peers), lines=True, totals=False)
    jobs = 1 if jobs == 1 else number_of_processes(metrics, jobs, log)
    if jobs == 1:
        with closing(scored_batches(reader, input_files, scoring, summary, log, duplicates)) as batches:
            _write_sorted(RowWriter(write, metrics), batches)
    else:
        from metrics_framework.evaluation.parallel.copier import Copier
        from metrics_framework.evaluation.parts.local import scored_parts
        from metrics_framework.evaluation.parts.scorer import Task
        from metrics_framework.evaluation.parts.sorted_parts import write_sorted_parts

        task = Task(scoring, sorts_rows=True)
        with (
            closing(scored_parts(reader, input_files, task, summary, log, duplicates, jobs)) as parts,
            Copier() as copier,
        ):
            write_sorted_parts(RowWriter(write, metrics, copier), parts)
    summary.warn(log)
    return sum(summary.outputs.values())


def _write_sorted(rows: RowWriter, batches: Iterable[ScoredBatch]) -> None:
    """Writes the rows of all batches, sorted."""
    with closing(ExternalSort()) as sort:
        for batch, lines, _, _ in batches:
            keys = sort_keys(order_keys(batch.ids), order_keys(batch.systems))
            sort.add(zip(keys, lines, strict=True))
        for block in sort.sorted_blocks():
            rows.write([line for _, line in block])
