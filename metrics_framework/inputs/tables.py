"""Reads rows of any kind of file, known by its content: JSON, CSV and TSV, Parquet, Arrow, and Excel workbooks."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice, repeat
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from metrics_framework.common.errors import DataError, FirstProblem, FwError, MissingExtraError, Problems
from metrics_framework.data.texts import shown
from metrics_framework.inputs.roles import column_key, may_have_role
from metrics_framework.io import jsonl, parquet
from metrics_framework.io.locations import first_bytes, open_binary
from metrics_framework.io.reading import Piece, is_read_once, read_lines, start_of, uncompressed_name

if TYPE_CHECKING:
    from metrics_framework.inputs.exports import NamedRatings

Rows: TypeAlias = "Iterator[tuple[int, dict[str, Any]]]"
"""Rows with the numbers of their first lines, or their own numbers."""
_QUOTED = re.compile(r'"(?:[^"]|"")*""(?:[^"]|"")*"')
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\r?(?:\n|\Z)', re.IGNORECASE)
_WORKBOOK = re.compile(r"(.+\.xlsx)(?::(.+))?", re.IGNORECASE)
_JSON = re.compile(rb"\{|\[\s*(?:[\[{\"\]]|\Z)")
_OF_SURVEY_MONKEY = {"respondent_id", "collector_id"}
_TITLE = "; if the first line is a title, delete it"
_ROWS_SNIFFED = 100
_NUMBER = re.compile(r"\s*[+-]?\d+(?:[.,]\d+)?\s*")
KINDS_OF_APPRAISE = ("TGT", "BAD", "CHK", "REF", "TUT")
"""The kinds of items of Appraise; all but the first are checks and tutorials."""
_TEXT_ENDINGS = (".csv", ".tsv")
_JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
_LOG = re.compile(
    rb'PK\x03\x04.{26}(?:_journal/|header\.json|samples/)|\{\s*"version":\s*\d+,\s*"status":\s*"\w+",\s*"eval":'
    rb'|\{"schema_version": ?"[^"]*", ?"evaluation_id": ?"(?:[^"\\]|\\.)*", ?"model_id":'
    rb'|\{\s*"results":\s*\{\s*"(?:[^"\\]|\\.)*":\s*\{\s*"(?:alias|[^",]+,[^"]+)":',
    re.DOTALL,
)
"""The start of logs that are no rows: of Inspect, a zip archive or JSON, Every Eval Ever, and results of lm-eval."""
_SCORES_OF_WMT = re.compile(r"(?:(.*)/)?([^/]+)/(?:human-scores/([^/.]+)\.|metric-scores/([^/]+)/)[^/]+")
"""The paths of scores in the folders of mt-metrics-eval: the folder, the test set, the language pair."""
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"
_FORMATS: dict[bytes | str, str] = {  # by the first bytes or, of a file that is not local, the ending
    **dict.fromkeys((b"PAR1", ".parquet"), "parquet"),
    **dict.fromkeys((b"ARRO", b"\xff\xff\xff\xff", ".arrow", ".feather"), "arrow"),
    **dict.fromkeys((b"PK\x03\x04", _OLD_EXCEL), "xlsx"),
    ".eval": "log",
}


class Dialect(NamedTuple):
    """How the cells of a text file are separated.

    Args:
        delimiter: What separates them.
        is_quoted: Whether cells may be in quotes.
        header_line: The line of the names of the columns, after titles.
        width: The number of columns.
        fits: Whether all rows at the start of the file have that number of cells.
    """

    delimiter: str
    is_quoted: bool
    header_line: int
    width: int
    fits: bool


# ---- formats ---------------------------------------------------------------------------------------------------------


def is_table(path: str) -> bool:
    """Returns whether a file is a table with a header: CSV, TSV, Parquet, Arrow or Excel; JSON and logs are not.

    The content decides; the ending only for a file that is empty or cannot be read.
    """
    return _format(path) not in ("json", "log")


def is_json_lines(path: str) -> bool:
    """Returns whether a file has a row of JSON per line."""
    return _format(path) == "json" and jsonl.is_json_lines(path)


def is_plain_table(path: str) -> bool:
    """Returns whether a file is a table, and not a Parquet file of scores.

    Raises:
        DataError: if it is a Parquet file that cannot be read.
        MissingExtraError: if pyarrow is needed but not installed.
    """
    found = _format(path)
    return found not in ("json", "log") and not (found == "parquet" and parquet.has_scores(path))


def header_line(path: str) -> int | None:
    """Returns the line with the names of the columns; `None` if the format has no lines."""
    return getattr(_format(path), "header_line", None)


def delimiter_of(path: str) -> str | None:
    """Returns what separates the cells of a CSV or TSV file, between which a comma may be a decimal comma."""
    return getattr(_format(path), "delimiter", None)


def _format(path: str) -> Dialect | str:
    """Returns the dialect of a text table, else ``json``, ``log``, ``parquet``, ``arrow`` or ``xlsx``."""
    if path == "-":
        return _format_of(path, sys.stdin)
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return _format_of(path, None)
    return _format_of(path, (status.st_ino, None if is_read_once(path) else (status.st_mtime_ns, status.st_size)))


@lru_cache(64)
def _format_of(path: str, _state: object) -> Dialect | str:
    """Returns the format of a file in a state, which identifies its content."""
    name = uncompressed_name(path)
    binary = _FORMATS.get(first_bytes(path, 4)) or (_FORMATS.get(os.path.splitext(name)[1]) if name == path else None)
    if binary == "xlsx" and (name.endswith(".eval") or _LOG.match(first_bytes(path, 64))):
        return "log"
    if binary or _WORKBOOK.fullmatch(path):
        return binary or "xlsx"
    try:
        start = start_of(path)
    except FwError:
        start = b""
    text = start.lstrip()
    if _LOG.match(text):
        return "log"
    is_json = bool(_JSON.match(text)) or (not text and not name.endswith(_TEXT_ENDINGS))
    return "json" if is_json else _dialect(start, name)


def _dialect(start: bytes, name: str) -> Dialect | str:
    """Returns how the cells of a text file are separated; ``json`` if they are not, and its ending is of no table.

    Args:
        start: The first bytes of the file.
        name: Its name.
    """
    text = start.decode("utf-8", "replace")
    separator = _SEPARATOR_LINE.match(text)
    skipped = int(separator is not None)
    lines = [line.removesuffix("\r") for line in text.split("\n")][skipped:]
    if len(lines) > 2:
        del lines[-1]  # which may be incomplete
    lines = lines[:_ROWS_SNIFFED]
    candidates = [separator[1]] if separator else ["\t", ";", ","]
    dialects = [_of_delimiter(delimiter, lines, skipped + 1) for delimiter in candidates]
    best = max(dialects, key=lambda dialect: (dialect.width > 1, dialect.fits, dialect.width))
    if name.endswith(_TEXT_ENDINGS):
        if best.width == 1 and separator is None:
            best = best._replace(delimiter="\t" if name.endswith(".tsv") else ",", is_quoted=name.endswith(".csv"))
        return best
    is_doubtful = name.endswith(_JSON_ENDINGS) and (not best.fits or any(line.startswith("{") for line in lines))
    return "json" if best.width == 1 or is_doubtful else best


def _of_delimiter(delimiter: str, lines: Sequence[str], header_line: int) -> Dialect:
    import csv

    is_quoted = delimiter != "\t" or next(filter(None, lines), "").startswith('"')
    rows: list[list[str]] = []
    lines_before: list[int] = []
    reader, before = csv.reader(lines, delimiter=delimiter, quoting=0 if is_quoted else csv.QUOTE_NONE), 0
    with suppress(csv.Error):
        for row in reader:
            if row:
                rows.append(row)
                lines_before.append(before)
            before = reader.line_num
    titles = _titles(rows)
    widths = list(map(len, rows[titles:])) or [0]
    fits = len(widths) > 1 and len(set(widths)) == 1
    return Dialect(delimiter, is_quoted, header_line + (titles and lines_before[titles]), widths[0], fits)


def _titles(rows: Sequence[Sequence[Any]]) -> int:
    """Returns the number of titles above the names of columns: rows of one cell before the name of a role.

    >>> _titles([["A pilot", None], ["seg_id", "system"], [1, "x"]]), _titles([["", "seg_id"], ["system", "x"]])
    (1, 0)
    """
    filled = [[str(cell) for cell in row if cell is not None and str(cell).strip()] for row in rows]
    titles = next((number for number, cells in enumerate(filled) if len(cells) > 1), 0)
    *above, names = [any(map(may_have_role, cells)) for cells in filled[: titles + 1]] or [False]
    return titles if names and not any(above) else 0


# ---- rows ------------------------------------------------------------------------------------------------------------


def read_rows(
    path: str,
    problems: Problems | None = None,
    piece: Piece | None = None,
    column_names: Sequence[str] = (),
    ratings: NamedRatings | None = None,
    *,
    as_texts: bool = False,
) -> Rows:
    """Yields the rows of a file of any format, each with its number; rows of empty cells are left out.

    The cells of CSV and TSV are texts, those of other formats any values. Exports of annotation tools become rows of
    one rating, as `plain_rows` describes.

    Args:
        path: The file; ``FILE.xlsx:SHEET`` is a sheet of a workbook other than the first one.
        problems: Collects invalid rows; without it, the first invalid row raises.
        piece: The piece of a file of JSON lines or Parquet to read; `None` for the whole file.
        column_names: The names of the columns of a table without a header.
        ratings: The names of ratings, as for `plain_rows`.
        as_texts: Whether all cells are texts, as CSV has them: numbers in all their digits, missing values empty.

    Raises:
        DataError: if the file cannot be read, or its header is missing or invalid.
        MissingExtraError: if the format needs a package that is not installed.
    """
    from metrics_framework.inputs.exports import plain_rows, text_of  # which columns of JSON lines do not need

    problems = FirstProblem() if problems is None else problems
    found, rows = _format(path), jsonl.read_jsonl(path, problems, piece)
    if isinstance(found, Dialect):
        read = csv_rows if found.is_quoted else _split
        rows = _named(read(path, found.delimiter, found.header_line - 1), path, problems, column_names)
    elif found == "xlsx":
        cells = _cells_of_sheet(path)
        first = [*islice(cells, _ROWS_SNIFFED)]
        titles = _titles([row for _, row in first])
        rows = _named(chain(first[titles:], cells), path, problems, column_names)
    elif found == "log":
        from metrics_framework.inputs.logs import log_at

        log = log_at(path)
        rows = log.rows(problems) if log else iter(())
    elif found == "arrow":
        rows = parquet.arrow_rows(path, problems)
    elif found == "parquet":
        rows = parquet.read_rows(path, problems, piece)
    rows = plain_rows(rows, path, ratings)
    if as_texts and not isinstance(found, Dialect):
        rows = ((line, {name: text_of(cell) for name, cell in row.items()}) for line, row in rows)
    yield from rows


def _split(path: str, delimiter: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    width, is_scored = 0, False
    for number, line in enumerate(islice(read_lines(path), skipped, None), 1 + skipped):
        fields = line.split(delimiter)
        is_scored = is_scored if width else any(name.endswith("-good") for name in fields)
        if is_scored:  # by ACES, which quotes cells with quotes
            fields = [one[1:-1].replace('""', '"') if _QUOTED.fullmatch(one) else one for one in fields]
        elif '""' in line and any(_QUOTED.fullmatch(field) for field in fields):
            raise DataError("a cell is quoted, but TSV has no quoting here; save the table as CSV", path, number)
        width = width or len(fields)
        if line or width == 1:
            yield number, fields


def csv_rows(path: str, delimiter: str = ",", skipped: int = 0) -> Iterator[tuple[int, list[str]]]:
    """Yields the cells of each row of a CSV file, the first one included, with the number of its first line.

    Args:
        path: The file.
        delimiter: What separates the cells.
        skipped: The number of lines before the first row.

    Raises:
        DataError: if the file cannot be read or is not CSV.
    """
    import csv

    csv.field_size_limit(2**31 - 1)
    lines = map(add, islice(read_lines(path), skipped, None), repeat("\n"))
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    first_line = skipped + 1
    try:
        for fields in rows:
            if fields:
                yield first_line, fields
            first_line = rows.line_num + skipped + 1
    except csv.Error as error:
        reason = str(error)
        if reason.startswith("new-line"):
            reason = "a carriage return is outside of quotes"
        raise DataError(f"is not CSV: {reason}", path, first_line) from None


def _cells_of_sheet(path: str) -> Iterator[tuple[int, list[Any]]]:
    """Yields the cells of each row of a sheet, of equal number, with the number of the row.

    Raises:
        DataError: if the workbook cannot be read, or does not have the sheet.
        MissingExtraError: if openpyxl is not installed.
    """
    import warnings

    try:
        import openpyxl
    except ImportError:
        raise MissingExtraError("reading Excel workbooks", "openpyxl", "xlsx") from None
    found = _WORKBOOK.fullmatch(path)
    file, sheet = (path, None) if found is None or os.path.exists(path) else (found[1], found[2])
    if first_bytes(file, 4) == _OLD_EXCEL:
        raise DataError("is a workbook of an old Excel; save it as .xlsx or CSV", file)
    with open_binary(file) as stream:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about styles and the like, which are not read
                workbook = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        except Exception as error:  # whatever is not as openpyxl expects it
            raise DataError(f"cannot be read as an Excel workbook: {error}", file) from None
        if sheet is not None and sheet not in workbook.sheetnames:
            raise DataError(f"has no sheet '{sheet}'; its sheets are {', '.join(workbook.sheetnames)}", file)
        width = 0
        for number, cells in enumerate(workbook[sheet or workbook.sheetnames[0]].iter_rows(values_only=True), 1):
            filled = max((index for index, cell in enumerate(cells, 1) if cell is not None), default=0)
            width = filled if width < 2 else width  # one cell may be a title
            if filled:
                yield number, [*cells[: max(filled, width)], *[None] * (width - len(cells))]


def _named(rows: Iterator[tuple[int, list[Any]]], path: str, problems: Problems, column_names: Sequence[str]) -> Rows:
    """Yields rows as dictionaries.

    Args:
        rows: The cells of each row; the first ones are the header, unless there are names.
        path: The file.
        problems: Collects rows with another number of cells than the header.
        column_names: The names of the columns, unless the first row is a header that names the input.

    Raises:
        DataError: if the header is missing or invalid, or a cell is in a column without a name.
    """
    line, header = next(rows, (0, []))
    if {*map(column_key, map(str, header))} >= _OF_SURVEY_MONKEY:
        header = _with_items(header, next(rows, (0, header))[1])
    if column_names and (_has_cells(header) or not any(may_have_role(str(name), ["instance_id"]) for name in header)):
        rows, line, header = chain([(line, header)] if header else [], rows), 0, list(column_names)
    header = ["" if name is None or not str(name).strip() else str(name) for name in header]
    _check_header(header, path, line or None)
    nameless, index = [column for column, name in enumerate(header) if not name], None
    title = _TITLE if line and header.count("") == len(header) - 1 else ""
    width = len(header)
    while True:
        try:
            number, cells = next(rows)
        except StopIteration:
            return
        except DataError as problem:
            problems.add(problem)
            return
        if len(cells) != width:
            problems.add(
                DataError(f"must have {width} fields, as in the header, got {len(cells)}{title}", path, number)
            )
        elif str(cells[0]).strip() or width == 1 or any(str(cell).strip() for cell in cells):
            row = dict(zip(header, cells))  # noqa: B905 - of equal length, and `strict` takes time
            if nameless:
                index = _next_index(cells, nameless, index, (path, number, title))
                del row[""]
            yield number, row


def _with_items(header: Sequence[Any], items: Sequence[Any]) -> list[str]:
    """Returns the names of columns of SurveyMonkey, ``QUESTION [ITEM]``, of the first line and the items in the second.

    >>> _with_items(["Respondent ID", "Quality", "", "Why?"], ["", "1", "2", "Open-Ended Response"])
    ['Respondent ID', 'Quality [1]', 'Quality [2]', 'Why?']
    """
    names, question = list[str](), ""
    for name, item in zip(header, items, strict=False):
        question = str(name or question)
        names.append(question if item in ("", None, "Response", "Open-Ended Response") else f"{question} [{item}]")
    return names


def _next_index(
    cells: Sequence[Any], nameless: Iterable[int], index: int | None, place: tuple[str, int, str]
) -> int | None:
    """Checks the cells of columns without a name: empty ones, or the first one if it numbers the rows from 0 or 1.

    Args:
        cells: The cells of a row.
        nameless: The indexes of these columns.
        index: The number of the row in the first column; `None` if no row has one so far.
        place: The table, the line, and the end of a message.

    Returns:
        The number of the next row.

    Raises:
        DataError: if a cell is neither empty nor the number of the row.
    """
    path, line, hint = place
    for column in nameless:
        cell = "" if cells[column] is None else str(cells[column]).strip()
        if column == 0 and (index is not None or cell in ("0", "1")):
            index = int(cell) if index is None else index
            if cell != str(index):
                advice = "name the column, or write the table with to_csv(…, index=False) of pandas"
                message = f"the first column has no name and is no index: expected {index}, got {shown(cell)}"
                raise DataError(f"{message}; {advice}", path, line)
            index += 1
        elif cell:
            raise DataError(f"column {column + 1} has no name, but {shown(cell)} in it; name it{hint}", path, line)
    return index


def _has_cells(header: Sequence[Any]) -> bool:
    """Returns whether the first row of a table has numbers or repeated cells, as no header has."""
    names = [str(name) for name in header if name]
    return any(map(_NUMBER.fullmatch, names)) or len(set(names)) < len(names)


def is_of_appraise(cells: Sequence[str]) -> bool:
    """Returns whether the first cells of a table are a rating of Appraise, whose exports have no header."""
    return len(cells) in (11, 12) and cells[3] in KINDS_OF_APPRAISE


def _check_header(header: Sequence[str], path: str, line: int | None) -> None:
    if not any(header):
        raise DataError("is empty; a table must start with a line of column names", path)
    if line is not None and is_of_appraise(header):
        command = f"fw convert-ratings appraise {shlex.quote(path)} RATINGS.jsonl"
        raise DataError(f"is an export of Appraise, which has no header; convert it first: {command}", path)
    if line is not None and uncompressed_name(path).endswith(".score") and not any(map(may_have_role, header)):
        found = _SCORES_OF_WMT.fullmatch(path)
        folder, test_set, *pairs = found.groups() if found else ("FOLDER", "wmt23", "en-de")
        command = f"fw convert-ratings mt-metrics-eval {shlex.quote(folder or '.')} SCORES.jsonl --test-set {test_set}"
        pair = f"--pair {next(filter(None, pairs))}"
        raise DataError(f"is of mt-metrics-eval and has no header; convert its folder first: {command} {pair}", path)
    if line is not None and _has_cells(header) and not any(map(may_have_role, filter(None, header))):
        raise DataError("has no header; add one; --column-names NAME … names its columns", path)
    parquet.check_repeated(header, path, line)
