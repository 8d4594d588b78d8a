"""Plain text: one text a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from metrics_framework.common.errors import DataError
from metrics_framework.io.streams import open_lines, uncompressed_name

OTHER_KINDS = (".jsonl", ".json", ".csv", ".tsv")


def can_be_plain_text(path: str) -> bool:
    """Tells whether a file can be plain text by its ending: whether it is not JSON or a table."""
    return not uncompressed_name(path).endswith(OTHER_KINDS)


def read_lines(path: str) -> Iterator[str]:
    """Reads a file line by line, without line ends; a missing last line end makes no difference."""
    with open_lines(path) as lines:
        yield from lines


def read_parallel(paths: Mapping[str, str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Reads several files side by side and gives each line number with the line of every file.

    Args:
        paths: Name in the result to path.

    Raises:
        DataError: if one of them ends before the others.
    """
    streams = {name: read_lines(path) for name, path in paths.items()}
    number = 0
    while True:
        lines = {name: next(stream, None) for name, stream in streams.items()}
        ended = [name for name, line in lines.items() if line is None]
        if len(ended) == len(lines):
            return
        if ended:
            _refuse_unequal(paths, streams, ended, number)
        number += 1
        yield number, {name: line for name, line in lines.items() if line is not None}


def _refuse_unequal(
    paths: Mapping[str, str], streams: Mapping[str, Iterator[str]], ended: list[str], read: int
) -> None:
    counts = {name: read if name in ended else read + 1 + sum(1 for _ in streams[name]) for name in streams}
    listing = ", ".join(f"{paths[name]} has {count}" for name, count in counts.items())
    raise DataError(f"ends after {read} lines, but the files must have equally many: {listing}", paths[ended[0]], read)
