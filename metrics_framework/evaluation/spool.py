"""Sorts more rows than memory should hold: sorted runs on disk, merged at the end."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import IO, TypeAlias

ROWS_IN_MEMORY = 10_000
RUNS_AT_ONCE = 64
"""So many runs are merged into one: each is an open file, and systems allow no more than some hundreds."""

Row: TypeAlias = tuple[tuple[str, str], str]


class SortedSpool:
    """Takes lines with their keys in any order and gives them back sorted by key.

    Args:
        rows_in_memory: How many to hold before a run goes to disk.
    """

    def __init__(self, rows_in_memory: int = ROWS_IN_MEMORY) -> None:
        self.rows_in_memory = rows_in_memory
        self._rows: list[Row] = []
        self._runs: list[IO[str]] = []

    def __enter__(self) -> SortedSpool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for run in self._runs:
            run.close()

    def add(self, key: tuple[str, str], line: str) -> None:
        """Takes one line."""
        self._rows.append((key, line))
        if len(self._rows) >= self.rows_in_memory:
            self._spill()

    def lines(self) -> Iterator[str]:
        """Gives all lines, sorted by key; lines of equal keys in the order they came."""
        self._rows.sort(key=_key)
        runs = [_read(run) for run in self._runs]
        for _, line in heapq.merge(*runs, iter(self._rows), key=_key):
            yield line

    def _spill(self) -> None:
        self._rows.sort(key=_key)
        self._runs.append(_written(self._rows))
        self._rows = []
        if len(self._runs) == RUNS_AT_ONCE:
            merged = _written(heapq.merge(*map(_read, self._runs), key=_key))
            for run in self._runs:
                run.close()
            self._runs = [merged]


def _written(rows: Iterable[Row]) -> IO[str]:
    import tempfile

    run = tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n", prefix="fw-")  # noqa: SIM115 - kept open
    for key, line in rows:
        run.write(json.dumps([*key, line]) + "\n")
    return run


def _key(row: Row) -> tuple[str, str]:
    return row[0]


def _read(run: IO[str]) -> Iterator[Row]:
    run.seek(0)
    for text in run:
        first, second, line = json.loads(text)
        yield (first, second), line
