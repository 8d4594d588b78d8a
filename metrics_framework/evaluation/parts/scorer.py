"""Scores parts of a run, in any process that has this package."""

from __future__ import annotations

import gc
import marshal
import warnings
from array import array
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import FwError, OutputError, Problems
from metrics_framework.evaluation.batch_scorer import BatchScorer, Scoring, with_sort_keys
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.evaluation.input.row_validation import invalid_rows
from metrics_framework.evaluation.input.validation import batches_of_piece, piece_batches
from metrics_framework.evaluation.parts.part import Failure, Part, PartResult, ReadPiece
from metrics_framework.evaluation.score_names import ScoreNames

if TYPE_CHECKING:
    from metrics_framework.evaluation.input.tokenized_outputs import TokenizedOutputs
    from metrics_framework.evaluation.parts.part_totals import TotalsEncoder
    from metrics_framework.evaluation.unscored_outputs import UnscoredOutputs

_COLLECTIONS = (200_000, 50, 1000)
"""The thresholds of the garbage collector while a part is scored: scoring creates many objects, but no cycles."""


class PartScorer:
    """Reads, checks and scores parts; problems of the input and errors of metrics are among the results.

    Args:
        scoring: How to score.
    """

    def __init__(self, scoring: Scoring) -> None:
        self.scoring = scoring

    def __call__(self, part: Part) -> PartResult:
        """Scores a part."""
        from metrics_framework.evaluation.parts.part_totals import IrregularError

        with _few_collections(), warnings.catch_warnings(record=True) as caught:
            try:
                result = _PartRun(self.scoring, part).result()
            except IrregularError:
                result = _PartRun(self.scoring, part, as_results=True).result()
        result.warnings = [
            (str(warning.message), warning.category, warning.filename, warning.lineno) for warning in caught
        ]
        return result

    def ids(self, part: Part) -> bytes:
        """Reads and checks a part again, and returns the ids of its outputs as `PartResult` has them."""
        with _few_collections(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they were issued before
            return _PartRun(self.scoring._replace(keeps_ids=True), part, only_checks=True).result().ids


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
        scoring: How to score.
        part: The part.
        as_results: Whether totals need the results themselves.
        only_checks: Whether to read and check the part, without scoring it.
    """

    def __init__(
        self,
        scoring: Scoring,
        part: Part,
        as_results: bool = False,
        only_checks: bool = False,
    ) -> None:
        self._scoring = scoring
        self._part = part
        self._result = PartResult(part.number)
        self._scorer = BatchScorer(scoring, ScoreNames(scoring.metrics))  # so that all names of the part are new
        self._tokenized: TokenizedOutputs | None = None
        if scoring.counts_tokenized:
            from metrics_framework.evaluation.input.tokenized_outputs import TokenizedOutputs

            self._tokenized = TokenizedOutputs(scoring.metrics)
        self._unscored: UnscoredOutputs | None = None
        if scoring.counts_unscored:
            from metrics_framework.evaluation.unscored_outputs import UnscoredOutputs

            self._unscored = UnscoredOutputs(scoring.metrics)
        self._encoders: list[TotalsEncoder] = []
        if scoring.has_totals:
            from metrics_framework.evaluation.parts.part_totals import TotalsEncoder

            for metric in (labelled.metric for labelled in scoring.metrics):
                self._encoders.append(TotalsEncoder(type(metric.new_total()), metric.has_kernel, as_results))
        if scoring.new_collector is not None:
            self._result.collected = scoring.new_collector()
        self._systems: dict[str, int] = {}
        self._system_numbers = array("I")
        self._hashes = bytearray()
        self._ids: list[Any] = []
        self._lines: list[str] = []
        self._only_checks = only_checks
        self._has_problems = False

    def result(self) -> PartResult:
        """Reads and scores the part."""
        for batch in piece_batches(iter(self._part.instances or ())):
            self._add(0, batch)
        fields, metrics, reader = self._scoring.fields, self._scoring.metrics, self._scoring.reader
        of_rows = None if reader is None or reader.row_fields is None else reader
        if of_rows is not None:
            of_rows.take_row_counts()
        for number, piece in enumerate(self._part.pieces):
            assert reader is not None
            unread, invalid = Problems(), Problems()
            wanted = None if self._scoring.all_fields else fields
            for batch in batches_of_piece(reader, piece, unread, wanted):
                problems = invalid_rows(batch, metrics, None)
                for problem in problems.values():
                    invalid.add(problem)
                self._has_problems = self._has_problems or bool(unread.count or invalid.count)
                if problems:
                    batch = ColumnBatch([row for index, row in enumerate(batch.instances) if index not in problems])
                self._add(number, batch, fields)
            found = (unread.kept, unread.count, invalid.kept, invalid.count)
            self._result.pieces.append(ReadPiece(piece.path, piece.lines, piece.stopped, *found))
        if of_rows is not None:
            self._result.summary.add_rows(of_rows)
        return self._finished()

    def _add(self, piece: int, batch: ColumnBatch, fields: Collection[str] | None = None) -> None:
        """Scores the outputs of a batch, unless there was a problem.

        Args:
            piece: The number of the piece.
            batch: The outputs.
            fields: The fields that metrics need, to count the outputs; `None` if the main process has counted them.
        """
        if not batch.ids:
            return
        numbers = self._number_systems(batch)
        if fields is not None:
            self._count(piece, batch, numbers, fields)
        if self._only_checks or self._has_problems or self._result.failure is not None:
            return
        try:
            self._score(batch)
        except FwError as error:
            self._result.failure = _failure(error, piece)

    def _number_systems(self, batch: ColumnBatch) -> array[int]:
        """Returns the number of the system of each output."""
        for system in batch.by_system:
            self._systems.setdefault(system, len(self._systems))
        numbers = array("I", map(self._systems.__getitem__, batch.systems))
        self._system_numbers += numbers
        return numbers

    def _score(self, batch: ColumnBatch) -> None:
        """Scores a batch, and adds the results."""
        lines, results, names = self._scorer(batch)
        if any(names):
            self._result.names.append(names)
        members = {self._systems[system]: indices for system, indices in batch.by_system.items()}
        for encoder, of_metric in zip(self._encoders, results, strict=False):
            encoder.add(of_metric, members)
        if self._tokenized is not None:
            self._tokenized.add(batch)
        if self._unscored is not None:
            self._unscored.add(batch, results)
        if self._result.collected is not None:
            self._result.collected.add(batch.ids, batch.systems, results)
        if self._scoring.sorts_rows:
            self._result.sorted_rows += with_sort_keys(batch, lines)
        else:
            self._lines += lines
        if self._scoring.keeps_batches:
            self._result.batches.append((batch, results))

    def _count(self, piece: int, batch: ColumnBatch, numbers: array[int], fields: Collection[str]) -> None:
        """Counts the outputs of a batch, and keeps hashes and types, to find duplicates and contradictory types."""
        summary = self._result.summary
        summary.add(batch, fields, self._scoring.metrics)
        for system, output_type in dict.fromkeys(zip(batch.systems, batch.types, strict=True)):
            if summary.types.setdefault(system, output_type) != output_type:
                self._result.has_contradictory_types = True
        from metrics_framework.evaluation.parts.input_hashes import hash_of

        hashes = {name: hash_of(name) for name in set(batch.ids)}
        self._hashes += b"".join(map(hashes.__getitem__, batch.ids))
        if self._scoring.keeps_ids:
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
        result.unscored = [] if self._unscored is None else self._unscored.counts
        result.rows = "".join(self._lines)
        result.sorted_rows.sort(key=itemgetter(0))
        return result


def _failure(error: FwError, piece: int) -> Failure:
    if isinstance(error, OutputError):
        return Failure(error, piece, error.line, error.output)
    return Failure(error, piece)


def outputs_of(part: PartResult) -> Iterator[tuple[Sequence[str], list[str], list[str], int, list[int | None]]]:
    """Yields the ids, systems, types, piece and lines of the outputs of a part, batch by batch."""
    for ids, numbers, types, piece, lines in marshal.loads(part.ids):
        systems = [part.systems[number] for number in array("I", numbers)]
        yield ids, systems, [types] * len(ids) if isinstance(types, str) else types, piece, lines
