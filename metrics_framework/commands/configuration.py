"""Reads and checks ``--config`` and ``--overrides``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import DataError, FwError, UnknownNameError, UsageError
from metrics_framework.common.options import options_of, with_keys_once
from metrics_framework.data.texts import shown
from metrics_framework.significance.resampling import CONFIDENCE_OPTIONS

COMMON_KEYS = (
    *("metrics", "dataset", "dataset_reader", "input_files", "columns", "where", "outputs", "references", "documents"),
    *("sources", "profile"),
)
"""The keys that every configuration may have."""
_LISTS: Mapping[str, tuple[tuple[type, ...], str]] = {
    **dict.fromkeys(("input_files", "outputs", "references", "documents"), ((str,), "a path or a list of paths")),
    "where": ((str,), "a condition or a list of conditions, each COLUMN=VALUE or COLUMN!=VALUE"),
    "metrics": ((str, dict), "a metric or a list of metrics, each a name or an object"),
}
_SINGLE_VALUES: Mapping[str, tuple[tuple[type, ...], str]] = {
    "dataset": ((str,), "the name of a test set or a path"),
    "dataset_reader": ((str, dict), "a name or an object"),
    "columns": ((str, dict), "FIELD=COLUMN pairs, or an object from fields to columns"),
    "profile": ((str,), "the name of a profile"),
    "by": ((str,), "the name of a column"),
    "baseline": ((str,), "the name of a system"),
    "confidence": (
        (bool, int, float, dict),
        f"true, false, a level, or an object with {', '.join(map(repr, CONFIDENCE_OPTIONS[:-1]))} and "
        f"{CONFIDENCE_OPTIONS[-1]!r}",
    ),
}
_JSON_TYPES: Mapping[str, tuple[type, ...]] = {"float": (float, int), "int": (int,), "choice": (str,)}
"""The kinds of options to the types of their values in JSON."""


def read_configuration(path: str | None, overrides: str | None, keys: Sequence[str]) -> Mapping[str, Any]:
    """Reads a configuration and applies overrides; a single value may replace a list of one.

    Args:
        path: The JSON file, or `None`.
        overrides: JSON that replaces parts of the configuration, at any depth, or `None`.
        keys: The allowed keys, in addition to `COMMON_KEYS`.

    Raises:
        DataError: if the file is not a JSON object, or has a duplicate key.
        UsageError: if the overrides are not a JSON object or have a duplicate key, a key is unknown, or a value has the
            wrong type.
    """
    config: dict[str, Any] = {}
    if path is not None:
        from metrics_framework.io.reading import read_lines

        text = "\n".join(read_lines(path))
        config = _object(text, lambda what, line: DataError(what.lstrip(": "), path, line))
    if overrides is not None:
        config = _merged(config, _object(overrides, lambda what, _: UsageError(f"--overrides{what}")))
    for key in config:
        if key not in (*COMMON_KEYS, *keys):
            raise UnknownNameError("configuration key", key, (*COMMON_KEYS, *keys))
        config[key] = _checked(key, config[key], path)
    return config


def _checked(key: str, value: Any, path: str | None) -> Any:
    """Returns a value, as a list of one if a list is expected.

    Raises:
        UsageError: if the value has the wrong type.
    """
    types, expected = _LISTS.get(key) or _SINGLE_VALUES.get(key) or ((str,), "a path")
    values = value if key in _LISTS and isinstance(value, list) else [value]
    valid = all(isinstance(item, types) for item in values)
    if key == "confidence" and isinstance(value, dict):
        valid = all(type(option) in _confidence_types().get(name, ()) for name, option in value.items())
    elif valid and "path" in expected:
        valid = all(map(_can_be_a_path, values))
    if not valid:
        raise UsageError(f"{path or '--overrides'}: '{key}' must be {expected}, got {shown(value)}")
    return values if key in _LISTS else value


def _confidence_types() -> dict[str, tuple[type, ...]]:
    """Returns the types of the options of intervals, which are those of the parameters of `Resampling`."""
    from metrics_framework.significance.resampling import Resampling

    kinds = {option.name: option.kind for option in options_of(Resampling, object)}
    return {name: _JSON_TYPES[kinds[name]] for name in CONFIDENCE_OPTIONS}


def _can_be_a_path(text: str) -> bool:
    """Returns whether a string can be a path: unlike an argument of a command line, JSON may contain any character."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _object(text: str, problem: Callable[[str, int | None], FwError]) -> dict[str, Any]:
    """Returns a JSON object; raises the problem that a function makes of what is wrong and the number of the line."""
    import json

    try:
        parsed = json.loads(text, object_pairs_hook=with_keys_once)
    except UsageError as error:
        raise problem(f": {error}", None) from None
    except json.JSONDecodeError as error:
        raise problem(f" is not JSON: {error.msg} (column {error.colno})", error.lineno) from None
    if not isinstance(parsed, dict):
        raise problem(" must be a JSON object", None)
    return parsed


def _merged(config: dict[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(config)
    for key, value in overrides.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, Mapping) else value
    return merged
