"""Reads long tables: the ratings of each rater, and further columns, such as covariates, texts and clusters."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import DataError, InputError, Problems, UnknownNameError, UsageError
from metrics_framework.data.fields import order_keys
from metrics_framework.data.scored_output import INSTANCE_NAMES, name_of_output
from metrics_framework.data.texts import described
from metrics_framework.inputs.rating_rows import (
    RATER_COLUMNS,
    LongRow,
    RatingRows,
    RatingRules,
    Source,
    flat,
    number_of,
    spelling_if_missing,
)

Unit: TypeAlias = "tuple[str, str]"
"""An output: its instance id and summarizer id; the latter is empty if a table has no systems."""
_RATERS = "raters"
"""The column of the names of raters in rows whose ratings are lists."""
Key = TypeVar("Key")
Value = TypeVar("Value")
MAX_DATA_SETS = 100
"""A column with more values is no partition of the data, but a text or a number."""


@dataclass(frozen=True)
class Ratings:
    """The ratings of outputs by several raters.

    Args:
        name: The rated quality: a column.
        units: The outputs, sorted as strings.
        raters: The raters; numbers are sorted by value.
        values: Shape (raters, units); NaN if a rater did not rate an output.
        missing: The counts of missing values by their spelling.
        labels: The categories, if ratings are text; `values` are their indices.
    """

    name: str
    units: Sequence[Unit]
    raters: Sequence[str]
    values: Floats
    missing: Mapping[str, int] = field(default_factory=dict)
    labels: Sequence[str] = ()

    @property
    def counts(self) -> Floats:
        """The number of ratings of each output, shape (units,)."""
        counts: Floats = np.isfinite(self.values).sum(axis=0).astype(np.float64)
        return counts

    @property
    def missing_described(self) -> str:
        """The missing values, such as "2 'NA', 1 empty"; empty if there are none."""
        return described(self.missing)

    def means(self) -> dict[Unit, float]:
        """Returns the mean rating of each rated output."""
        sums, counts = np.nansum(self.values, axis=0), self.counts
        return {unit: float(sums[i] / counts[i]) for i, unit in enumerate(self.units) if counts[i]}

    def cube(self) -> tuple[list[str], list[str], Floats]:
        """Returns the systems, the inputs, and the ratings in the shape (systems, inputs, raters)."""
        systems = sorted({system for _, system in self.units})
        inputs = sorted({instance for instance, _ in self.units})
        row, column = _positions(systems), _positions(inputs)
        cube = np.full((len(systems), len(inputs), len(self.raters)), np.nan)
        for unit, (instance, system) in enumerate(self.units):
            cube[row[system], column[instance]] = self.values[:, unit]
        return systems, inputs, cube


@dataclass(frozen=True)
class LongTables:
    """The rows of long tables, whose columns are selected by name.

    Args:
        rows: The rows of all files.
        data_set_column: The column of data sets; `None` if all rows belong to one.
    """

    rows: Sequence[LongRow]
    data_set_column: str | None = None

    @property
    def columns(self) -> list[str]:
        """The columns of all rows, in their order."""
        return list(dict.fromkeys(column for row in self.rows for column in row.cells))

    @property
    def units(self) -> list[Unit]:
        """The outputs of all rows, sorted as strings."""
        return sorted({row.unit for row in self.rows})

    def labelled(self) -> Iterator[tuple[Unit, str]]:
        """Yields the output and the data set of each row that names its data set."""
        return ((row.unit, row.data_set) for row in self.rows if row.data_set is not None)

    def data_sets(self) -> dict[str, LongTables]:
        """Returns the rows of each data set, by its label; rows whose data set is unknown are in none.

        Raises:
            DataError: if a row without a label may belong to several data sets.
        """
        problems = Problems()
        paths = {row.path for row in self.rows if row.data_set is not None}
        labels = DataSetLabels(str(self.data_set_column), self.labelled(), paths, problems)
        found: dict[str, list[LongRow]] = {}
        for row in self.rows:
            label = labels.find(row.unit, row.path, row.line) if row.data_set is None else row.data_set
            if label is not None:
                found.setdefault(label, []).append(row._replace(data_set=label))
        problems.raise_any()
        return {label: LongTables(rows) for label, rows in sorted(found.items())}

    def ratings(self, column: str, *, as_labels: bool = False) -> Ratings:
        """Returns the ratings in a column.

        A rating belongs to the rater whom its row names. If a row has a list of ratings, its raters are those of its
        list ``raters``, or else numbered from 1. A row without a rater belongs to a rater with the name of the column,
        such as a metric or a judge.

        Args:
            column: The column.
            as_labels: Whether ratings are categories, which may be text.

        Raises:
            UnknownNameError: if no row has the column.
            DataError: if a rating is not a number, or a rater rated an output twice.
        """
        problems = Problems()
        collector = _RatingCollector(column, as_labels, problems)
        for row in self._rows_with(column, "rating"):
            collector.add(row)
        problems.raise_any()
        return collector.ratings()

    def ratings_of_columns(self, columns: Sequence[str], name: str, *, as_labels: bool = False) -> Ratings:
        """Returns ratings from a table with one column per rater.

        Args:
            columns: The columns, each of one rater.
            name: The name of the rated quality.
            as_labels: Whether ratings are categories, which may be text.

        Raises:
            UnknownNameError: if no row has a column.
            DataError: if a rating is not a number, or an output has two rows.
        """
        problems = Problems()
        collector = _RatingCollector(name, as_labels, problems)
        for column in dict.fromkeys(columns):
            for row in self._rows_with(column):
                collector.add(row._replace(rater=column, cells={name: row.cells[column]}))
        problems.raise_any()
        return collector.ratings()

    def holds_text(self, column: str, *, partly: bool = False) -> bool:
        """Returns whether the values of a column are text.

        Args:
            column: The column.
            partly: Whether numbers may be among them. A single text among numbers is usually a mistake.
        """
        cells = (row.cells[column] for row in self.rows if column in row.cells)
        parts = (part for cell in cells for part in (cell if isinstance(cell, (list, tuple)) else [cell]))
        kinds = {_is_text(part, column) for part in parts if spelling_if_missing(part) is None}
        return True in kinds and (partly or False not in kinds)

    def numbers(self, column: str) -> dict[Unit, float]:
        """Returns the number of each output in a column, such as its length; missing numbers are left out.

        Raises:
            UnknownNameError: if no row has the column.
            DataError: if a cell is not a number, or rows of one output differ.
        """
        found = self._values(column, lambda row: row.unit, lambda cell: number_of(cell, column))
        return {unit: number for unit, number in found.items() if not math.isnan(number)}

    def texts(self, column: str) -> dict[Unit, str]:
        """Returns the text of each output in a column; missing texts are left out.

        Raises:
            UnknownNameError: if no row has the column.
            DataError: if rows of one output differ.
        """
        return self._values(column, lambda row: row.unit, str)

    def texts_of_inputs(self, column: str) -> dict[str, str]:
        """Returns the text of each input in a column, such as its document; missing texts are left out.

        Raises:
            UnknownNameError: if no row has the column.
            DataError: if rows of one input differ.
        """
        return self._values(column, lambda row: row.instance_id, str)

    def _rows_with(self, column: str, kind: str = "column") -> Iterator[LongRow]:
        found = False
        for row in self.rows:
            if column in row.cells:
                found = True
                yield row
        if not found:
            raise UnknownNameError(kind, column, self.columns)

    def _values(self, column: str, key: Callable[[LongRow], Key], value: Callable[[Any], Value]) -> dict[Key, Value]:
        problems = Problems()
        found: dict[Key, tuple[Value, LongRow]] = {}
        for row in self._rows_with(column):
            cell = row.cells[column]
            if spelling_if_missing(cell) is not None:
                continue
            try:
                known, first = found.setdefault(key(row), (value(cell), row))
                if known != value(cell):
                    of = (
                        row.output_name if key(row) == row.unit else name_of_output((row.instance_id, ""), row.data_set)
                    )
                    raise DataError(f"'{column}' of {of} is '{cell}', but '{known}' at {first.location}")
            except DataError as problem:
                problems.add(DataError(problem.message, row.path, row.line))
        problems.raise_any()
        return {name: pair[0] for name, pair in found.items()}


def read_long_tables(sources: Iterable[Source], rules: RatingRules | None = None) -> LongTables:
    """Reads tables and JSONL files with one row per rating or output.

    Args:
        sources: ``.csv``, ``.tsv`` and JSONL files, also compressed; or scores in memory.
        rules: The columns and the conditions.

    Raises:
        DataError: if files or rows cannot be read; all problems of all files are reported together.
        UnknownNameError: if no file has a column that is named.
    """
    rules, problems = RatingRules() if rules is None else rules, Problems()
    rows: list[LongRow] = []
    for source in sources:
        before, known = len(problems), len(rows)
        of_source = RatingRows(source, rules, problems)
        try:
            rows += (flat(row) if "metrics" in row.cells else row for row in of_source)
        except DataError as problem:
            problems.add(problem)
        if len(rows) == known and len(problems) == before:
            problems.add(DataError("contains no rows", of_source.path))
    problems.raise_any()
    tables = LongTables(rows, rules.data_set)
    rules.check_used(tables.columns)
    return tables


def _is_text(cell: Any, name: str) -> bool:
    try:
        number_of(cell, name)
    except DataError:
        return True
    return False


class _RatingCollector:
    """Collects the ratings in a column.

    Args:
        column: The column.
        as_labels: Whether ratings are categories.
        problems: Collects invalid ratings.
    """

    def __init__(self, column: str, as_labels: bool, problems: Problems) -> None:
        self._column = column
        self._as_labels = as_labels
        self._problems = problems
        self._units: set[Unit] = set()
        self._missing: Counter[str] = Counter()
        self._found: dict[tuple[str, Unit], tuple[Any, LongRow]] = {}

    def add(self, row: LongRow) -> None:
        self._units.add(row.unit)
        try:
            for rater, cell in self._cells(row):
                self._add(rater, cell, row)
        except DataError as problem:
            self._problems.add(DataError(problem.message, row.path, row.line))

    def _cells(self, row: LongRow) -> Iterator[tuple[str, Any]]:
        cell = row.cells[self._column]
        if not isinstance(cell, (list, tuple)):
            yield (self._column if row.rater is None else row.rater), cell
        elif row.rater is not None:
            raise DataError(f"'{self._column}' is a list of ratings, but the row names one rater, '{row.rater}'")
        else:
            names = row.cells.get(_RATERS)
            numbers = [str(number) for number in range(1, 1 + len(cell))]
            is_named = isinstance(names, (list, tuple)) and len(names) == len(cell)
            yield from zip(map(str, names) if is_named and names else numbers, cell, strict=True)

    def _add(self, rater: str, cell: Any, row: LongRow) -> None:
        spelling = spelling_if_missing(cell)
        if spelling is not None:
            self._missing[spelling] += 1
            return
        value = str(cell).strip() if self._as_labels else self._number(cell)
        first = self._found.setdefault((rater, row.unit), (value, row))[1]
        if first is not row:
            twice = f"rater '{rater}' rates {row.output_name} twice (first at {first.location})"
            if row.rater is None and first.rater is None:
                twice = f"second '{self._column}' of {row.output_name} (first at {first.location})"
                twice += f"; if the rows are by several raters, name them in a column '{RATER_COLUMNS[0]}'"
            raise DataError(twice)

    def _number(self, cell: Any) -> float:
        try:
            return number_of(cell, self._column)
        except DataError as problem:
            advice = "; a missing rating is empty or NA" if isinstance(cell, str) else ""
            raise DataError(f"{problem.message}{advice}") from None

    def ratings(self) -> Ratings:
        units = sorted(self._units)
        names = list({rater for rater, _ in self._found})
        raters = [name for _, name in sorted(zip(order_keys(names), names, strict=True))]
        labels = sorted({value for value, _ in self._found.values()}) if self._as_labels else []
        code = _positions(labels)
        row, column = _positions(raters), _positions(units)
        values = np.full((len(raters), len(units)), np.nan)
        for (rater, unit), (value, _) in self._found.items():
            values[row[rater], column[unit]] = code[value] if self._as_labels else value
        return Ratings(self._column, units, raters, values, dict(self._missing), labels)


def _positions(names: Sequence[Key]) -> dict[Key, int]:
    return {name: index for index, name in enumerate(names)}


class DataSetLabels:
    """Finds the data set of rows without a label, among the data sets of labelled rows.

    A row belongs to the data set of its output, or to that of its input if it names no system.

    Args:
        column: The column of data sets.
        labelled: The output and the data set of each labelled row; the system is empty if a row has none.
        labelled_paths: The files that have labels.
        problems: Collects rows that may belong to several data sets.
    """

    def __init__(
        self,
        column: str,
        labelled: Iterable[tuple[tuple[str, str], str]],
        labelled_paths: Iterable[str],
        problems: Problems,
    ) -> None:
        self._column = column
        self._paths = {*labelled_paths}
        self._problems = problems
        self._reported: set[str] = set()
        self._label_of: dict[tuple[str, str], str] = {}
        self._several: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for output, label in labelled:
            for unit in (output, (output[0], "")):
                first = self._label_of.setdefault(unit, label)
                if first != label:
                    self._several[unit] |= {first, label}

    def find(self, unit: tuple[str, str], path: str, line: int) -> str | None:
        """Returns the data set of a row without a label; `None` if it is unknown, or ambiguous, which is a problem.

        Args:
            unit: Its input and system; the system is empty if it names none.
            path: The file.
            line: The line.
        """
        labels = self._several.get(unit)
        if labels is None:
            return self._label_of.get(unit)
        among = f"{name_of_output(unit)} is in several data sets ({', '.join(map(repr, sorted(labels)))})"
        if path in self._paths:
            self._problems.add(DataError(f"'{self._column}' is missing, and {among}; add it", path, line))
        elif path not in self._reported:  # once for each file
            self._reported.add(path)
            message = f"has no column '{self._column}', and {among}; add the column to this file"
            self._problems.add(DataError(message, path, line))
        return None


def sorted_labels(column: str, labels: Iterable[str]) -> list[str]:
    """Returns the different labels of a column, sorted.

    Raises:
        UsageError: if there are none, or too many.
    """
    found = sorted({*labels})
    if not found:
        raise UsageError(f"no output has a value in the column '{column}'")
    if len(found) > MAX_DATA_SETS:
        raise UsageError(
            f"the column '{column}' has {len(found)} different values; use one with at most {MAX_DATA_SETS}"
        )
    return found


def input_clusters(tables: LongTables, column: str | None, instances: Iterable[str]) -> list[Hashable] | None:
    """Returns the cluster of each input; the column of inputs makes each input a cluster.

    Args:
        tables: The rows.
        column: The column of clusters; `None` for no clusters.
        instances: The ids of the inputs.

    Raises:
        InputError: if an input has no cluster.
        DataError: if rows of one input differ.
        UnknownNameError: if there is no column of the name.
    """
    if column is None:
        return None
    if column in INSTANCE_NAMES:
        return list(instances)
    clusters = tables.texts_of_inputs(column)
    found: list[Hashable] = []
    for instance in instances:
        if instance not in clusters:
            raise InputError(f"'{column}' must name the cluster of every input, but instance '{instance}' has none")
        found.append(clusters[instance])
    return found
