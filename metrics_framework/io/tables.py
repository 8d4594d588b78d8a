"""Tables: CSV as RFC 4180 has it (quotes and all), TSV as IANA has it (no quoting)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.io.streams import uncompressed_name
from metrics_framework.io.text_lines import read_lines

_QUOTED = re.compile(r'"(?:[^"]|"")*""(?:[^"]|"")*"')
TABLE_ENDINGS = (".csv", ".tsv")


def is_table(path: str) -> bool:
    """Tells by its ending whether a file is a CSV or TSV table."""
    return uncompressed_name(path).endswith(TABLE_ENDINGS)


def read_table(path: str, problems: Problems | None = None) -> Iterator[tuple[int, dict[str, str]]]:
    """Reads a table with a header and gives each row with the number of its first line.

    Args:
        path: The file, ending in ``.csv`` or ``.tsv`` (and ``.gz`` or ``.zst``, if compressed).
        problems: Where to put broken rows, to go on behind them; without it the first one raises.

    Raises:
        DataError: if there is no header, a column has no name or one twice, or a row has more or fewer fields.
    """
    rows = _split_at_tabs(path) if uncompressed_name(path).endswith(".tsv") else _parsed(path)
    _, header = next(rows, (0, []))
    _check_header(header, path)
    while True:
        try:
            line, fields = next(rows)
            if len(fields) != len(header):
                raise DataError(f"has {len(fields)} fields, but the header names {len(header)}", path, line)
        except StopIteration:
            return
        except DataError as problem:
            if problems is None:
                raise
            problems.add(problem)
        else:
            yield line, dict(zip(header, fields, strict=True))


def _split_at_tabs(path: str) -> Iterator[tuple[int, list[str]]]:
    width = 0
    for number, line in enumerate(read_lines(path), 1):
        fields = line.split("\t")
        if '""' in line and any(_QUOTED.fullmatch(field) for field in fields):
            raise DataError(
                "has a cell in quotes with doubled quotes in it; TSV has no quoting here, save it as CSV", path, number
            )
        width = width or len(fields)
        if line or width == 1:
            yield number, fields


def _parsed(path: str) -> Iterator[tuple[int, list[str]]]:
    import csv

    csv.field_size_limit(2**31 - 1)
    rows = csv.reader((line + "\n" for line in read_lines(path)), strict=True)
    while True:
        first_line = rows.line_num + 1
        try:
            fields = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise DataError(f"is not CSV: {error}", path, first_line) from None
        if fields:
            yield first_line, fields


def _check_header(header: list[str], path: str) -> None:
    if not any(header):
        raise DataError("is empty; a table starts with a line of column names", path)
    if len(header) == 1 and ";" in header[0]:
        raise DataError("seems to be separated by ';'; CSV is separated by ',' here, TSV by tabs", path, 1)
    for column in header:
        if not column.strip():
            raise DataError("has a column without a name", path, 1)
        if header.count(column) > 1:
            raise DataError(f"has two columns called '{column}'", path, 1)
