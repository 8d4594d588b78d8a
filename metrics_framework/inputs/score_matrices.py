"""Scores as matrices of systems × inputs: all requested scores in one pass over the rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, get_args

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.common.errors import DataError, InputError, UnknownNameError, UsageError
from metrics_framework.data.fields import SummarizerFilter
from metrics_framework.data.metrics_dict import MetricsDict, ScoredCount
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.inputs.score_table import (
    OTHER,
    Column,
    ScoreBlock,
    ScoreTable,
    flat_name,
    positions_of,
)

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
        left_out = self._left_out(x, z)
        dropped = {
            "summarizer_type": self.other_types,
            **{cause: int(cells.sum()) for cause, cells in left_out.items()},
        }
        examples = {cause: self._first(cells) for cause, cells in left_out.items() if cells.any()}
        jackknifed = {name: self.jackknifed_names[name] for name in (metric1, metric2) if name in self.jackknifed_names}
        cells = self.cells((metric1, metric2))
        if not cells.any():
            raise DataError(self._why_empty((metric1, metric2), dropped, jackknifed, examples))
        rows, columns = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
        kept = np.ix_(rows, columns)
        return ScoreMatrix(
            x=np.where(cells, x, np.nan)[kept],
            z=np.where(cells, z, np.nan)[kept],
            systems=[self.systems[row] for row in rows.tolist()],
            inputs=[self.inputs[column] for column in columns.tolist()],
            dropped=dropped,
            jackknifed_names=jackknifed,
            examples=examples,
            missing_judgements=sum(
                int(self.missing_judgements[name][cells].sum())
                for name in (metric1, metric2)
                if name in self.missing_judgements
            ),
            scored=self._scored(cells, ~np.isnan(z)),
        )

    def _scored(self, cells: Bools, with_z: Bools) -> dict[str, ScoredCount]:
        """Returns, for each system, how many of its outputs with the second score also have the first."""
        counts = zip(cells.sum(axis=1).tolist(), (self.present & with_z).sum(axis=1).tolist(), strict=True)
        return {system: ScoredCount(*count) for system, count in zip(self.systems, counts, strict=True) if count[1]}

    def _left_out(self, x: Floats, z: Floats) -> dict[str, Bools]:
        without_x, without_z = self.present & np.isnan(x), self.present & np.isnan(z)
        return {
            "metric1_missing": without_x & ~without_z,
            "metric2_missing": without_z & ~without_x,
            "both_missing": without_x & without_z,
        }

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
    scores: ScoreSelection,
    names: Sequence[str],
    summarizer_type: str = "peer",
    hints: Mapping[str, str] | None = None,
    labels: Iterable[str] = (),
) -> ScoreColumns:
    """Returns scores as matrices.

    Args:
        scores: The scores of outputs.
        names: The flat names of the scores.
        summarizer_type: Which outputs to include: ``all``, ``reference`` or ``peer``.
        hints: Name to why it is not a metric, for the error message.
        labels: The names of metrics, whose lists are different numbers.

    Raises:
        UnknownNameError: if a score appears in no row.
        UsageError: if a score is a list of different numbers, such as ``bleu_precisions``.
        InputError: if the type is unknown.
    """
    types = get_args(SummarizerFilter)
    if summarizer_type not in types:
        raise InputError(f"'summarizer_type' must be one of {', '.join(types)}, got '{summarizer_type}'")
    names = [*dict.fromkeys(names)]
    selection = _ColumnSelection(scores, Components(labels), summarizer_type)
    selection.check_lists(names)
    known = selection.known()
    for name in names:
        if name not in known:
            raise UnknownNameError("metric", name, known, "" if hints is None else hints[name])
    return selection.columns(names)


class _ColumnSelection:
    """The outputs of one type, and their scores.

    Args:
        scores: The scores of outputs.
        components: Finds the numbers of lists.
        summarizer_type: Which outputs to include.
    """

    def __init__(self, scores: ScoreSelection, components: Components, summarizer_type: str) -> None:
        self._scores = scores
        self._components = components
        self._summarizer_type = summarizer_type
        self._chosen: Bools = np.array([summarizer_type in ("all", kind) for kind in scores.types()], dtype=np.bool_)

    def check_lists(self, names: Sequence[str]) -> None:
        """Raises an error if a score is a list that a metric returned, for the first output that has one."""
        lists = [
            (index, position, score)
            for position, name in enumerate(names)
            for index, score in self._scores.others(name)
            if self._chosen[index] and self._components.names(name, score)
        ]
        if lists:
            _, position, score = min(lists, key=lambda one: one[:2])
            self._components.value({names[position]: score}, names[position])

    def known(self) -> set[str]:
        """Returns the names of all numbers; whether a score is a list is seen from the first output that has it."""
        known: set[str] = set()
        for name in self._scores.names:
            others = dict(self._scores.others(name))
            first = others.get(self._scores.first(name)) if others else None
            known.update(self._components.names(name, first) or [name])
        return known

    def columns(self, names: Sequence[str]) -> ScoreColumns:
        """Returns the matrices of scores."""
        (systems, rows), (inputs, columns) = self._scores.sorted_ids(self._chosen)
        shape, cells = (len(systems), len(inputs)), rows * len(inputs) + columns
        present: Bools = np.zeros(shape, dtype=np.bool_)
        present.flat[cells] = True
        scores, jackknifed, missing = {}, {}, {}
        for name in names:
            values = self._values(name)
            scores[name] = np.full(shape, np.nan)
            scores[name].flat[cells] = values[self._chosen]
            other, counts = self._jackknifed(name, values), self._missing(name, values)
            if other is not None:
                jackknifed[name] = other
            if counts.any():
                missing[name] = np.zeros(shape)
                missing[name].flat[cells] = counts[self._chosen]
        other_types = len(self._chosen) - len(cells)
        return ScoreColumns(systems, inputs, present, scores, self._summarizer_type, other_types, jackknifed, missing)

    def _values(self, name: str) -> Floats:
        """Returns a score of each output, which may be a number of a list; NaN if it is missing."""
        values = self._scores.numbers(name, self._chosen)
        owner = name.rpartition("_")[0]
        lists = [one for one in self._scores.others(owner) if name in self._components.names(owner, one[1])]
        if lists:
            having = self._scores.having(name)
            for index, score in lists:
                if self._chosen[index] and not having[index]:
                    values[index] = as_number(self._components.value({owner: score}, name))
        return values

    def _jackknifed(self, name: str, values: Floats) -> str | None:
        """Returns the ``_jk`` score that outputs have instead of a missing score."""
        missing = self._chosen & np.isnan(values)
        if not missing.any():
            return None
        others = (other for other in self._scores.names if "_jk" in other and other.replace("_jk", "", 1) == name)
        having = [other for other in others if not np.isnan(self._scores.numbers(other, missing)[missing]).all()]
        return min(having, default=None)

    def _missing(self, name: str, values: Floats) -> Indices:
        """Returns the number of missing ratings of each output that has a score."""
        counts: Indices = np.zeros(len(values), dtype=np.intp)
        for index, score in self._scores.others(name):
            if not np.isnan(values[index]):
                counts[index] = missing_ratings(score)
        return counts


class ScoreSelection:
    """Some outputs of score files.

    Args:
        table: The rows of all files, which can be merged; `None` for no rows.
        outputs: The numbers of the outputs, ascending; `None` for all.

    Attributes:
        table: The rows of all files.
    """

    def __init__(self, table: ScoreTable | None = None, outputs: Indices | None = None) -> None:
        self.table = table = ScoreTable() if table is None else table
        self._outputs: Indices = np.arange(len(table)) if outputs is None else outputs

    def __len__(self) -> int:
        return len(self._outputs)

    @cached_property
    def _rows(self) -> list[_Rows]:
        """The rows of the outputs in each file."""
        index_of: Indices = np.full(len(self.table) + 1, -1)  # the last one is of rows that are not used
        index_of[self._outputs] = np.arange(len(self))
        found = []
        for block in self.table.blocks:
            indices = index_of[np.asarray(block.outputs)]
            rows = np.flatnonzero(indices >= 0)
            found.append(_Rows(block, rows, indices[rows]))
        return found

    @cached_property
    def _parts(self) -> dict[str, list[_Part]]:
        """Flat name to its columns in the files."""
        named: dict[str, list[_Part]] = {}
        for rows in self._rows:
            for path, column in rows.block.columns.items():
                part = _Part(column, rows)
                if path[-1] is not None and len(part.places()[0]):
                    named.setdefault(flat_name(path), []).append(part)
        return named

    @cached_property
    def units(self) -> set[tuple[str, str]]:
        """The outputs."""
        return {*map(self.table.unit, self._outputs.tolist())}

    @property
    def names(self) -> list[str]:
        """The flat names of all scores."""
        return [*self._parts]

    def has_lists(self, name: str) -> bool:
        """Returns whether a score is a list of numbers in any row."""
        return any(isinstance(score, (list, tuple)) for _, score in self.others(name))

    def rows(self) -> list[MetricsRow]:
        """Returns one row per output, with flat names, in the order of the files."""
        merged: list[dict[str, Any]] = [{} for _ in range(len(self))]
        for block, rows, indices in self._rows:
            index_of = dict(zip(rows.tolist(), indices.tolist(), strict=True))
            for row, scores in block.rows(rows):
                _merge_into(merged[index_of[row]], scores)
        units = map(self.table.unit, self._outputs.tolist())
        return [
            MetricsRow(*unit, kind, _flat(scores))
            for unit, kind, scores in zip(units, self.types(), merged, strict=True)
        ]

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

    def others(self, name: str) -> Iterator[tuple[int, Any]]:
        """Yields the scores of a name that are no plain numbers, such as lists, with the index of their output."""
        for part in self._parts.get(name, ()):
            yield from part.others()

    def first(self, name: str) -> int:
        """Returns the index of the first output that has a score."""
        return min(int(part.places()[1].min()) for part in self._parts[name])

    def numbers(self, name: str, chosen: Bools) -> Floats:
        """Returns a score of each output: a number, or the mean of a list; NaN if it is missing.

        Args:
            name: The flat name of the score.
            chosen: The outputs whose lists are averaged.
        """
        values: Floats = np.full(len(self), np.nan)
        for part in reversed(self._parts.get(name, ())):
            positions, indices = part.places()
            values[indices] = part.column.values[positions]
        for index, score in self.others(name):
            if chosen[index]:
                values[index] = as_number(score)
        return values

    def having(self, name: str) -> Bools:
        """Returns whether each output has a score, which may be missing."""
        having: Bools = np.zeros(len(self), dtype=np.bool_)
        for part in self._parts.get(name, ()):
            having[part.places()[1]] = True
        return having


class _Rows(NamedTuple):
    """Some rows of a file.

    Args:
        block: The file.
        rows: The rows, ascending.
        indices: The index of the output of each row.
    """

    block: ScoreBlock
    rows: Indices
    indices: Indices

    def first(self) -> int:
        """Returns the index of the first output."""
        return int(self.indices.min())


class _Part:
    """The column of a score in a file.

    Args:
        column: The column.
        rows: The rows of outputs.
    """

    def __init__(self, column: Column, rows: _Rows) -> None:
        self.column = column
        self._rows = rows

    def places(self) -> tuple[Indices, Indices]:
        """Returns the positions in the column of the rows that have the score, and the indices of their outputs."""
        block, rows, indices = self._rows
        if len(self.column.rows) == len(block):
            return rows, indices
        found, has = positions_of(self.column.rows, rows)
        return np.flatnonzero(has), indices[found[has]]

    def others(self) -> Iterator[tuple[int, Any]]:
        """Yields the scores that are no plain numbers, with the index of their output."""
        if not self.column.others:
            return
        positions, indices = self.places()
        special = np.flatnonzero(self.column.kinds[positions] == OTHER)
        for position, index in zip(positions[special].tolist(), indices[special].tolist(), strict=True):
            yield index, self.column.score(position)


def _merge_into(merged: dict[str, Any], scores: Mapping[str, Any]) -> None:
    """Adds the scores of another row; scores that both have are equal."""
    for name, score in scores.items():
        if isinstance(score, dict) and name in merged:
            _merge_into(merged[name], score)
        else:
            merged.setdefault(name, score)


def _flat(scores: dict[str, Any]) -> MetricsDict:
    is_nested = any(isinstance(score, dict) for score in scores.values())
    return MetricsDict(scores).flatten() if is_nested else MetricsDict(scores)


def _sorted_ids(names: Sequence[str], numbers: Indices) -> _SortedIds:
    """Returns the names that appear, sorted as strings, and the position of each number among them."""
    found, inverse = np.unique(numbers, return_inverse=True)
    listed = [names[number] for number in found.tolist()]
    order = sorted(range(len(listed)), key=listed.__getitem__)
    ranks: Indices = np.empty(len(listed), dtype=np.intp)
    ranks[order] = np.arange(len(listed))
    return [listed[index] for index in order], ranks[inverse]


class Components:
    """The lists of numbers that metrics return, and the names of their numbers.

    The precisions of BLEU, for n-grams of four orders, are different quantities: their mean means nothing. Ratings of
    one output by several people are the same quantity, and are averaged. A list belongs to a metric if its name is that
    of a metric, or starts with it.

    Args:
        labels: The names of metrics: those of all metrics, and labels that have signatures.
    """

    def __init__(self, labels: Iterable[str]) -> None:
        self._labels = {*labels}
        self._is_metric: dict[str, bool] = {}

    def names(self, name: str, value: Any) -> Sequence[str]:
        """Returns the names of the numbers of a list that a metric returned; empty for any other score.

        >>> [Components(["bleu"]).names(name, [50.0, 25.0]) for name in ("bleu_precisions", "simplicity")]
        [['bleu_precisions_1', 'bleu_precisions_2'], []]
        """
        if not isinstance(value, (list, tuple)) or not self._is_of_metric(name):
            return []
        return [f"{name}_{index}" for index in range(1, len(value) + 1)]

    def _is_of_metric(self, name: str) -> bool:
        found = self._is_metric.get(name)
        if found is None:
            parts = name.split("_")
            found = any("_".join(parts[:end]) in self._labels for end in range(1, len(parts) + 1))
            self._is_metric[name] = found
        return found

    def value(self, scores: Mapping[str, Any], name: str) -> Any:
        """Returns a score, or a number of a list by its name; `None` if there is neither.

        Raises:
            UsageError: if the score is a list that a metric returned.
        """
        if name not in scores:
            owner, _, index = name.rpartition("_")
            listed = scores.get(owner, ())
            return listed[int(index) - 1] if name in self.names(owner, listed) else None
        names = self.names(name, scores[name])
        if names:
            raise UsageError(
                f"'{name}' is a list of {len(names)} different numbers, whose mean has no meaning; "
                f"use one of {', '.join(names)}"
            )
        return scores[name]


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
