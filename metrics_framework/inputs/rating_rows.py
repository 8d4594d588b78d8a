"""Rows of long tables, one row per rating: which input, system and rater, and the cells of all columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from sys import intern
from typing import Any, NamedTuple, TypeAlias

from metrics_framework.common.errors import DataError, ListName, Problems, location_of
from metrics_framework.data.fields import IDENTITY_FIELDS, SimilarNames, column_of, parse_id
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.scored_output import (
    INSTANCE_NAMES,
    SUMMARIZER_NAMES,
    MetricsRow,
    ScoredOutput,
    name_of_output,
)
from metrics_framework.data.texts import is_missing, shown
from metrics_framework.inputs.rating_tables import (
    NO_DATA_SETS,
    RATER_COLUMNS,
    LeftOut,
    NumberedRows,
    TableColumns,
    rated_outputs,
)
from metrics_framework.inputs.tables import header_line, is_plain_table, read_table
from metrics_framework.io.parquet import read_score_rows

KeptRows: TypeAlias = "Mapping[str, Sequence[tuple[int, dict[str, Any]]]]"
_Ids: TypeAlias = "tuple[str, str | None, str | None]"


class LongRow(NamedTuple):
    """A row of a long table.

    Args:
        instance_id: The input.
        summarizer_id: The system; empty if the table has no column for it.
        rater: The rater; `None` if the table has no column for raters.
        cells: Column to cell: text, a number, a list of numbers, or `None`.
        path: The file.
        line: The line, counted from 1.
        data_set: The data set, such as the language pair; `None` if it is unknown.
    """

    instance_id: str
    summarizer_id: str
    rater: str | None
    cells: Mapping[str, Any]
    path: str
    line: int
    data_set: str | None = None

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


@dataclass(frozen=True)
class IdColumns:
    """The columns of ids, raters and data sets.

    Args:
        instance: The names of the column of inputs; a row has one of them.
        summarizer: The names of the column of systems.
        rater: The names of the column of raters.
        data_set: The column of data sets; `None` if all rows belong to one.
    """

    instance: Sequence[str] = INSTANCE_NAMES
    summarizer: Sequence[str] = SUMMARIZER_NAMES
    rater: Sequence[str] = RATER_COLUMNS
    data_set: str | None = None


def read_long_rows(
    source: str | ScoresInMemory, columns: IdColumns, problems: Problems, kept_rows: KeptRows | None = None
) -> Iterator[LongRow]:
    """Yields the rows of a table or of a JSONL file; rows of empty cells are ignored.

    Scores in an object ``metrics`` count as columns. A table needs a column for the input; the columns for systems and
    raters are optional.

    Args:
        source: A ``.csv`` or ``.tsv`` file, a JSONL file, or scores in memory.
        columns: The columns of ids.
        problems: Collects invalid rows.
        kept_rows: Path to the numbered rows of a JSONL file that was read before and can be read only once.

    Raises:
        DataError: if the file cannot be read, or a table has no column for the input, or two columns of one meaning.
    """
    path = source if isinstance(source, str) else source.name
    has_header = isinstance(source, ScoresInMemory) or is_plain_table(source)
    for line, cells in _cells(source, columns.data_set, problems, kept_rows or {}):
        try:
            ids = _id_columns(cells, columns)
        except DataError as problem:
            if has_header:
                raise DataError(problem.message, path, header_line(path)) from None
            problems.add(DataError(problem.message, path, line))
            continue
        try:
            yield _long_row(cells, ids, columns.data_set, path, line)
        except DataError as problem:
            problems.add(DataError(problem.message, path, line))


def _cells(
    source: str | ScoresInMemory, data_sets: str | None, problems: Problems, kept_rows: KeptRows
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if isinstance(source, ScoresInMemory):
        yield from source.table_rows()
    elif is_plain_table(source):
        for line, row in read_table(source, problems):
            if any(map(str.strip, row.values())):
                yield line, row
    else:
        rows = kept_rows[source] if source in kept_rows else read_score_rows(source, problems, data_sets)
        for line, row in rows:
            yield line, flat_row(row)


def _id_columns(cells: Mapping[str, Any], columns: IdColumns) -> _Ids:
    """Returns the columns of input, system and rater of a row.

    Raises:
        DataError: if there is none for the input, or two for one of them.
    """
    instance = column_of(cells, columns.instance)
    if instance is None:
        raise DataError(_without_instance(cells, columns))
    return instance, column_of(cells, columns.summarizer), column_of(cells, columns.rater)


def _without_instance(cells: Mapping[str, Any], columns: IdColumns) -> str:
    expected, got = ", ".join(columns.instance), ", ".join(cells)
    hint = next(filter(None, map(SimilarNames(list(cells)).hint, columns.instance)), "")
    return f"has no column for the instance (one of {expected}); its columns are {got}{hint}"


def _long_row(cells: Mapping[str, Any], ids: _Ids, data_sets: str | None, path: str, line: int) -> LongRow:
    instance, summarizer, rater = ids
    return LongRow(
        parse_id(cells[instance], instance),
        "" if summarizer is None else parse_id(cells[summarizer], summarizer),
        None if rater is None else parse_id(cells[rater], rater),
        cells,
        path,
        line,
        None if data_sets is None else label_of(cells.get(data_sets)),
    )


def number_of(cell: Any, column: str) -> float:
    """Returns the number in a cell; NaN if it is missing.

    Raises:
        DataError: if it is neither a finite number nor missing.

    >>> number_of("4.5", "fluency"), number_of("NA", "fluency"), number_of(True, "good")
    (4.5, nan, 1.0)
    """
    if spelling_if_missing(cell) is not None:
        return math.nan
    if isinstance(cell, (str, int, float)) and "_" not in str(cell):
        try:
            number = float(cell)
        except (ValueError, OverflowError):
            number = math.inf
        if math.isfinite(number):
            return number
    raise DataError(f"'{column}' must be a finite number, got {shown(cell)}")


def spelling_if_missing(cell: Any) -> str | None:
    """Returns how a missing value is written in a cell; `None` if the cell has a value.

    >>> spelling_if_missing(" NA "), spelling_if_missing(None), spelling_if_missing(0)
    ('NA', 'null', None)
    """
    if cell is None:
        return "null"
    if isinstance(cell, float) and math.isnan(cell):
        return "NaN"
    return cell.strip() if isinstance(cell, str) and is_missing(cell) else None


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
    return None if spelling_if_missing(cell) is not None else str(cell)


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
            lists[number] = {column: value for column, value in row.items() if _is_list_of_numbers(value)}
            cells.append({column: _cell(value) for column, value in row.items() if column not in lists[number]})
        with_lists = {column for of_row in lists.values() for column in of_row}
        columns = [column for column in dict.fromkeys(chain.from_iterable(cells)) if column not in with_lists]
        complete = ({column: row.get(column, "") for column in columns} for row in cells)
        return cls(ListName(name), cells=[*enumerate(complete, 1)], lists=lists)

    def outputs(
        self, left_out: LeftOut, problems: Problems, special: TableColumns = NO_DATA_SETS
    ) -> Iterator[ScoredOutput]:
        """Yields the scores of each output; see `read_rating_table`."""
        for number, row in enumerate(self.rows, 1):
            ids = row.instance_id, row.summarizer_id, row.summarizer_type
            yield ScoredOutput(*ids, row.metrics, self.name, number)
        for output in rated_outputs(self.cells, self.name, left_out, problems, special):
            lists = self.lists[output.line]
            yield output._replace(metrics={**output.metrics, **lists}) if lists else output

    def table_rows(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yields each row with its number and the cells of all columns, including lists."""
        for number, row in enumerate(self.rows, 1):
            ids = zip(IDENTITY_FIELDS, (row.instance_id, row.summarizer_id, row.summarizer_type), strict=True)
            yield number, {**dict(ids), **row.metrics.flatten()}
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


def _is_list_of_numbers(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(
        number is None or (isinstance(number, (int, float)) and not isinstance(number, bool)) for number in value
    )


def _cell(value: Any) -> str:
    """Returns a value as in a CSV file; numbers keep all digits."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool) else str(value)
