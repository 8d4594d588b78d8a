"""Configurations: what ``--config`` and ``--overrides`` hold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import DataError, UnknownNameError, UsageError
from metrics_framework.io.streams import open_lines

KEYS = ("dataset_reader", "input_files", "references", "sources")


def read_configuration(path: str | None, overrides: str | None, keys: Sequence[str]) -> Mapping[str, Any]:
    """Reads a configuration and puts the overrides in.

    Args:
        path: The JSON file, or none.
        overrides: JSON that replaces parts of it, at every depth, or none.
        keys: The keys it may have, besides those that every configuration may have.

    Raises:
        DataError: if the file is not a JSON object.
        UsageError: if the overrides are not, or a key is unknown.
    """
    config = _read(path) if path is not None else {}
    if overrides is not None:
        config = _merged(config, _parsed(overrides))
    for key in config:
        if key not in (*KEYS, *keys):
            raise UnknownNameError("key of a configuration", key, (*KEYS, *keys))
    return config


def _read(path: str) -> dict[str, Any]:
    with open_lines(path) as lines:
        text = "\n".join(lines)
    try:
        config = json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(f"is not JSON: {error.msg} at column {error.colno}", path, error.lineno) from None
    if not isinstance(config, dict):
        raise DataError("must hold a JSON object", path)
    return config


def _parsed(overrides: str) -> dict[str, Any]:
    try:
        parsed = json.loads(overrides)
    except json.JSONDecodeError as error:
        raise UsageError(f"--overrides is not JSON: {error.msg} at column {error.colno}") from None
    if not isinstance(parsed, dict):
        raise UsageError("--overrides must be a JSON object")
    return parsed


def _merged(config: dict[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(config)
    for key, value in overrides.items():
        mine = merged.get(key)
        merged[key] = _merged(mine, value) if isinstance(mine, dict) and isinstance(value, Mapping) else value
    return merged
