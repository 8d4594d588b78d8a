"""Splits batches into chunks for worker processes and joins the scores; results do not depend on the split."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import FIELD_CHECKS
from metrics_framework.evaluation.batch_scorer import BatchScorer, ScoredBatch, Scoring
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.evaluation.parallel.worker_pool import TaskResult, WorkerPool
from metrics_framework.evaluation.score_names import Names
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.metrics.base.totals import MeanTotal, StatisticsTotal

CHUNKS_PER_WORKER = 2
"""Chunks of a batch per worker: with one each, all workers would wait for the slowest chunk."""

Row: TypeAlias = "tuple[str, str, str, list[Any], list[Any]]"
"""An output as sent to a worker: ids, type, separate fields, and shared fields.

Consecutive outputs with equal shared fields hold the same list, which `pickle` writes once.
"""


class SentFields(NamedTuple):
    """The names of the fields that are sent to workers.

    Attributes:
        separate: Fields sent for every output.
        shared: Context fields, which outputs for the same input usually have in common.
    """

    separate: tuple[str, ...]
    shared: tuple[str, ...]


def sent_fields(metrics: Sequence[LabelledMetric]) -> SentFields:
    """Returns the fields that the metrics need."""
    contexts = {name for metric in metrics for name in metric.metric.required_context_fields}
    names = dict.fromkeys(name for metric in metrics for name in metric.metric.fields)
    shared = [name for name in names if name in contexts and name in FIELD_CHECKS]
    return SentFields(tuple(name for name in names if name not in shared), tuple(shared))


class ScoredChunk(NamedTuple):
    """The scores of a chunk; `ScoredBatch` describes the attributes."""

    lines: list[str]
    results: list[BatchScores]
    names: list[Names]


class ChunkScorer:
    """Scores chunks in a worker process.

    Args:
        scoring: How to score.
    """

    def __init__(self, scoring: Scoring) -> None:
        self._fields = sent_fields(scoring.metrics)
        self._scorer = BatchScorer(scoring)
        self._totals = [type(metric.metric.new_total()) for metric in scoring.metrics]

    def __call__(self, rows: Sequence[Row]) -> ScoredChunk:
        """Scores a chunk."""
        names = (*self._fields.separate, *self._fields.shared)
        instances = [
            EvalInstance(instance_id, system, system_type, dict(zip(names, (*separate, *shared), strict=True)))
            for instance_id, system, system_type, separate, shared in rows
        ]
        scored = self._scorer(ColumnBatch(instances))
        for result, total in zip(scored.results, self._totals, strict=False):
            if total is StatisticsTotal:  # needs no scores
                result.scores = []
            elif total is MeanTotal:  # plain dictionaries are pickled faster
                result.scores = list(map(dict, result.scores))  # type: ignore[arg-type]
        return ScoredChunk(scored.lines, scored.results, scored.names)


class SplitBatch:
    """A batch that is split into chunks, and the results of the chunks.

    Outputs for the same input are neighbors, mostly in the same chunk, so that their references are processed once.

    Args:
        batch: The batch.
        fields: The fields to send.
        max_chunks: The largest number of chunks.

    Attributes:
        num_chunks: The number of chunks.
        results: The results of the chunks that were scored so far, in order.
    """

    def __init__(self, batch: ColumnBatch, fields: SentFields, max_chunks: int) -> None:
        self.batch = batch
        self.results: list[TaskResult] = []
        self._fields = fields
        groups: dict[str, list[int]] = {}
        for index, name in enumerate(batch.ids):
            groups.setdefault(name, []).append(index)
        self._order = [*chain.from_iterable(groups.values())]
        self._chunk_size = -(-len(batch.ids) // max_chunks)
        self.num_chunks = -(-len(batch.ids) // self._chunk_size)

    def chunks(self) -> Iterator[list[Row]]:
        """Yields the rows of each chunk."""
        shared: list[Any] = []
        for start in range(0, len(self._order), self._chunk_size):
            rows = []
            for index in self._order[start : start + self._chunk_size]:
                instance = self.batch.instances[index]
                separate = [instance.fields[name] for name in self._fields.separate]
                contexts = [instance.fields[name] for name in self._fields.shared]
                if contexts != shared:
                    shared = contexts
                rows.append((instance.instance_id, instance.summarizer_id, instance.summarizer_type, separate, shared))
            yield rows

    def scored(self, scorer: BatchScorer) -> ScoredBatch:
        """Joins the results of the chunks and issues their warnings.

        If a chunk failed, the whole batch is scored again in this process, so that the run ends with the same error as
        with one process.

        Args:
            scorer: Scores the batch in this process.
        """
        if any(result.failed for result in self.results):
            return scorer(self.batch)
        for result in self.results:
            for warning in result.warnings:
                warnings.warn_explicit(*warning, registry=_warning_registries.setdefault(warning[2], {}))
        scored: list[ScoredChunk] = [result.value for result in self.results]
        results = [
            BatchScores(
                self._in_order(chain.from_iterable(part.scores for part in parts)),
                None
                if parts[0].statistics is None
                else self._in_order(chain.from_iterable(part.statistics or () for part in parts)),
            )
            for parts in zip(*(chunk.results for chunk in scored), strict=True)
        ]
        names = [set[tuple[str, ...]]().union(*parts) for parts in zip(*(chunk.names for chunk in scored), strict=True)]
        lines = self._in_order(chain.from_iterable(chunk.lines for chunk in scored))
        return ScoredBatch(self.batch, lines, results, names)

    def _in_order(self, values: Iterator[Any]) -> list[Any]:
        """Returns values, given chunk after chunk, in the order of the batch."""
        ordered = dict(zip(self._order, values, strict=False))
        return [ordered[index] for index in range(len(ordered))]


_warning_registries: dict[str, dict[Any, Any]] = {}
"""For each file the warnings already issued, so that a warning of several workers is shown once."""


def scored_in_chunks(batches: Iterator[ColumnBatch], scorer: BatchScorer, pool: WorkerPool) -> Iterator[ScoredBatch]:
    """Yields batches with their scores, in the order of the batches.

    Args:
        batches: The batches.
        scorer: Scores batches in this process if a worker fails.
        pool: The workers.
    """
    fields = sent_fields(scorer.scoring.metrics)
    unfinished: deque[SplitBatch] = deque()

    def chunks() -> Iterator[list[Row]]:
        for batch in batches:
            split = SplitBatch(batch, fields, CHUNKS_PER_WORKER * pool.count)
            unfinished.append(split)
            yield from split.chunks()

    for result in pool.map(chunks()):
        split = unfinished[0]
        split.results.append(result)
        if len(split.results) == split.num_chunks:
            unfinished.popleft()
            yield split.scored(scorer)
