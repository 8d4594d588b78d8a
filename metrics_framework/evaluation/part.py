"""Parts of the input of a run: how it is divided, and how a part is read, checked and scored in any process.

The results of a part are plain data, and problems of the input and errors of metrics are among them, because an engine
would try a part again that raises an error.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from metrics_framework.common.errors import FwError, Problems
from metrics_framework.data.eval_instance import ColumnBatch, EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.checked_input import InputSummary, batches_of_piece, valid_rows
from metrics_framework.evaluation.scoring import BatchScorer, ScoredBatch, Scoring
from metrics_framework.inputs.checks import TextSample
from metrics_framework.inputs.keys import InputColumns
from metrics_framework.io.reading import Piece, consecutive

PARTS_PER_WORKER = 8
"""The least number of parts per worker, so that all end at about the same time."""
MAX_PART = 1 << 23
"""The greatest number of bytes of a part; its rows and results are in memory."""
MIN_PART = 1 << 12
_COLLECTIONS = (200_000, 50, 1000)
"""The thresholds of the garbage collector while a part is scored: scoring creates many objects, but no cycles."""


class Part(NamedTuple):
    """A part of the input of a run.

    Args:
        number: The number of the part, counted from 0.
        pieces: The pieces of files to read, in order.
        instances: Outputs that the main process has read and checked, instead of pieces.
    """

    number: int
    pieces: Sequence[Piece] = ()
    instances: Sequence[EvalInstance] | None = None


class ReadPiece(NamedTuple):
    """The number of rows and the problems of a piece of a file.

    Attributes:
        path: The file.
        lines: The number of its lines or rows that were read.
        stopped: Whether a problem ended the reading of the file.
        unread: The problems of reading; their lines are counted from the start of the piece.
        invalid: The problems of rows that were read but cannot be scored.
    """

    path: str
    lines: int
    stopped: bool
    unread: Problems
    invalid: Problems


@dataclass
class PartResult:
    """The scores of a part, and what was found in it.

    Attributes:
        number: The number of the part.
        batches: The outputs and their scores, each with the index of its piece; after a problem, only the outputs.
        pieces: For each piece of the part, its number of rows and its problems.
        summary: Counts of the input.
        failure: The first error of a metric, and the index of its piece; later outputs were checked, but not scored.
        warnings: Python warnings: message, category, file and line.
        collected: What intervals and tests need; `None` if it was not requested.
    """

    number: int
    batches: list[tuple[int, ScoredBatch]] = field(default_factory=list)
    pieces: list[ReadPiece] = field(default_factory=list)
    summary: InputSummary = field(default_factory=InputSummary)
    failure: tuple[FwError, int] | None = None
    warnings: list[tuple[str, type[Warning], str, int]] = field(default_factory=list)
    collected: Any = None


def parts_of(reader: DatasetReader, input_files: Sequence[str], size: int) -> list[Part] | None:
    """Divides the input into parts, in its order; small files share a part.

    Args:
        reader: Reads the files.
        input_files: The files.
        size: The greatest number of bytes of a part, if its files can be split.

    Returns:
        The parts; `None` if the reader needs all files together.
    """
    pieces = reader.pieces(input_files, size)
    if pieces is None:
        return None
    groups = consecutive([piece.size for piece in pieces], size)
    return [Part(number, [pieces[index] for index in group]) for number, group in enumerate(groups)]


@dataclass
class PartScorer:
    """Reads, checks and scores parts.

    Args:
        scoring: How to score.
        reader: Reads the pieces of files.
    """

    scoring: Scoring
    reader: DatasetReader

    def __call__(self, part: Part) -> PartResult:
        """Scores a part."""
        new_collector = self.scoring.new_collector
        result = PartResult(part.number, collected=None if new_collector is None else new_collector())
        score = BatchScorer(self.scoring, result.collected)
        with _few_collections(), warnings.catch_warnings(record=True) as caught:
            for index, batch in [] if part.instances is None else [(0, ColumnBatch(part.instances))]:
                self._score(result, score, index, batch)
            self._read(part.pieces, result, score)
        result.warnings = [(str(one.message), one.category, one.filename, one.lineno) for one in caught]
        return result

    def _read(self, pieces: Sequence[Piece], result: PartResult, score: BatchScorer) -> None:
        """Reads, checks and scores pieces of files."""
        if self.scoring.checks_texts:
            result.summary.texts = TextSample()
        of_rows = pieces and self.reader.row_fields is not None
        if of_rows:
            self.reader.take_row_counts()
        fields, metrics, has_problems = self.scoring.fields, self.scoring.metrics, False
        columns = InputColumns()
        for index, piece in enumerate(pieces):
            unread, invalid = Problems(), Problems()
            wanted = None if self.scoring.all_fields else fields
            for batch in batches_of_piece(self.reader, piece, unread, wanted):
                batch = valid_rows(batch, metrics, invalid, self.reader.row_fields is not None)
                has_problems = has_problems or bool(unread.count or invalid.count)
                if batch.ids:
                    if of_rows:
                        batch.checksums = columns.checksums(batch, self.reader.row_counts().varying)
                    result.summary.add(batch, fields, metrics)
                    if has_problems or result.failure is not None:
                        result.batches.append((index, ScoredBatch(batch.without_fields())))
                    else:
                        self._score(result, score, index, batch)
            result.pieces.append(ReadPiece(piece.path, piece.lines, piece.stopped, unread, invalid))
        if of_rows:
            result.summary.add_rows(self.reader)

    def _score(self, result: PartResult, score: BatchScorer, index: int, batch: ColumnBatch) -> None:
        try:
            scored = score(batch)
        except FwError as error:
            result.failure = error, index
            scored = ScoredBatch(batch.without_fields())
        else:
            scored = scored if self.scoring.keeps_batches else scored.to_send(self.scoring)
        result.batches.append((index, scored))


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
