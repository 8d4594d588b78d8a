"""Some outputs of score files, such as those of a data set: their scores as matrices, or as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.data.fields import similar_in_files
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.meta_evaluation.scores.components import as_number
from metrics_framework.meta_evaluation.scores.score_block import OTHER, Column, ScoreBlock, flat_name, positions_of
from metrics_framework.meta_evaluation.scores.scored_outputs import ScoreTable

_SortedIds: TypeAlias = "tuple[list[str], Indices]"


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

    def similar_names(self) -> list[str]:
        """Describes ids of two files that differ only in case or spaces, because their outputs are not merged."""
        table = self.table
        return [
            *similar_in_files("systems", self._names_by_path(table.systems.names, table.system_of)),
            *similar_in_files("inputs", self._names_by_path(table.instances.names, table.instance_of)),
        ]

    def _names_by_path(self, names: Sequence[str], number_of: Sequence[int]) -> dict[str, dict[str, None]]:
        """Returns the ids in each file; files are ordered by the first of their outputs.

        Args:
            names: The ids.
            number_of: The number of the id of each output.
        """
        found: dict[str, dict[str, None]] = {}
        for block, _, indices in sorted((rows for rows in self._rows if len(rows.rows)), key=_Rows.first):
            numbers = np.unique(np.asarray(number_of)[self._outputs[indices]]).tolist()
            found.setdefault(block.path, {}).update((names[number], None) for number in numbers)
        return found

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
