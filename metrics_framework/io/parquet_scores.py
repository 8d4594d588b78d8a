"""Reads the Parquet files of scores that this package writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.data.identity import IDENTITY_FIELDS
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.parquet import ParquetInput, is_parquet, read_rows
from metrics_framework.io.tables import is_table

SIGNATURE = "metrics_framework.signature"
"""The key of the metadata with the signatures of the metrics, as JSON; files of scores have it."""


def has_scores(path: str) -> bool:
    """Returns whether a file is a Parquet file of scores that this package wrote.

    Raises:
        DataError: if it is a Parquet file that cannot be read.
        MissingExtraError: if pyarrow is needed but not installed.
    """
    if not is_parquet(path):
        return False
    with ParquetInput(path) as file:
        return SIGNATURE in file.metadata


def is_plain_table(path: str) -> bool:
    """Returns whether a file is a table, by its ending, and not a Parquet file of scores.

    Raises:
        DataError: if it is a Parquet file that cannot be read.
        MissingExtraError: if pyarrow is needed but not installed.
    """
    return is_table(path) and not has_scores(path)


def read_score_rows(path: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the rows of a score file, JSON lines or Parquet, with their numbers.

    The rows of Parquet are returned as those of JSON lines: with ``metrics``, and the first one with ``signature``.

    Args:
        path: The file.
        problems: Collects the problems of rows.

    Raises:
        DataError: if the file cannot be read.
        MissingExtraError: if pyarrow is needed but not installed.
    """
    if not is_parquet(path):
        yield from read_jsonl(path, problems)
        return
    with ParquetInput(path) as file:
        signature = _signature(file.metadata[SIGNATURE], path)
    for number, row in read_rows(path, problems):
        scores = {name: value for name, value in row.items() if name not in IDENTITY_FIELDS}
        read = {name: row[name] for name in IDENTITY_FIELDS if name in row} | {"metrics": scores}
        yield number, {**read, "signature": signature} if number == 1 and signature else read


def _signature(written: str, path: str) -> Any:
    try:
        return json.loads(written)
    except ValueError:
        raise DataError(f"the metadata '{SIGNATURE}' is not JSON", path) from None
