"""Plain text: one text per line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NoReturn

from metrics_framework.common.errors import DataError
from metrics_framework.common.plurals import counted
from metrics_framework.io.blocks import read_blocks

OTHER_ENDINGS = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
"""The endings of JSON and tables, which are no plain text."""


def read_lines(path: str) -> Iterator[str]:
    """Reads a file line by line, without line ends; the last line may lack its end.

    Raises:
        DataError: if the file cannot be read or is not UTF-8.
    """
    number = 0
    blocks = read_blocks(path, lambda: number)
    for block in blocks:
        lines = block.split("\n")
        number += len(lines)
        yield from lines


def read_parallel(paths: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Reads several files in parallel: yields line n of every file.

    Raises:
        DataError: if a file cannot be read, or has fewer lines than another.
    """
    files = [read_lines(path) for path in paths]
    for number, lines in enumerate(zip_longest(*files), 1):
        if None in lines:
            _refuse_unequal(paths, files, lines, number)
        yield lines


def listed_counts(paths: Sequence[str], counts: Sequence[int]) -> str:
    """Returns how many lines or rows each of several files has, for the error that they are not as many."""
    return ", ".join(f"{path} has {count}" for path, count in zip(paths, counts, strict=True))


def _refuse_unequal(
    paths: Sequence[str], files: Sequence[Iterator[str]], lines: Sequence[str | None], number: int
) -> NoReturn:
    counts = [
        number - 1 if line is None else number + sum(1 for _ in file) for file, line in zip(files, lines, strict=True)
    ]
    listing = listed_counts(paths, counts)
    shortest = paths[lines.index(None)]
    end = f"ends after {counted(number - 1, 'line')}" if number > 1 else "is empty"
    raise DataError(f"{end}; all files must have the same number of lines: {listing}", shortest, number - 1 or None)
