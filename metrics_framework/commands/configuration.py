"""Configurations: what ``--config`` and ``--overrides`` hold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from metrics_framework.common.construct import with_keys_once
from metrics_framework.common.errors import DataError, UnknownNameError, UsageError
from metrics_framework.data.texts import shown
from metrics_framework.io.text_lines import read_lines

KEYS = ("metrics", "dataset", "dataset_reader", "input_files", "outputs", "references", "sources")
"""The keys that every configuration may have."""
CONFIDENCE: Mapping[str, tuple[type, ...]] = {"level": (float,), "resamples": (int,), "seed": (int,)}
"""What the key ``confidence`` may hold."""
NAMES = {
    "dataset": "the name of a test set or a path",
    "profile": "the name of a profile",
    "baseline": "the name of a system",
}


def read_configuration(path: str | None, overrides: str | None, keys: Sequence[str]) -> Mapping[str, Any]:
    """Reads a configuration and puts the overrides in.

    Args:
        path: The JSON file, or none.
        overrides: JSON that replaces parts of it, at every depth, or none.
        keys: The keys it may have, besides those that every configuration may have.

    Raises:
        DataError: if the file is not a JSON object, or has a key twice.
        UsageError: if the overrides are not or have, or a key is unknown.
    """
    config = _read(path) if path is not None else {}
    if overrides is not None:
        config = _merged(config, _parsed(overrides))
    for key in config:
        if key not in (*KEYS, *keys):
            raise UnknownNameError("configuration key", key, (*KEYS, *keys))
        _check(key, config[key], path)
    return config


def _check(key: str, value: Any, path: str | None) -> None:
    """Refuses a value of the wrong kind.

    Raises:
        UsageError: if it is one.
    """
    if key in ("input_files", "outputs", "references"):
        fits, expected = _are(value if isinstance(value, list) else [value], str), "a path or a list of paths"
    elif key == "metrics":
        items = value if isinstance(value, list) else [value]
        fits, expected = _are(items, str, dict), "a metric or a list of metrics, each a name or an object"
    elif key == "dataset_reader":
        fits, expected = _are([value], str, dict), "a name or an object"
    elif key in NAMES:
        fits, expected = _are([value], str), NAMES[key]
    elif key == "confidence":
        fits, expected = (
            _is_confidence(value),
            "true, false, or an object with 'level', 'resamples' and 'seed', numbers",
        )
    else:
        fits, expected = _are([value], str), "a path"
    if not fits:
        raise UsageError(f"{path or '--overrides'}: '{key}' must be {expected}, got {shown(value)}")


def _is_confidence(value: Any) -> bool:
    if not isinstance(value, dict):
        return isinstance(value, bool)
    return all(type(one) in CONFIDENCE.get(key, ()) for key, one in value.items())


def _are(values: list[Any], *kinds: type) -> bool:
    return all(isinstance(value, kinds) for value in values)


def _read(path: str) -> dict[str, Any]:
    text = "\n".join(read_lines(path))
    try:
        config = json.loads(text, object_pairs_hook=with_keys_once)
    except UsageError as error:
        raise DataError(str(error), path) from None
    except json.JSONDecodeError as error:
        raise DataError(f"is not JSON: {error.msg} (column {error.colno})", path, error.lineno) from None
    if not isinstance(config, dict):
        raise DataError("must hold a JSON object", path)
    return config


def _parsed(overrides: str) -> dict[str, Any]:
    try:
        parsed = json.loads(overrides, object_pairs_hook=with_keys_once)
    except UsageError as error:
        raise UsageError(f"--overrides: {error}") from None
    except json.JSONDecodeError as error:
        raise UsageError(f"--overrides is not JSON: {error.msg} (column {error.colno})") from None
    if not isinstance(parsed, dict):
        raise UsageError("--overrides must be a JSON object")
    return parsed


def _merged(config: dict[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(config)
    for key, value in overrides.items():
        mine = merged.get(key)
        merged[key] = _merged(mine, value) if isinstance(mine, dict) and isinstance(value, Mapping) else value
    return merged
