"""Sorts more rows than memory should hold: sorted runs on disk, merged at the end."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain
from operator import itemgetter
from types import TracebackType
from typing import TypeAlias

from metrics_framework.evaluation.storage.scratch_file import ScratchFile

ROWS_IN_MEMORY = 10_000
RUNS_AT_ONCE = 32
"""So many runs of one level are merged into one of the next: each is an open file, and systems allow some hundreds."""

Row: TypeAlias = "tuple[str, str]"
"""A key and a line."""
_key = itemgetter(0)


class ExternalSort:
    """Takes lines with their keys in any order and gives them back sorted by key.

    Args:
        rows_in_memory: From how many on those held go to disk, as a run.
    """

    def __init__(self, rows_in_memory: int = ROWS_IN_MEMORY) -> None:
        self.rows_in_memory = rows_in_memory
        self._rows: list[Row] = []
        self._levels: list[list[Run]] = [[]]
        self._block = max(1, rows_in_memory // (2 * RUNS_AT_ONCE))

    def __enter__(self) -> ExternalSort:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for run in self._runs():
            run.close()

    def extend(self, firsts: Sequence[str], seconds: Sequence[str], lines: Sequence[str]) -> None:
        """Takes lines, each with the two parts of its key."""
        self._rows += zip(joined(firsts, seconds), lines, strict=True)
        if len(self._rows) >= self.rows_in_memory:
            self._spill()

    def pieces(self) -> Iterator[list[str]]:
        """Gives all lines, some at a time, sorted by key; lines of equal keys in the order they came."""
        self._rows.sort(key=_key)
        blocks = [run.blocks() for run in self._runs()]
        for rows in merged([*blocks, iter([self._rows])], self._block):
            yield [line for _, line in rows]

    def _runs(self) -> list[Run]:
        """Returns the runs from the first rows to the last: those of higher levels are earlier."""
        return list(chain.from_iterable(reversed(self._levels)))

    def _spill(self) -> None:
        """Writes the rows in memory: behind the run before where the order allows it, else to a run of their own."""
        rows, runs = sorted(self._rows, key=_key), self._levels[0]
        self._rows = []
        if not (runs and runs[-1].last <= rows[0][0]):
            self._make_room(0)
            runs.append(Run(self._block))
        runs[-1].write(rows)

    def _make_room(self, level: int) -> None:
        """Merges the runs of a level into one of the next when there are as many as may be."""
        runs = self._levels[level]
        if len(runs) < RUNS_AT_ONCE:
            return
        if len(self._levels) == level + 1:
            self._levels.append([])
        self._make_room(level + 1)
        run = Run(self._block)
        self._levels[level + 1].append(run)
        for rows in merged([one.blocks() for one in runs], self._block):
            run.write(rows)
        for one in runs:
            one.close()
        runs.clear()


class Run:
    """Sorted rows on disk, in blocks.

    Args:
        block: How many rows a block has at most.

    Attributes:
        last: The last key.
    """

    def __init__(self, block: int) -> None:
        self.last = ""
        self._block = block
        self._file = ScratchFile()

    @property
    def closed(self) -> bool:
        """Whether the file is gone."""
        return self._file.closed

    def close(self) -> None:
        """Removes the file."""
        self._file.close()

    def write(self, rows: Sequence[Row]) -> None:
        """Writes sorted rows that come behind all that are there."""
        for start in range(0, len(rows), self._block):
            self._file.write_block(rows[start : start + self._block])
        self.last = rows[-1][0]

    def blocks(self) -> Iterator[list[Row]]:
        """Gives the rows back."""
        return self._file.blocks()


class MergeCursor:
    """The next rows of a run.

    Attributes:
        rows: Those that were read and are still to be given.
        ended: Whether there are no others.
    """

    def __init__(self, blocks: Iterator[list[Row]]) -> None:
        self.rows: list[Row] = []
        self.ended = False
        self._blocks = blocks

    def fill(self, least: int) -> None:
        """Reads on until there are so many rows, or no more."""
        while len(self.rows) < least and not self.ended:
            block = next(self._blocks, None)
            self.ended = block is None
            self.rows += block or ()

    def take(self, bound: str, inclusive: bool) -> list[Row]:
        """Takes out the rows up to a key."""
        end = (bisect_right if inclusive else bisect_left)(self.rows, bound, key=_key)
        taken, self.rows = self.rows[:end], self.rows[end:]
        return taken


def merged(runs: Sequence[Iterator[list[Row]]], block: int) -> Iterator[list[Row]]:
    """Merges sorted runs, and gives the rows in sorted pieces; rows of equal keys in the order of the runs.

    The least of the last keys that were read of each run is how far all runs are known. Of the run that has it, and of
    those in front of it, rows of that very key are taken too; of those behind it not, since the run itself may go on
    with that key.

    Args:
        runs: The runs, in blocks.
        block: How many rows of each run to have in memory at least; there are no more than twice as many.
    """
    fronts = [MergeCursor(blocks) for blocks in runs]
    while fronts:
        for front in fronts:
            front.fill(block)
        known = [(front.rows[-1][0], number) for number, front in enumerate(fronts) if not front.ended]
        if not known:
            if rows := sorted(chain.from_iterable(front.rows for front in fronts), key=_key):
                yield rows
            return
        bound, least = min(known)
        rows = []
        for number, front in enumerate(fronts):
            rows += front.take(bound, number <= least)
        rows.sort(key=_key)
        yield rows
        fronts = [front for front in fronts if front.rows or not front.ended]


def joined(firsts: Sequence[str], seconds: Sequence[str]) -> list[str]:
    r"""Makes one string of the two of each key, so that strings sort as keys do.

    >>> keys = joined(["a", "a\0", "a\1"], ["z", "", ""])
    >>> keys == sorted(keys)
    True
    """
    if "\0" in "".join(firsts):
        firsts = [first.replace("\0", "\0\1") for first in firsts]
    return [f"{first}\0\0{second}" for first, second in zip(firsts, seconds, strict=True)]
