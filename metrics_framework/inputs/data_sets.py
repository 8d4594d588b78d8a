"""The scores of one or several data sets, such as language pairs: each is studied separately, on its own rows.

`DataSets` reads files, or scores in memory, once, and has one `DataSet` for each value of a column:

    data = DataSets(sources, "lp", texts=["sources.jsonl"])
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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from metrics_framework.common.arrays import Bools, Indices
from metrics_framework.common.errors import Problems, UnknownNameError, counted
from metrics_framework.inputs.rating_rows import RatingRules, Source
from metrics_framework.inputs.ratings import DataSetLabels, LongTables, read_long_tables, sorted_labels
from metrics_framework.inputs.score_files import NO_METRICS, KnownMetrics, ScoreFiles, check_rows, read_score_files
from metrics_framework.inputs.score_matrices import ScoreColumns, ScoreSelection
from metrics_framework.inputs.score_table import first_of

ALL = "all"
"""The name of the only data set of a study without a column of data sets."""


@dataclass(frozen=True)
class DataSet:
    """The scores of a data set.

    Args:
        name: Its name; `ALL` without a column of data sets.
        files: Its rows in score files.
        owner: All data sets.
    """

    name: str
    files: ScoreFiles
    owner: DataSets

    def columns(self, names: Sequence[str], summarizer_type: str = "peer") -> ScoreColumns:
        """Returns scores as matrices of systems × inputs; see `select_columns`."""
        return self.files.columns(names, summarizer_type)

    @property
    def tables(self) -> LongTables:
        """The rows of this data set with all columns: raters, texts and labels."""
        return self.owner.tables_of_parts[self.name]


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
        parts: The data sets by name, sorted.

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
        self._column, self._texts = column, texts
        self._rules = replace(RatingRules() if rules is None else rules, data_set=column)
        self.files = read_score_files(sources, rules=self._rules, metrics=metrics)
        found = {ALL: self.files} if column is None else self._split(column)
        self.parts: Mapping[str, DataSet] = {name: DataSet(name, files, self) for name, files in found.items()}

    @cached_property
    def tables(self) -> LongTables:
        """The rows of all files with all columns."""
        others = read_long_tables(self._texts, self._rules).rows if self._texts else ()
        return LongTables([*self.files.scores.table.long_rows(), *others], self._rules)

    @cached_property
    def tables_of_parts(self) -> Mapping[str, LongTables]:
        """The rows of each data set with all columns, by its name."""
        return {ALL: self.tables} if self._column is None else self.tables.data_sets()

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
        return [*dict.fromkeys(warning for part in self.parts.values() for warning in part.files.warnings)]

    def _split(self, column: str) -> dict[str, ScoreFiles]:
        """Returns the rows of each data set, by its label, sorted."""
        problems, table = Problems(), self.files.scores.table
        joined = self._assign_unlabelled(column, problems)
        if joined.any():
            check_rows(table, problems, joined)
        problems.raise_any()
        numbers = {str(label): number for number, label in enumerate(table.data_sets.names) if number}
        if not numbers and column not in self.tables.columns:
            raise UnknownNameError("column", column, self.tables.columns)
        data_sets = np.asarray(table.data_set_of)
        labels = sorted_labels(column, numbers)
        return {label: _part(self.files, label, np.flatnonzero(data_sets == numbers[label])) for label in labels}

    def _assign_unlabelled(self, column: str, problems: Problems) -> Bools:
        """Assigns outputs without a label; returns which outputs have such rows besides rows with a label."""
        table = self.files.scores.table
        data_sets, first = np.asarray(table.data_set_of), first_of(np.asarray(table.outputs), len(table))
        outputs = np.flatnonzero(data_sets > 0).tolist()
        unlabelled = np.flatnonzero(data_sets == 0).tolist()
        assigned: dict[int, str] = {}
        if unlabelled:
            labelled = ((table.unit(output), str(table.data_sets.names[data_sets[output]])) for output in outputs)
            paths = {table.file_of(row).rows.path for row, output in enumerate(table.outputs) if data_sets[output] > 0}
            known = self.tables.labelled() if self._texts else ()
            labels = DataSetLabels(column, chain(labelled, known), paths, problems)
            for output in unlabelled:
                row = int(first[output])
                label = labels.find(table.unit(output), table.file_of(row).rows.path, table.lines[row])
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
