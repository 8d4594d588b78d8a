"""The result of scoring a part."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError, FwError
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.score_names import Names
from metrics_framework.io.open_files import OpenFile
from metrics_framework.metrics.base.batch_scores import BatchScores


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

    Attributes:
        number: The number of the part.
        pieces: For each piece of the part, its number of rows and its problems.
        summary: Counts of the input.
        tokenized: Maps systems to their numbers of outputs that look tokenized.
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
        sorted_rows: Sort keys and rows, sorted, if they are requested so.
        collected: What intervals and tests need.
        batches: The outputs and their results, if they are requested.
    """

    number: int
    pieces: list[ReadPiece] = field(default_factory=list)
    summary: InputSummary = field(default_factory=InputSummary)
    tokenized: dict[str, int] = field(default_factory=dict)
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
    sorted_rows: tuple[list[str], list[str]] = ([], [])
    collected: Any = None
    batches: list[tuple[list[EvalInstance], list[BatchScores]]] = field(default_factory=list)

    @property
    def num_outputs(self) -> int:
        """The number of outputs that can be scored."""
        return len(self.system_numbers) // 4
