"""Reads the Parquet files of scores that this package writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.data.file_formats import FORMAT, check_format
from metrics_framework.data.identity import IDENTITY_FIELDS
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.parquet import ParquetInput, is_parquet, read_rows
from metrics_framework.io.tables import is_table

SIGNATURE = "metrics_framework.signature"
"""The key of the metadata with the signatures of the metrics, as JSON; files of scores have it."""

VERSION = "metrics_framework.format"
"""The key of the metadata with the version of the format of rows, from 2 on (decision 0109)."""

KEYS = "metrics_framework.keys"
"""The key of the metadata of a column of nested scores, with their keys as JSON; its name joins them with ``_``."""


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


def read_score_rows(path: str, problems: Problems, label: str | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the rows of a score file, JSON lines or Parquet, with their numbers.

    The rows of Parquet are returned as those of JSON lines: with ``metrics``, and the first one with ``signature``.

    Args:
        path: The file.
        problems: Collects the problems of rows.
        label: A column of Parquet that is not a score, such as the data set.

    Raises:
        DataError: if the file cannot be read.
        MissingExtraError: if pyarrow is needed but not installed.
    """
    if not is_parquet(path):
        yield from read_jsonl(path, problems)
        return
    with ParquetInput(path) as file:
        if VERSION in file.metadata:
            check_format({FORMAT: _from_json(file.metadata[VERSION], path)}, "rows", path)
        signature = _from_json(file.metadata[SIGNATURE], path)
        keys = {name: _keys(name, file.field_metadata(name), path) for name in file.names}
    prefixes = {tuple(key[:length]) for key in keys.values() for length in range(1, len(key))}
    for name, key in keys.items():
        if tuple(key) in prefixes:
            raise DataError(f"the column '{name}' is one score, and other columns are parts of it", path)
    fields = IDENTITY_FIELDS if label is None else (*IDENTITY_FIELDS, label)
    for number, row in read_rows(path, problems):
        scores = _nested({name: value for name, value in row.items() if name not in fields}, keys)
        read = {name: row[name] for name in fields if name in row} | {"metrics": scores}
        yield number, {**read, "signature": signature} if number == 1 and signature else read


def _keys(name: str, metadata: dict[str, str], path: str) -> list[str]:
    """Returns the keys of the scores of a column.

    Raises:
        DataError: if they are not a list of strings.
    """
    keys = _from_json(metadata[KEYS], path) if KEYS in metadata else [name]
    if not isinstance(keys, list) or not keys or not all(isinstance(key, str) for key in keys):
        raise DataError(f"the column '{name}' has metadata {KEYS} that are not a list of strings", path)
    return keys


def _nested(scores: dict[str, Any], keys: dict[str, list[str]]) -> dict[str, Any]:
    """Returns scores; those with several keys are in nested dictionaries."""
    nested: dict[str, Any] = {}
    for name, value in scores.items():
        *outer, last = keys[name]
        inner = nested
        for key in outer:
            inner = inner.setdefault(key, {})
        inner[last] = value
    return nested


def _from_json(written: str, path: str) -> Any:
    try:
        return json.loads(written)
    except ValueError:
        raise DataError("has metadata of metrics_framework that are not JSON", path) from None
