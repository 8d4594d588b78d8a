"""A file of JSON lines that grows with a run, and is complete after each step."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

from metrics_framework.common.errors import UsageError
from metrics_framework.io.jsonl import to_line
from metrics_framework.io.writing import open_for_writing

ENDING = ".jsonl"


class LineFile:
    """Writes rows in steps. Each step replaces the file as a whole, so that it never ends in the middle of a row.

    Args:
        path: The file.
        kind: What its rows are, for messages.
        mark: A member of each row, by which the file of an earlier run is recognized.

    Attributes:
        count: The number of rows written.

    Raises:
        UsageError: if its name does not end with ``.jsonl``, or it exists and has other rows.
    """

    def __init__(self, path: str, kind: str, mark: str) -> None:
        if not path.endswith(ENDING):
            raise UsageError(f"{kind} are JSON lines: use a name that ends in {ENDING}, got '{path}'")
        self.path = path
        self.count = 0
        self._rows: list[dict[str, Any]] = []
        if os.path.isfile(path) and os.path.getsize(path) and not _has(path, mark):
            raise UsageError(f"'{path}' exists and is no file of {kind}; use another file for the {kind}")

    def add(self, rows: Iterable[dict[str, Any]]) -> None:
        """Adds rows, which `write` writes."""
        self._rows.extend(rows)

    def write(self, **about_first: Any) -> None:
        """Appends the rows added since the last call; the first call replaces the file of an earlier run.

        Args:
            about_first: Further members of the first row.

        Raises:
            UsageError: if the file cannot be written.
        """
        if not self._rows:
            return
        if not self.count:
            self._rows[0].update(about_first)
        with open_for_writing(self.path) as stream:
            for line in self._written():
                stream.write(line)
            for row in self._rows:
                stream.write(to_line(row))
        self.count += len(self._rows)
        self._rows = []

    def _written(self) -> Iterator[str]:
        if self.count:
            with open(self.path, encoding="utf-8") as stream:
                yield from stream


def _has(path: str, mark: str) -> bool:
    """Returns whether the first row of a file has a member."""
    try:
        with open(path, encoding="utf-8") as stream:
            row = json.loads(stream.readline())
    except ValueError:
        return False
    return isinstance(row, dict) and mark in row
