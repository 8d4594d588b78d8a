"""Reads, checks and scores a part; it runs in any process that has this package."""

from __future__ import annotations

import gc
import marshal
import warnings
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from operator import itemgetter
from typing import Any

from metrics_framework.common.errors import FwError, OutputError, Problems
from metrics_framework.data.identity import order_keys
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batch_scorer import BatchScorer, ScoredBatch, Scoring
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.evaluation.input.row_validation import invalid_rows
from metrics_framework.evaluation.input.tokenized_outputs import TokenizedOutputs
from metrics_framework.evaluation.input.validation import batches_of_piece, piece_batches
from metrics_framework.evaluation.parts.part import Part
from metrics_framework.evaluation.parts.result import Failure, PartResult, ReadPiece
from metrics_framework.evaluation.parts.totals import IrregularError, TotalsEncoder
from metrics_framework.evaluation.storage.external_sort import sort_keys

_HASH_BYTES = 8
_COLLECTIONS = (200_000, 50, 1000)
"""The thresholds of the garbage collector while a part is scored: scoring creates many objects, but no cycles."""


@dataclass
class Task:
    """What to do with each part of a run; it is sent to the processes that score parts.

    Args:
        scoring: How to score.
        reader: Reads pieces of files; `None` if all outputs are read already.
        sorts_rows: Whether the rows of a part are sorted by input and system.
        counts_tokenized: Whether to count outputs that look tokenized.
        new_collector: Returns an object that collects what intervals and tests need; `None` for neither.
        keeps_batches: Whether to return the outputs and their results.
        keeps_ids: Whether to return the ids of the outputs; they can also be read again.
    """

    scoring: Scoring
    reader: DatasetReader | None = None
    sorts_rows: bool = False
    counts_tokenized: bool = False
    new_collector: Callable[[], Any] | None = None
    keeps_batches: bool = False
    keeps_ids: bool = False


class PartScorer:
    """Scores parts.

    Args:
        task: What to do with each part.
    """

    def __init__(self, task: Task) -> None:
        self.task = task

    def __call__(self, part: Part) -> PartResult:
        """Scores a part."""
        with _few_collections(), warnings.catch_warnings(record=True) as caught:
            try:
                result = _PartRun(self.task, part).result()
            except IrregularError:
                result = _PartRun(self.task, part, as_results=True).result()
        result.warnings = [
            (str(warning.message), warning.category, warning.filename, warning.lineno) for warning in caught
        ]
        return result

    def ids(self, part: Part) -> bytes:
        """Reads and checks a part again, and returns the ids of its outputs as `PartResult` has them."""
        with _few_collections(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they were issued before
            return _PartRun(replace(self.task, keeps_ids=True), part, only_checks=True).result().ids


@contextmanager
def _few_collections() -> Iterator[None]:
    """Collects garbage rarely, and excludes existing objects, such as those of an engine."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*_COLLECTIONS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


class _PartRun:
    """The scoring of one part.

    Args:
        task: What to do.
        part: The part.
        as_results: Whether totals need the results themselves.
        only_checks: Whether to read and check the part, without scoring it.
    """

    def __init__(self, task: Task, part: Part, as_results: bool = False, only_checks: bool = False) -> None:
        self._task = task
        self._part = part
        self._result = PartResult(part.number)
        self._scorer = BatchScorer(task.scoring)
        self._fields = {name for metric in task.scoring.metrics for name in metric.metric.fields}
        summary = self._result.summary
        summary.ascii_metrics = [metric.label for metric in task.scoring.metrics if metric.metric.reads_only_ascii]
        self._tokenized = TokenizedOutputs(task.scoring.metrics) if task.counts_tokenized else None
        self._collector = None if task.new_collector is None else task.new_collector()
        self._encoders = [
            TotalsEncoder(type(metric.metric.new_total()), metric.metric.has_kernel, as_results)
            for metric in (task.scoring.metrics if task.scoring.totals else ())
        ]
        self._systems: dict[str, int] = {}
        self._system_numbers = array("I")
        self._hashes = bytearray()
        self._ids: list[Any] = []
        self._lines: list[str] = []
        self._keys: list[str] = []
        self._only_checks = only_checks
        self._has_problems = False

    def result(self) -> PartResult:
        """Reads and scores the part."""
        if self._part.instances is not None:
            for batch in piece_batches(iter(self._part.instances)):
                self._add(0, batch)
        for number, piece in enumerate(self._part.pieces):
            assert self._task.reader is not None
            unread, invalid = Problems(), Problems()
            fields = None if self._task.keeps_batches else self._fields
            for batch in batches_of_piece(self._task.reader, piece, unread, fields):
                problems = invalid_rows(batch, self._task.scoring.metrics, None)
                for problem in problems.values():
                    invalid.add(problem)
                self._has_problems = self._has_problems or bool(unread.count or invalid.count)
                if problems:
                    batch = ColumnBatch([row for index, row in enumerate(batch.instances) if index not in problems])
                self._add(number, batch)
            found = (unread.kept, unread.count, invalid.kept, invalid.count)
            self._result.pieces.append(ReadPiece(piece.path, piece.lines, piece.stopped, *found))
        return self._finished()

    def _add(self, piece: int, batch: ColumnBatch) -> None:
        """Counts the outputs of a batch and, unless there was a problem, scores them."""
        if not batch.ids:
            return
        for system in batch.by_system:
            self._systems.setdefault(system, len(self._systems))
        numbers = array("I", map(self._systems.__getitem__, batch.systems))
        self._system_numbers += numbers
        if self._part.instances is None:  # else the main process checks and counts them
            self._count(piece, batch, numbers)
        if self._only_checks or self._has_problems or self._result.failure is not None:
            return
        try:
            self._collect(batch, self._scorer(batch))
        except FwError as error:
            self._result.failure = _failure(error, piece)

    def _collect(self, batch: ColumnBatch, scored: ScoredBatch) -> None:
        """Adds the results of a batch."""
        if any(scored.names):
            self._result.names.append(scored.names)
        members = {self._systems[system]: indices for system, indices in batch.by_system.items()}
        for encoder, results in zip(self._encoders, scored.results, strict=False):
            encoder.add(results, members)
        if self._tokenized is not None:
            self._tokenized.add(batch)
        if self._collector is not None:
            self._collector.add(batch.ids, batch.systems, scored.results)
        if self._task.sorts_rows:
            self._keys += sort_keys(order_keys(batch.ids), order_keys(batch.systems))
        self._lines += scored.lines
        if self._task.keeps_batches:
            self._result.batches.append((list(batch.instances), scored.results))

    def _count(self, piece: int, batch: ColumnBatch, numbers: array[int]) -> None:
        """Counts the outputs of a batch, and keeps hashes and types, to find duplicates and contradictory types."""
        summary = self._result.summary
        summary.add(batch, self._fields)
        for system, output_type in dict.fromkeys(zip(batch.systems, batch.types, strict=True)):
            if summary.types.setdefault(system, output_type) != output_type:
                self._result.has_contradictory_types = True
        hashes = {name: hash_of(name) for name in set(batch.ids)}
        self._hashes += b"".join(map(hashes.__getitem__, batch.ids))
        if self._task.keeps_ids:
            types = batch.types[0] if len(set(batch.types)) == 1 else batch.types
            self._ids.append((batch.ids, numbers.tobytes(), types, piece, batch.lines))

    def _finished(self) -> PartResult:
        result = self._result
        result.systems = list(self._systems)
        result.system_numbers = self._system_numbers.tobytes()
        result.input_hashes = bytes(self._hashes)
        result.ids = marshal.dumps(self._ids)
        result.totals = [encoder.finish() for encoder in self._encoders]
        result.tokenized = {} if self._tokenized is None else self._tokenized.counts
        result.collected = self._collector
        if self._task.sorts_rows:
            rows = sorted(zip(self._keys, self._lines, strict=True), key=itemgetter(0))
            result.sorted_rows = [key for key, _ in rows], [line for _, line in rows]
        else:
            result.rows = "".join(self._lines)
        return result


def hash_of(instance_id: str) -> bytes:
    """Returns a hash of an id, the same in every process; 64 bits, as little-endian bytes."""
    return blake2b(instance_id.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()


def _failure(error: FwError, piece: int) -> Failure:
    if isinstance(error, OutputError):
        return Failure(error, piece, error.line, error.output)
    return Failure(error, piece)


def outputs_of(part: PartResult) -> Iterator[tuple[Sequence[str], list[str], list[str], int, list[int | None]]]:
    """Yields the ids, systems, types, piece and lines of the outputs of a part, batch by batch."""
    for ids, numbers, types, piece, lines in marshal.loads(part.ids):
        systems = [part.systems[number] for number in array("I", numbers)]
        yield ids, systems, [types] * len(ids) if isinstance(types, str) else types, piece, lines
