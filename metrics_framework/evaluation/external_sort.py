"""Sorts rows that do not fit in memory: sorted runs are written to disk and merged at the end (decision 0001)."""

from __future__ import annotations

import marshal
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, count, islice
from operator import eq, itemgetter
from typing import Any, NamedTuple, TypeAlias

from metrics_framework.common.errors import MAX_PROBLEMS_SHOWN
from metrics_framework.common.overriding import overrides

SEPARATOR = "\0\0"
"""Separates the two strings of a key; `sort_keys` escapes the first string so that it cannot contain it."""

_NO_KEY = "\0"
"""Sorts before all keys and has no input in common with them."""
Row: TypeAlias = "tuple[Any, ...]"
"""A string as key, and values that `ScratchFile` can write."""
_key = itemgetter(0)


class ExternalSort:
    """Sorts rows by their first item; rows with equal keys stay in the order in which they were added.

    Args:
        rows_in_memory: The number of rows at which the rows in memory are written to disk.
        runs_per_merge: The number of runs of a level that are merged into one run of the next level. Each is an open
            file, and operating systems limit the number of open files.
    """

    def __init__(self, rows_in_memory: int = 10_000, runs_per_merge: int = 32) -> None:
        self.rows_in_memory = rows_in_memory
        self.runs_per_merge = runs_per_merge
        self._rows_per_block = max(1, rows_in_memory // (2 * runs_per_merge))
        self._rows: list[Row] = []
        self._levels: list[list[Run]] = [[]]

    def close(self) -> None:
        """Deletes the files on disk."""
        for run in chain.from_iterable(self._levels):
            run.close()

    def add(self, rows: Iterable[Row]) -> None:
        """Adds rows in any order."""
        self._rows += rows
        if len(self._rows) >= self.rows_in_memory:
            self._write_run()

    def sorted_blocks(self) -> Iterator[list[Row]]:
        """Yields all rows sorted by key, in lists of bounded size."""
        self._rows.sort(key=_key)
        runs = [run.values() for run in chain.from_iterable(reversed(self._levels))]  # oldest rows first
        if runs:
            yield from merged([*runs, iter([self._rows])], self._rows_per_block)
        elif self._rows:
            yield self._rows

    def _write_run(self) -> None:
        """Appends the rows in memory to the last run if they sort after it, else writes them as a new run."""
        rows, runs = sorted(self._rows, key=_key), self._levels[0]
        self._rows = []
        if not (runs and runs[-1].last_key <= rows[0][0]):
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

    def __init__(self, blocks: Iterator[list[Row]]) -> None:
        self.rows: list[Row] = []
        self.ended = False
        self._blocks = blocks

    def fill(self, number: int) -> None:
        """Reads blocks until at least this number of rows is in memory, or the run ends."""
        while len(self.rows) < number and not self.ended:
            block = next(self._blocks, None)
            self.ended = block is None
            self.rows += block or ()

    def take(self, bound: str, inclusive: bool) -> list[Row]:
        """Removes and returns the rows with keys less than the bound or, if inclusive, equal to it."""
        end = (bisect_right if inclusive else bisect_left)(self.rows, bound, key=_key)
        taken, self.rows = self.rows[:end], self.rows[end:]
        return taken


def merged(runs: Sequence[Iterator[list[Row]]], rows_per_run: int) -> Iterator[list[Row]]:
    """Merges sorted runs and yields their rows in sorted lists; rows with equal keys stay in the order of the runs.

    In each step, rows up to a bound are merged: the least of the last keys read so far. The next block of the run with
    this key may start with the same key, so rows equal to the bound are taken from this run and earlier runs only.

    Args:
        runs: The runs, in blocks.
        rows_per_run: The number of rows of each run in memory; at most twice as many between two blocks.
    """
    cursors = [MergeCursor(blocks) for blocks in runs]
    while cursors:
        for cursor in cursors:
            cursor.fill(rows_per_run)
        last_keys = [(cursor.rows[-1][0], number) for number, cursor in enumerate(cursors) if not cursor.ended]
        if not last_keys:
            if rows := sorted(chain.from_iterable(cursor.rows for cursor in cursors), key=_key):
                yield rows
            return
        bound, least = min(last_keys)
        rows = []
        for number, cursor in enumerate(cursors):
            rows += cursor.take(bound, number <= least)
        rows.sort(key=_key)
        yield rows
        cursors = [cursor for cursor in cursors if cursor.rows or not cursor.ended]


def sort_keys(firsts: Sequence[str], seconds: Sequence[str]) -> list[str]:
    r"""Joins pairs of strings into keys that sort as the pairs do.

    >>> keys = sort_keys(["a", "a\0", "a\1"], ["z", "", ""])
    >>> keys == sorted(keys)
    True
    """
    if "\0" in "".join(firsts):
        firsts = [first.replace("\0", "\0\1") for first in firsts]
    return [f"{first}{SEPARATOR}{second}" for first, second in zip(firsts, seconds, strict=True)]


def split_key(key: str) -> tuple[str, str]:
    r"""Returns the pair of strings of a key.

    >>> split_key(sort_keys(["a\0"], ["\0z"])[0])
    ('a\x00', '\x00z')
    """
    first, _, second = key.partition(SEPARATOR)
    return first.replace("\0\1", "\0"), second


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
        last_key: The key of the last row.
    """

    def __init__(self, rows_per_block: int) -> None:
        super().__init__()
        self.last_key = ""
        self._rows_per_block = rows_per_block

    @overrides
    def write(self, value: Any) -> None:
        """Appends sorted rows; none of their keys is less than `last_key`."""
        for start in range(0, len(value), self._rows_per_block):
            super().write(value[start : start + self._rows_per_block])
        self.last_key = value[-1][0]


# ---- duplicates among outputs ----------------------------------------------------------------------------------------

Output: TypeAlias = tuple[str, str]
"""The ids of an input and of a system."""
Position: TypeAlias = "tuple[str | None, int | None]"
"""The file and line of an output."""


class Duplicate(NamedTuple):
    """A further output of a system for the same input.

    Attributes:
        instance_id: The input.
        summarizer_id: The system.
        position: The file and line of this output.
        first: The file and line of the first output.
    """

    instance_id: str
    summarizer_id: str
    position: Position
    first: Position


@dataclass
class OutputsOnDisk:
    """Outputs that are sorted on disk, so that duplicates among them are neighbors.

    Args:
        sort: Sorts them; closed with them.
    """

    sort: ExternalSort
    _numbers: Iterator[int] = field(default_factory=count)
    _files: dict[str | None, int] = field(default_factory=dict)
    _num_duplicates: int = 0
    _num_inputs: int = 0

    def close(self) -> None:
        """Deletes the files on disk."""
        self.sort.close()

    def add(self, outputs: Sequence[Output], positions: Sequence[Position]) -> None:
        """Adds outputs, each with its number in the input."""
        if outputs:
            keys = sort_keys(*zip(*outputs, strict=True))
            files = [self._files.setdefault(path, len(self._files)) for path, _ in positions]
            lines = [line for _, line in positions]
            self.sort.add(zip(keys, islice(self._numbers, len(keys)), files, lines, strict=True))

    def duplicates(self) -> tuple[list[Duplicate], int, int]:
        """Returns the first duplicates, the number of all duplicates, and the number of inputs."""
        from heapq import nsmallest

        earliest = nsmallest(MAX_PROBLEMS_SHOWN, self._duplicates_among(self.sort.sorted_blocks()))
        return [duplicate for _, duplicate in earliest], self._num_duplicates, self._num_inputs

    def _duplicates_among(self, blocks: Iterable[list[Row]]) -> Iterator[tuple[int, Duplicate]]:
        """Yields the duplicates among sorted rows with their numbers in the input, and counts duplicates and inputs."""
        paths = list(self._files)
        first: Row = (_NO_KEY, 0, 0, None)
        for rows in blocks:
            keys = [first[0], *map(_key, rows)]
            self._num_inputs += len({key.partition(SEPARATOR)[0] for key in keys}) - 1
            if not any(map(eq, keys, keys[1:])):
                first = rows[-1]
                continue
            for row in rows:
                if row[0] != first[0]:
                    first = row
                    continue
                self._num_duplicates += 1
                (key, number, *second), (_, _, *earlier) = row, first
                yield number, Duplicate(*split_key(key), *((paths[file], line) for file, line in (second, earlier)))
