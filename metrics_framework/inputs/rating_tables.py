"""Reads ratings or scores: CSV and TSV files with one row per output or per rating, and rows of JSON lines."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from metrics_framework.common.errors import PARQUET, DataError, ListName, Problems
from metrics_framework.data.fields import SUMMARIZER_TYPES, SimilarNames, column_of, parse_id, parse_summarizer_type
from metrics_framework.data.scored_output import (
    INSTANCE_NAMES,
    SUMMARIZER_NAMES,
    TYPE_NAMES,
    OutputKey,
    ScoredOutput,
)
from metrics_framework.data.texts import described, is_missing, shown
from metrics_framework.inputs.tables import header_line, read_table

RATER_COLUMNS = ("rater_id", "rater", "annotator", "annotator_id", "worker_id")
"""The names of the column of raters."""

NumberedRows: TypeAlias = "list[tuple[int, dict[str, str]]]"
"""Rows with their line numbers."""


@dataclass(frozen=True)
class DroppedColumn:
    """A column that is not a metric although some of its cells are numbers, because other cells are text.

    Args:
        name: The column.
        path: The file.
        line: The line of the first cell that is not a number.
        cell: The text of that cell.
        numbers: The number of cells with a number, with a decimal point or a decimal comma.
        cells: The number of cells that are not missing.
    """

    name: str
    path: str
    line: int
    cell: str
    numbers: int
    cells: int

    def warning(self, path: str) -> str:
        """Returns a warning that states why the column is left out and how to fix it.

        Args:
            path: The file, as the warning should name it.
        """
        return (
            f"Left out: the column '{self.name}' of {path}, because {_row(self.path, self.line)} has "
            f"{shown(self.cell)}; "
            f"{self.numbers} of its {self.cells} cells are numbers. Use a decimal point, and leave a cell "
            "without a score empty or write NA."
        )


class LeftOut(NamedTuple):
    """What is left out of tables; `read_rating_table` adds to it.

    Args:
        hints: Maps each column that is not a metric to the reason.
        dropped: The columns of `hints` that contain numbers.
        missing: Maps each metric to the counts of its missing values, by their spelling.
        missing_in: Maps each output to its missing values, as names of metrics and spellings; empty if all rows belong
            to one data set.
    """

    hints: dict[str, str]
    dropped: list[DroppedColumn]
    missing: dict[str, Counter[str]]
    missing_in: dict[OutputKey, list[tuple[str, str]]]


@dataclass(frozen=True)
class TableColumns:
    """The columns of tables that are neither ids nor scores.

    Args:
        raters: The names of the column of raters; a table has one of them, or none.
        data_set: The column of data sets; `None` if all rows belong to one.
    """

    raters: Sequence[str] = RATER_COLUMNS
    data_set: str | None = None


NO_DATA_SETS = TableColumns()
"""Columns of raters by their usual names, and rows of one data set."""


def read_rating_table(
    path: str, left_out: LeftOut, problems: Problems, special: TableColumns = NO_DATA_SETS
) -> Iterator[ScoredOutput]:
    """Reads a table; columns are recognised by name.

    If there is a rater column, the rows of an output are joined, and each of its scores is a list with one number per
    rater. Columns of text are left out. An empty cell, or one with ``NA``, ``n/a``, ``None``, ``null`` or ``NaN``, is
    a missing score. Rows of empty cells, which spreadsheets write below the data, are ignored.

    Args:
        path: The table.
        left_out: Collects columns and missing values.
        problems: Collects invalid rows.
        special: The columns of raters and data sets.

    Raises:
        DataError: if the table cannot be read, has no column for the instance or the system, or has two columns of
            one meaning.
    """
    rows = ((line, row) for line, row in read_table(path, problems) if any(map(str.strip, row.values())))
    yield from rated_outputs(rows, path, left_out, problems, special)


def rated_outputs(
    rows: Iterable[tuple[int, Mapping[str, str]]],
    path: str,
    left_out: LeftOut,
    problems: Problems,
    special: TableColumns = NO_DATA_SETS,
) -> Iterator[ScoredOutput]:
    """Like `read_rating_table`, given the rows of the table; ``path`` names it in messages."""
    table: _RatingTable | None = None
    for line, row in rows:
        if table is None:
            table = _RatingTable(path, [*row], special)
        table.add(line, row)
    if table is not None:
        outputs = table.outputs(left_out, problems)
        yield from (output for _, output in outputs) if table.rater is None else _with_lists(outputs, problems)


class _RatingTable:
    """The cells of a table.

    Args:
        path: The file.
        columns: The names of the columns.
        special: The columns of raters and data sets.

    Raises:
        DataError: if two columns have the same meaning.

    Attributes:
        rater: The column of raters; `None` if there is none.
    """

    def __init__(self, path: str, columns: Sequence[str], special: TableColumns) -> None:
        self._path = path
        self._columns = columns
        self.rater = self._column(special.raters)
        self._type = self._column(TYPE_NAMES)
        self._data_set = special.data_set if special.data_set in columns else None
        self._keeps_missing = special.data_set is not None
        ids = (self._column(names) for names in (INSTANCE_NAMES, SUMMARIZER_NAMES))
        others = {*ids, self.rater, self._data_set}
        self._texts: dict[str, list[str]] = {name: [] for name in (*others, self._type) if name is not None}
        self._numbers = {name: NumberColumn() for name in columns if name not in others}
        self._lines = array("q")
        self._known: dict[str, str] = {}  # so that the same text takes memory once

    def add(self, line: int, row: Mapping[str, str]) -> None:
        """Adds a row."""
        self._lines.append(line)
        for name, texts in self._texts.items():
            texts.append(self._known.setdefault(row[name], row[name]))
        for name, numbers in self._numbers.items():
            numbers.add(line, row[name])

    def outputs(self, left_out: LeftOut, problems: Problems) -> Iterator[tuple[str, ScoredOutput]]:
        """Yields the rater and the scores of each row; the rater is empty if there is no column of raters.

        Raises:
            DataError: if there is no column for the instance or the system.
        """
        ids = self._required(INSTANCE_NAMES, "the instance"), self._required(SUMMARIZER_NAMES, "the system")
        type_column = self._type_column()
        names = [name for name in self._numbers if name != type_column and self._is_metric(name, left_out)]
        for row in range(len(self._lines)):
            output = self._output(row, ids, type_column, names, problems)
            if output is not None:
                if self._keeps_missing:
                    left_out.missing_in.setdefault(output.key, []).extend(self._missing(row, names))
                yield "" if self.rater is None else self._texts[self.rater][row], output

    def _column(self, names: Sequence[str]) -> str | None:
        try:
            return column_of(self._columns, names)
        except DataError as problem:
            raise DataError(problem.message, self._path, header_line(self._path)) from None

    def _required(self, names: Sequence[str], meaning: str) -> str:
        column = self._column(names)
        if column is None:
            expected, got = ", ".join(names), ", ".join(self._columns)
            hint = next(filter(None, map(SimilarNames(self._columns).hint, names)), "")
            message = f"has no column for {meaning} (one of {expected}); its columns are {got}{hint}"
            raise DataError(message, self._path, header_line(self._path))
        return column

    def _type_column(self) -> str | None:
        """Finds the type column; under another name, a column must contain ``peer`` or ``reference``."""
        if self._type == TYPE_NAMES[0] or self._type is None:
            return self._type
        return None if {*SUMMARIZER_TYPES}.isdisjoint(self._texts[self._type]) else self._type

    def _is_metric(self, name: str, left_out: LeftOut) -> bool:
        """Returns whether a column has scores; if not, records the reason."""
        path, column = self._path, self._numbers[name]
        if not column.cells:
            missing = column.missing
            why = f"has only missing values: {described(missing)}" if any(missing) else "is empty"
            left_out.hints[name] = f"(The column '{name}' of {path} {why}.)"
            return False
        if column.text is None:
            left_out.missing.setdefault(name, Counter()).update(column.missing)
            return True
        line, cell = column.text
        left_out.hints[name] = f"(The column '{name}' of {path} is text: {_row(path, line)} has '{cell[:40]}'.)"
        if column.numbers:
            left_out.dropped.append(DroppedColumn(name, path, line, cell, column.numbers, column.cells))
        return False

    def _output(
        self, row: int, ids: tuple[str, str], type_column: str | None, names: Sequence[str], problems: Problems
    ) -> ScoredOutput | None:
        line, texts = self._lines[row], self._texts
        try:
            instance, summarizer = (parse_id(texts[name][row], name) for name in ids)
            kind = None if type_column is None else texts[type_column][row]
            summarizer_type = parse_summarizer_type(kind, str(type_column)) if kind else None
        except DataError as problem:
            problems.add(DataError(problem.message, self._path, line))
            return None
        scores = {name: self._numbers[name].number(row) for name in names}
        label = "" if self._data_set is None else texts[self._data_set][row]
        data_set = None if is_missing(label) else label
        return ScoredOutput(instance, summarizer, summarizer_type, scores, self._path, line, data_set)

    def _missing(self, row: int, names: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yields the missing scores of a row and their spelling."""
        for name in names:
            spelling = self._numbers[name].spelling(row)
            if spelling is not None:
                yield name, spelling


def _row(path: str, line: int) -> str:
    if isinstance(path, ListName):
        return f"row {line - 1}"
    return f"row {line}" if path.endswith(PARQUET) else f"line {line}"


def _with_lists(rated: Iterable[tuple[str, ScoredOutput]], problems: Problems) -> Iterator[ScoredOutput]:
    """Joins the ratings of each output into lists, in the order of the rows."""
    ratings: dict[OutputKey, dict[str, ScoredOutput]] = {}
    for rater, output in rated:
        by_rater = ratings.setdefault(output.key, {})
        if rater in by_rater:
            message = f"duplicate rating of {output.name} by rater '{rater}' (first at {by_rater[rater].location})"
            problems.add(DataError(message, output.path, output.line))
        by_rater.setdefault(rater, output)
    for by_rater in ratings.values():
        outputs = list(by_rater.values())
        lists = {name: [output.metrics[name] for output in outputs] for name in outputs[0].metrics}
        yield outputs[0]._replace(metrics=lists)


class NumberColumn:
    """The cells of a column: numbers, and missing values by their spelling; only counts once a cell is text.

    Attributes:
        missing: The counts of missing values by their spelling.
        text: The line and the content of the first cell that is neither a number nor missing; `None` if there is none.
        numbers: The number of cells that a person would read as a number: a decimal comma is allowed.
        cells: The number of cells that are not missing.

    >>> column = NumberColumn()
    >>> for line, cell in enumerate(["4.5", "NA", "3"], 2):
    ...     column.add(line, cell)
    >>> [column.number(row) for row in range(3)], column.missing
    ([4.5, None, 3.0], Counter({'NA': 1}))
    """

    def __init__(self) -> None:
        self.missing: Counter[str] = Counter()
        self.text: tuple[int, str] | None = None
        self.numbers = 0
        self.cells = 0
        self._values = array("d")
        self._spelling_of = bytearray()  # 0 for a number
        self._spellings: dict[str, int] = {}

    def add(self, line: int, cell: str) -> None:
        """Adds the cell of the next row."""
        try:
            number = float(cell)
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or "_" in cell:
            self._add_other(line, cell.strip())
            return
        self.numbers += 1
        self.cells += 1
        if self.text is None:
            self._values.append(number)
            self._spelling_of.append(0)

    def _add_other(self, line: int, cell: str) -> None:
        if is_missing(cell):
            self.missing[cell] += 1
            if self.text is None:
                self._values.append(math.nan)
                self._spelling_of.append(self._spellings.setdefault(cell, len(self._spellings) + 1))
            return
        self.cells += 1
        self.numbers += _is_finite(cell.replace(",", "."))
        if self.text is None:
            self.text = line, cell
            del self._values[:], self._spelling_of[:]

    def number(self, row: int) -> float | None:
        """Returns the number in a row; `None` if it is missing."""
        return None if self._spelling_of[row] else self._values[row]

    def spelling(self, row: int) -> str | None:
        """Returns how the missing value in a row is written; `None` for a number."""
        index = self._spelling_of[row]
        return [*self._spellings][index - 1] if index else None


def _is_finite(cell: str) -> bool:
    try:
        return math.isfinite(float(cell)) and "_" not in cell
    except ValueError:
        return False


_NUMBERS = frozenset({float, int})


def scored_row(row: Mapping[str, Any], path: str, line: int) -> ScoredOutput:
    """Returns the scores of a row of a score file.

    Args:
        row: The row.
        path: The file.
        line: The line.

    Raises:
        DataError: if an id is missing or invalid, or a score is not a finite number, `None`, or a list or object of
            these.
    """
    instance = _id(row, INSTANCE_NAMES, path, line)
    summarizer = _id(row, SUMMARIZER_NAMES, path, line)
    type_name = column_of(row, TYPE_NAMES)
    summarizer_type = None if type_name is None else row[type_name]
    if summarizer_type is not None:
        summarizer_type = parse_summarizer_type(summarizer_type, "summarizer_type")
    metrics = row.get("metrics")
    if not isinstance(metrics, dict):
        actual = f"got {shown(metrics)}" if "metrics" in row else "but is missing"
        hint = "; score the outputs first: fw METRIC score" if "summary" in row else ""
        raise DataError(f"'metrics' must be an object of scores, {actual}{hint}", path, line)
    if not _are_finite_numbers(metrics.values()):
        for name, value in metrics.items():
            _check_score(name, value, path, line)
    return ScoredOutput(instance, summarizer, summarizer_type, metrics, path, line)


def _id(row: Mapping[str, Any], names: Sequence[str], path: str, line: int) -> str:
    name = column_of(row, names)
    if name is None:
        raise DataError(f"'{names[0]}' is missing; the row has {', '.join(map(repr, row)) or 'no keys'}", path, line)
    return parse_id(row[name], name)


def _are_finite_numbers(values: Collection[Any]) -> bool:
    """Returns whether all scores are finite numbers, as they nearly always are; not all of these are recognized."""
    try:
        return _NUMBERS.issuperset(map(type, values)) and math.isfinite(math.fsum(values))
    except (OverflowError, ValueError):  # a sum beyond the range of floats, infinities of both signs
        return False


def _check_score(name: str, value: Any, path: str, line: int) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_score(f"{name}_{key}", inner, path, line)
        return
    for number in value if isinstance(value, list) else [value]:
        is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
        if number is None or (is_number and not _is_infinite(number)):
            continue
        subject = f"score '{name}'" if name else "'metrics'"
        raise DataError(
            f"{subject} must be a finite number, null, or a list or object of these, got {shown(value)}", path, line
        )


def _is_infinite(number: float) -> bool:
    try:
        return math.isinf(number)
    except OverflowError:  # an integer beyond the range of floats
        return True
