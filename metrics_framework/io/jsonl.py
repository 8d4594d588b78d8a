"""Reads and writes JSON lines: one JSON object per line."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from metrics_framework.common.construct import with_keys_once
from metrics_framework.common.errors import DataError, Problems, UsageError
from metrics_framework.common.printable import UNPRINTABLE
from metrics_framework.data.texts import shown
from metrics_framework.io.blocks import read_blocks
from metrics_framework.io.pieces import Piece

# The scanner of `json.loads`: returns the value at an index, and the index after it.
_value_at: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_SPACE_BEFORE_COLON = re.compile(r'"[ \t\r]+:')
_TOO_DEEP = "is nested too deeply to be read as JSON"


def read_jsonl(
    path: str, problems: Problems | None = None, piece: Piece | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Reads a file with one JSON object per line; yields each object with its line number and skips empty lines.

    Objects are decoded inside blocks of lines. Only a line that is not exactly one object is copied and decoded again.

    Args:
        path: The file; ``-``, ``.gz`` and ``.zst`` are supported.
        problems: Collects invalid lines; without it, the first invalid line raises.
        piece: The piece of the file to read, in which lines are counted; `None` for the whole file.

    Raises:
        DataError: if the file cannot be read, a line is not a JSON object, or an object has a duplicate key.
    """
    number = 0
    first = ""
    blocks = read_blocks(path, lambda: number, piece)
    for block in blocks:
        start, length, find = 0, len(block), block.find
        while start <= length:
            number += 1
            end = find("\n", start)
            if end < 0:
                end = length
            try:
                row, after = _value_at(block, start)
            except (StopIteration, ValueError, RecursionError):
                after = -1
            if after == end and type(row) is dict:
                colons = block.count(":", start, end)
                if colons == len(row) or _check_keys(block[start:end], row, path, number, problems):
                    yield number, row
            else:
                line = block[start:end]
                if number <= 2 and (piece is None or piece.start == 0):
                    first = _checked_start(number, first, line, path)
                row = _decoded_line(line, path, number, problems)
                if row is not None:
                    yield number, row
            start = end + 1
    if piece is not None:
        piece.lines = number


def _checked_start(number: int, first: str, line: str, path: str) -> str:
    """Returns the first line of a file; rejects a JSON document over several lines at its second line."""
    if number == 1:
        return line.strip()
    if first in ("[", "{") and line.startswith((" ", "\t")):
        raise DataError("must have one JSON object per line, got one JSON document over several", path, 1)
    return first


def _decoded_line(line: str, path: str, number: int, problems: Problems | None) -> dict[str, Any] | None:
    """Returns the object of a line, `None` if the line is empty or its problem is collected."""
    import jsonlines

    try:
        row = jsonlines.Reader([line], loads=json.loads).read(skip_empty=True, allow_none=True)
    except EOFError:
        return None
    except jsonlines.InvalidLineError as error:
        cause = error.__cause__
        reason = f"{cause.msg} (column {cause.colno})" if isinstance(cause, json.JSONDecodeError) else cause or error
        _report(problems, DataError(f"is not JSON: {reason}", path, number))
        return None
    except RecursionError:
        _report(problems, DataError(_TOO_DEEP, path, number))
        return None
    if not isinstance(row, dict):
        _report(problems, DataError(f"must be a JSON object, got {shown(row)}", path, number))
        return None
    return row if _check_keys(line, row, path, number, problems) else None


def _check_keys(line: str, row: dict[str, Any], path: str, number: int, problems: Problems | None) -> bool:
    """Reports a duplicate key; returns whether there is none. Only a line that may have one is decoded again."""
    keys = _number_of_keys(row)
    if line.count(":") == keys:  # no text has a colon
        return True
    if line.count('":') == keys and not _SPACE_BEFORE_COLON.search(line):
        return True
    try:
        json.loads(line, object_pairs_hook=with_keys_once)
    except UsageError as problem:
        _report(problems, DataError(str(problem), path, number))
        return False
    except RecursionError:
        _report(problems, DataError(_TOO_DEEP, path, number))
        return False
    return True


def _number_of_keys(value: Any) -> int:
    """Counts the keys of a JSON value, nested objects included."""
    count, values = 0, [value]
    for value in values:  # which grows
        if type(value) is dict:
            count += len(value)
            values += value.values()
        elif type(value) is list:
            values += value
    return count


def _report(problems: Problems | None, problem: DataError) -> None:
    if problems is None:
        raise problem
    problems.add(problem)


def to_json(value: Any, indent: int | None = None) -> str:
    """Writes a value as JSON; NaN and infinities become ``null``, unprintable characters are escaped as ``\\uXXXX``."""
    encode = _encode
    if indent is not None:
        encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=indent).encode
    try:
        text = encode(value)
    except (ValueError, TypeError):  # NaN, or a NumPy number
        text = encode(_plain(value))
    if text.isprintable():
        return text
    return re.sub(UNPRINTABLE, lambda found: "\n" if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)


def _plain(value: Any) -> Any:
    """Replaces NaN and infinities by `None`, and NumPy numbers and arrays by Python numbers and lists."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return _plain(value.tolist()) if hasattr(value, "tolist") else value


def to_line(row: Any) -> str:
    """Writes a row as one line of JSON."""
    return to_json(row) + "\n"
