"""Scores as matrices of systems × inputs: all requested scores in one pass over the rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias, get_args

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.common.errors import DataError, InputError, UnknownNameError, UsageError
from metrics_framework.data.fields import SummarizerFilter
from metrics_framework.data.metrics_dict import MetricsDict, ScoredCount
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.data.texts import index_of, is_list, is_text, shown
from metrics_framework.inputs.score_table import Column, ScoreTable, flat_name

CAUSES = ("summarizer_type", "metric1_missing", "metric2_missing", "both_missing")
"""Why an output has no cell in the matrix of two scores."""
_SortedIds: TypeAlias = "tuple[list[str], Indices]"


@dataclass(frozen=True)
class ScoreColumns:
    """The outputs of one type with several scores; rows and columns are sorted by their ids.

    Args:
        systems: The ids of the rows, sorted as strings.
        inputs: The ids of the columns, sorted as strings.
        present: Whether there is an output, shape (systems, inputs).
        scores: Name to scores, shape (systems, inputs); NaN where missing.
        summarizer_type: Which outputs are included: ``all``, ``reference`` or ``peer``.
        other_types: The number of outputs of other types.
        jackknifed_names: Name to the ``_jk`` score that outputs without the score have instead.
        missing_judgements: Name to the number of judgements missing from lists, shape (systems, inputs); only of scores
            that have such lists.
    """

    systems: Sequence[str]
    inputs: Sequence[str]
    present: Bools
    scores: Mapping[str, Floats]
    summarizer_type: str
    other_types: int
    jackknifed_names: Mapping[str, str]
    missing_judgements: Mapping[str, Floats]

    def cells(self, names: Iterable[str]) -> Bools:
        """Returns which outputs have all of the scores, shape (systems, inputs)."""
        cells: Bools = self.present.copy()
        for name in names:
            cells &= ~np.isnan(self.scores[name])
        return cells

    def plus(self, name: str, scores: Mapping[tuple[str, str], float]) -> ScoreColumns:
        """Returns these columns and another score.

        Args:
            name: Its name; it replaces a score of that name.
            scores: Instance and summarizer to score; outputs that are not present are ignored.
        """
        added = np.full(self.present.shape, np.nan)
        for row, system in enumerate(self.systems):
            for column, instance in enumerate(self.inputs):
                if self.present[row, column]:
                    added[row, column] = scores.get((instance, system), np.nan)
        missing = {other: counts for other, counts in self.missing_judgements.items() if other != name}
        return replace(self, scores={**self.scores, name: added}, missing_judgements=missing)

    def restricted(self, cells: Bools) -> ScoreColumns:
        """Returns only some of the outputs, without systems and inputs that have none.

        Args:
            cells: The outputs to keep, shape (systems, inputs).
        """
        present = self.present & cells
        rows, columns = np.flatnonzero(present.any(axis=1)), np.flatnonzero(present.any(axis=0))
        kept = np.ix_(rows, columns)
        return replace(
            self,
            systems=[self.systems[row] for row in rows.tolist()],
            inputs=[self.inputs[column] for column in columns.tolist()],
            present=present[kept],
            scores={name: np.where(present, scores, np.nan)[kept] for name, scores in self.scores.items()},
            missing_judgements={name: (counts * present)[kept] for name, counts in self.missing_judgements.items()},
        )

    def matrix(self, metric1: str, metric2: str) -> ScoreMatrix:
        """Returns the outputs that have two scores, and counts the outputs left out.

        Raises:
            DataError: if there are none.
        """
        x, z = self.scores[metric1], self.scores[metric2]
        without_x, without_z = self.present & np.isnan(x), self.present & np.isnan(z)
        left_out = {
            "metric1_missing": without_x & ~without_z,
            "metric2_missing": without_z & ~without_x,
            "both_missing": without_x & without_z,
        }
        dropped = {
            "summarizer_type": self.other_types,
            **{cause: int(cells.sum()) for cause, cells in left_out.items()},
        }
        examples = {cause: self._first(cells) for cause, cells in left_out.items() if cells.any()}
        jackknifed = {name: self.jackknifed_names[name] for name in (metric1, metric2) if name in self.jackknifed_names}
        cells = self.cells((metric1, metric2))
        if not cells.any():
            raise DataError(self._why_empty((metric1, metric2), dropped, jackknifed, examples))
        counts = zip(cells.sum(axis=1).tolist(), self.cells((metric2,)).sum(axis=1).tolist(), strict=True)
        scored = {system: ScoredCount(*count) for system, count in zip(self.systems, counts, strict=True) if count[1]}
        missing = {name: self.missing_judgements.get(name, np.zeros(cells.shape)) for name in (metric1, metric2)}
        two = replace(self, scores={metric1: x, metric2: z}, missing_judgements=missing).restricted(cells)
        number_missing = sum(int(counts.sum()) for counts in two.missing_judgements.values())
        matrices = two.scores[metric1], two.scores[metric2]
        return ScoreMatrix(*matrices, two.systems, two.inputs, dropped, jackknifed, examples, number_missing, scored)

    def _first(self, cells: Bools) -> tuple[str, str]:
        """Returns the ids of the first output among cells: the first input, then the first system."""
        column = int(cells.any(axis=0).argmax())
        return self.inputs[column], self.systems[int(cells[:, column].argmax())]

    def _why_empty(
        self,
        names: tuple[str, str],
        dropped: Mapping[str, int],
        jackknifed: Mapping[str, str],
        examples: Mapping[str, tuple[str, str]],
    ) -> str:
        whose = "" if self.summarizer_type == "all" else f" of type '{self.summarizer_type}'"
        first, second = names
        why = ("of another type", f"without '{first}'", f"without '{second}'", "without both")
        counts = ", ".join(f"{dropped[cause]} {reason}" for cause, reason in zip(CAUSES, why, strict=True))
        advice = "".join(f"; they have '{other}' instead of '{name}'" for name, other in jackknifed.items())
        alone = _examples_without_the_other(names, examples) if not advice else ""
        return f"no output{whose} has both '{first}' and '{second}'; left out: {counts}{advice}{alone}"


def _examples_without_the_other(names: tuple[str, str], examples: Mapping[str, tuple[str, str]]) -> str:
    """Returns an output with each of the two scores if different outputs have them: their names differ."""
    has = [examples.get(cause) for cause in ("metric2_missing", "metric1_missing")]
    if None in has:
        return ""
    (input1, system1), (input2, system2) = (example for example in has if example)
    return (
        f"; for example, '{system1}' on '{input1}' has only '{names[0]}', and '{system2}' on '{input2}' only "
        f"'{names[1]}'; ids and names of systems must be the same in all files"
    )


@dataclass(frozen=True)
class ScoreMatrix:
    """The outputs that have both scores.

    Args:
        x: The first metric, shape (systems, inputs); NaN if there is no output with both scores.
        z: The second, of the same shape, NaN in the same cells.
        systems: The ids of the rows, sorted as strings.
        inputs: The ids of the columns, sorted as strings.
        dropped: Cause to the number of outputs left out.
        jackknifed_names: Metric to the ``_jk`` score that outputs without the metric have instead.
        examples: Cause to the instance and summarizer of one output left out, the first by id.
        missing_judgements: The number of judgements missing from lists of judgements; means are over those present.
        scored: System to how many of its outputs with the second score have the first.
    """

    x: Floats
    z: Floats
    systems: Sequence[str]
    inputs: Sequence[str]
    dropped: Mapping[str, int]
    jackknifed_names: Mapping[str, str]
    examples: Mapping[str, tuple[str, str]]
    missing_judgements: int
    scored: Mapping[str, ScoredCount]

    @property
    def num_cells(self) -> int:
        """The number of outputs that have both scores."""
        return int((~np.isnan(self.x)).sum())

    def has_outputs_of(self, other: ScoreMatrix) -> bool:
        """Returns whether two matrices have scores of the same outputs."""
        same_ids = (self.systems, self.inputs) == (other.systems, other.inputs)
        return same_ids and bool((np.isnan(self.x) == np.isnan(other.x)).all())


def select_columns(
    scores: ScoreSelection, names: Sequence[str], summarizer_type: str = "peer", hints: Mapping[str, str] | None = None
) -> ScoreColumns:
    """Returns scores as matrices.

    Args:
        scores: The scores of outputs.
        names: The flat names of the scores.
        summarizer_type: Which outputs to include: ``all``, ``reference`` or ``peer``.
        hints: Name to why it is not a metric, for the error message.

    Raises:
        UnknownNameError: if a score appears in no row.
        UsageError: if a score is a list of different numbers, such as ``bleu_precisions``.
        InputError: if the type is unknown.
    """
    types = get_args(SummarizerFilter)
    if summarizer_type not in types:
        raise InputError(f"'summarizer_type' must be one of {', '.join(types)}, got '{summarizer_type}'")
    names = [*dict.fromkeys(names)]
    chosen: Bools = np.array([summarizer_type in ("all", kind) for kind in scores.types()], dtype=np.bool_)
    scores.check_lists(names, chosen)
    known = scores.known
    for name in names:
        if name not in known:
            raise UnknownNameError("metric", name, known, "" if hints is None else hints[name])
    (systems, rows), (inputs, columns) = scores.sorted_ids(chosen)
    shape, cells = (len(systems), len(inputs)), rows * len(inputs) + columns
    present: Bools = np.zeros(shape, dtype=np.bool_)
    present.flat[cells] = True
    matrices, jackknifed, missing = {}, {}, {}
    for name in names:
        values = scores.numbers(name)
        matrices[name] = np.full(shape, np.nan)
        matrices[name].flat[cells] = values[chosen]
        other, counts = scores.jackknifed(name, chosen & np.isnan(values)), scores.missing_ratings(name)
        if other is not None:
            jackknifed[name] = other
        if counts.any():
            missing[name] = np.zeros(shape)
            missing[name].flat[cells] = np.where(np.isnan(values), 0, counts)[chosen]
    other_types = len(chosen) - len(cells)
    return ScoreColumns(systems, inputs, present, matrices, summarizer_type, other_types, jackknifed, missing)


class ScoreSelection:
    """Some outputs of score files, and their scores by flat names.

    Args:
        table: The rows of all files, which can be merged; `None` for no rows.
        outputs: The numbers of the outputs, ascending; `None` for all.
        labels: The names of metrics, whose lists are different numbers.

    Attributes:
        table: The rows of all files.
    """

    def __init__(
        self, table: ScoreTable | None = None, outputs: Indices | None = None, labels: Iterable[str] = ()
    ) -> None:
        self.table = table = ScoreTable() if table is None else table
        used = np.flatnonzero(np.asarray(table.data_set_of) >= 0)
        self._outputs: Indices = used if outputs is None else outputs
        self._labels = {*labels}
        self._is_metric: dict[str, bool] = {}

    def __len__(self) -> int:
        return len(self._outputs)

    @cached_property
    def _index_of_row(self) -> Indices:
        """For each row of the table the index of its output; -1 if that is none of these outputs."""
        index_of: Indices = np.full(len(self.table), -1)
        index_of[self._outputs] = np.arange(len(self))
        return np.asarray(index_of[np.asarray(self.table.outputs)])

    @cached_property
    def _columns(self) -> dict[str, list[Column]]:
        """Flat name to its columns."""
        named: dict[str, list[Column]] = {}
        for path, column in self.table.columns.items():
            if path[-1] is not None and (self._index_of_row[column.rows] >= 0).any():
                named.setdefault(flat_name(path), []).append(column)
        return named

    @cached_property
    def units(self) -> list[tuple[str, str]]:
        """The input and the system of each output."""
        return [*map(self.table.unit, self._outputs.tolist())]

    @property
    def names(self) -> list[str]:
        """The flat names of all scores."""
        return [*self._columns]

    @cached_property
    def known(self) -> list[str]:
        """The names of all numbers; whether a score is a list of them is seen from the first output that has it."""
        known: dict[str, None] = {}
        for name in self._columns:
            lists = dict(self._lists(name))
            first = lists.get(int(self.having(name).argmax())) if lists else None
            known.update(dict.fromkeys(self._parts(name, first) or [name]))
        return [*known]

    def has_lists(self, name: str) -> bool:
        """Returns whether a score is a list of numbers in any row."""
        return any(isinstance(score, (list, tuple)) for _, score in self._others(name))

    def check_lists(self, names: Iterable[str], chosen: Bools | None = None) -> None:
        """Raises an error if a score of an output is a list that a metric returned, for the first such output.

        Args:
            names: The scores.
            chosen: Whether each output is checked; `None` for all.

        Raises:
            UsageError: if there is such an output.
        """
        lists = [(index, name, score) for name in names for index, score in self._lists(name)]
        lists = lists if chosen is None else [one for one in lists if chosen[one[0]]]
        if lists:
            _, name, score = min(lists, key=lambda one: one[0])
            parts = self._parts(name, score)
            raise UsageError(
                f"'{name}' is a list of {len(parts)} different numbers, whose mean has no meaning; "
                f"use one of {', '.join(parts)}"
            )

    @cached_property
    def rows(self) -> list[MetricsRow]:
        """One row per output, with flat names, in the order of the files; they take much memory."""
        merged = [MetricsDict() for _ in range(len(self))]
        for row, index in enumerate(self._index_of_row.tolist()):
            if index >= 0:
                merged[index] = merged[index].merge(self.table.scores(row))
        outputs = zip(self.units, self.types(), merged, strict=True)
        return [MetricsRow(*unit, kind, scores.flatten()) for unit, kind, scores in outputs]

    def types(self) -> list[str]:
        """Returns the type of each output: the first one that a file has, or else a peer."""
        names = ["peer" if name is None else name for name in self.table.types.names]
        return [names[number] for number in self.table.type_numbers()[self._outputs].tolist()]

    def sorted_ids(self, chosen: Bools) -> tuple[_SortedIds, _SortedIds]:
        """Returns the systems and the inputs of some outputs, sorted as strings, and the position of each output's.

        Args:
            chosen: Whether each output is one of them.
        """
        table, outputs = self.table, self._outputs[chosen]
        return (
            _sorted_ids(table.systems.names, np.asarray(table.system_of)[outputs]),
            _sorted_ids(table.instances.names, np.asarray(table.instance_of)[outputs]),
        )

    def numbers(self, name: str) -> Floats:
        """Returns a score of each output; NaN if it is missing.

        It is a number, the mean of a list of ratings, or a number of a list that a metric returned.
        """
        values: Floats = np.full(len(self), np.nan)
        for column in self._columns.get(name, ()):
            indices = self._index_of_row[column.rows]
            used = np.flatnonzero(indices >= 0)[::-1]  # the last one of equal indices counts
            values[indices[used]] = column.values[used]
        for index, score in self._others(name):
            values[index] = as_number(score)
        owner, having = name.rpartition("_")[0], self.having(name)
        for index, score in self._lists(owner):
            parts = dict(zip(self._parts(owner, score), score, strict=True))
            if name in parts and not having[index]:
                values[index] = as_number(parts[name])
        return values

    def having(self, name: str) -> Bools:
        """Returns whether each output has a score, which may be missing."""
        having: Bools = np.zeros(len(self) + 1, dtype=np.bool_)  # the last one is of other outputs
        for column in self._columns.get(name, ()):
            having[self._index_of_row[column.rows]] = True
        return having[:-1]

    def jackknifed(self, name: str, missing: Bools) -> str | None:
        """Returns the ``_jk`` score that outputs have instead of a missing score."""
        if not missing.any():
            return None
        others = (other for other in self.names if "_jk" in other and other.replace("_jk", "", 1) == name)
        return min((other for other in others if not np.isnan(self.numbers(other)[missing]).all()), default=None)

    def missing_ratings(self, name: str) -> Indices:
        """Returns the number of missing ratings of each output."""
        counts: Indices = np.zeros(len(self), dtype=np.intp)
        for index, score in self._others(name):
            counts[index] = missing_ratings(score)
        return counts

    def _others(self, name: str) -> Iterator[tuple[int, Any]]:
        """Yields the scores of a name that are no plain numbers, such as lists, with the index of their output."""
        for column in self._columns.get(name, ()):
            for row, score in column.others.items():
                if self._index_of_row[row] >= 0:
                    yield int(self._index_of_row[row]), score

    def _lists(self, name: str) -> Iterator[tuple[int, Any]]:
        """Yields the lists of a name that a metric returned, with the index of their output."""
        return (one for one in self._others(name) if self._parts(name, one[1]))

    def _parts(self, name: str, score: Any) -> Sequence[str]:
        """Returns the names of the numbers of a list that a metric returned; empty for any other score.

        The precisions of BLEU, for n-grams of four orders, are different quantities: their mean means nothing. Ratings
        of one output by several people are the same quantity, and are averaged. A list belongs to a metric if its name
        is that of a metric, or starts with it.
        """
        if not isinstance(score, (list, tuple)):
            return []
        if name not in self._is_metric:
            words = name.split("_")
            starts = ("_".join(words[:end]) for end in range(1, len(words) + 1))
            self._is_metric[name] = any(start in self._labels for start in starts)
        return [f"{name}_{index}" for index in range(1, len(score) + 1)] if self._is_metric[name] else []


def _sorted_ids(names: Sequence[str], numbers: Indices) -> _SortedIds:
    """Returns the names that appear, sorted as strings, and the position of each number among them."""
    found, inverse = np.unique(numbers, return_inverse=True)
    listed = [names[number] for number in found.tolist()]
    order = sorted(range(len(listed)), key=listed.__getitem__)
    ranks: Indices = np.empty(len(listed), dtype=np.intp)
    ranks[order] = np.arange(len(listed))
    return [listed[index] for index in order], ranks[inverse]


def missing_ratings(score: Any) -> int:
    """Counts the missing numbers in a list of ratings; no other score has any."""
    return sum(number is None or math.isnan(number) for number in score) if isinstance(score, (list, tuple)) else 0


def as_number(score: Any) -> float:
    """Returns a score as a number: the mean of the defined numbers of a list, NaN for a missing score."""
    if isinstance(score, (list, tuple)):
        present = [number for number in score if number is not None and not math.isnan(number)]
        # An exact sum does not depend on the order of the judges; a divided one does not overflow.
        try:
            return math.fsum(present) / len(present) if present else math.nan
        except OverflowError:
            return math.fsum(number / len(present) for number in present)
    return math.nan if score is None else float(score)


# ---- matrices in memory ----------------------------------------------------------------------------------------------


def is_matrix(value: Any) -> bool:
    """Returns whether a value is a matrix of scores, or a dictionary of rows or of matrices.

    >>> is_matrix([[1, 2], [3, 4]]), is_matrix({"ours": [1, 2]}), is_matrix([("sari", "rating")]), is_matrix(["rating"])
    (True, True, False, False)
    """
    if not isinstance(value, (list, tuple, Mapping)):
        return getattr(value, "ndim", 0) == 2
    rows = [*(value.values() if isinstance(value, Mapping) else value)]
    return bool(rows) and all(is_matrix(row) or (is_list(row) and not any(map(is_text, row))) for row in rows)


UNIT_COLUMNS = ("instance_id", "summarizer_id")
"""The columns of a table of matrices that are no scores."""


def table_of_matrices(metrics: Any, humans: Any) -> tuple[dict[str, list[Any]], list[str]]:
    """Returns matrices of systems × inputs as the columns of a table, and the names of the human ratings.

    Args:
        metrics: A matrix, which is called ``metric``, or a dictionary of matrices. The rows of a matrix may be a
            dictionary from systems to lists, or those of a DataFrame whose index has the systems.
        humans: The same of the ratings, which are called ``human``.

    Raises:
        InputError: if a value is no matrix of numbers, matrices differ in shape or systems, or two have one name.
    """
    named = [
        {str(one): matrix for one, matrix in given.items()}
        if isinstance(given, Mapping) and given and all(map(is_matrix, given.values()))
        else {name: given}
        for given, name in ((metrics, "metric"), (humans, "human"))
    ]
    read = [(name, *_matrix_of(matrix, name)) for one in named for name, matrix in one.items()]
    names = [*UNIT_COLUMNS, *(name for name, *_ in read)]
    if len({*names}) < len(names):
        raise InputError(
            f"metrics and human ratings must have different names, got {', '.join(map(str, named[1]))}; "
            f"{' and '.join(UNIT_COLUMNS)} are taken"
        )
    first, systems, expected = read[0]
    for name, labels, matrix in read:
        if matrix.shape != expected.shape or labels != systems:
            sizes = "'{}' has {} × {}, '{}' {} × {}".format(first, *expected.shape, name, *matrix.shape)
            raise InputError(f"all matrices must have the same systems (rows) and inputs (columns): {sizes}")
    rows, columns = expected.shape
    ids = dict(zip(UNIT_COLUMNS, ([*range(1, columns + 1)] * rows, np.repeat(systems, columns).tolist()), strict=True))
    return {**ids, **{name: matrix.ravel().tolist() for name, _, matrix in read}}, list(named[1])


def _matrix_of(given: Any, name: str) -> tuple[list[str], Floats]:
    """Returns the systems and the scores of a matrix."""
    rows = list(given.values()) if isinstance(given, Mapping) else given
    try:
        matrix = np.array(rows, dtype=float)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or not matrix.size or np.isinf(matrix).any():
        raise InputError(f"'{name}' must be a matrix of finite numbers or NaN, systems × inputs, got {shown(given)}")
    if np.isnan(matrix).all():
        raise InputError(f"'{name}' must have scores, got NaN alone; leave it out")
    labels = given if isinstance(given, Mapping) else index_of(given)
    return [*map(str, range(1, len(matrix) + 1) if labels is None else labels)], matrix
