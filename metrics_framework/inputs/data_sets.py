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

import numpy as np

from metrics_framework.common.arrays import Bools, Indices
from metrics_framework.common.errors import DataError, Problems, UnknownNameError, UsageError, counted
from metrics_framework.data.scored_output import name_of_output
from metrics_framework.inputs.keys import LongRow
from metrics_framework.inputs.rating_rows import RatingRules, Source
from metrics_framework.inputs.ratings import LongTables, Unit, read_long_tables
from metrics_framework.inputs.score_files import NO_METRICS, KnownMetrics, ScoreFiles, check_rows, read_score_files
from metrics_framework.inputs.score_matrices import ScoreColumns, ScoreSelection
from metrics_framework.inputs.score_table import first_of

ALL = "all"
"""The name of the only data set of a study without a column of data sets."""
MAX_DATA_SETS = 100
"""A column with more values is no partition of the data, but a text or a number."""


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
        self._column, self._texts, self._problems = column, texts, Problems()
        self._reported = set[str]()  # files
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
        return [*dict.fromkeys(warning for part in self.parts.values() for warning in part.files.warnings)]

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
            label = self._label_of(table.unit(output), table.file_of(row).rows.path, table.lines[row])
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
