"""Parts of a run: what is read of the input, and the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from metrics_framework.common.errors import DataError, FwError
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.score_names import Names
from metrics_framework.io.reading import Piece
from metrics_framework.metrics.base.batch_scores import BatchScores

if TYPE_CHECKING:
    from metrics_framework.io.open_files import OpenFile


class Part(NamedTuple):
    """A part of the input of a run.

    Args:
        number: The number of the part, counted from 0.
        pieces: The pieces of files to read, in order.
        instances: Outputs that the main process has read, instead of pieces.
    """

    number: int
    pieces: Sequence[Piece] = ()
    instances: Sequence[EvalInstance] | None = None


def plan(reader: DatasetReader, input_files: Sequence[str], size: int) -> list[Part] | None:
    """Splits the input into parts, in its order; small files share a part.

    Args:
        reader: Reads the files.
        input_files: The files.
        size: The greatest number of bytes of a part, if its files can be split.

    Returns:
        The parts; `None` if the reader needs all files together.
    """
    pieces = reader.pieces(input_files, size)
    return None if pieces is None else [Part(number, group) for number, group in enumerate(_groups(pieces, size))]


def _groups(pieces: Iterable[Piece], size: int) -> list[list[Piece]]:
    groups: list[list[Piece]] = []
    room = 0
    for piece in pieces:
        length = piece.size
        if length is None or length > room or not groups:
            groups.append([])
            room = size
        groups[-1].append(piece)
        room -= size if length is None else length
    return groups


class SortedKeys(NamedTuple):
    """The sort keys of the rows of a part, whose text is in an open file.

    Attributes:
        first: The first key.
        last: The last key.
        blocks: The keys in blocks, as bytes.
        sizes: The number of bytes of each row, as bytes of 32-bit integers.
    """

    first: str
    last: str
    blocks: list[bytes]
    sizes: bytes


class ReadPiece(NamedTuple):
    """The number of rows and the problems of a piece of a file.

    Attributes:
        path: The file.
        lines: The number of its lines or rows that were read.
        stopped: Whether a problem ended the reading of the file.
        unread: The first problems of reading; their lines are counted from the start of the piece.
        num_unread: The number of all of them.
        invalid: The first problems of rows that were read but cannot be scored.
        num_invalid: The number of all of them.
    """

    path: str
    lines: int
    stopped: bool
    unread: list[DataError]
    num_unread: int
    invalid: list[DataError]
    num_invalid: int


class Failure(NamedTuple):
    """The error of a metric, with the output that cannot be scored.

    Attributes:
        error: The error.
        piece: The number of the piece of the output that cannot be scored, if it is known.
        line: Its line, counted from the start of the piece.
        name: Its input and system, for messages.
    """

    error: FwError
    piece: int = 0
    line: int | None = None
    name: str = ""


@dataclass
class PartResult:
    """The scores of a part, and the sums and counts that are added over all parts.

    A part that the main process scores is one batch. It has been read and checked as part of the whole input, so it has
    no pieces, no summary and no hashes; and it is not added up, but brings its results.

    Attributes:
        number: The number of the part.
        pieces: For each piece of the part, its number of rows and its problems.
        summary: Counts of the input.
        tokenized: Maps systems to their numbers of outputs that look tokenized.
        unscored: For each metric, systems to their numbers of outputs without a score; empty if not requested.
        failure: The first error of a metric; later outputs of the part were checked, but not scored.
        names: For each batch with new combinations of score names, those of each metric.
        warnings: Python warnings: message, category, file and line.
        has_contradictory_types: Whether a system has outputs of two types.
        systems: The systems, in the order of their first outputs.
        system_numbers: For each output the index of its system, as bytes of 32-bit integers.
        input_hashes: For each output a hash of its input's id, as bytes of 64-bit integers.
        ids: Ids, types and lines of all outputs, from which duplicates are found if hashes are equal; empty if they
            are not requested.
        totals: For each metric what its totals need.
        rows: The rows of all outputs, if they are requested and not sorted.
        rows_file: Instead, an open file with the rows, which is closed after the part was yielded.
        sorted_keys: The keys of the rows in this file, if they are sorted.
        sorted_rows: Sort keys with their rows, sorted, if they are requested so.
        collected: What intervals and tests need; `None` if it must be collected from `batches`.
        batches: The outputs and their results, if they are requested.
    """

    number: int
    pieces: list[ReadPiece] = field(default_factory=list)
    summary: InputSummary = field(default_factory=InputSummary)
    tokenized: dict[str, int] = field(default_factory=dict)
    unscored: list[dict[str, int]] = field(default_factory=list)
    failure: Failure | None = None
    names: list[list[Names]] = field(default_factory=list)
    warnings: list[tuple[str, type[Warning], str, int]] = field(default_factory=list)
    has_contradictory_types: bool = False
    systems: list[str] = field(default_factory=list)
    system_numbers: bytes = b""
    input_hashes: bytes = b""
    ids: bytes = b""
    totals: list[Any] = field(default_factory=list)
    rows: str = ""
    rows_file: OpenFile | None = None
    sorted_keys: SortedKeys | None = None
    sorted_rows: list[tuple[str, str]] = field(default_factory=list)
    collected: Any = None
    batches: list[tuple[ColumnBatch, list[BatchScores]]] = field(default_factory=list)

    @property
    def num_outputs(self) -> int:
        """The number of outputs that can be scored."""
        return len(self.system_numbers) // 4


class PartSource(NamedTuple):
    """The results of the parts of a run, in their order, and what is reported while they are scored.

    Attributes:
        results: The results.
        advance: Shows progress, after the results of a part were used; `None` if all parts have been scored before.
        notes: Returns notes on a large input, which are printed when many outputs have been scored.
    """

    results: Iterable[PartResult]
    advance: Callable[[PartResult], object] | None = None
    notes: Callable[[], list[str]] = list
