"""The scores of one or several data sets, such as language pairs: each is studied separately, on its own rows.

`read_data_sets` reads files, or scores in memory, once, and returns one `DataSet` for each value of a column:

    data = read_data_sets(sources, "lp", texts=["sources.jsonl"])
    for name, part in data.parts.items():              # sorted by name
        part.columns(["ter", "human"])                 # ScoreColumns: matrices of systems × inputs
        part.tables.ratings("human")                   # LongTables: raters, texts and labels
        part.files                                     # ScoreFiles: signatures, hints, missing, rows, ...
    data.notes, data.warnings                          # once for all parts

Ids may be the same in several data sets: a row is identified by data set, input and system. In a row whose file lacks
the column, the output must be in a single data set, as far as other files tell. Without a column, there is one part,
`ALL`, with all rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

import numpy as np

from metrics_framework.common.arrays import Bools, Indices
from metrics_framework.common.errors import Problems, UnknownNameError, counted
from metrics_framework.inputs.rating_rows import RatingRules
from metrics_framework.inputs.rating_sources import Source
from metrics_framework.inputs.ratings import (
    DataSetLabels,
    LongTables,
    read_long_tables,
    sorted_labels,
)
from metrics_framework.inputs.score_files import NO_METRICS, KnownMetrics, ScoreFiles, check_rows, read_score_files
from metrics_framework.inputs.score_matrices import ScoreColumns, ScoreSelection
from metrics_framework.inputs.score_table import ScoreTable

ALL = "all"
"""The name of the only data set of a study without a column of data sets."""


class DataSet:
    """The scores of a data set.

    Args:
        name: Its name; `ALL` without a column of data sets.
        files: Its rows in score files.
        owner: All data sets.
    """

    def __init__(self, name: str, files: ScoreFiles, owner: DataSets) -> None:
        self.name = name
        self.files = files
        self._owner = owner

    def columns(self, names: Sequence[str], summarizer_type: str = "peer") -> ScoreColumns:
        """Returns scores as matrices of systems × inputs; see `select_columns`."""
        return self.files.columns(names, summarizer_type)

    @property
    def tables(self) -> LongTables:
        """The rows of this data set with all columns: raters, texts and labels."""
        return self._owner.tables_of(self.name)


class DataSets:
    """The scores of all data sets; see `read_data_sets`.

    Attributes:
        files: The rows of all data sets.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        column: str | None,
        texts: Sequence[Source],
        rules: RatingRules,
        metrics: KnownMetrics,
    ) -> None:
        self._column = column
        self._texts = texts
        self._rules = rules
        self.files = read_score_files(sources, rules=rules, metrics=metrics)
        self._unknown: list[tuple[str, str]] = []

    @cached_property
    def tables(self) -> LongTables:
        """The rows of all files with all columns."""
        others = read_long_tables(self._texts, self._rules).rows if self._texts else ()
        rows = self._rules.without_repeats(self.files.long_rows(), counts=False)
        return LongTables([*rows, *others], self._rules)

    @cached_property
    def parts(self) -> Mapping[str, DataSet]:
        """The data sets by name, sorted.

        Raises:
            UnknownNameError: if no file has the column.
            UsageError: if the column has too many values, or none.
            DataError: if a row without a label may belong to several data sets.
        """
        if self._column is None:
            return {ALL: DataSet(ALL, self.files, self)}
        found, self._unknown = split_by_data_set(
            self.files, self._column, self.tables.labelled() if self._texts else ()
        )
        if not found and self._column not in self.tables.columns:
            raise UnknownNameError("column", self._column, self.tables.columns)
        return {name: DataSet(name, found[name], self) for name in sorted_labels(self._column, found)}

    @cached_property
    def _tables_of_parts(self) -> Mapping[str, LongTables]:
        return {ALL: self.tables} if self._column is None else self.tables.data_sets()

    def tables_of(self, name: str) -> LongTables:
        """Returns the rows of a data set with all columns."""
        return self._tables_of_parts[name]

    @property
    def notes(self) -> list[str]:
        """Outputs that are in no data set."""
        outputs = self._unknown if self.parts else []
        if not outputs:
            return []
        instance, system = outputs[0]
        without = f"{counted(len(outputs), 'output')} without a value of '{self._column}'"
        return [f"left out: {without} (for example '{system}' on '{instance}')"]

    @property
    def warnings(self) -> list[str]:
        """What may make results misleading, once for all data sets."""
        return [*dict.fromkeys(warning for part in self.parts.values() for warning in part.files.warnings)]


def read_data_sets(
    sources: Sequence[Source],
    column: str | None = None,
    *,
    texts: Sequence[Source] = (),
    duplicates: str = "error",
    rules: RatingRules | None = None,
    metrics: KnownMetrics = NO_METRICS,
) -> DataSets:
    """Reads the scores of one or several data sets.

    Args:
        sources: Score files, or scores in memory.
        column: The column of data sets; `None` if all rows belong to one.
        texts: Further files that are read for texts and labels only.
        duplicates: What to do with an output that appears twice in one file: ``error``, or keep the ``first`` or
            ``last``; the same ids in two data sets are different outputs.
        rules: How rows are read; without them, all rows are read, with `duplicates`.
        metrics: The metrics whose names and directions are known.

    Raises:
        DataError: if files or rows cannot be read; all problems of all files are reported together.
        UnknownNameError: if no file has the column.
        UsageError: if the column has too many values, or none.
    """
    rules = RatingRules(duplicates=duplicates) if rules is None else rules
    data_sets = DataSets(sources, column, texts, replace(rules, data_set=column), metrics)
    data_sets.parts  # noqa: B018 - reports its problems
    return data_sets


def split_by_data_set(
    files: ScoreFiles, column: str, known: Iterable[tuple[tuple[str, str], str]] = ()
) -> tuple[dict[str, ScoreFiles], list[tuple[str, str]]]:
    """Returns the rows of each data set, by its label, and the outputs whose data set is unknown.

    Args:
        files: The rows, read with a column of data sets.
        column: The column.
        known: Further outputs whose data set is known.

    Raises:
        DataError: if a row without a label may belong to several data sets, or contradicts another row.
        UsageError: if there are too many data sets.
    """
    problems, table = Problems(), files.scores.table
    joined = _assign_unlabelled(table, column, known, problems)
    if joined.any():
        check_rows(table, problems, joined)
    problems.raise_any()
    data_sets = np.asarray(table.data_set_of)
    labels = {str(label): number for number, label in enumerate(table.data_sets.names) if number}
    parts = {
        label: _part(files, label, np.flatnonzero(data_sets == labels[label]))
        for label in (sorted_labels(column, labels) if labels else ())
    }
    return parts, [table.unit(output) for output in np.flatnonzero(data_sets == 0).tolist()]


def _assign_unlabelled(
    table: ScoreTable, column: str, known: Iterable[tuple[tuple[str, str], str]], problems: Problems
) -> Bools:
    """Assigns rows without a label; returns which outputs have such rows besides rows with a label."""
    data_sets = np.asarray(table.data_set_of)
    unlabelled, first = np.flatnonzero(data_sets == 0).tolist(), table.first_rows()
    assigned: dict[int, str] = {}
    if unlabelled:
        outputs = np.flatnonzero(data_sets > 0).tolist()
        labelled = ((table.unit(output), str(table.data_sets.names[data_sets[output]])) for output in outputs)
        paths = {table.file_of(row).path for row, output in enumerate(table.outputs) if data_sets[output] > 0}
        labels = DataSetLabels(column, chain(labelled, known), paths, problems)
        for output in unlabelled:
            row = int(first[output])
            label = labels.find(table.unit(output), table.file_of(row).path, table.lines[row])
            if label is not None:
                assigned[output] = label
    return table.assign(assigned)


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
