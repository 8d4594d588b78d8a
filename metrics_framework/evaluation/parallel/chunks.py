"""Batches in pieces: several processes score one batch, and what comes of it is as if one had."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import CHECKS
from metrics_framework.evaluation.batch_scorer import BatchScorer, ScoredBatch, Scoring
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.evaluation.parallel.worker_pool import Answer, Workers
from metrics_framework.evaluation.score_names import Names
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.metrics.base.totals import MeanTotal, StatisticsTotal

CHUNKS_PER_WORKER = 2
"""In so many pieces a batch is cut for each process: who is done with one is not to wait long for the last."""

Row: TypeAlias = "tuple[str, str, str, list[Any], list[Any]]"
"""An output as it is sent: ids and type, its own fields, and those it shares, often one list for several outputs."""


class Fields(NamedTuple):
    """Which fields are sent.

    Attributes:
        own: Those of every output.
        shared: Texts that outputs for one input may share.
    """

    own: tuple[str, ...]
    shared: tuple[str, ...]


def fields_of(metrics: Sequence[LabelledMetric]) -> Fields:
    """Returns the fields that metrics look at."""
    contexts = {name for one in metrics for name in one.metric.required_context_fields}
    names = dict.fromkeys(name for one in metrics for name in one.metric.fields)
    shared = [name for name in names if name in contexts and name in CHECKS]
    return Fields(tuple(name for name in names if name not in shared), tuple(shared))


class ScoredChunk(NamedTuple):
    """The scores of a chunk; `ScoredBatch` describes the attributes."""

    lines: list[str]
    results: list[BatchScores]
    names: list[Names]


class ChunkScorer:
    """Scores pieces, in another process.

    Args:
        scoring: What to do.
    """

    def __init__(self, scoring: Scoring) -> None:
        self._fields = fields_of(scoring.metrics)
        self._scorer = BatchScorer(scoring)
        self._totals = [type(one.metric.new_total()) for one in scoring.metrics]

    def __call__(self, rows: Sequence[Row]) -> ScoredChunk:
        """Scores a piece."""
        names = (*self._fields.own, *self._fields.shared)
        instances = [
            EvalInstance(instance_id, system, kind, dict(zip(names, (*own, *shared), strict=True)))
            for instance_id, system, kind, own, shared in rows
        ]
        scored = self._scorer(ColumnBatch(instances))
        for found, total in zip(scored.results, self._totals, strict=False):
            if total is StatisticsTotal:  # needs no scores
                found.scores = []
            elif total is MeanTotal:  # plain dictionaries are sent faster
                found.scores = list(map(dict, found.scores))  # type: ignore[arg-type]
        return ScoredChunk(scored.lines, scored.results, scored.names)


class SplitBatch:
    """A batch, the pieces it is cut into, and what became of them.

    Outputs for one input are in one piece as far as may be, so that work on what they share is done once.

    Args:
        batch: The batch.
        fields: The fields to send.
        pieces: How many pieces there are to be.
    """

    def __init__(self, batch: ColumnBatch, fields: Fields, pieces: int) -> None:
        self.batch = batch
        self.answers: list[Answer] = []
        self._fields = fields
        groups: dict[str, list[int]] = {}
        for index, name in enumerate(batch.ids):
            groups.setdefault(name, []).append(index)
        self._order = [*chain.from_iterable(groups.values())]
        self._size = -(-len(batch.ids) // pieces)
        self.pieces = -(-len(batch.ids) // self._size)

    def rows(self) -> Iterator[list[Row]]:
        """Gives the rows of one piece after the other; fields that are equal from row to row are sent once."""
        shared: list[Any] = []
        for start in range(0, len(self._order), self._size):
            rows = []
            for index in self._order[start : start + self._size]:
                one = self.batch.instances[index]
                fields = one.fields
                own = [fields[name] for name in self._fields.own]
                mine = [fields[name] for name in self._fields.shared]
                if mine != shared:
                    shared = mine
                rows.append((one.instance_id, one.summarizer_id, one.summarizer_type, own, shared))
            yield rows

    def scored(self, scorer: BatchScorer) -> ScoredBatch:
        """Puts together what became of the pieces.

        A batch with a piece that failed is scored here once more: the error that ends the run is then the one that a
        run of one process ends with.

        Args:
            scorer: Scores in this process.
        """
        if any(answer.failed for answer in self.answers):
            return scorer(self.batch)
        for answer in self.answers:
            for warned in answer.warned:
                warnings.warn_explicit(*warned, registry=_told.setdefault(warned[2], {}))
        scored: list[ScoredChunk] = [answer.value for answer in self.answers]
        results = [
            BatchScores(
                self._in_order(chain.from_iterable(part.scores for part in parts)),
                None
                if parts[0].statistics is None
                else self._in_order(chain.from_iterable(part.statistics or () for part in parts)),
            )
            for parts in zip(*(one.results for one in scored), strict=True)
        ]
        names = [set[tuple[str, ...]]().union(*parts) for parts in zip(*(one.names for one in scored), strict=True)]
        lines = self._in_order(chain.from_iterable(one.lines for one in scored))
        return ScoredBatch(self.batch, lines, results, names)

    def _in_order(self, values: Iterator[Any]) -> list[Any]:
        """Puts values that stand in the order of the pieces into that of the batch."""
        ordered = dict(zip(self._order, values, strict=False))
        return [ordered[index] for index in range(len(ordered))]


_told: dict[str, dict[Any, Any]] = {}


def scored_in_chunks(batches: Iterator[ColumnBatch], scorer: BatchScorer, workers: Workers) -> Iterator[ScoredBatch]:
    """Gives batches with their scores, in their order.

    Args:
        batches: The batches.
        scorer: Scores in this process what failed in another.
        workers: The other processes.
    """
    fields = fields_of(scorer.scoring.metrics)
    under_way: deque[SplitBatch] = deque()

    def pieces() -> Iterator[list[Row]]:
        for batch in batches:
            division = SplitBatch(batch, fields, CHUNKS_PER_WORKER * workers.count)
            under_way.append(division)
            yield from division.rows()

    for answer in workers.map(pieces()):
        division = under_way[0]
        division.answers.append(answer)
        if len(division.answers) == division.pieces:
            under_way.popleft()
            yield division.scored(scorer)
