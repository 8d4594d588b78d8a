"""Scores the sets of a table one by one: the rows with each value of a column, and the means over the sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from metrics_framework.common.errors import ListName, Problems, UsageError, counted
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import ColumnBatch
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.checked_input import LEFT_OUT, NUMBERED, InputSummary, left_out_note, no_outputs
from metrics_framework.evaluation.system_scores import Evaluation, evaluate
from metrics_framework.inputs.row_view import Condition, RowView
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.metric import LabelledMetric

Observe = Callable[[ColumnBatch, Sequence[BatchScores]], None]
DATA_SETS = "dataset"
"""The name of the column of data sets, if outputs are given for several."""
MAX_SETS = 50
"""The largest number of sets of a table."""


@dataclass
class SetEvaluations:
    """The scores of the systems on several sets.

    Args:
        column: The column whose values are the sets.
        sets: Maps each set to its scores, as a run on its rows alone computes them.
    """

    column: str
    sets: dict[str, Evaluation]

    @cached_property
    def systems(self) -> list[str]:
        """The systems, in the order of their first outputs."""
        return list(dict.fromkeys(system for one in self.sets.values() for system in one.systems))

    @cached_property
    def mean(self) -> Evaluation:
        """The means over the sets, of the systems that have outputs in all sets."""
        every = list(self.sets.values())
        first, *others = (one.signature for one in every)
        complete = [system for system in self.systems if all(system in one.systems for one in every)]
        return Evaluation(
            MetricsDict.mean(one.metrics for one in every),
            {system: MetricsDict.mean(one.systems[system] for one in every) for system in complete},
            sum(one.num_instances for one in every),
            {system: sum(one.num_outputs.get(system, 0) for one in every) for system in self.systems},
            {name: text for name, text in first.items() if all(one[name] == text for one in others)},
            names=every[0].names,
            kinds=every[0].kinds,
        )

    def as_json(self) -> dict[str, Any]:
        """Returns the content of the macro file: the means, and under ``sets`` the content for each set."""
        sets = {name: one.as_json() for name, one in self.sets.items()}
        return {"by": self.column, **self.mean.as_json(), "sets": sets}

    def check_scores(self) -> None:
        """Checks that an output of each set has a score.

        Raises:
            UndefinedScoresError: if all main scores of a set are undefined.
        """
        for one in self.sets.values():
            one.check_scores()


class SetInput(NamedTuple):
    """What is scored of a set: its name, the metrics, what reads it, and its files or the names of lists in memory."""

    name: str
    metrics: Sequence[LabelledMetric]
    reader: DatasetReader
    files: Sequence[str]


def evaluate_sets(
    column: str,
    inputs: Iterable[SetInput],
    log: Log,
    *,
    observer: Callable[[str], Observe | None] | None = None,
    **options: Any,
) -> SetEvaluations:
    """Scores the outputs of each set separately.

    Args:
        column: The column whose values are the names of the sets.
        inputs: The sets.
        log: Receives notes and warnings, with the name of the set.
        observer: Returns for a set what receives its batches and their scores, as for `evaluate`.
        options: Further options of `evaluate`, for each set.

    Raises:
        DataError: if the input is invalid.
    """
    sets, noted = {}, set[str]()
    for name, metrics, reader, files in inputs:
        observe = None if observer is None else observer(name)
        sets[name] = evaluate(reader, files, metrics, None, SetLog(log, name, noted), observe=observe, **options)
    return SetEvaluations(column, sets)


def sets_of_column(
    column: str, metrics: Sequence[LabelledMetric], reader: DatasetReader, input_files: Sequence[str], log: Log
) -> Iterator[SetInput]:
    """Yields a set for each value of a column; the input is read once for each.

    Raises:
        UsageError: if the reader reads no rows with columns, the input can be read only once, or there are many sets.
        DataError: if the input is invalid.
    """
    option = _option(column, input_files)
    if reader.row_fields is None or reader.number_of_files is not None:
        raise UsageError(
            f"{option} needs rows with columns, which the reader '{reader.registered_name}' does not read; use "
            "--input-files with JSONL, CSV, TSV or Parquet"
        )
    if not reader.can_read_twice(input_files):
        given, instead = ("an iterator", "pass a list") if _in_memory(input_files) else ("a pipe", "use a file")
        raise UsageError(f"{option} reads the input once for each set, which {given} does not allow; {instead}")
    columns, where = ({}, []) if reader.view is None else (reader.view.columns, reader.view.where)
    for name in _sets(column, reader, columns, where, input_files, log):
        of_set = copy(reader)
        of_set.set_view(columns, [*where, Condition(column, name)])
        of_set.take_row_counts()  # those of the reader are not about this set
        yield SetInput(name, metrics, of_set, input_files)


def _in_memory(input_files: Sequence[str]) -> bool:
    return any(isinstance(name, ListName) for name in input_files)


def _option(column: str, input_files: Sequence[str]) -> str:
    """Returns how the column was named: by a flag for files, by an argument for rows in memory."""
    return f"by='{column}'" if _in_memory(input_files) else f"--by {column}"


def _sets(
    column: str,
    reader: DatasetReader,
    columns: Mapping[str, Sequence[str]],
    where: Sequence[Condition],
    input_files: Sequence[str],
    log: Log,
) -> list[str]:
    """Returns the values of a column, in the order of their first rows.

    Raises:
        DataError: if a row is invalid, or there are no rows.
        UsageError: if there are many values.
    """
    problems, of_all = Problems(), copy(reader)
    of_all.set_view(columns, where)  # checks that the reader applies a view
    of_all.take_row_counts()
    of_all.view = collector = _SetCollector(column, columns, where)
    for _ in of_all.instances(input_files, problems):
        pass
    problems.raise_any()
    sets, counts, conditions = list(collector.sets), collector.counts, list(map(str, where))
    if not sets:
        raise no_outputs(InputSummary(where=conditions, left_out=counts.left_out, values=counts.values), input_files)
    if where:
        log.note(left_out_note(counts.left_out, conditions))
    if len(sets) > MAX_SETS:
        raise UsageError(
            f"{_option(column, input_files)} makes a block of columns for each value of '{column}', of which there are "
            f"{counted(len(sets), 'value')} ('{sets[0]}', '{sets[1]}', …); choose a column with at most {MAX_SETS}"
        )
    return sets


class _SetCollector(RowView):
    """Collects the values of a column of the rows that meet the conditions, and keeps no row.

    Args:
        column: The column.
        columns: Maps fields to the columns that they are read from.
        where: The conditions.
    """

    def __init__(self, column: str, columns: Mapping[str, Sequence[str]], where: Sequence[Condition]) -> None:
        super().__init__(columns, where)
        self.sets: dict[str, None] = {}
        self._column = column

    @overrides
    def keeps(self, row: Mapping[str, Any], named: Mapping[str, Any]) -> bool:
        if super().keeps(row, named):
            self.sets[self.text_of(self._column, row, named)] = None
        return False


class SetLog(Log):
    """Passes notes and warnings on with the name of the set; notes that all sets have are printed once or not at all.

    Args:
        log: The log.
        name: The set.
        noted: The notes that were printed for another set.
    """

    def __init__(self, log: Log, name: str, noted: set[str]) -> None:
        super().__init__(log.strict, log.silent, checks=log.checks)
        self.option_form, self.are_detokenized = log.option_form, log.are_detokenized
        self._log, self._name, self._noted = log, name, noted

    @overrides
    def note(self, message: str, category: type[Warning] | None = None) -> None:
        if message.startswith(LEFT_OUT) or message in self._noted:
            return
        if message == NUMBERED:
            self._noted.add(message)
        self._log.note(message if message == NUMBERED else f"{self._name}: {message}", category)

    @overrides
    def warn(self, message: str, category: type[Warning] = UserWarning) -> None:
        if message not in self.warnings:
            self.warnings.append(message)
        self._log.warn(f"{self._name}: {message}", category)
