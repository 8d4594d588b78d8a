"""The one reader of ratings and scores: each source, a file or rows in memory, is read once, row by row.

A row has one rating, several qualities, a list of ratings, or scores of an output. `RatingRows` finds the columns of
ids and raters and yields each row with its ids. Both views of the rows are made of them: matrices of scores
(`score_files`), and the ratings of each rater (`ratings`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from sys import intern
from typing import Any, NamedTuple, TypeAlias

from metrics_framework.common.errors import DataError, ListName, Problems, UnknownNameError, location_of
from metrics_framework.data.fields import SimilarNames, column_of, parse_id
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.scored_output import (
    INSTANCE_NAMES,
    SUMMARIZER_NAMES,
    TYPE_NAMES,
    MetricsRow,
    OutputKey,
    name_of_output,
)
from metrics_framework.inputs.row_view import Condition, value_text
from metrics_framework.inputs.tables import header_line, is_plain_table, read_table
from metrics_framework.inputs.values import USUAL, ValueRules, is_missing
from metrics_framework.io.parquet import read_score_rows

RATER_COLUMNS = ("rater_id", "rater", "annotator", "annotator_id", "worker_id")
"""The names of the column of raters."""
NumberedRows: TypeAlias = "list[tuple[int, dict[str, str]]]"
"""Rows with their line numbers."""
Source: TypeAlias = "str | ScoresInMemory"
JOINED_BY = "/"
"""What is between the parts of an id of several columns, such as a document and a segment."""
_ROLE_NAMES = {
    "instance_id": INSTANCE_NAMES,
    "summarizer_id": SUMMARIZER_NAMES,
    "summarizer_type": TYPE_NAMES,
    "rater": RATER_COLUMNS,
}


class LongRow(NamedTuple):
    """A row of ratings or scores.

    Args:
        instance_id: The input.
        summarizer_id: The system; empty if the row has no column for it.
        rater: The rater; `None` if the row has no column for raters.
        cells: Column to cell: text, a number, a list of numbers, or `None`.
        path: The file.
        line: The line, counted from 1.
        data_set: The data set, such as the language pair; `None` if it is unknown.
        summarizer_type: The type of the system; `None` if the row has no column for it.
        metrics: The scores of the output, nested as they were read.
    """

    instance_id: str
    summarizer_id: str
    rater: str | None
    cells: Mapping[str, Any]
    path: str
    line: int
    data_set: str | None = None
    summarizer_type: Any = None
    metrics: Mapping[str, Any] = {}

    @property
    def key(self) -> OutputKey:
        """The key that rows of the same output share."""
        return self.data_set, self.instance_id, self.summarizer_id

    @property
    def unit(self) -> tuple[str, str]:
        """The output: input and system."""
        return self.instance_id, self.summarizer_id

    @property
    def output_name(self) -> str:
        """The output as error messages name it."""
        return name_of_output(self.unit, self.data_set)

    @property
    def location(self) -> str:
        """The file and line of the row, as ``file:line``."""
        return location_of(self.path, self.line)


@dataclass
class RatingRules:
    """From which columns ratings are read, and which rows are read; what was found is added to it.

    Args:
        columns: Roles such as ``rater`` to their columns, in the files that have them; the columns of other roles are
            found by their names.
        where: The conditions that rows must meet, in the files that have their columns.
        data_set: The column of data sets; `None` if all rows belong to one.
        values: How cells become numbers or labels.
        rated: The columns of ratings, among those of scores, that the scale is of; `None` if all are.
        used: The columns among those above that a file has.
        value_notes: How values were read.
        value_warnings: Which values may be misread.
        value_missing: Rated quality to the counts of its missing values by their spelling.
    """

    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    where: Sequence[Condition] = ()
    data_set: str | None = None
    values: ValueRules = USUAL
    rated: Collection[str] | None = None
    used: set[str] = field(default_factory=set)
    value_notes: list[str] = field(default_factory=list)
    value_warnings: list[str] = field(default_factory=list)
    value_missing: dict[str, Mapping[str, int]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, rater_column: str | None = None, values: ValueRules = USUAL, rated: Collection[str] | None = None
    ) -> RatingRules:
        """Returns the rules that options state.

        Args:
            rater_column: The column of raters; `None` for one of the usual names.
            values: How cells become numbers or labels.
            rated: The columns of ratings, if the files also have scores.
        """
        return cls({} if rater_column is None else {"rater": [rater_column]}, values=values, rated=rated)

    def values_of(self, column: str) -> ValueRules:
        """Returns how the cells of a column become numbers."""
        return self.values if self.rated is None or column in self.rated else replace(self.values, scale=None)

    def without_range(self) -> RatingRules:
        """Returns the rules for judges, whose numbers may be on another scale; its words are those of ratings."""
        scale = self.values.scale
        return self if scale is None or scale.words else replace(self, values=replace(self.values, scale=None))

    def keeps(self, row: Mapping[str, Any]) -> bool:
        """Returns whether a row meets all conditions whose columns it has.

        Raises:
            DataError: if a value has no text.
        """
        for condition in self.where:
            if condition.column in row:
                self.used.add(condition.column)
                if (value_text(condition.column, row[condition.column]) == condition.value) is not condition.is_equal:
                    return False
        return True

    def check_used(self, columns: Sequence[str]) -> None:
        """Checks that the files have the columns that are named.

        Args:
            columns: The columns of all files.

        Raises:
            UnknownNameError: if a column is in no file.
        """
        named = [*chain.from_iterable(self.columns.values()), *(condition.column for condition in self.where)]
        for column in named:
            if column not in self.used:
                raise UnknownNameError("column", column, columns)


class RoleColumns(NamedTuple):
    """The columns of the ids of a row.

    Args:
        instance: The columns of the input, whose values are joined.
        summarizer: The column of the system, if there is one.
        summarizer_type: The column of its type, if there is one.
        rater: The column of the rater, if there is one.
    """

    instance: Sequence[str]
    summarizer: str | None
    summarizer_type: str | None
    rater: str | None

    @property
    def names(self) -> tuple[str | None, ...]:
        """The columns of the input, the system and its type."""
        return self.instance[0], self.summarizer, self.summarizer_type


class RatingRows:
    """The rows of one source.

    Args:
        source: A file, or rows in memory.
        rules: The columns and the conditions.
        problems: Collects invalid rows.

    Attributes:
        path: The file.
        rules: The columns and the conditions.
        columns: The columns of the ids of the first row, once it is read.
        has_scores: Whether the rows have scores of outputs in ``metrics``, once the first one is read.
    """

    def __init__(self, source: Source, rules: RatingRules, problems: Problems) -> None:
        self.path = source if isinstance(source, str) else source.name
        self.columns: RoleColumns | None = None
        self.has_scores = False
        self._source = source
        self.rules = rules
        self._problems = problems
        self._has_header = isinstance(source, ScoresInMemory) or is_plain_table(source)
        self._by_names: dict[tuple[str, ...], RoleColumns] = {}

    def __iter__(self) -> Iterator[LongRow]:
        """Yields the rows; rows of empty cells are ignored.

        Raises:
            DataError: if the file cannot be read, or a table has no column for the input, or two columns of one role.
        """
        for line, row in self._read():
            if "metrics" not in row and not self._has_header:
                row = flat_row(row)
            names = tuple(row)
            columns = self._by_names.get(names)
            try:
                if columns is None:
                    columns = self._by_names[names] = self._columns_of(row)
                if self.columns is None:
                    self.columns, self.has_scores = columns, "metrics" in row and columns.rater is None
                if not self.rules.where or self.rules.keeps(row):
                    yield self._long_row(row, columns, line)
            except DataError as problem:
                if columns is None and self._has_header:
                    raise DataError(problem.message, self.path, header_line(self.path)) from None
                self._problems.add(DataError(problem.message, self.path, line))

    def _read(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        if isinstance(self._source, ScoresInMemory):
            yield from self._source.table_rows()
        elif self._has_header:
            for line, row in read_table(self._source, self._problems):
                if any(map(str.strip, row.values())):
                    yield line, row
        else:
            yield from read_score_rows(self._source, self._problems, self.rules.data_set)

    def _columns_of(self, row: Mapping[str, Any]) -> RoleColumns:
        """Returns the columns of the ids of a row.

        Raises:
            DataError: if there is none for the input, or two for one role.
        """
        given = {role: names for role, names in self.rules.columns.items() if row.keys() >= {*names}}
        self.rules.used.update(chain.from_iterable(given.values()))
        roles: dict[str, Sequence[str | None]] = {
            role: given.get(role) or [column_of(row, names)] for role, names in _ROLE_NAMES.items()
        }
        instance = [name for name in roles.pop("instance_id") if name is not None]
        if not instance:
            raise DataError(_without_instance(row))
        return RoleColumns(instance, *(names[0] for names in roles.values()))

    def _long_row(self, row: Mapping[str, Any], columns: RoleColumns, line: int) -> LongRow:
        names, summarizer, kind, rater = columns
        instance = parse_id(row[names[0]], names[0])
        if len(names) > 1:
            instance = JOINED_BY.join([instance, *(parse_id(row[name], name) for name in names[1:])])
        return LongRow(
            instance,
            "" if summarizer is None else parse_id(row[summarizer], summarizer),
            None if rater is None else parse_id(row[rater], rater),
            row,
            self.path,
            line,
            None if self.rules.data_set is None else label_in(row, self.rules.data_set),
            None if kind is None else row[kind],
            row.get("metrics", {}),
        )


def flat(row: LongRow) -> LongRow:
    """Returns a row in which scores are cells."""
    return row._replace(cells=flat_row(row.cells))


def _without_instance(cells: Mapping[str, Any]) -> str:
    expected, got = ", ".join(INSTANCE_NAMES), ", ".join(cells)
    hint = next(filter(None, map(SimilarNames(list(cells)).hint, INSTANCE_NAMES)), "")
    return f"has no column for the instance (one of {expected}); its columns are {got}{hint}"


def label_in(row: Mapping[str, Any], column: str) -> str | None:
    """Returns the label of a row of a score file, such as its data set; `None` if it is missing.

    The column is a key of the row, or one of its scores.

    >>> label_in({"lp": "en-de", "metrics": {"ter": 40.0}}, "lp"), label_in({"metrics": {"year": 2023}}, "year")
    ('en-de', '2023')
    """
    if column in row and column not in (row.get("metrics") or ()):  # nearly always, and flat rows take time
        cell = row[column]
        if not isinstance(cell, Mapping):
            return label_of(cell)
    return label_of(flat_row(row).get(column))


def label_of(cell: Any) -> str | None:
    """Returns the label in a cell; `None` if it is missing.

    >>> label_of("en-de"), label_of(2023), label_of("NA")
    ('en-de', '2023', None)
    """
    return None if is_missing(cell) else str(cell)


@dataclass(frozen=True)
class ScoresInMemory:
    """The scores of outputs, or the rows of a table of ratings.

    Args:
        name: The name for messages.
        rows: The scores of each output.
        cells: The rows of a table, with cells as in a CSV file.
        lists: Number of a row to its scores that are lists of numbers, such as one per rater.
        signatures: Metric to its signature.
    """

    name: ListName
    rows: Sequence[MetricsRow] = ()
    cells: NumberedRows = field(default_factory=list)
    lists: dict[int, dict[str, Any]] = field(default_factory=dict)
    signatures: dict[str, str] | None = None

    @classmethod
    def of_rows(cls, name: str, rows: Iterator[Mapping[str, Any]]) -> ScoresInMemory:
        """Creates the table of rows with ids and scores; all rows get the columns of all."""
        lists: dict[int, dict[str, Any]] = {}
        cells: list[dict[str, str]] = []
        for number, row in enumerate(map(flat_row, rows), 1):
            lists[number] = {column: value for column, value in row.items() if is_list_of_numbers(value)}
            cells.append({column: as_cell(value) for column, value in row.items() if column not in lists[number]})
        with_lists = {column for of_row in lists.values() for column in of_row}
        columns = [column for column in dict.fromkeys(chain.from_iterable(cells)) if column not in with_lists]
        complete = ({column: row.get(column, "") for column in columns} for row in cells)
        return cls(ListName(name), cells=[*enumerate(complete, 1)], lists=lists)

    def table_rows(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yields each row with its number: scores of outputs as in a score file, or the cells of all columns."""
        for number, row in enumerate(self.rows, 1):
            yield number, row.as_json()
        for number, cells in self.cells:
            yield number, cells | self.lists[number]


def flat_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a row without nesting; the scores in ``metrics`` keep their names.

    >>> flat_row({"id": 1, "metrics": {"rouge": {"recall": 40.0}}})
    {'id': 1, 'rouge_recall': 40.0}
    """
    flat: dict[Any, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            nested = value if name == "metrics" else {str(name): value}
            is_flat = not any(isinstance(inner, Mapping) for inner in nested.values())
            flat.update(nested if is_flat else MetricsDict(nested).flatten())
        else:
            flat[name] = value
    return {intern(str(name)): value for name, value in flat.items()}  # else each row of a file has separate names


def is_list_of_numbers(value: Any) -> bool:
    """Returns whether a cell has a list of ratings."""
    return isinstance(value, (list, tuple)) and all(
        number is None or (isinstance(number, (int, float)) and not isinstance(number, bool)) for number in value
    )


def as_cell(value: Any) -> str:
    """Returns a value as in a CSV file; numbers keep all digits."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool) else str(value)
