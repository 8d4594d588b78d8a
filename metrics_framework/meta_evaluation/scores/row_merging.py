"""Merges the rows of one output from several files, and reports rows that contradict each other.

Most rows have other scores than the rows of earlier files, or the same values, which is seen from their columns. Only
the remaining rows are merged one by one.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

import numpy as np

from metrics_framework.common.arrays import Bools, Indices
from metrics_framework.common.errors import DataError, InputError, Problems
from metrics_framework.data.metrics_dict import RELATIVE_TOLERANCE, MetricsDict
from metrics_framework.data.scored_output import ScoredOutput
from metrics_framework.meta_evaluation.scores.score_block import (
    FLOAT,
    INTEGER,
    MISSING,
    OTHER,
    Column,
    Path,
    ScoreBlock,
    flat_name,
)
from metrics_framework.meta_evaluation.scores.scored_outputs import ScoreTable

_RENAME_SCORES = "; to compare scores of one name, score with a label: fw score --metric NAME:label=OTHER"


class RowMerging:
    """Checks that the rows of each output can be merged.

    Args:
        table: The rows of all files.
        problems: Collects contradictions.
    """

    def __init__(self, table: ScoreTable, problems: Problems) -> None:
        self._table = table
        self._problems = problems
        self._contradictory: set[int] = set()
        self._has_advised = False

    def check(self, block: ScoreBlock, outputs: Bools | None = None) -> None:
        """Compares the rows of a file with the rows of earlier files.

        Args:
            block: The rows.
            outputs: Whether each output is checked; `None` for all.
        """
        earlier = self._table.blocks[: self._table.blocks.index(block)]
        rows_of = [other.rows_of(len(self._table)) for other in earlier]
        numbers = np.asarray(block.outputs)
        rows = np.flatnonzero(numbers >= 0 if outputs is None else (numbers >= 0) & outputs[numbers])
        doubtful: Bools = np.isin(numbers[rows], [*self._contradictory])
        for other, row_of in zip(earlier, rows_of, strict=True):
            others = row_of[numbers[rows]]
            shared = np.flatnonzero(others >= 0)
            doubtful[shared] |= _differ((block, rows[shared]), (other, others[shared]))
        for row in sorted(rows[doubtful].tolist(), key=block.place):
            number = block.outputs[row]
            parts = self._parts(number, zip(earlier, rows_of, strict=True))
            self._merge(parts, self._table.part(block, row), number)

    def check_names(self) -> None:
        """Reports outputs that have two scores whose flat names are the same, nested in different ways."""
        paths: dict[str, set[Path]] = {}
        for block in self._table.blocks:
            for path in block.columns:
                if path[-1] is not None:
                    paths.setdefault(flat_name(path), set()).add(path)
        same = [of_name for of_name in paths.values() if len(of_name) > 1]
        if not same:
            return
        found: Bools = np.zeros(len(self._table), dtype=np.bool_)
        for of_name in same:
            found |= np.sum([self._having(path) for path in of_name], axis=0) > 1
        blocks = [(block, block.rows_of(len(self._table))) for block in self._table.blocks]
        for number in np.flatnonzero(found).tolist():
            parts = self._parts(number, blocks)
            try:
                _merged(parts).flatten()
            except InputError as error:
                self._problems.add(DataError(f"{parts[0].name}: {error}", parts[-1].path, parts[-1].line))

    def _having(self, path: Path) -> Bools:
        """Returns which outputs have a score."""
        having: Bools = np.zeros(len(self._table) + 1, dtype=np.bool_)  # the last one is of rows that are not used
        for block in self._table.blocks:
            if path in block.columns:
                having[np.asarray(block.outputs)[block.columns[path].rows]] = True
        return having[:-1]

    def _parts(self, number: int, blocks: Iterable[tuple[ScoreBlock, Indices]]) -> list[ScoredOutput]:
        """Returns the rows of an output in some files."""
        return [self._table.part(block, int(row_of[number])) for block, row_of in blocks if row_of[number] >= 0]

    def _merge(self, parts: Sequence[ScoredOutput], output: ScoredOutput, number: int) -> None:
        """Merges a row with the earlier rows of its output."""
        try:
            _merged(parts).merge(output.metrics)
            _check_type(parts, output)
        except InputError as error:
            self._contradictory.add(number)
            location = next((part.location for part in parts if _contradict(part, output)), "")
            advice = "" if self._has_advised else _RENAME_SCORES
            self._has_advised = True
            self._problems.add(
                DataError(f"{output.name}: {error} (first at {location}){advice}", output.path, output.line)
            )
        except DataError as problem:
            self._contradictory.add(number)
            self._problems.add(problem)


def _merged(parts: Sequence[ScoredOutput]) -> MetricsDict:
    """Merges rows, without those that contradict earlier ones."""
    merged = MetricsDict()
    for part in parts:
        try:
            merged = merged.merge(part.metrics)
        except InputError:
            continue
    return merged


def _check_type(parts: Sequence[ScoredOutput], output: ScoredOutput) -> None:
    for part in parts:
        types = part.summarizer_type, output.summarizer_type
        if None not in types and types[0] != types[1]:
            raise DataError(
                f"{output.name} has the type '{types[1]}', but '{types[0]}' at {part.location}",
                output.path,
                output.line,
            )


def _contradict(first: ScoredOutput, second: ScoredOutput) -> bool:
    try:
        MetricsDict(first.metrics).merge(second.metrics)
    except InputError:
        return True
    return False


def _differ(first: tuple[ScoreBlock, Indices], second: tuple[ScoreBlock, Indices]) -> Bools:
    """Returns which rows of one file may contradict those of another file for the same outputs.

    Args:
        first: A file and some of its rows.
        second: Another file and its rows, of the same outputs.
    """
    (block, rows), (other, others) = first, second
    types, other_types = np.asarray(block.types)[rows], np.asarray(other.types)[others]
    found: Bools = (types > 0) & (other_types > 0) & (types != other_types)
    for path in block.columns.keys() & other.columns.keys():
        found |= _values_differ(block.columns[path], rows, other.columns[path], others)
    for path, prefix in _prefixes(block.columns, other.columns):
        found |= block.columns[path].at(rows)[1] & other.columns[prefix].at(others)[1]
    for path, prefix in _prefixes(other.columns, block.columns):
        found |= other.columns[path].at(others)[1] & block.columns[prefix].at(rows)[1]
    return found


def _prefixes(paths: Iterable[Path], scores: Container[Path]) -> Iterator[tuple[Path, Path]]:
    """Yields paths and those of their beginnings that are scores themselves."""
    for path in paths:
        for end in range(1, len(path)):
            if path[:end] in scores:
                yield path, path[:end]


def _values_differ(first: Column, rows: Indices, second: Column, others: Indices) -> Bools:
    """Returns which scores of two files differ; scores that one file lacks do not differ."""
    (one, has_one), (other, has_other) = first.at(rows), second.at(others)
    found: Bools = has_one & has_other
    both = np.flatnonzero(found)
    one, other = one[both], other[both]
    x, z = first.values[one], second.values[other]
    kinds, other_kinds = first.kinds[one], second.kinds[other]
    numbers = (kinds <= INTEGER) & (other_kinds <= INTEGER)
    with np.errstate(over="ignore"):
        differences = np.abs(x - z)
        close = (differences <= np.abs(RELATIVE_TOLERANCE * x)) | (differences <= np.abs(RELATIVE_TOLERANCE * z))
    floats = (kinds == FLOAT) & (other_kinds == FLOAT)
    same = numbers & ((x == z) | (floats & (close | (np.isnan(x) & np.isnan(z)))))
    same |= (kinds == MISSING) & (other_kinds == MISSING)
    for index in np.flatnonzero((kinds == OTHER) & (other_kinds == OTHER)).tolist():
        same[index] = bool(first.score(int(one[index])) == second.score(int(other[index])))
    found[both] = ~same
    return found
