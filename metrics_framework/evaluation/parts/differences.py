"""How two plans of runs differ, for messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

_NAMES_SHOWN = 5


def difference_of(mine: Any, other: Any) -> str:
    """Describes how two values of plans differ, given as JSON values; an empty string if they are equal."""
    if mine == other:
        return ""
    if isinstance(mine, dict) and isinstance(other, dict):
        return _of_objects(mine, other)
    if isinstance(mine, list) and isinstance(other, list):
        if len(mine) != len(other):
            return f"{len(other)} instead of {len(mine)}"
        pairs = ((one, two) for one, two in zip(mine, other, strict=True) if one != two)
        return "; ".join(_named(one, two) for one, two in pairs)
    before, now = ("none" if value is None else json.dumps(value) for value in (mine, other))
    return f"{now} instead of {before}"


def _of_objects(mine: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    values = {name: (mine.get(name), other.get(name)) for name in {**mine, **other} if name != "files"}
    if all(isinstance(time, int) for time in values.get("modified", [None])):
        values["modified"] = _time_of(mine["modified"]), _time_of(other["modified"])
    found = [f"{name} {difference_of(one, two)}" for name, (one, two) in values.items() if one != two]
    if mine.get("files") != other.get("files"):
        found.append(_of_files(mine.get("files"), other.get("files")))
    return ", ".join(found)


def _of_files(mine: Any, other: Any) -> str:
    """Describes how two folders differ, and names files."""
    if not (isinstance(mine, dict) and isinstance(other, dict)):
        return f"{_kind(other)} instead of {_kind(mine)}"
    names = [name for name in {**mine, **other} if mine.get(name) != other.get(name)]
    shown = [
        f"{name} is {'missing' if name in mine else 'new'}"
        if name not in mine or name not in other
        else f"{name} has other content ({difference_of(mine[name], other[name])})"
        for name in names[:_NAMES_SHOWN]
    ]
    more = [f"and {len(names) - _NAMES_SHOWN} more files"] if len(names) > _NAMES_SHOWN else []
    return ", ".join([*shown, *more])


def _kind(files: Any) -> str:
    return "a file" if files is None else "a folder"


def _time_of(nanoseconds: int) -> str:
    """Returns a time with all its decimal places, which may be all that differs."""
    seconds, fraction = divmod(nanoseconds, 10**9)
    try:
        return f"{datetime.fromtimestamp(seconds):%Y-%m-%d %H:%M:%S}.{fraction:09d}"
    except (OverflowError, ValueError, OSError):  # of a damaged plan
        return str(nanoseconds)


def _named(mine: Any, other: Any) -> str:
    name = next((mine[key] for key in ("path", "label") if isinstance(mine, dict) and key in mine), "")
    return f"{name} {difference_of(mine, other)}".strip()
