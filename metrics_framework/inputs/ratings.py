"""Ratings of each rater, and scores and ratings of several data sets, such as language pairs.

`LongTables` are rows of files, from which columns are read: ratings, covariates, texts and clusters. `DataSets` reads
files, or scores in memory, once, and has the scores and the rows of each value of a column:

    data = DataSets(sources, "lp", texts=["sources.jsonl"])
    for name, files in data.parts.items():             # ScoreFiles, sorted by name: signatures, hints, missing, rows, …
        files.columns(["ter", "human"])                # ScoreColumns: matrices of systems × inputs
        data.tables_of_parts[name].ratings("human")    # LongTables: raters, texts and labels
    data.notes, data.warnings                          # once for all parts

Ids may be the same in several data sets: a row is identified by data set, input and system. In a row whose file lacks
the column, the output must be in a single data set, as far as other files tell. Without a column, there is one part,
`ALL`, with all rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.common.errors import (
    DataError,
    InputError,
    Problems,
    UnknownNameError,
    UsageError,
    counted,
    how_to_set,
)
from metrics_framework.data.fields import order_keys
from metrics_framework.data.scored_output import name_of_output
from metrics_framework.data.texts import is_missing
from metrics_framework.inputs.exports import flat_row
from metrics_framework.inputs.keys import LongRow
from metrics_framework.inputs.rating_rows import RATERS, RatingRows, RatingRules, Source, how_to_tell_apart, rated_twice
from metrics_framework.inputs.roles import column_key, may_have_role, roles_of_name
from metrics_framework.inputs.score_files import NO_METRICS, KnownMetrics, ScoreFiles, check_rows, read_score_files
from metrics_framework.inputs.score_matrices import ScoreSelection
from metrics_framework.inputs.score_table import first_of
from metrics_framework.inputs.values import (
    NumberColumn,
    ValueRules,
    described,
    labels_like_missing,
    not_on_scale,
    one_label,
    plain_number,
)

Unit: TypeAlias = "tuple[str, str]"
"""An output: its instance id and summarizer id; the latter is empty if a table has no systems."""
_UNIT: Callable[[LongRow], Unit] = attrgetter("unit")
Key = TypeVar("Key")
Value = TypeVar("Value")


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
        categories: The possible ratings, if a scale states them.
    """

    name: str
    units: Sequence[Unit]
    raters: Sequence[str]
    values: Floats
    missing: Mapping[str, int] = field(default_factory=dict)
    labels: Sequence[str] = ()
    categories: Sequence[float] = ()

    @property
    def counts(self) -> Floats:
        """The number of ratings of each output, shape (units,)."""
        return np.asarray(np.isfinite(self.values).sum(axis=0).astype(np.float64))

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
        rules: How cells are read, and the column of data sets.
    """

    rows: Sequence[LongRow]
    rules: RatingRules = field(default_factory=RatingRules)

    @property
    def columns(self) -> list[str]:
        """The columns of all rows, in their order."""
        return list(dict.fromkeys(column for row in self.rows for column in row.cells))

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
        problems, missing = Problems(), Counter[str]()
        cells, outputs, values = list[Cell](), set[Unit](), list[tuple[Cell, Any]]()
        for cell in self._cells(column, "rating"):
            outputs.add(cell.row.unit)
            cells += _ratings_in(cell, problems)
        if as_labels:
            values = _labels_in(cells, missing, self.rules, problems)
        else:
            columns = _read_columns(cells, self.rules.values)
            values = _numbers_in(columns, problems)
            for one, _ in columns:
                missing.update(one.missing)
                self.rules.value_warnings += one.warnings()
        found = _by_rater(values, problems)
        problems.raise_any()
        self.rules.value_missing[column] = dict(missing)
        return _matrix_of(column, sorted(outputs), found, as_labels=as_labels, rules=self.rules)

    def advice_on_raters(self, ratings: Ratings) -> str:
        """Returns how to read one column per rater if ratings name no rater and other columns have such numbers."""
        rows = [row for row in self.rows if ratings.name in row.cells]
        if [*ratings.raters] != [ratings.name] or any(row.rater is not None for row in rows) or ratings.labels:
            return ""
        known, columns = {*ratings.values.ravel().tolist()}, dict[str, set[float | None]]()
        for row in rows:
            for name, cell in row.cells.items():
                if not may_have_role(name) and self.rules.values.spelling_if_missing(cell) is None:
                    columns.setdefault(name, set()).add(plain_number(cell))
        found = [one for one, cells in columns.items() if None not in cells and 2 * len(cells & known) >= len(cells)]
        how = how_to_set(rows[0].path, "raters", *found)
        return f"if each rater has a column, use {how}" if len(found) > 1 else ""

    def holds_text(self, column: str, *, partly: bool = False) -> bool:
        """Returns whether the values of a column are text.

        Args:
            column: The column.
            partly: Whether numbers may be among them. A single text among numbers is usually a mistake.
        """
        cells = ((row, row.cells[column]) for row in self.rows if column in row.cells)
        lists = ((row, cell if isinstance(cell, (list, tuple)) else [cell]) for row, cell in cells)
        read = _read_columns((Cell(row, column, part) for row, parts in lists for part in parts), self.rules.values)
        return any(one.text is not None for one, _ in read) and (partly or not any(one.numbers for one, _ in read))

    def numbers(self, column: str, *, is_judge: bool = False) -> dict[Unit, float]:
        """Returns the number of each output in a column, such as its length; missing numbers are left out.

        Judges may use other numbers than those of the scale of ratings, or its words.

        Args:
            column: The column.
            is_judge: Whether it has judgements, of which one that is far from all others is reported.

        Raises:
            UnknownNameError: if no row has the column.
            DataError: if a cell is not a number, or rows of one output differ.
        """
        problems = Problems()
        cells = [*self._cells(column)]
        read = _read_columns(cells, replace(self.rules.values, scale=None))
        scale = self.rules.values.scale
        if scale is not None and scale.words and any(one.text is not None for one, _ in read):
            read = _read_columns(cells, self.rules.values)
        found = _numbers_in(read, problems)
        for one, _ in read if is_judge else ():
            self.rules.value_warnings += one.warnings()
        return _agreeing(_UNIT, found, problems)

    def labels(self, column: str) -> dict[Unit, str]:
        """Returns the label of each output in a column, such as the verdict of a judge; missing labels are left out.

        Raises:
            UnknownNameError: if no row has the column.
            DataError: if rows of one output differ.
        """
        return _agreeing(_UNIT, self._read(column, self.rules.values.label_of))

    def texts(self, column: str) -> dict[Unit, str]:
        """Returns the text of each output in a column; missing texts are left out.

        Raises:
            UnknownNameError: if no row has the column.
            DataError: if rows of one output differ.
        """
        return _agreeing(_UNIT, self._read(column, _text_in))

    def texts_of_inputs(self, column: str) -> dict[str, str]:
        """Returns the text of each input in a column, such as its document; missing texts are left out.

        Raises:
            UnknownNameError: if no row has the column.
            DataError: if rows of one input differ.
        """
        return _agreeing(lambda row: row.instance_id, self._read(column, _text_in))

    def _read(self, column: str, read: Callable[[Any], str | None]) -> Iterator[tuple[Cell, str | None]]:
        return ((cell, read(cell.value)) for cell in self._cells(column))

    def _cells(self, column: str, kind: str = "column") -> Iterator[Cell]:
        found = False
        for row in self.rows:
            if column in row.cells:
                found = True
                yield Cell(row, column, row.cells[column])
        if not found:
            raise UnknownNameError(kind, column, self.columns)


class Cell(NamedTuple):
    """A cell, or one of the ratings in it.

    Args:
        row: Its row.
        column: Its column.
        value: What is in it.
        rater: Who gave the rating.
    """

    row: LongRow
    column: str
    value: Any
    rater: str = ""


RatingsFound: TypeAlias = dict[tuple[str, str, str], tuple[Cell, Any]]
"""Rater, input and system to the cell with the rating, and the rating."""


def _agreeing(
    key: Callable[[LongRow], Key], values: Iterable[tuple[Cell, Value | None]], problems: Problems | None = None
) -> dict[Key, Value]:
    """Returns the value of each key, which all its rows must have; missing values are left out.

    Raises:
        DataError: if they differ, or there are other problems.
    """
    problems = Problems() if problems is None else problems
    found: dict[Key, tuple[Value, Cell]] = {}
    for cell, value in values:
        if value is None:
            continue
        row = cell.row
        known, first = found.setdefault(key(row), (value, cell))
        if known != value:
            of = row.output_name if key(row) == row.unit else name_of_output((row.instance_id, ""), row.data_set)
            other = f"'{first.value}' at {first.row.location}"
            problems.add(DataError(f"'{cell.column}' of {of} is '{cell.value}', but {other}", row.path, row.line))
    problems.raise_any()
    return {name: pair[0] for name, pair in found.items()}


def _read_columns(cells: Iterable[Cell], values: ValueRules) -> list[tuple[NumberColumn, list[Cell]]]:
    """Reads the numbers of each column of each file, with its cells."""
    columns: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        columns.setdefault((cell.row.path, cell.column), []).append(cell)
    return [
        (NumberColumn(name, [cell.value for cell in found], path, values), found)
        for (path, name), found in columns.items()
    ]


def _numbers_in(
    columns: Iterable[tuple[NumberColumn, list[Cell]]], problems: Problems
) -> list[tuple[Cell, float | None]]:
    """Returns all cells with their numbers, `None` for missing ones and those of columns of text; adds problems."""
    found: list[tuple[Cell, float | None]] = []
    for column, cells in columns:
        for index, message in column.problems():
            problems.add(DataError(message, cells[index].row.path, cells[index].row.line))
        found += zip(cells, column.values() if column.text is None else repeat(None), strict=False)
    return found


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
        before = len(problems) + len(rows) + rules.found.left_out
        of_source = RatingRows(source, rules, problems)
        try:
            rows += (row._replace(cells=flat_row(row.cells)) if "metrics" in row.cells else row for row in of_source)
        except DataError as problem:
            problems.add(problem)
        if len(problems) + len(rows) + rules.found.left_out == before:
            problems.add(DataError("contains no rows", of_source.path))
    problems.raise_any()
    rules.check_inputs(rows)
    rules.check_ids(rows)
    tables = LongTables(rows, rules)
    rules.check_used(tables.columns)
    return tables


def _text_in(cell: Any) -> str | None:
    return None if is_missing(cell) else str(cell)


def _ratings_in(of_row: Cell, problems: Problems) -> Iterator[Cell]:
    """Yields each rating in a cell; a list in a row that names one rater is a problem."""
    row, column, cell, _ = of_row
    if not isinstance(cell, (list, tuple)):
        yield Cell(row, column, cell, column if row.rater is None else row.rater)
        return
    if row.rater is not None:
        message = f"'{column}' is a list of ratings, but the row names one rater, '{row.rater}'"
        problems.add(DataError(message, row.path, row.line))
        return
    is_wide = column == RATERS and bool(row.raters)
    names: Any = row.raters if is_wide else row.cells.get(RATERS)
    is_named = isinstance(names, (list, tuple)) and len(names) == len(cell)
    for rater, part in zip(map(str, names if is_named else range(1, 1 + len(cell))), cell, strict=True):
        yield Cell(row, rater if is_wide else column, part, rater)


def _labels_in(
    cells: Sequence[Cell], missing: Counter[str], rules: RatingRules, problems: Problems
) -> list[tuple[Cell, str | None]]:
    """Returns all cells with their labels, and adds those that the scale does not have; labels differ not in case only.

    Args:
        cells: The cells.
        missing: Counts the missing values by their spelling.
        rules: How cells are read.
        problems: Receives labels that the scale does not have.
    """
    values = rules.values
    spellings = (values.spelling_if_missing(cell.value, as_label=True) for cell in cells)
    missing.update(spelling for spelling in spellings if spelling is not None)
    found = [values.label_of(cell.value) for cell in cells]
    counts = Counter(label for label in found if label is not None)
    names, notes = one_label(counts)
    for note in notes:
        rules.found.note(note)
    scale = values.scale
    if scale is not None:
        names = {label: scale.label_of(label) or "" for label in counts}
        for (row, column, *_), label in zip(cells, found, strict=True):
            if label is not None and not names[label]:
                message = not_on_scale(scale, column, label, row.path, missing)
                problems.add(DataError(message, row.path, row.line))
    elif values.missing is None and cells:
        rules.value_warnings += labels_like_missing(counts, cells[0].row.path)
    return [(cell, None if label is None else names[label]) for cell, label in zip(cells, found, strict=True)]


def _by_rater(values: Iterable[tuple[Cell, Any]], problems: Problems) -> RatingsFound:
    """Returns the rating of each output by each rater; adds the problem that a rater rated an output twice."""
    found: RatingsFound = {}
    for rating in values:
        (row, column, _, rater), value = rating
        first = row if value is None else found.setdefault((rater, *row.unit), rating)[0].row
        if first is row:
            continue
        twice = rated_twice(rater, row, first)
        if row.rater is None and first.rater is None:
            second = f"second '{column}' of {row.output_name} (first at {first.location})"
            twice = f"{second}{how_to_tell_apart(row, first)}"
        problems.add(DataError(twice, row.path, row.line))
    return found


def _matrix_of(
    name: str, units: Sequence[Unit], found: RatingsFound, *, as_labels: bool, rules: RatingRules
) -> Ratings:
    names = list({rater for rater, *_ in found})
    raters = [name for _, name in sorted(zip(order_keys(names), names, strict=True))]
    scale = rules.values.scale
    labels = [] if not as_labels else scale.labels if scale else sorted({value for _, value in found.values()})
    code, row, column = _positions(labels), _positions(raters), _positions(units)
    matrix = np.full((len(raters), len(units)), np.nan)
    for (rater, *unit), (_, value) in found.items():
        matrix[row[rater], column[unit[0], unit[1]]] = code[value] if as_labels else value
    categories = () if scale is None else range(len(labels)) if labels else scale.categories
    return Ratings(name, units, raters, matrix, rules.value_missing[name], labels, categories)


def _positions(names: Sequence[Key]) -> dict[Key, int]:
    return {name: index for index, name in enumerate(names)}


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
    if column_key(column) == "id" or "instance_id" in roles_of_name(column):
        return list(instances)
    clusters = tables.texts_of_inputs(column)
    listed = list(instances)
    without = next((instance for instance in listed if instance not in clusters), None)
    if without is not None:
        raise InputError(f"'{column}' must name the cluster of every input, but instance '{without}' has none")
    return [clusters[instance] for instance in listed]


# ---- data sets -------------------------------------------------------------------------------------------------------

ALL = "all"
"""The name of the only data set of a study without a column of data sets."""
MAX_DATA_SETS = 100
"""A column with more values is no partition of the data, but a text or a number."""


class DataSets:
    """The scores of one or several data sets.

    Args:
        sources: Score files, or scores in memory.
        column: The column of data sets; `None` if all rows belong to one.
        texts: Further files that are read for texts and labels only.
        rules: How rows are read; by default all. The same ids in two data sets are different outputs.
        metrics: The metrics whose names and directions are known.

    Attributes:
        files: The rows of all data sets.
        parts: The rows of each data set in score files by its name, sorted; `ALL` without a column of data sets.

    Raises:
        DataError: if files or rows cannot be read, or a row without a label may belong to several data sets, or
            contradicts another row; all problems of all files are reported together.
        UnknownNameError: if no file has the column.
        UsageError: if the column has too many values, or none.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        column: str | None = None,
        *,
        texts: Sequence[Source] = (),
        rules: RatingRules | None = None,
        metrics: KnownMetrics = NO_METRICS,
    ) -> None:
        self._column, self._texts, self._problems = column, texts, Problems()
        self._reported = set[str]()  # files
        self._rules = replace(RatingRules() if rules is None else rules, data_set=column)
        self.files = read_score_files(sources, rules=self._rules, metrics=metrics)
        self.parts = {ALL: self.files} if column is None else self._split(column)

    @cached_property
    def tables(self) -> LongTables:
        """The rows of all files with all columns."""
        others = read_long_tables(self._texts, self._rules).rows if self._texts else ()
        return LongTables([*self.files.scores.table.long_rows(), *others], self._rules)

    @cached_property
    def tables_of_parts(self) -> Mapping[str, LongTables]:
        """The rows of each data set with all columns, by its name; rows whose data set is unknown are in none.

        Raises:
            DataError: if a row without a label may belong to several data sets.
        """
        if self._column is None:
            return {ALL: self.tables}
        found: dict[str | None, list[LongRow]] = {}
        for row in self.tables.rows:
            label = row.data_set or self._label_of(row.unit, row.path, row.line)
            found.setdefault(label, []).append(row._replace(data_set=label))
        self._problems.raise_any()
        return {name: LongTables(found[name], self._rules) for name in self.parts}

    @property
    def notes(self) -> list[str]:
        """Outputs that are in no data set."""
        table = self.files.scores.table
        outputs = np.flatnonzero(np.asarray(table.data_set_of) == 0).tolist()
        if self._column is None or not outputs:
            return []
        instance, system = table.unit(outputs[0])
        without = f"{counted(len(outputs), 'output')} without a value of '{self._column}'"
        return [f"left out: {without} (for example '{system}' on '{instance}')"]

    @property
    def warnings(self) -> list[str]:
        """What may make results misleading, once for all data sets."""
        return [*dict.fromkeys(warning for part in self.parts.values() for warning in part.warnings)]

    def _split(self, column: str) -> dict[str, ScoreFiles]:
        """Returns the rows of each data set, by its label, sorted.

        Raises:
            UsageError: if there are no labels, or too many.
        """
        table = self.files.scores.table
        joined = self._assign_unlabelled()
        if joined.any():
            check_rows(table, self._problems, joined)
        self._problems.raise_any()
        numbers = {str(label): number for number, label in enumerate(table.data_sets.names) if number}
        if not numbers and column not in self.tables.columns:
            raise UnknownNameError("column", column, self.tables.columns)
        if not numbers:
            raise UsageError(f"no output has a value in the column '{column}'")
        if len(numbers) > MAX_DATA_SETS:
            found = f"the column '{column}' has {len(numbers)} different values"
            raise UsageError(f"{found}; use one with at most {MAX_DATA_SETS}")
        of = np.asarray(table.data_set_of)
        return {name: _part(self.files, name, np.flatnonzero(of == numbers[name])) for name in sorted(numbers)}

    def _assign_unlabelled(self) -> Bools:
        """Assigns outputs without a label; returns which outputs have such rows besides rows with a label."""
        table, assigned = self.files.scores.table, dict[int, str]()
        first = first_of(np.asarray(table.outputs), len(table))
        for output in np.flatnonzero(np.asarray(table.data_set_of) == 0).tolist():
            row = int(first[output])
            label = self._label_of(table.unit(output), table.file_of(row).path, table.lines[row])
            if label is not None:
                assigned[output] = label
        return table.assign(assigned)

    @cached_property
    def _labels(self) -> tuple[Mapping[Unit, tuple[str, ...]], set[str]]:
        """The data sets of each output, and of each input as an output without a system; and the files with labels."""
        paths, labels = set[str](), dict[Unit, tuple[str, ...]]()
        for row in self.tables.rows if self._texts else self.files.scores.table.long_rows():
            if (label := row.data_set) is not None:
                paths.add(row.path)
                for unit in (row.unit, (row.instance_id, "")):
                    if label not in labels.setdefault(unit, (label,)):
                        labels[unit] += (label,)
        return labels, paths

    def _label_of(self, unit: Unit, path: str, line: int) -> str | None:
        """Returns the data set of a row without a label; `None` if it is unknown, or ambiguous, which is a problem.

        A row belongs to the data set of its output, or to that of its input if it names no system.

        Args:
            unit: Its input and system; the system is empty if it names none.
            path: The file.
            line: The line.
        """
        known, paths = self._labels
        labels = known.get(unit, ())
        if len(labels) < 2:
            return labels[0] if labels else None
        among = f"{name_of_output(unit)} is in several data sets ({', '.join(map(repr, sorted(labels)))})"
        if path in paths:
            self._problems.add(DataError(f"'{self._column}' is missing, and {among}; add it", path, line))
        elif path not in self._reported:  # once for each file
            self._reported.add(path)
            message = f"has no column '{self._column}', and {among}; add the column to this file"
            self._problems.add(DataError(message, path, line))
        return None


def _part(files: ScoreFiles, label: str, outputs: Indices) -> ScoreFiles:
    """Returns a data set, with the missing values of its rows."""
    scores = ScoreSelection(files.scores.table, outputs, files.labels)
    missing: dict[str, Counter[str]] = {name: Counter() for name in files.missing}
    units = {*scores.units} if files.missing_in else ()
    for (data_set, *unit), values in files.missing_in.items():
        if data_set == label or (data_set is None and tuple(unit) in units):
            for name, spelling in values:
                missing[name][spelling] += 1
    return replace(files, scores=scores, missing=missing, warnings=[*files.warnings])
