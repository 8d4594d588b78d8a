"""JSON lines, the one place where they are read and written."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

from metrics_framework.common.construct import with_keys_once
from metrics_framework.common.errors import DataError, Problems, UsageError
from metrics_framework.data.texts import shown
from metrics_framework.io.streams import open_blocks

# What `json.loads` calls, after its checks, for the value at a position: gives it and the position behind it.
_value_at: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


TOO_DEEP = "is not JSON that can be read: it is nested too deeply"


def read_jsonl(path: str, problems: Problems | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Reads a file of one JSON object a line, and gives each with its line number; blank lines are skipped.

    An object is decoded where it stands in the block of lines that was read. A line is taken out and read on its own
    only where there is not one object from its start to its end.

    Args:
        path: The file; ``-``, ``.gz`` and ``.zst`` as everywhere.
        problems: Where to put broken lines, to go on behind them; without it the first one raises.

    Raises:
        DataError: if the file cannot be read, a line is not a JSON object, or an object has a key twice, of which JSON
            would take the last.
    """
    number = 0
    first = ""
    with open_blocks(path, lambda: number) as blocks:
        for block in blocks:
            start, length, find = 0, len(block), block.find
            while start <= length:
                number += 1
                end = find("\n", start)
                if end < 0:
                    end = length
                try:
                    row, behind = _value_at(block, start)
                except (StopIteration, ValueError, RecursionError):
                    behind = -1
                if behind == end and type(row) is dict:
                    if block.count(":", start, end) == len(row) or not _told(
                        block[start:end], row, path, number, problems
                    ):
                        yield number, row
                else:
                    line = block[start:end]
                    if number == 1:
                        first = line.strip()
                    elif number == 2:
                        _refuse_document(first, line, path)
                    row = _read_alone(line, path, number, problems)
                    if row is not None:
                        yield number, row
                start = end + 1


def _refuse_document(first: str, second: str, path: str) -> None:
    if first in ("[", "{") and second.startswith((" ", "\t")):
        raise DataError("is one JSON document over several lines; one JSON object a line is expected", path, 1)


def _read_alone(line: str, path: str, number: int, problems: Problems | None) -> dict[str, Any] | None:
    """Reads a line: gives its object, or `None` where it is blank or broken and that is told."""
    import jsonlines

    try:
        row = jsonlines.Reader([line], loads=json.loads).read(skip_empty=True, allow_none=True)
    except EOFError:
        return None
    except jsonlines.InvalidLineError as error:
        _report(problems, DataError(f"is not JSON: {_reason(error)}", path, number))
        return None
    except RecursionError:
        _report(problems, DataError(TOO_DEEP, path, number))
        return None
    if isinstance(row, dict):
        return None if _told(line, row, path, number, problems) else row
    _report(problems, DataError(f"must be a JSON object, got {shown(row)}", path, number))
    return None


def _told(line: str, row: dict[str, Any], path: str, number: int, problems: Problems | None) -> bool:
    """Tells if an object has a key twice; returns whether it has. The line is read again only where it may have."""
    if line.count('":') == _keys_in(row):
        return False
    try:
        json.loads(line, object_pairs_hook=with_keys_once)
    except UsageError as problem:
        _report(problems, DataError(str(problem), path, number))
        return True
    except RecursionError:
        _report(problems, DataError(TOO_DEEP, path, number))
        return True
    return False


def _keys_in(value: Any) -> int:
    """Counts the keys of a value of JSON, of all objects in it."""
    count, left = 0, [value]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            count += len(value)
            left.extend(value.values())
        elif isinstance(value, list):
            left.extend(value)
    return count


def _report(problems: Problems | None, problem: DataError) -> None:
    if problems is None:
        raise problem
    problems.add(problem)


def _reason(error: Exception) -> str:
    cause = error.__cause__
    if isinstance(cause, json.JSONDecodeError):
        return f"{cause.msg} (column {cause.colno})"
    return str(cause or error)


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def to_json(value: Any, indent: int | None = None) -> str:
    """Writes a value as JSON; NaN and infinities become ``null``, lone surrogates are escaped."""
    if indent is not None:
        return _escaped(json.dumps(_without_nan(value), ensure_ascii=False, allow_nan=False, indent=indent))
    try:
        return _escaped(_encode(value))
    except (ValueError, TypeError):  # NaN, or numbers that are not Python's own
        return _escaped(_encode(_without_nan(value)))


def _escaped(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join(f"\\u{ord(one):04x}" if "\ud800" <= one <= "\udfff" else one for one in text)
    return text


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return _plain(value)


def _plain(value: Any) -> Any:
    """Turns a NumPy number into Python's."""
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    return _without_nan(value.tolist()) if hasattr(value, "tolist") else value


def to_line(row: Any) -> str:
    """Writes a row as one line of JSON."""
    return to_json(row) + "\n"
