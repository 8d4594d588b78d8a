"""The scores of outputs from several files: one table of rows, with the file, the line and the output of each."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.data.fields import IDENTITY_FIELDS
from metrics_framework.data.metrics_dict import MetricsDict, put
from metrics_framework.inputs.exports import flat_row
from metrics_framework.inputs.keys import LongRow
from metrics_framework.inputs.rating_rows import SYSTEMS, RatingRows
from metrics_framework.inputs.roles import ROLES, UNSURE

_SHIFT = 32
Path: TypeAlias = "tuple[str | None, ...]"
"""The keys of a score, one for each level of nesting; `None` is the last one of an empty object."""
Kinds: TypeAlias = "npt.NDArray[np.uint8]"

FLOAT, INTEGER, MISSING, OTHER = range(4)
"""Kinds of scores: `MISSING` is `None`, `OTHER` a list of judgements or a number that a float cannot represent."""
_LARGEST = 2**53
"""Floats represent all integers up to this one."""
_KNOWN_KEYS = frozenset(
    chain(("metrics", "signature", "format"), *(ROLES[role].names for role in IDENTITY_FIELDS))
).difference(UNSURE) | {"id", "system"}
"""The keys of rows of score files that are kept elsewhere."""
_NESTED = frozenset({dict, MetricsDict})
_ONLY_FLOATS = frozenset({float})
T = TypeVar("T", bound=Hashable)


class Numbering(dict[T, int]):
    """Numbers names in the order in which they first appear, so that each is stored once.

    Args:
        names: The first names.

    >>> systems = Numbering[str]()
    >>> [systems[name] for name in ("a", "b", "a")], systems.names
    ([0, 1, 0], ['a', 'b'])
    """

    def __init__(self, names: Iterable[T] = ()) -> None:
        super().__init__((name, number) for number, name in enumerate(names))
        self.names = [*self]

    def __missing__(self, name: T) -> int:
        self[name] = len(self.names)
        self.names.append(name)
        return self[name]


@dataclass(frozen=True)
class Column:
    """One score of some rows.

    Args:
        rows: The rows that have it, ascending.
        values: Its numbers; NaN if it is not a number.
        kinds: Its kinds, such as `FLOAT`.
        others: Row to the score, if its kind is `OTHER`.
    """

    rows: Indices
    values: Floats
    kinds: Kinds
    others: Mapping[int, Any]

    def repeats(self, first: Indices) -> Bools:
        """Returns which scores are the same as others for sure, given the positions of these."""
        values, kinds = self.values, self.kinds
        same: Bools = (values[first] == values) | (np.isnan(values[first]) & np.isnan(values))
        same &= ((kinds[first] <= INTEGER) == (kinds <= INTEGER)) & (np.maximum(kinds[first], kinds) != OTHER)
        return same


class _Group:
    """The rows with the same scores in the same order.

    Args:
        shape: The names of the scores, see `_shape`.
    """

    def __init__(self, shape: tuple[Any, ...]) -> None:
        self.paths = [*_paths(shape, ())]
        self.floats = bytes(len(self.paths))
        self.rows = array("q")
        self.values = array("d")
        self.kinds = bytearray()


_KIND_OF = {float: FLOAT, int: INTEGER, type(None): MISSING}


class ScoreTable:
    """The rows of several files, and their outputs, numbered in the order in which they first appear.

    Call `finish` after the last row.

    Attributes:
        files: The files, in their order.
        outputs: The number of the output of each row.
        lines: The line of each row.
        columns: The scores, after `finish`.
        instances: The ids of inputs.
        systems: The ids of systems.
        types: The types of outputs; the first one is no type.
        instance_of: The number of the input of each output.
        system_of: The number of the system of each output.
        data_set_of: The number of the data set of each output; 0 if it is unknown, -1 if its rows are those of another.
        data_sets: The labels of data sets; the first one is no label.
    """

    def __init__(self) -> None:
        self.files: list[RatingRows] = []
        self._starts: list[int] = []  # the number of the first row of each file
        self.outputs = array("q")
        self.lines = array("q")
        self.columns: dict[Path, Column] = {}
        self.instances = Numbering[str]()
        self.systems = Numbering[str]()
        self.types = Numbering[str | None]([None])
        self.data_sets = Numbering[str | None]([None])
        self.instance_of = array("i")
        self.system_of = array("i")
        self.data_set_of = array("i")
        self._only_system = ""
        self._index = defaultdict[int, dict[int, int]](dict)
        self._latest = array("q")  # the last row of each output
        self._types = array("i")
        self._group_of = array("i")
        self._groups: dict[tuple[Any, ...], int] = {}
        self._listed: list[_Group] = []
        self._others: dict[Path, dict[int, Any]] = {}
        self._cells: dict[int, dict[str, Any]] = {}
        self._raters: dict[int, dict[str, tuple[int, tuple[str, ...]]]] = {}  # of each rating of an output, and its row

    def __len__(self) -> int:
        return len(self.instance_of)

    def start(self, rows: RatingRows) -> RatingRows:
        """Starts the rows of a file, and returns these."""
        self.files.append(rows)
        self._starts.append(len(self.outputs))
        return rows

    def add(self, output: LongRow) -> int | None:
        """Adds a row of the last file, unless that has a row of the same output.

        Returns:
            The line of the earlier row of the same output in the file; `None` if there is none.
        """
        number, row = self._number(output), len(self.outputs)
        if self._latest[number] >= self._starts[-1]:
            return self.lines[self._latest[number]]
        self._latest[number] = row
        self._add_scores(row, self._pooled(number, output) if output.raters else output.metrics)
        self.outputs.append(number)
        self.lines.append(output.line)
        self._types.append(self.types[output.summarizer_type])
        cells = output.cells
        if cells and not _KNOWN_KEYS.issuperset(cells):
            self._cells[row] = {name: cell for name, cell in cells.items() if name not in _KNOWN_KEYS}
        return None

    def _pooled(self, number: int, output: LongRow) -> Mapping[str, Any]:
        """Adds ratings by others than the raters of an earlier row of an output to its lists; returns those left."""
        left, known = dict[str, Any](), self._raters.setdefault(number, {})
        for name, ratings in output.metrics.items():
            row, raters = known.get(name, (len(self.outputs), ()))
            if raters and not {*raters}.intersection(output.raters):
                self._others[name,][row] += ratings
            else:
                left[name] = ratings
            known[name] = row, (*raters, *output.raters)
        return left

    def _add_scores(self, row: int, scores: Mapping[str, Any]) -> None:
        values = [*scores.values()]
        is_plain = _ONLY_FLOATS.issuperset(map(type, values))
        if not is_plain:
            values = []
        shape = tuple(scores) if is_plain else _shape(scores, values)
        number = self._groups.get(shape)
        if number is None:
            number = self._groups[shape] = len(self._listed)
            self._listed.append(_Group(shape))
        group = self._listed[number]
        group.kinds += group.floats if is_plain else self._kinds(row, group.paths, values)
        group.values.extend(values)
        group.rows.append(row)
        self._group_of.append(number)

    def _kinds(self, row: int, paths: Sequence[Path], values: list[Any]) -> bytearray:
        """Returns the kinds of values, and replaces those that are not numbers by NaN."""
        kinds = bytearray([_KIND_OF.get(kind, OTHER) for kind in map(type, values)])
        for index, kind in enumerate(kinds):
            if kind == INTEGER and not -_LARGEST <= values[index] <= _LARGEST:
                kinds[index] = kind = OTHER
            if kind == OTHER:
                value = values[index]
                self._others.setdefault(paths[index], {})[row] = [*value] if isinstance(value, list) else value
            if kind >= MISSING:
                values[index] = math.nan
        return kinds

    def _number(self, output: LongRow) -> int:
        """Returns the number of an output, which is new if it has not appeared before."""
        instance, system = self.instances[output.instance_id], self.systems[output.summarizer_id]
        data_set = 0 if output.data_set is None else self.data_sets[output.data_set]
        index = self._index[data_set]
        key = instance << _SHIFT | system
        number = index.get(key)
        if number is None:
            number = index[key] = len(self.instance_of)
            self.instance_of.append(instance)
            self.system_of.append(system)
            self.data_set_of.append(data_set)
            self._latest.append(-1)
        return number

    def finish(self) -> None:
        """Makes columns of the rows."""
        parts: dict[Path, list[tuple[Indices, Floats, Kinds]]] = {}
        for group in self._listed:
            rows = np.asarray(group.rows)
            shape = len(rows), len(group.paths)
            values = np.asarray(group.values).reshape(shape)
            kinds = np.asarray(group.kinds).reshape(shape)
            for index, path in enumerate(group.paths):
                parts.setdefault(path, []).append((rows, values[:, index], kinds[:, index]))
        self.columns = {path: Column(*_joined(of_path), self._others.get(path, {})) for path, of_path in parts.items()}

    def unit(self, number: int) -> tuple[str, str]:
        """Returns the input and the system of an output."""
        return self.instances.names[self.instance_of[number]], self.systems.names[self.system_of[number]]

    def scores(self, row: int) -> MetricsDict:
        """Returns the scores of a row, nested as they were read."""
        group = self._listed[self._group_of[row]]
        count = len(group.paths)
        start = bisect_left(group.rows, row) * count
        scores: list[Any] = group.values[start : start + count].tolist()
        for index, kind in enumerate(group.kinds[start : start + count]):
            if kind == INTEGER:
                scores[index] = int(scores[index])
            elif kind:
                scores[index] = None if kind == MISSING else self._others[group.paths[index]][row]
        return MetricsDict(_nested(group.paths, scores))

    def row(self, row: int) -> LongRow:
        """Returns a row with its scores."""
        number, file = self.outputs[row], self.file_of(row)
        data_set = self.data_sets.names[self.data_set_of[number]]
        kind = self.types.names[self._types[row]]
        return LongRow(*self.unit(number), None, {}, file.path, self.lines[row], data_set, kind, self.scores(row))

    def file_of(self, row: int) -> RatingRows:
        """Returns the file of a row."""
        return self.files[bisect_right(self._starts, row) - 1]

    def long_rows(self) -> Iterator[LongRow]:
        """Yields the rows of all files with all columns, as they were read."""
        for file, start, end in zip(self.files, self._starts, [*self._starts[1:], len(self.outputs)], strict=True):
            for row in file.kept:
                yield row if row.summarizer_id else row._replace(summarizer_id=self._only_system)
            for number in range(start, end) if not file.kept else ():
                row, columns = self.row(number), file.columns or {}
                columns = columns if "instance_id" in columns else {}
                values = zip(IDENTITY_FIELDS, (*row.unit, row.summarizer_type), strict=True)
                ids = {columns[role][0]: value for role, value in values if value and role in columns}
                cells = flat_row({"metrics": row.metrics, **self._cells.get(number, {})})
                yield row._replace(cells={**ids, **cells}, summarizer_type=None, metrics={})

    def assign(self, labels: Mapping[int, str]) -> Bools:
        """Assigns outputs without a label to data sets; returns which outputs already had rows there.

        Args:
            labels: The number of an output to its label.
        """
        return self._move({output: (self.data_sets[label], self.system_of[output]) for output, label in labels.items()})

    def name_systems(self) -> list[RatingRows]:
        """Gives outputs without a system the only system of the others; returns their tables if there are several."""
        others = [name for name in self.systems.names if name]
        if len(others) == 1 and len(self.systems) > 1:
            self._only_system = others[0]
            unnamed, system = self.systems[""], self.systems[others[0]]
            outputs = [output for output, number in enumerate(self.system_of) if number == unnamed]
            self._move({output: (self.data_set_of[output], system) for output in outputs})
        tables = [file for file in self.files if file.kept] if len(others) > 1 else []
        return [rows for rows in tables if rows.columns and rows.columns.keys().isdisjoint(("summarizer_id", SYSTEMS))]

    def _move(self, keys: Mapping[int, tuple[int, int]]) -> Bools:
        """Gives outputs another data set and system; returns which outputs already had these.

        Args:
            keys: The number of an output to the numbers of its data set and its system.
        """
        target: Indices = np.arange(len(self))
        for output, (data_set, system) in keys.items():
            key = self.instance_of[output] << _SHIFT | system
            target[output] = self._index[data_set].setdefault(key, output)
            is_new = target[output] == output
            self.data_set_of[output], self.system_of[output] = data_set if is_new else -1, system
        joined: Bools = np.zeros(len(self), dtype=np.bool_)
        joined[target[target != np.arange(len(self))]] = True
        outputs = np.asarray(self.outputs)
        outputs[:] = target[outputs]
        return joined

    def doubtful(self) -> Bools:
        """Returns which outputs have rows that may contradict each other."""
        outputs = np.asarray(self.outputs)
        found: Bools = np.zeros(len(self), dtype=np.bool_)
        named: dict[Any, list[Column]] = {None: [self._type_column()]}
        for path, column in self.columns.items():
            if path[-1] is not None:
                named.setdefault(flat_name(path), []).append(column)
            for beginning in (path[:end] for end in range(1, len(path)) if path[:end] in self.columns):
                named[path, beginning] = [column, self.columns[beginning]]
        for columns in named.values():
            of = np.concatenate([outputs[column.rows] for column in columns])
            first = first_of(of, len(self))[of]
            same = first == np.arange(len(of))
            if len(columns) == 1:
                same |= columns[0].repeats(first)
            found[of[~same]] = True
        return found

    def rows_of(self, outputs: Bools) -> Iterable[list[int]]:
        """Returns the rows of each of some outputs."""
        rows: dict[int, list[int]] = {}
        for row in np.flatnonzero(outputs[np.asarray(self.outputs)]).tolist():
            rows.setdefault(self.outputs[row], []).append(row)
        return rows.values()

    def type_numbers(self) -> Indices:
        """Returns the number of the type of each output: the first type that a row of it has, or 0."""
        typed = self._type_column().rows
        first = first_of(np.asarray(self.outputs)[typed], len(self))
        numbers: Indices = np.zeros(len(self), dtype=np.intp)
        has = first >= 0
        numbers[has] = np.asarray(self._types)[typed[first[has]]]
        return numbers

    def _type_column(self) -> Column:
        types = np.asarray(self._types)
        typed = np.flatnonzero(types)
        return Column(typed, types[typed].astype(np.float64), np.zeros(len(typed), dtype=np.uint8), {})


def first_of(outputs: Indices, count: int) -> Indices:
    """Returns the first position of each output, -1 if it has none.

    Args:
        outputs: The outputs.
        count: The number of different outputs.
    """
    first: Indices = np.full(count, -1)
    first[outputs[::-1]] = np.arange(len(outputs))[::-1]  # the last one of equal indices counts
    return first


def flat_name(path: Path) -> str:
    """Returns the name of a score that is not nested any more.

    >>> flat_name(("rouge-1", "recall"))
    'rouge-1_recall'
    """
    return "_".join(map(str, path))


def _nested(paths: Sequence[Path], scores: Sequence[Any]) -> dict[str, Any]:
    """Returns the scores of a row, nested as they were read."""
    if all(len(path) == 1 for path in paths):
        return {str(path[0]): score for path, score in zip(paths, scores, strict=True)}
    nested: dict[str, Any] = {}
    for path, score in zip(paths, scores, strict=True):
        put(nested, *((path, score) if path[-1] is not None else (path[:-1], {})))
    return nested


def _joined(parts: Sequence[tuple[Indices, Floats, Kinds]]) -> tuple[Indices, Floats, Kinds]:
    """Joins the rows of several groups."""
    if len(parts) == 1:
        return parts[0]
    rows, values, kinds = map(np.concatenate, zip(*parts, strict=True))
    order = np.argsort(rows, kind="stable")
    return rows[order], values[order], kinds[order]


def _shape(scores: Mapping[str, Any], values: list[Any]) -> tuple[Any, ...]:
    """Returns the names of scores, nested ones as pairs of a name and the names in it; adds the scores to a list."""
    shape: list[Any] = []
    for name, value in scores.items():
        if type(value) not in _NESTED:
            values.append(value)
            shape.append(name)
        elif value:
            shape.append((name, _shape(value, values)))
        else:
            values.append(None)
            shape.append((name, (None,)))
    return tuple(shape)


def _paths(shape: tuple[Any, ...], outer: Path) -> Iterator[Path]:
    """Yields the paths of scores."""
    for part in shape:
        if isinstance(part, tuple):
            yield from _paths(part[1], (*outer, part[0]))
        else:
            yield (*outer, part)
