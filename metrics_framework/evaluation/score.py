"""``score``: the scores of each output with jackknifing, sorted, for judging the metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from metrics_framework.common.logs import Log
from metrics_framework.data.jackknifers import JACKKNIFED
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batch_scorer import Scoring
from metrics_framework.evaluation.grouping import Grouping
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.input.validation import Duplicates
from metrics_framework.evaluation.json_rows import RowWriter
from metrics_framework.evaluation.run import scored_batches
from metrics_framework.evaluation.storage.external_sort import ExternalSort, sort_keys
from metrics_framework.kernels.dispatch import Request
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.metrics.base.metric import Metric

MEANS = Request.SCORES | Request.JACKKNIFED


@dataclass
class JackknifeScorer:
    """Scores batches of outputs, and their leave-one-out variants.

    With a jackknifer, a ``peer`` gets its scores and, under the same names with the suffix ``_jk``, the means over the
    variants, if there are any. A ``reference`` only gets scores with the suffix: the plain ones, against the references
    of its row. Without a jackknifer every output gets the plain scores.

    Args:
        metrics: The metrics.
        peers: Whether peers get jackknifed scores.
    """

    metrics: Sequence[LabelledMetric]
    peers: bool = True

    def __call__(self, batch: ColumnBatch) -> list[BatchScores]:
        """Scores a batch with every metric."""
        grouping = Grouping(batch)
        if self.peers and set(batch.types) == {"peer"}:
            return [_of_peers(grouping, metric.metric, may_be_json=not metric.is_renamed) for metric in self.metrics]
        is_peer = [self.peers and kind == "peer" for kind in batch.types]
        peers, others = (
            Grouping(ColumnBatch([one for one, peer in zip(batch.instances, is_peer, strict=True) if peer is wanted]))
            for wanted in (True, False)
        )
        results = []
        for metric in (labelled.metric for labelled in self.metrics):
            if metric.jackknifer is None:
                results.append(grouping.score(metric, Request.SCORES))
                continue
            of_peers = iter(_of_peers(peers, metric, may_be_json=False).scores)
            of_others = iter(others.score(metric, Request.SCORES).scores)
            rows = zip(batch.types, is_peer, strict=True)
            results.append(
                BatchScores([next(of_peers) if peer else _of_other(kind, next(of_others)) for kind, peer in rows])
            )
        return results


def _of_peers(grouping: Grouping, metric: Metric, may_be_json: bool) -> BatchScores:
    """Scores peers with a metric; where a kernel can, as JSON."""
    if metric.jackknifer is None:
        return grouping.score(metric, Request.SCORES)
    found = grouping.score(metric, MEANS | Request.JSON if may_be_json else MEANS)
    for scores, mean in zip(found.scores, found.jackknifed or (), strict=False):
        scores.update({f"{name}{JACKKNIFED}": value for name, value in (mean or {}).items()})
    return found


def _of_other(kind: str, scores: MetricsDict) -> MetricsDict:
    if kind != "reference":
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
        write: Writes rows of JSON, many in one string, sorted by instance and summarizer; the first has the signatures.
        log: Receives warnings.
        peers: Whether peers get jackknifed scores.
        duplicates: What to do with a second output of one system for one input.
        jobs: The number of processes that score.

    Raises:
        DataError: if the input is invalid.
        UsageError: if two metrics have a score of the same name.
        ProcessError: if another process cannot be started, or ended early.
    """
    summary, rows = InputSummary(), RowWriter(write, metrics)
    scoring = Scoring(metrics, JackknifeScorer(metrics, peers), lines=True, totals=False)
    scored = scored_batches(reader, input_files, scoring, summary, log, duplicates, jobs)
    with closing(scored), closing(ExternalSort()) as sort:
        for found in scored:
            sort.add(zip(sort_keys(found.batch.ids, found.batch.systems), found.lines, strict=True))
        for block in sort.sorted_blocks():
            rows.write([line for _, line in block])
    summary.warn(log)
    return sum(summary.outputs.values())
