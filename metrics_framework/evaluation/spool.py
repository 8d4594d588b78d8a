"""Sorts more rows than memory should hold: sorted runs on disk, merged at the end."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from types import TracebackType
from typing import IO

ROWS_IN_MEMORY = 10_000


class SortedSpool:
    """Takes lines with their keys in any order and gives them back sorted by key.

    Args:
        rows_in_memory: How many to hold before a run goes to disk.
    """

    def __init__(self, rows_in_memory: int = ROWS_IN_MEMORY) -> None:
        self.rows_in_memory = rows_in_memory
        self._rows: list[tuple[tuple[str, str], str]] = []
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
        import tempfile

        self._rows.sort(key=_key)
        run = tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n", prefix="fw-")  # noqa: SIM115
        for key, line in self._rows:
            run.write(json.dumps([*key, line]) + "\n")
        self._runs.append(run)
        self._rows = []


def _key(row: tuple[tuple[str, str], str]) -> tuple[str, str]:
    return row[0]


def _read(run: IO[str]) -> Iterator[tuple[tuple[str, str], str]]:
    run.seek(0)
    for text in run:
        first, second, line = json.loads(text)
        yield (first, second), line
