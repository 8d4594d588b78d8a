"""The SHA-256 of a test set that was set up, beside its file, so that a changed file is noticed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.io.content import sha256_of
from metrics_framework.io.jsonl import to_line
from metrics_framework.io.writing import output_files


def sum_path(path: str) -> str:
    """Returns the file that contains the sum of a test set; ``sha256sum -c`` reads it too."""
    return f"{path}.sha256"


def write_rows(path: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes the rows of a test set, and their sum.

    Raises:
        UsageError: if the files cannot be written.
        OSError: if the disk is full; it names the path.
    """
    digest = hashlib.sha256()
    with output_files() as files:
        stream = files.open(path)
        for row in rows:
            line = to_line(row)
            digest.update(line.encode("utf-8"))
            stream.write(line)
        name = path.replace("\\", "/").rpartition("/")[2]
        files.open(sum_path(path)).write(f"{digest.hexdigest()}  {name}\n")


def is_changed(path: str) -> bool:
    """Returns whether a test set differs from what was set up; False if its sum was not kept."""
    try:
        with open(sum_path(path), encoding="utf-8") as stream:
            expected = stream.read(64)
    except OSError:  # it was set up by an earlier version
        return False
    try:
        return sha256_of(path) != expected
    except DataError:
        return True
