"""Reads and writes JSON lines: one JSON object per line; reads also JSON documents over several lines."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias
from weakref import ref

from metrics_framework.common.errors import UNPRINTABLE, DataError, FirstProblem, FwError, Problems, UsageError
from metrics_framework.common.options import with_keys_once
from metrics_framework.data.texts import shown
from metrics_framework.io.reading import Piece, read_blocks, start_of
from metrics_framework.io.writing import open_for_writing

# The scanner of `json.loads`: returns the value at an index, and the index after it.
_value_at: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_SPACE_BEFORE_COLON = re.compile(r'"[ \t\r]+:')
_ARRAY = re.compile(rb"\[\s*(?:\{|\Z)")
_OVER_LINES = re.compile(rb"\{\s*\n\s*\"|\{[^\n]*(?:[^}\s]\s*\n[ \t]|[\[{,:]\s*\n)")
_COLUMNS = re.compile(rb'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:\[|\{\s*"0"\s*:)')
_SPACE = re.compile(r"[ \t\r\n]*")
_LONGEST_TOKEN = 16
_TOO_DEEP = "is nested too deeply to be read as JSON"
_TOO_LONG = "has an integer of too many digits; write it as a text"


DecodedColumns: TypeAlias = "tuple[tuple[str, ...], tuple[list[Any], ...], int]"
"""The keys of consecutive lines, which are the same, the values of each key, and the position after the last line."""


class JsonLines:
    """A file with one JSON object per line. Empty lines are skipped.

    Objects are decoded inside blocks of lines. Only a line that is not exactly one object is copied and decoded again.

    Args:
        path: The file; ``-``, ``.gz`` and ``.zst`` are supported.
        problems: Collects invalid lines; without it, the first invalid line raises.
        piece: The piece of the file to read, in which lines are counted; `None` for the whole file.

    Attributes:
        number: The number of lines that have been read.
    """

    def __init__(self, path: str, problems: Problems | None = None, piece: Piece | None = None) -> None:
        self.number = 0
        self._path, self._piece = path, piece
        self._problems = FirstProblem() if problems is None else problems
        lines = ref(self)  # a reference from the blocks would keep the file open until garbage is collected
        self._blocks = read_blocks(path, lambda: 0 if (current := lines()) is None else current.number, piece)
        self._block, self._start = "", 1
        self._is_moved = False

    def _has_line(self) -> bool:
        """Returns whether there is another line, and reads its block."""
        if self._start <= len(self._block):
            return True
        block = next(self._blocks, None)
        if block is not None:
            self._block, self._start = block, 0
        elif self._piece is not None:
            self._piece.lines = self.number
        return block is not None

    def decoded(
        self, decode: Callable[[str, int, int], DecodedColumns | None] | None, size: int
    ) -> DecodedColumns | None:
        """Decodes the next lines of a block; returns `None` if there is none, or the decoder does not read it.

        Args:
            decode: Decodes lines of a block from a position on; `None` for no decoder.
            size: The greatest number of lines.
        """
        return None if decode is None or not self._has_line() else decode(self._block, self._start, size)

    def skip(self, decoded: DecodedColumns) -> None:
        """Moves past decoded lines."""
        self._start = decoded[2]
        self.number += len(decoded[1][0])
        self._is_moved = True

    def rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yields each object with its line number.

        Raises:
            DataError: if the file cannot be read, a line is not a JSON object, or an object has a duplicate key.
        """
        path, problems = self._path, self._problems
        while self._has_line():
            self._is_moved = False
            number, start, block = self.number, self._start, self._block
            length, find = len(block), block.find
            while start <= length:
                number += 1
                end = find("\n", start)
                if end < 0:
                    end = length
                if end == start:  # an empty line: many of them take little time
                    start = end + 1
                    self.number, self._start = number, start
                    continue
                try:
                    row, after = _value_at(block, start)
                except (StopIteration, ValueError, RecursionError):
                    after = -1
                self.number, self._start = number, end + 1
                if after == end and type(row) is dict:
                    colons = block.count(":", start, end)
                    if colons == len(row) or _check_keys(block[start:end], row, path, number, problems):
                        yield number, row
                else:
                    line = block[start:end]
                    row = _decoded_line(line, path, number, problems)
                    if row is not None:
                        yield number, row
                if self._is_moved:
                    break
                start = end + 1


def is_json_lines(path: str) -> bool:
    """Returns whether a file of JSON has one object per line, as all files have that cannot be read.

    Others are an array of objects, objects over several lines, or one object of columns.
    """
    try:
        start = start_of(path).lstrip()
    except FwError:
        return True
    if start.startswith(b"["):
        return not _ARRAY.match(start)
    is_one_line = b"\n" not in start.rstrip()
    return not (_OVER_LINES.match(start) or (is_one_line and _COLUMNS.match(start)))


def read_jsonl(
    path: str, problems: Problems | None = None, piece: Piece | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the objects of a file of JSON, each with the number of its first line.

    The file has one object per line, or is an array of objects, or a sequence of objects over several lines; or it is
    one object of lists with an equal number of values, at least two, of which those with one index are a row.

    Args:
        path: The file.
        problems: Collects invalid lines; without it, the first invalid line raises.
        piece: The piece to read of a file with one object per line; `None` for the whole file.

    Raises:
        DataError: as `JsonLines.rows`, or if the first row has the signature of a format that this package cannot read.
    """
    problems = FirstProblem() if problems is None else problems
    is_part = piece is not None and piece.start > 0
    rows = JsonLines(path, problems, piece).rows() if is_part or is_json_lines(path) else _documents(path, problems)
    for line, row in rows:
        if "format" in row and "signature" in row:
            from metrics_framework.data.file_formats import check_format

            check_format(row, "rows", path, line)
        yield line, row
        break
    yield from rows


def _documents(path: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the objects of an array, of a sequence of objects, or of columns, each with its first line."""
    scanner = JsonScanner(path)
    is_array, is_first = scanner.next_character() == "[", True
    for _ in scanner.entries() if is_array else iter(scanner.next_character, ""):
        line = scanner.line
        row, text = scanner.value()
        if not isinstance(row, dict):
            problems.add(DataError(f"must be a JSON object, got {shown(row)}", path, line))
        elif text.count(":") == len(row) or _check_keys(text, row, path, line, problems):
            is_only = not is_array and is_first and not scanner.next_character()
            yield from (is_only and _rows_of_columns(row)) or [(line, row)]
        is_first = False
    if scanner.next_character():
        raise DataError("is not JSON: text follows the array", path, scanner.line)


def _rows_of_columns(columns: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Returns the numbered rows of an object of columns, which are lists, or objects with the keys 0, 1, … of pandas.

    >>> _rows_of_columns({"id": ["1", "2"], "score": {"0": 5, "1": 4}})
    [(1, {'id': '1', 'score': 5}), (2, {'id': '2', 'score': 4})]
    """
    values = [
        list(column.values()) if isinstance(column, dict) and [*column] == [*map(str, range(len(column)))] else column
        for column in columns.values()
    ]
    if not all(isinstance(column, list) for column in values) or len(set(map(len, values))) != 1 or len(values[0]) < 2:
        return []
    return [*enumerate((dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)), 1)]


class JsonScanner:
    """Reads JSON values that follow each other in a file, in memory for one of them; or the parts of one value.

    Args:
        path: The file.
        parts: Its text in parts, which need not be whole lines; `None` to read the file.
        longest: The greatest number of characters of a value; `None` for no limit.

    Attributes:
        line: The line of the next value.
    """

    def __init__(self, path: str, parts: Iterator[str] | None = None, longest: int | None = None) -> None:
        self.line = 1
        self._path, self._longest = path, longest
        read = self._read = [0]  # the number of lines; a list, because a reference to self would keep the file open
        self._blocks = read_blocks(path, lambda: read[0]) if parts is None else parts
        self._joint = "\n" if parts is None else ""
        self._text, self._at = "", 0

    def next_character(self) -> str:
        """Moves to the next character that is no space and returns it; returns an empty string at the end."""
        while True:
            self._move(_SPACE.match(self._text, self._at).end())  # type: ignore[union-attr]  # it matches everywhere
            if self._at < len(self._text) or not self._fill():
                return self._text[self._at : self._at + 1]

    def skips(self, character: str) -> bool:
        """Moves past a character; returns whether it is next."""
        is_next = self.next_character() == character
        self._at += is_next
        return is_next

    def value(self) -> tuple[Any, str]:
        """Returns the next value and its text.

        Raises:
            DataError: if it is not JSON.
        """
        self.next_character()
        while True:
            try:
                value, end = _value_at(self._text, self._at)
            except RecursionError:
                raise DataError(_TOO_DEEP, self._path, self.line) from None
            except (StopIteration, ValueError) as error:
                if type(error) is ValueError:  # of `int`, beyond 4,300 digits
                    raise DataError(_TOO_LONG, self._path, self.line) from None
                position = getattr(error, "pos", getattr(error, "value", 0))
                may_go_on = str(error).startswith("Unterminated") or position > len(self._text) - _LONGEST_TOKEN
                if self._longest is not None and len(self._text) - self._at > self._longest:
                    raise DataError(
                        f"a value has more than {self._longest:,} characters", self._path, self.line
                    ) from None
                if may_go_on and self._fill():
                    continue
                self._move(max(self._at, min(position, len(self._text))))
                reason = getattr(error, "msg", "Expecting value")
                raise DataError(f"is not JSON: {reason}", self._path, self.line) from None
            is_number = isinstance(value, (int, float))  # which may go on, as 1 of 1.5
            if is_number and len(self._text) - end < _LONGEST_TOKEN and self._fill():
                continue
            text = self._text[self._at : end]
            self._move(end)
            return value, text

    def entries(self, brackets: str = "[]") -> Iterator[None]:
        """Moves from entry to entry of the next value, an array; the caller reads or skips each."""
        self.skips(brackets[0])
        while not self.skips(brackets[1]):
            yield
            if not self.skips(",") and self.next_character() != brackets[1]:
                expected = f"',' or '{brackets[1]}' after an object or other value"
                raise DataError(f"is not JSON: expected {expected}", self._path, self.line)

    def read_keys(self) -> Iterator[str]:
        """Yields the keys of the next value, an object; the caller reads or skips the value of each.

        Raises:
            DataError: if the value is no object.
        """
        if self.next_character() != "{":
            raise DataError("must be a JSON object", self._path, self.line)
        for _ in self.entries("{}"):
            key = self.value()[0]
            if not isinstance(key, str) or not self.skips(":"):
                raise DataError("is not JSON: expected a key and ':'", self._path, self.line)
            yield key

    def skip_value(self) -> None:
        """Moves past the next value, of which one entry or member is in memory at a time."""
        parts: Mapping[str, Callable[[], Iterable[Any]]] = {"[": self.entries, "{": self.read_keys}
        for _ in parts.get(self.next_character(), lambda: [None])():
            self.value()

    def _move(self, position: int) -> None:
        self.line += self._text.count("\n", self._at, position)
        self._at = position

    def _fill(self) -> bool:
        """Reads at least as much text as is left, so that a long value is not scanned too often."""
        parts = [self._text[self._at :]] if self._read[0] else []
        left, size = len(self._text) - self._at, 0
        for block in self._blocks:
            parts.append(block)
            self._read[0] += 1 + block.count("\n")
            size += 1 + len(block)
            if size > left:
                break
        if size:
            self._text, self._at = self._joint.join(parts), 0
        return size > 0


def _decoded_line(line: str, path: str, number: int, problems: Problems) -> dict[str, Any] | None:
    """Returns the object of a line, `None` if the line is empty or its problem is collected."""
    import jsonlines

    try:
        row = jsonlines.Reader([line], loads=json.loads).read(skip_empty=True, allow_none=True)
    except EOFError:
        return None
    except jsonlines.InvalidLineError as error:
        cause = error.__cause__
        reason = f"{cause.msg} (column {cause.colno})" if isinstance(cause, json.JSONDecodeError) else cause or error
        problem = _TOO_LONG if type(cause) is ValueError else f"is not JSON: {reason}"
        problems.add(DataError(problem, path, number))
        return None
    except RecursionError:
        problems.add(DataError(_TOO_DEEP, path, number))
        return None
    if not isinstance(row, dict):
        problems.add(DataError(f"must be a JSON object, got {shown(row)}", path, number))
        return None
    return row if _check_keys(line, row, path, number, problems) else None


def _check_keys(line: str, row: dict[str, Any], path: str, number: int, problems: Problems) -> bool:
    """Reports a duplicate key; returns whether there is none. Only a line that may have one is decoded again."""
    keys = _number_of_keys(row)
    if line.count(":") == keys or (line.count('":') == keys and not _SPACE_BEFORE_COLON.search(line)):
        return True  # because no text has a colon, or what looks like the end of a key
    try:
        json.loads(line, object_pairs_hook=with_keys_once)
    except UsageError as problem:
        problems.add(DataError(str(problem), path, number))
        return False
    except RecursionError:
        problems.add(DataError(_TOO_DEEP, path, number))
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


def to_json(value: Any, indent: bool = False) -> str:
    """Writes a value as JSON; NaN and infinities become ``null``, unprintable characters are escaped as ``\\uXXXX``.

    Args:
        value: The value.
        indent: Whether to write it over several lines, indented by two spaces.
    """
    encode = _indented if indent else _encode
    try:
        text = encode(value)
    except (ValueError, TypeError):  # NaN, or a NumPy number
        text = encode(_plain(value))
    if text.replace("\n", "").isprintable():  # an indented text has line ends
        return text
    return re.sub(UNPRINTABLE, lambda found: "\n" if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)


def _indented(value: Any, line_end: str = "\n") -> str:
    """Writes a value as `json` does with an indent of 2; its encoder in C, which has none, writes what has no lists."""
    if not isinstance(value, (dict, list, tuple)) or not value:
        return _encode(value)
    inner, (first, last) = f"{line_end}  ", "{}" if isinstance(value, dict) else "[]"
    members = value.values() if isinstance(value, dict) else value
    if not any(isinstance(member, (dict, list, tuple)) for member in members):
        text = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(f",{inner}", ": ")).encode(value)[1:-1]
    else:
        texts = [_indented(member, inner) for member in members]
        if isinstance(value, dict):
            names = (_encode(name if isinstance(name, str) else _encode(name)) for name in value)
            texts = [*map("{}: {}".format, names, texts)]
        text = f",{inner}".join(texts)
    return f"{first}{inner}{text}{line_end}{last}"


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


class LineFile:
    """Writes rows in steps. Each step replaces the file as a whole, so that it never ends in the middle of a row.

    Args:
        path: The file.
        kind: What its rows are, for messages.
        mark: A member of each row, by which the file of an earlier run is recognized.
        permissions: Those of a new file, before the umask is applied.

    Raises:
        UsageError: if its name does not end with ``.jsonl``, or it exists and has other rows.
    """

    def __init__(self, path: str, kind: str, mark: str, permissions: int = 0o666) -> None:
        if not path.endswith(".jsonl"):
            raise UsageError(f"{kind} are JSON lines: use a name that ends in .jsonl, got '{path}'")
        self.path = path
        self._written = 0
        self._permissions = permissions
        self._rows: list[dict[str, Any]] = []
        if os.path.isfile(path) and os.path.getsize(path) and not _has_member(path, mark):
            raise UsageError(f"'{path}' exists and is no file of {kind}; use another file for the {kind}")

    def add(self, rows: Iterable[dict[str, Any]]) -> None:
        """Adds rows, which `write` writes."""
        self._rows.extend(rows)

    def write(self, **about_first: Any) -> None:
        """Appends the rows added since the last call; the first call replaces the file of an earlier run.

        Args:
            about_first: Further members of the first row.

        Raises:
            UsageError: if the file cannot be written.
        """
        if not self._rows:
            return
        if not self._written:
            self._rows[0].update(about_first)
        with open_for_writing(self.path, self._permissions) as stream:
            if self._written:
                with open(self.path, encoding="utf-8") as written:
                    stream.writelines(written)
            stream.writelines(map(to_line, self._rows))
        self._written += len(self._rows)
        self._rows = []


def _has_member(path: str, mark: str) -> bool:
    """Returns whether the first row of a file has a member."""
    try:
        with open(path, encoding="utf-8") as stream:
            row = json.loads(stream.readline())
    except ValueError:
        return False
    return isinstance(row, dict) and mark in row
