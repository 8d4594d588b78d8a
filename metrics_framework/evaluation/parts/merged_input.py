"""Checks over all parts: problems with the lines of whole files, duplicates, and systems of two types."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, nullcontext
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError, OutputError, Problems
from metrics_framework.evaluation.input.duplicates import Duplicate, DuplicateFinder
from metrics_framework.evaluation.input.row_validation import contradictory_type
from metrics_framework.evaluation.input.summary import InputSummary, no_outputs
from metrics_framework.evaluation.input.validation import OUTPUTS_IN_MEMORY, duplicate_problem, raise_problems
from metrics_framework.evaluation.parts.input_hashes import InputHashes
from metrics_framework.evaluation.parts.part import Failure, PartResult, ReadPiece
from metrics_framework.evaluation.parts.scorer import outputs_of

_FEW_NUMBERS = 5000


class _AddedPart(NamedTuple):
    """A part that was added; `starts` are the lines before each of its pieces, `None` if a problem ended its file."""

    number: int
    systems: list[str]
    paths: list[str]
    starts: list[int | None]


def checked(
    results: Iterable[PartResult], input_files: Sequence[str], summary: InputSummary, load_ids: Callable[[int], bytes]
) -> Iterator[PartResult]:
    """Yields the results of parts until there is a problem; the others are still checked.

    Args:
        results: The results of all parts, in their order.
        input_files: The files of the run.
        summary: Receives the counts of the input.
        load_ids: Returns the ids of a part, given its number.

    Raises:
        DataError: if the input is invalid, or has no outputs.
        FwError: if a metric failed.
    """
    with closing(MergedInput(input_files, summary, load_ids)) as merged:
        for result in results:
            with nullcontext() if result.rows_file is None else closing(result.rows_file):
                merged.add(result)
                if not merged.has_problems:
                    yield result
        merged.finish()


class MergedInput:
    """Adds what the parts of a run found in their input, part by part in the order of the parts.

    Duplicates are searched for with hashes of 64 bits. Only if two are equal, the ids of all outputs are compared, as
    in a run with one process.

    Args:
        input_files: The files of the run.
        summary: Receives the counts of the input.
        load_ids: Returns the ids of a part, given its number.

    Attributes:
        systems: The systems, in the order of their first outputs.
    """

    def __init__(self, input_files: Sequence[str], summary: InputSummary, load_ids: Callable[[int], bytes]) -> None:
        self.summary = summary
        self._load_ids = load_ids
        self.systems: dict[str, int] = {}
        self._input_files = input_files
        self._unread, self._invalid, self._contradictory, self._repeated = (Problems() for _ in range(4))
        self._lines: dict[str, int] = {}
        self._stopped: set[str] = set()
        self._is_contradictory = False
        self._hashes = InputHashes()
        self._parts: list[_AddedPart] = []

    def close(self) -> None:
        """Deletes temporary files."""
        self._hashes.close()

    def add(self, part: PartResult) -> None:
        """Adds a part.

        Raises:
            FwError: if a metric failed in this part, and no problem was found before.
        """
        starts: list[int | None] = []
        for piece in part.pieces:
            starts.append(None if piece.path in self._stopped else self._lines.get(piece.path, 0))
            self._add_piece(piece)
        if part.failure is not None and not self.has_problems:
            raise _located(part.failure, starts)
        for system, output_type in part.summary.types.items():
            if self.summary.types.get(system, output_type) != output_type:
                self._is_contradictory = True
        self._is_contradictory = self._is_contradictory or part.has_contradictory_types
        self.summary.merge(part.summary)
        numbers = array("I", (self.systems.setdefault(system, len(self.systems)) for system in part.systems))
        self._hashes.add(part.input_hashes, _renumbered(part.system_numbers, numbers))
        self._parts.append(_AddedPart(part.number, part.systems, [piece.path for piece in part.pieces], starts))

    def _add_piece(self, piece: ReadPiece) -> None:
        if piece.path in self._stopped:
            return
        start = self._lines.get(piece.path, 0)
        found = (self._unread, piece.unread, piece.num_unread), (self._invalid, piece.invalid, piece.num_invalid)
        for problems, kept, count in found:
            for problem in kept:
                problems.add(_moved(problem, piece.path, start))
            problems.count += count - sum(1 + problem.more for problem in kept)
        self._lines[piece.path] = start + piece.lines
        if piece.stopped:
            self._stopped.add(piece.path)

    def finish(self) -> None:
        """Counts the inputs.

        Raises:
            DataError: if there were problems, duplicates or systems of two types, or there are no outputs.
        """
        inputs, has_repeats = self._hashes.counts()
        self.summary.num_instances = inputs
        late, count = self._compared_ids() if has_repeats or self._is_contradictory else ([], 0)
        if self.has_problems or count:
            kinds = [self._unread, self._invalid, self._contradictory, self._repeated]
            raise_problems(kinds, late, count, self._input_files)
        if not self.summary.outputs:
            raise no_outputs(self.summary, self._input_files)

    @property
    def has_problems(self) -> bool:
        """Whether problems were found so far."""
        return any(len(kind) for kind in (self._unread, self._invalid, self._contradictory, self._repeated))

    def _compared_ids(self) -> tuple[list[Duplicate], int]:
        """Adds duplicates and outputs of systems of two types to the problems; returns what `DuplicateFinder` does."""
        types: dict[str, str] = {}
        with closing(DuplicateFinder(OUTPUTS_IN_MEMORY)) as finder:
            for number, systems, paths, starts in self._parts:
                part = PartResult(number, systems=systems, ids=self._load_ids(number))
                for names, systems_of_rows, types_of_rows, piece, lines in outputs_of(part):
                    path, start = paths[piece], starts[piece]
                    if start is None:  # of a file whose reading was ended by a problem
                        continue
                    positions = [(path, None if line is None else start + line) for line in lines]
                    rows = list(zip(names, systems_of_rows, types_of_rows, positions, strict=True))
                    self._add_rows(rows, types, finder)
            late, count = finder.finish()
            self.summary.num_instances = finder.num_instances
        return late, count

    def _add_rows(self, rows: Sequence[Any], types: dict[str, str], finder: DuplicateFinder) -> None:
        consistent = []
        for name, system, output_type, (path, line) in rows:
            known = types.setdefault(system, output_type)
            if known == output_type:
                consistent.append((name, system, path, line))
            else:
                self._contradictory.add(contradictory_type(system, output_type, known, path, line))
        if consistent:
            names, systems, paths, lines = zip(*consistent, strict=True)
            for duplicate in finder.add(names, systems, paths, lines):
                self._repeated.add(duplicate_problem(duplicate))


def _moved(problem: DataError, path: str, start: int) -> DataError:
    """Returns a problem with the line of the whole file."""
    if not start or problem.path != path or problem.line is None:
        return problem
    return DataError(problem.message, path, problem.line + start, problem.more)


def _located(failure: Failure, starts: Sequence[int | None]) -> Exception:
    """Returns the error of a metric, with the line of the whole file."""
    error = failure.error
    if isinstance(error, OutputError) and failure.line is not None and starts:
        error.place(error.path, failure.line + (starts[failure.piece] or 0), failure.name)
    return error


def _renumbered(numbers: bytes, of_all: array[int]) -> bytes:
    """Returns the number of the system of each output among all systems, given that among the systems of a part."""
    if all(number == index for index, number in enumerate(of_all)):
        return numbers
    if len(numbers) > 4 * _FEW_NUMBERS:
        import numpy as np

        return np.asarray(of_all)[np.frombuffer(numbers, dtype=np.uint32)].tobytes()
    return array("I", map(of_all.__getitem__, array("I", numbers))).tobytes()
