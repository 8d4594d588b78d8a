"""Reads ratings or scores: CSV and TSV files with one row per output or per rating, and rows of JSON lines."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

from metrics_framework.common.errors import PARQUET, DataError, ListName, Problems, location_of
from metrics_framework.common.overriding import overrides
from metrics_framework.data.fields import SUMMARIZER_TYPES, parse_summarizer_type
from metrics_framework.data.scored_output import OutputKey
from metrics_framework.data.texts import shown
from metrics_framework.inputs.keys import LongRow
from metrics_framework.inputs.rating_rows import RATERS, SYSTEMS, RatingRows, RatingRules, RoleColumns, rated_twice
from metrics_framework.inputs.roles import no_column
from metrics_framework.inputs.tables import header_line
from metrics_framework.inputs.values import NumberColumn, described, has_decimal_comma

_SEPARATOR = "\0"


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


@dataclass
class LeftOut:
    """What is left out of tables; `read_outputs` adds to it.

    Args:
        hints: Maps each column that is not a metric to the reason.
        dropped: The columns of `hints` that contain numbers.
        missing: Maps each metric to the counts of its missing values, by their spelling.
        missing_in: Maps each output to its missing values, as names of metrics and spellings; empty if all rows belong
            to one data set.
    """

    hints: dict[str, str] = field(default_factory=dict)
    dropped: list[DroppedColumn] = field(default_factory=list)
    missing: dict[str, Counter[str]] = field(default_factory=dict)
    missing_in: dict[OutputKey, list[tuple[str, str]]] = field(default_factory=dict)


class JoinedCells(Mapping[str, Any]):
    """Cells that are texts as one text, which takes a fraction of the memory of a dictionary.

    Args:
        index: The number of each column.
        joined: The texts.
    """

    __slots__ = ("_index", "_joined")

    def __init__(self, index: Mapping[str, int], joined: str) -> None:
        self._index, self._joined = index, joined

    @overrides
    def __getitem__(self, name: str) -> Any:
        return self._joined.split(_SEPARATOR)[self._index[name]]

    @overrides
    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    @overrides
    def __len__(self) -> int:
        return len(self._index)

    @overrides
    def items(self) -> ItemsView[str, Any]:
        return dict(zip(self._index, self._joined.split(_SEPARATOR), strict=True)).items()


def _joined(row: LongRow, indices: dict[tuple[str, ...], dict[str, int]]) -> LongRow:
    """Returns a row with joined cells, if all are texts.

    Args:
        row: The row.
        indices: The columns of earlier rows, to their numbers.
    """
    names = tuple(row.cells)
    try:
        joined = _SEPARATOR.join(row.cells.values())
    except TypeError:
        return row
    if joined.count(_SEPARATOR) >= len(names):
        return row
    index = indices.get(names) or indices.setdefault(names, {name: number for number, name in enumerate(names)})
    return row._replace(cells=JoinedCells(index, joined))


class _TableOfScores:
    """The columns of a table, of which those with numbers are scores.

    Args:
        rows: The rows.
        names: The columns.
        columns: The columns of the ids.
        rules: How cells are read.
    """

    def __init__(self, rows: Sequence[LongRow], names: Sequence[str], columns: RoleColumns, rules: RatingRules) -> None:
        self._path, self._rows, self._columns, self._rules = rows[0].path, rows, columns, rules
        self._lists: dict[int, dict[str, Any]] = {}
        has_comma, ids = has_decimal_comma(self._path), {*columns.instance, columns.summarizer, columns.rater}
        self._numbers = {
            name: NumberColumn(name, self._path, rules.values_of(name), has_comma=has_comma)
            for name in names
            if name not in ids and name != rules.data_set
        }
        for number, row in enumerate(rows):
            cells = dict(row.cells.items())
            for name, column in self._numbers.items():
                cell = cells.get(name, "")
                if type(cell) is not str:
                    if _is_list_of_numbers(cell):
                        self._lists.setdefault(number, {})[name] = cell
                    cell = "" if cell is None else str(int(cell) if isinstance(cell, bool) else cell)  # as in CSV
                column.add(cell)

    def outputs(self, left_out: LeftOut, problems: Problems) -> Iterator[LongRow]:
        """Yields the scores of outputs; with a column of raters, each is a list with one number per rater.

        Columns of text are left out. An empty cell, or one with ``NA``, ``n/a``, ``None``, ``null`` or ``NaN``, is a
        missing score.

        Raises:
            DataError: if there is no column for the system.
        """
        if self._rules.needs_system and self._columns.summarizer is None and not self._columns.systems:
            problem = no_column("summarizer_id", self._rows[0].cells, self._path)
            raise DataError(problem.message, self._path, header_line(self._path))
        with_lists = {name for lists in self._lists.values() for name in lists}
        kind = self._type_column()
        skipped = {*with_lists, kind}
        names = [name for name in self._numbers if name not in skipped and self._is_metric(name, left_out, problems)]
        outputs = self._outputs(kind, names, left_out, problems)
        for name in self._columns.raters:
            if self._numbers[name].text is not None:
                self._add_problems(name, problems)
        if self._columns.rater is not None:
            outputs = _with_lists(self._rules.without_repeats(outputs), problems)
        yield from outputs

    def _outputs(
        self, kind: str | None, names: Sequence[str], left_out: LeftOut, problems: Problems
    ) -> Iterator[LongRow]:
        """Yields the scores of each row; the type of the output of a rater is the name of the rater."""
        columns = [self._numbers[name].values() for name in names]
        rows = zip(self._rows, zip(*columns, strict=True) if names else repeat(()), strict=False)
        for number, (row, values) in enumerate(rows):
            cell = row.summarizer_type if kind is not None else None
            try:
                summarizer_type = parse_summarizer_type(cell, str(kind)) if cell else None
            except DataError as problem:
                problems.add(DataError(problem.message, self._path, row.line))
                continue
            scores: dict[str, Any] = dict(zip(names, values, strict=True))
            if self._lists:
                scores |= self._lists.get(number, {})
            if self._columns.raters:
                raters = (self._numbers[name] for name in self._columns.raters)
                scores[RATERS] = [None if one.text is not None else one.number(number) for one in raters]
            output = row._replace(cells={}, summarizer_type=summarizer_type, metrics=scores)
            if self._rules.data_set is not None:
                left_out.missing_in.setdefault(output.key, []).extend(self._missing(number, names))
            yield output

    def _type_column(self) -> str | None:
        """Finds the type column; under another name, a column must contain ``peer`` or ``reference``."""
        column = self._columns.summarizer_type
        if column is None or column == "summarizer_type":
            return column
        return None if {*SUMMARIZER_TYPES}.isdisjoint(row.summarizer_type for row in self._rows) else column

    def _is_metric(self, name: str, left_out: LeftOut, problems: Problems) -> bool:
        """Returns whether a column has scores; if not, records the reason.

        Args:
            name: The column.
            left_out: Receives the reason.
            problems: Receives the numbers of the column that contradict each other or the scale.
        """
        path, column = self._path, self._numbers[name]
        if not column.cells:
            missing = column.missing
            why = f"has only missing values: {described(missing)}" if any(missing) else "is empty"
            left_out.hints[name] = f"(The column '{name}' of {path} {why}.)"
            return False
        if column.text is None:
            left_out.missing.setdefault(name, Counter()).update(column.missing)
            self._add_problems(name, problems)
            if self._rules.is_rated(name):
                self._rules.value_warnings += column.warnings()
            return True
        line, cell = self._rows[column.text[0]].line, column.text[1]
        left_out.hints[name] = f"(The column '{name}' of {path} is text: {_row(path, line)} has '{cell[:40]}'.)"
        if self._rules.is_rated(name):
            left_out.hints[name] = f"({location_of(path, line)}: {column.problems()[0][1]})"
        if column.numbers:
            left_out.dropped.append(DroppedColumn(name, path, line, cell, column.numbers, column.cells))
        return False

    def _add_problems(self, name: str, problems: Problems) -> None:
        for row, message in self._numbers[name].problems():
            problems.add(DataError(message, self._path, self._rows[row].line))

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


def _with_lists(rated: Iterable[LongRow], problems: Problems) -> Iterator[LongRow]:
    """Joins the ratings of each output into lists, in the order of the rows."""
    ratings: dict[OutputKey, dict[str, LongRow]] = {}
    for output in rated:
        by_rater, rater = ratings.setdefault(output.key, {}), str(output.rater)
        if rater in by_rater:
            problems.add(DataError(rated_twice(rater, output, by_rater[rater]), output.path, output.line))
        by_rater.setdefault(rater, output)
    for by_rater in ratings.values():
        outputs = list(by_rater.values())
        lists = {name: [output.metrics[name] for output in outputs] for name in outputs[0].metrics}
        yield outputs[0]._replace(metrics=lists)


def read_outputs(rows: RatingRows, left_out: LeftOut, problems: Problems, table: list[LongRow]) -> Iterator[LongRow]:
    """Yields the scores of outputs in a source.

    Args:
        rows: The source.
        left_out: Collects columns and missing values.
        problems: Collects invalid rows.
        table: The rows are added to it, if the source is a table.

    Raises:
        DataError: if the source cannot be read, or has no column for the input or the system, or two for one role.
    """
    indices = dict[tuple[str, ...], dict[str, int]]()
    for row in rows:
        if rows.has_scores:
            try:
                _check_scores(row)
            except DataError as problem:
                problems.add(problem if problem.path else DataError(problem.message, row.path, row.line))
            else:
                yield row
            continue
        table.append(_joined(row, indices))
    if table and rows.columns is not None:
        names = [*rows.names, *([SYSTEMS] if rows.columns.systems else [])]
        yield from _TableOfScores(table, names, rows.columns, rows.rules).outputs(left_out, problems)


def _check_scores(row: LongRow) -> None:
    """Checks a row of a score file.

    Raises:
        DataError: if the system or the scores are missing, or a score is not a finite number, `None`, or a list or
            object of these.
    """
    path, line = row.path, row.line
    if not row.summarizer_id:
        listed = ", ".join(map(repr, row.cells))
        raise DataError(f"'summarizer_id' is missing; the row has {listed}", path, line)
    if row.summarizer_type is not None:
        parse_summarizer_type(row.summarizer_type, "summarizer_type")
    metrics = row.metrics
    if not isinstance(metrics, dict) or "metrics" not in row.cells:
        actual = f"got {shown(metrics)}" if "metrics" in row.cells else "but is missing"
        raise DataError(f"'metrics' must be an object of scores, {actual}", path, line)
    for name, value in metrics.items():
        if type(value) not in _NUMBERS or abs(value) > sys.float_info.max:
            _check_score(name, value, path, line)


_NUMBERS = frozenset({float, int})


def _check_score(name: str, value: Any, path: str, line: int) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_score(f"{name}_{key}", inner, path, line)
        return
    for number in value if isinstance(value, list) else [value]:
        is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
        if number is None or (is_number and not abs(number) > sys.float_info.max):
            continue
        subject = f"score '{name}'" if name else "'metrics'"
        raise DataError(
            f"{subject} must be a finite number, null, or a list or object of these, got {shown(value)}", path, line
        )


def _is_list_of_numbers(value: Any) -> bool:
    """Returns whether a cell has a list of ratings."""
    return isinstance(value, (list, tuple)) and all(
        number is None or (isinstance(number, (int, float)) and not isinstance(number, bool)) for number in value
    )
