"""Sorts rows that do not fit in memory: sorted runs are written to disk and merged at the end (decision 0001)."""

from __future__ import annotations

import marshal
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

from metrics_framework.common.errors import MAX_PROBLEMS_SHOWN
from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.keys import contradict

SEPARATOR = "\0\0"
"""Separates the columns of a row; `packed` escapes columns so that they cannot contain it."""


class ExternalSort:
    """Sorts strings; rows are strings, too (`packed`).

    Args:
        rows_in_memory: The number of rows at which the rows in memory are written to disk.
        runs_per_merge: The number of runs of a level that are merged into one run of the next level. Each is an open
            file, and operating systems limit the number of open files.
    """

    def __init__(self, rows_in_memory: int = 10_000, runs_per_merge: int = 32) -> None:
        self.rows_in_memory = rows_in_memory
        self.runs_per_merge = runs_per_merge
        self._rows_per_block = max(1, rows_in_memory // (2 * runs_per_merge))
        self._rows: list[str] = []
        self._levels: list[list[Run]] = [[]]

    def close(self) -> None:
        """Deletes the files on disk."""
        for run in chain.from_iterable(self._levels):
            run.close()

    def add(self, rows: Iterable[str]) -> None:
        """Adds rows in any order."""
        self._rows += rows
        if len(self._rows) >= self.rows_in_memory:
            self._write_run()

    def sorted_blocks(self) -> Iterator[list[str]]:
        """Yields all rows sorted, in lists of bounded size."""
        self._rows.sort()
        runs = [run.values() for run in chain.from_iterable(self._levels)]
        if runs:
            # a third of the rows that memory may hold: texts of the rows of a block fit into the cache of the CPU
            yield from merged([*runs, iter([self._rows])], max(1, self.rows_in_memory // (6 * len(runs))))
        elif self._rows:
            yield self._rows

    def _write_run(self) -> None:
        """Appends the rows in memory to the last run if they sort after it, else writes them as a new run."""
        rows, runs = sorted(self._rows), self._levels[0]
        self._rows = []
        if not (runs and runs[-1].last <= rows[0]):
            self._merge_full_levels(0)
            runs.append(Run(self._rows_per_block))
        runs[-1].write(rows)

    def _merge_full_levels(self, level: int) -> None:
        """Merges the runs of a level into one run of the next level if the level is full."""
        runs = self._levels[level]
        if len(runs) < self.runs_per_merge:
            return
        if len(self._levels) == level + 1:
            self._levels.append([])
        self._merge_full_levels(level + 1)
        merged_run = Run(self._rows_per_block)
        self._levels[level + 1].append(merged_run)
        for rows in merged([run.values() for run in runs], self._rows_per_block):
            merged_run.write(rows)
        for run in runs:
            run.close()
        runs.clear()


class MergeCursor:
    """The position of a merge in one of its runs.

    Attributes:
        rows: The rows that were read but not yet merged.
        ended: Whether the run was read to its end.
    """

    def __init__(self, blocks: Iterator[list[str]]) -> None:
        self.rows: list[str] = []
        self.ended = False
        self._blocks = blocks

    def fill(self, number: int) -> None:
        """Reads blocks until at least this number of rows is in memory, or the run ends."""
        while len(self.rows) < number and not self.ended:
            block = next(self._blocks, None)
            self.ended = block is None
            self.rows += block or ()

    def take(self, bound: str) -> list[str]:
        """Removes and returns the rows up to a bound, which is included."""
        end = bisect_right(self.rows, bound)
        taken, self.rows = self.rows[:end], self.rows[end:]
        return taken


def merged(runs: Sequence[Iterator[list[str]]], rows_per_run: int) -> Iterator[list[str]]:
    """Merges sorted runs and yields their rows in sorted lists.

    In each step, rows up to a bound are merged: the least of the last rows read so far.

    Args:
        runs: The runs, in blocks.
        rows_per_run: The number of rows of each run in memory; at most twice as many between two blocks.
    """
    cursors = [MergeCursor(blocks) for blocks in runs]
    while cursors:
        for cursor in cursors:
            cursor.fill(rows_per_run)
        if bounds := [cursor.rows[-1] for cursor in cursors if not cursor.ended]:
            yield sorted(chain.from_iterable([cursor.take(min(bounds)) for cursor in cursors]))
            cursors = [cursor for cursor in cursors if cursor.rows or not cursor.ended]
        else:
            if rows := sorted(chain.from_iterable([cursor.rows for cursor in cursors])):
                yield rows
            return


def packed(firsts: Sequence[str], seconds: Sequence[str], others: Iterable[str]) -> list[str]:
    r"""Joins columns into strings that sort as the rows do.

    Args:
        firsts: The first column.
        seconds: The second column.
        others: The other columns, without null characters, joined by `SEPARATOR`.

    >>> rows = packed(["a", "a\0", "a\1"], ["z", "", ""], ["1", "2", "3"])
    >>> rows == sorted(rows)
    True
    """
    if "\0" in "".join(firsts) or "\0" in "".join(seconds):
        firsts, seconds = ([one.replace("\0", "\0\1") for one in column] for column in (firsts, seconds))
    return [f"{one}{SEPARATOR}{two}{SEPARATOR}{last}" for one, two, last in zip(firsts, seconds, others, strict=True)]


def unpacked(rows: Sequence[str], number: int) -> list[list[str]]:
    r"""Returns the columns of rows, of which there are at least one; the first two as `unescaped` reads them.

    >>> unpacked(packed(["a\0"], ["\0z"], ["1"]), 3)
    [['a\x00\x01'], ['\x00\x01z'], ['1']]
    """
    cells = SEPARATOR.join(rows).split(SEPARATOR)
    return [cells[index::number] for index in range(number)]


def unescaped(cell: str) -> str:
    r"""Returns a value of the first two columns as it was packed.

    >>> unescaped("a\0\1")
    'a\x00'
    """
    return cell.replace("\0\1", "\0")


_SIZE_BYTES = 8
"""The length of the size that precedes each value in the file."""


class ScratchFile:
    """A file in the folder for temporary files, deleted when it is closed or the process ends.

    All values must be written before the first one is read. The format is that of `marshal`: the fastest in the
    standard library, and it accepts strings with lone surrogates. It depends on the Python version, which is safe here:
    only the process that writes the file reads it.

    Raises:
        OSError: if the file cannot be created, written or read, for example because the disk is full. The error names
            the temporary folder, which is not the output folder.
    """

    def __init__(self) -> None:
        import tempfile

        self._folder = tempfile.gettempdir()
        try:
            self._file = tempfile.TemporaryFile(prefix="fw-")  # noqa: SIM115 - open until close() is called
        except OSError as error:
            raise self._with_folder(error) from None

    @property
    def closed(self) -> bool:
        """Whether the file is deleted."""
        return self._file.closed

    def close(self) -> None:
        """Deletes the file."""
        with suppress(OSError):  # closing flushes, which may fail, but the file is no longer needed
            self._file.close()

    def write(self, value: Any) -> None:
        """Appends a value made of lists, tuples, strings, numbers and `None`."""
        data = marshal.dumps(value)
        try:
            self._file.write(len(data).to_bytes(_SIZE_BYTES, "little") + data)
        except OSError as error:
            raise self._with_folder(error) from None

    def values(self) -> Iterator[Any]:
        """Yields the values in the order in which they were written; only one iteration at a time."""
        try:
            self._file.seek(0)
            while size := self._file.read(_SIZE_BYTES):
                yield marshal.loads(self._file.read(int.from_bytes(size, "little")))
        except OSError as error:
            raise self._with_folder(error) from None

    def _with_folder(self, error: OSError) -> OSError:
        return OSError(error.errno, error.strerror, self._folder)


class Run(ScratchFile):
    """Sorted rows on disk; its values are blocks of rows.

    Args:
        rows_per_block: The greatest number of rows in a block.

    Attributes:
        last: The last row.
    """

    def __init__(self, rows_per_block: int) -> None:
        super().__init__()
        self.last = ""
        self._rows_per_block = rows_per_block

    @overrides
    def write(self, value: Any) -> None:
        """Appends sorted rows; none is less than `last`."""
        for start in range(0, len(value), self._rows_per_block):
            super().write(value[start : start + self._rows_per_block])
        self.last = value[-1]


# ---- duplicates among outputs ----------------------------------------------------------------------------------------


Duplicate: TypeAlias = tuple[str, str, tuple[str, str]]
"""The places of a further output of a system for an input and of the first one, and the ids of the two."""


@dataclass
class OutputsOnDisk:
    """Outputs that are sorted on disk, so that duplicates, and the outputs of one input, are neighbors.

    Args:
        sort: Sorts them; closed with them.

    Attributes:
        contradicts: Whether `duplicates` found an input whose checksums contradict each other.
    """

    sort: ExternalSort
    contradicts: bool = False
    _num_duplicates: int = 0
    _num_inputs: int = 0

    def add(self, ids: Sequence[str], systems: Sequence[str], places: Iterable[str]) -> None:
        """Adds outputs.

        Args:
            ids: Their inputs.
            systems: Their systems.
            places: Strings that sort in the order of the input, and checksums, joined by `SEPARATOR`.
        """
        self.sort.add(packed(ids, systems, places))

    def duplicates(self) -> tuple[list[Duplicate], int, int]:
        """Returns the first duplicates, the number of all duplicates, and the number of inputs."""
        from heapq import nsmallest

        earliest = nsmallest(MAX_PROBLEMS_SHOWN, self._duplicates_among(self.sort.sorted_blocks()))
        return earliest, self._num_duplicates, self._num_inputs

    def _duplicates_among(self, blocks: Iterable[list[str]]) -> Iterator[Duplicate]:
        """Yields the duplicates among sorted rows, counts duplicates and inputs, and compares checksums."""
        first: list[str] = []
        name, total = "", 0
        for block in blocks:
            rows = first + block
            ids, systems, places, checksums = unpacked(rows, 4)
            inputs = len(set(ids))
            self._num_inputs += inputs - len(first)
            first = rows[-1:]
            if inputs == len(ids):
                name, total = ids[-1], int(checksums[-1])
                continue
            for one, checksum in zip(ids, map(int, checksums), strict=True):
                if one == name and checksum != total:
                    self.contradicts = self.contradicts or contradict(total, checksum)
                name, total = one, total * (one == name) | checksum
            outputs, known = list(zip(ids, systems, strict=True)), 0
            if len(set(outputs)) == len(ids):
                continue
            for index in range(1, len(rows)):
                if outputs[index] != outputs[known]:
                    known = index
                    continue
                self._num_duplicates += 1
                yield places[index], places[known], (unescaped(ids[index]), unescaped(systems[index]))
            first = [rows[known]]
