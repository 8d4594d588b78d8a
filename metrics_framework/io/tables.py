"""Tables: CSV as RFC 4180 has it (quotes and all), TSV as IANA has it (no quoting)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.io.streams import open_lines, uncompressed_name

ENDINGS = {".csv": ",", ".tsv": "\t"}


def is_table(path: str) -> bool:
    """Tells by its ending whether a file is a CSV or TSV table."""
    return uncompressed_name(path).endswith(tuple(ENDINGS))


def read_table(path: str, problems: Problems | None = None) -> Iterator[tuple[int, dict[str, str]]]:
    """Reads a table with a header and gives each row with the number of its first line.

    Args:
        path: The file, ending in ``.csv`` or ``.tsv`` (and ``.gz`` or ``.zst``, if compressed).
        problems: Where to put broken rows, to go on behind them; without it the first one raises.

    Raises:
        DataError: if there is no header, a column has no name or one twice, or a row has more or fewer fields.
    """
    import csv

    tabs = uncompressed_name(path).endswith(".tsv")
    csv.field_size_limit(2**31 - 1)
    with open_lines(path) as lines:
        quoting: Any = csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL
        rows = csv.reader(
            (line + "\n" for line in lines), delimiter="\t" if tabs else ",", quoting=quoting, strict=True
        )
        header = _header(rows, path)
        while True:
            first_line = rows.line_num + 1
            try:
                fields = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                problem = DataError(f"is not CSV: {error}", path, first_line)
                if problems is None:
                    raise problem from None
                problems.add(problem)
                return
            if not fields:
                continue
            if len(fields) != len(header):
                problem = DataError(f"has {len(fields)} fields, but the header names {len(header)}", path, first_line)
                if problems is None:
                    raise problem
                problems.add(problem)
                continue
            yield first_line, dict(zip(header, fields, strict=True))


def _header(rows: Iterator[list[str]], path: str) -> list[str]:
    import csv

    try:
        header = next(rows, None)
    except csv.Error as error:
        raise DataError(f"is not CSV: {error}", path, 1) from None
    if not header:
        raise DataError("is empty; a table starts with a line of column names", path)
    for column in header:
        if not column.strip():
            raise DataError("has a column without a name", path, 1)
        if header.count(column) > 1:
            raise DataError(f"has two columns called '{column}'", path, 1)
    return header
