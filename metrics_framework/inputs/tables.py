"""Tables: CSV as defined by RFC 4180, with quoting, and TSV as defined by IANA, without quoting."""

from __future__ import annotations

import re
from collections.abc import Iterator

from metrics_framework.common.errors import PARQUET, DataError, Problems
from metrics_framework.io.parquet import has_scores, is_parquet, read_rows
from metrics_framework.io.reading import read_lines, uncompressed_name

_QUOTED = re.compile(r'"(?:[^"]|"")*""(?:[^"]|"")*"')
_INDEX = re.compile(r"__index_level_\d+__")
TABLE_ENDINGS = (".csv", ".tsv", PARQUET)


def is_table(path: str) -> bool:
    """Returns whether a file is a CSV, TSV or Parquet table, by its ending."""
    return uncompressed_name(path).endswith(TABLE_ENDINGS)


def is_plain_table(path: str) -> bool:
    """Returns whether a file is a table, by its ending, and not a Parquet file of scores.

    Raises:
        DataError: if it is a Parquet file that cannot be read.
        MissingExtraError: if pyarrow is needed but not installed.
    """
    return is_table(path) and not has_scores(path)


def header_line(path: str) -> int | None:
    """Returns the line with the names of the columns; `None` for Parquet, which has them elsewhere."""
    return None if path.endswith(PARQUET) else 1


def read_table(path: str, problems: Problems | None = None) -> Iterator[tuple[int, dict[str, str]]]:
    """Reads a table with a header; yields each row with the number of its first line.

    The cells of Parquet are returned as CSV has them: numbers in all their digits, missing values as empty texts. The
    columns in which pandas keeps an index without a name are left out.

    Args:
        path: The file, ending in ``.parquet``, ``.csv`` or ``.tsv`` (and ``.gz`` or ``.zst``, if compressed).
        problems: Collects invalid rows; without it, the first invalid row raises.

    Raises:
        DataError: if the header is missing, has an empty or duplicate name, or a row has another number of fields.
    """
    if is_parquet(path):
        yield from _cells(path, Problems() if problems is None else problems)
        return
    rows = _split_at_tabs(path) if uncompressed_name(path).endswith(".tsv") else csv_rows(path)
    _, header = next(rows, (0, []))
    _check_header(header, path)
    while True:
        try:
            line, fields = next(rows)
            if len(fields) != len(header):
                raise DataError(f"must have {len(header)} fields, as in the header, got {len(fields)}", path, line)
        except StopIteration:
            return
        except DataError as problem:
            if problems is None:
                raise
            problems.add(problem)
        else:
            yield line, dict(zip(header, fields, strict=True))


def _cells(path: str, problems: Problems) -> Iterator[tuple[int, dict[str, str]]]:
    for number, row in read_rows(path, problems):
        cells = {name: value for name, value in row.items() if not _INDEX.fullmatch(name)}
        yield number, {name: "" if value is None else str(value) for name, value in cells.items()}


def _split_at_tabs(path: str) -> Iterator[tuple[int, list[str]]]:
    width = 0
    for number, line in enumerate(read_lines(path), 1):
        fields = line.split("\t")
        if '""' in line and any(_QUOTED.fullmatch(field) for field in fields):
            raise DataError("a cell is quoted, but TSV has no quoting here; save the table as CSV", path, number)
        width = width or len(fields)
        if line or width == 1:
            yield number, fields


def csv_rows(path: str) -> Iterator[tuple[int, list[str]]]:
    """Yields the cells of each row of a CSV file, the first one included, with the number of its first line.

    Raises:
        DataError: if the file cannot be read or is not CSV.
    """
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
        raise DataError("is empty; a table must start with a line of column names", path)
    if len(header) == 1 and ";" in header[0]:
        raise DataError("a CSV table must be separated by ',', but the header seems to be separated by ';'", path, 1)
    if not header[0]:
        advice = "pandas writes its index there; leave it out with to_csv(…, index=False)"
        raise DataError(f"the first column has no name; {advice}", path, 1)
    for column in header:
        if not column.strip():
            raise DataError("a column has no name", path, 1)
        if header.count(column) > 1:
            advice = "; number them: reference_1, reference_2, …" if column.startswith("ref") else ""
            raise DataError(f"duplicate column '{column}'{advice}", path, 1)
