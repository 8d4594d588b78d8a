"""The scores of outputs from several files: which outputs there are, and in which rows of which files."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.data.fields import IDENTITY_FIELDS
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.inputs.rating_rows import LongRow
from metrics_framework.inputs.rating_sources import flat_row
from metrics_framework.inputs.rating_tables import RatingTable
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
    chain(
        ("metrics", "signature", "format"),
        *(ROLES[role].names for role in IDENTITY_FIELDS),
    )
).difference(UNSURE) | {"id", "system"}
"""The keys of rows of score files that are kept elsewhere."""
MAX_SHAPES = 64
"""The number of different sets of names whose rows are kept together; rows of further ones are kept score by score."""
_NESTED = frozenset({dict, MetricsDict})
_ONLY_FLOATS = frozenset({float})
T = TypeVar("T", bound=Hashable)


class ScoreTable:
    """The outputs of several files, numbered in the order in which they first appear.

    Attributes:
        blocks: The rows of each file, in the order of the files.
        instances: The ids of inputs.
        systems: The ids of systems.
        types: The types of outputs; the first one is no type.
        instance_of: The number of the input of each output.
        system_of: The number of the system of each output.
        data_set_of: The number of the data set of each output; 0 if it is unknown.
        data_sets: The labels of data sets; the first one is no label.
    """

    def __init__(self) -> None:
        self.blocks: list[ScoreBlock] = []
        self.instances = Numbering[str]()
        self.systems = Numbering[str]()
        self.types = Numbering[str | None]([None])
        self.data_sets = Numbering[str | None]([None])
        self.instance_of = array("i")
        self.system_of = array("i")
        self.data_set_of = array("i")
        self._index = defaultdict[int, dict[int, int]](dict)
        self._latest = array("q")  # the last row of each output, counted over all files
        self._rows_before = 0

    def __len__(self) -> int:
        return len(self.instance_of)

    def start(self, path: str) -> ScoreBlock:
        """Starts the rows of a file."""
        self._rows_before += len(self.blocks[-1]) if self.blocks else 0
        self.blocks.append(ScoreBlock(path))
        return self.blocks[-1]

    def add(self, output: LongRow, *, replace: bool = False) -> int | None:
        """Adds a row to the last file, unless that has a row of the same output.

        Args:
            output: The row.
            replace: Whether the row replaces an earlier one of the file.

        Returns:
            The line of the earlier row of the same output in the file; `None` if there is none.
        """
        block = self.blocks[-1]
        number = self._number(output)
        row = self._latest[number] - self._rows_before
        if row >= 0 and not replace:
            return block.lines[row]
        if row >= 0:
            block.replace(row)
        self._latest[number] = self._rows_before + len(block.outputs)
        block.add(number, output.line, self.types[output.summarizer_type], output.metrics, output.cells)
        return block.lines[row] if row >= 0 else None

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

    def unit(self, number: int) -> tuple[str, str]:
        """Returns the input and the system of an output."""
        return self.instances.names[self.instance_of[number]], self.systems.names[self.system_of[number]]

    def part(self, block: ScoreBlock, row: int) -> LongRow:
        """Returns a row as it was read."""
        number = block.outputs[row]
        data_set = self.data_sets.names[self.data_set_of[number]]
        kind = self.types.names[block.types[row]]
        return LongRow(*self.unit(number), None, {}, block.path, block.lines[row], data_set, kind, block.scores(row))

    def long_rows(self, block: ScoreBlock) -> Iterator[LongRow]:
        """Yields the rows of a score file with all columns."""
        rows = np.flatnonzero(np.asarray(block.outputs) >= 0)
        scores = dict(block.rows(rows))
        for row in rows.tolist():
            output = block.outputs[row]
            unit, kind = self.unit(output), self.types.names[block.types[row]]
            ids = zip(block.columns_of_ids, (*unit, kind), strict=False)
            cells = {**{name: value for name, value in ids if name and value}, **flat_row(block.cells_of(row, scores))}
            yield LongRow(
                *unit, None, cells, block.path, block.lines[row], self.data_sets.names[self.data_set_of[output]]
            )

    def first_lines(self) -> dict[int, tuple[str, int]]:
        """Returns the file and line of the first row of each output."""
        found: dict[int, tuple[str, int]] = {}
        for block in self.blocks:
            for output, line in zip(block.outputs, block.lines, strict=True):
                found.setdefault(output, (block.path, line))
        return found

    def assign(self, labels: Mapping[int, str]) -> Bools:
        """Assigns outputs without a label to data sets; returns which outputs already had rows there.

        Args:
            labels: The number of an output to its label.
        """
        target: Indices = np.append(np.arange(len(self)), -1)  # the last one is of rows that are not used
        for output, label in labels.items():
            data_set = self.data_sets[label]
            key = self.instance_of[output] << _SHIFT | self.system_of[output]
            target[output] = self._index[data_set].setdefault(key, output)
            self.data_set_of[output] = data_set if target[output] == output else -1
        joined: Bools = np.zeros(len(self), dtype=np.bool_)
        joined[target[:-1][target[:-1] != np.arange(len(self))]] = True
        for block in [*self.blocks]:
            rows = block.move(target)
            if len(rows):
                self.blocks.append(block.take(rows))
                block.drop(rows)
        return joined

    def type_numbers(self) -> Indices:
        """Returns the number of the type of each output: the first type that a row of it has, or 0."""
        numbers: Indices = np.zeros(len(self), dtype=np.intp)
        for block in reversed(self.blocks):
            types, outputs = np.asarray(block.types), np.asarray(block.outputs)
            typed = np.flatnonzero((types > 0) & (outputs >= 0))
            numbers[outputs[typed]] = types[typed]
        return numbers


class _Kinds(dict[type, int]):
    def __missing__(self, _: type) -> int:
        return OTHER


_KIND_OF = _Kinds({float: FLOAT, int: INTEGER, type(None): MISSING})


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

    def at(self, rows: Indices) -> tuple[Indices, Bools]:
        """Returns the positions of rows in this column, and whether it has them; other positions are arbitrary."""
        return positions_of(rows, self.rows)

    def scores(self) -> list[Any]:
        """Returns the scores as they were read."""
        scores: list[Any] = self.values.tolist()
        for position in np.flatnonzero(self.kinds).tolist():
            scores[position] = self._exact(position)
        return scores

    def score(self, position: int) -> Any:
        """Returns a score as it was read."""
        return self._exact(position) if self.kinds[position] else float(self.values[position])

    def position(self, row: int) -> int:
        """Returns the position of a row that has the score."""
        return int(self.rows.searchsorted(row))

    def _exact(self, position: int) -> Any:
        kind = self.kinds[position]
        if kind == OTHER:
            return self.others[int(self.rows[position])]
        return None if kind == MISSING else int(self.values[position])


def positions_of(rows: Indices, among: Indices) -> tuple[Indices, Bools]:
    """Returns the positions of rows among ascending rows, and whether they are there; other positions are arbitrary."""
    if not len(among):
        return np.zeros(len(rows), dtype=np.intp), np.zeros(len(rows), dtype=np.bool_)
    found: Indices = np.minimum(np.searchsorted(among, rows), len(among) - 1)
    return found, among[found] == rows


class _Group:
    """The rows of a file with the same scores.

    Args:
        paths: The scores.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = paths
        self.floats = bytes(len(paths))
        self.rows = array("q")
        self.values = array("d")
        self.kinds = bytearray()


class _RareRows:
    """The rows of a file whose scores are those of few rows or none.

    Attributes:
        groups: Each score to its values.
    """

    def __init__(self) -> None:
        self.groups: dict[Path, _Group] = {}
        self._paths = Numbering[Path]()
        self._rows = array("q")
        self._ends = array("q")
        self._numbers = array("i")

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, row: int, paths: Sequence[Path], kinds: bytearray, values: Sequence[float]) -> None:
        """Adds a row."""
        for path, kind, value in zip(paths, kinds, values, strict=True):
            group = self.groups.get(path)
            if group is None:
                group = self.groups[path] = _Group([path])
            group.rows.append(row)
            group.kinds.append(kind)
            group.values.append(value)
            self._numbers.append(self._paths[path])
        self._rows.append(row)
        self._ends.append(len(self._numbers))

    def paths_of(self, row: int) -> list[Path]:
        """Returns the scores of a row, in their order."""
        index = bisect_left(self._rows, row)
        start = self._ends[index - 1] if index else 0
        return [self._paths.names[number] for number in self._numbers[start : self._ends[index]]]


class ScoreBlock:
    """The rows of one file; call `finish` after the last one.

    Args:
        path: The file.

    Attributes:
        outputs: The number of the output of each row; -1 if the row is not used.
        lines: The line of each row.
        types: The number of the type of each row; 0 if it has none.
        columns: The scores, after `finish`.
        tables: The table from which rows are made; none for a file of scores.
        is_table: Whether rows are made from a table.
        columns_of_ids: The columns of the input, the system and its type in a file of scores.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.outputs = array("q")
        self.lines = array("q")
        self.types = array("i")
        self.columns: dict[Path, Column] = {}
        self.tables: list[RatingTable] = []
        self.is_table = False
        self.columns_of_ids: Sequence[str | None] = ()
        self._cells: dict[int, dict[str, Any]] = {}
        self._groups: dict[tuple[Any, ...], _Group] = {}
        self._others: dict[Path, dict[int, Any]] = {}
        self._places: dict[int, int] = {}
        self._rare = _RareRows()
        self._layouts: list[Sequence[Path]] = []
        self._layout_of: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)

    def __len__(self) -> int:
        return len(self.outputs)

    def add(
        self, output: int, line: int, kind: int, scores: Mapping[str, Any], cells: Mapping[str, Any] | None = None
    ) -> None:
        """Adds a row.

        Args:
            output: The number of the output.
            line: The line.
            kind: The number of the type.
            scores: The scores, nested as they were read.
            cells: The row, if it has more columns than ids and scores.
        """
        if cells and not _KNOWN_KEYS.issuperset(cells):
            self._cells[len(self.outputs)] = {name: cell for name, cell in cells.items() if name not in _KNOWN_KEYS}
        values = [*scores.values()]
        is_plain = _ONLY_FLOATS.issuperset(map(type, values))
        shape: tuple[Any, ...]
        if is_plain:
            shape = tuple(scores)
        else:
            values = []
            shape = _shape(scores, values)
        group = self._groups.get(shape)
        if group is None and len(self._groups) < MAX_SHAPES:
            group = self._groups[shape] = _Group([*_paths(shape, ())])
        row = len(self.outputs)
        if group is None:
            paths = [*_paths(shape, ())]
            self._rare.add(row, paths, self._kinds(row, paths, values), values)
        else:
            group.kinds += group.floats if is_plain else self._kinds(row, group.paths, values)
            group.values.extend(values)
            group.rows.append(row)
        self.outputs.append(output)
        self.lines.append(line)
        self.types.append(kind)

    def _kinds(self, row: int, paths: Sequence[Path], values: list[Any]) -> bytearray:
        """Returns the kinds of values, and replaces those that are not numbers by NaN."""
        kinds = bytearray(map(_KIND_OF.__getitem__, map(type, values)))
        for index in _indices(kinds, INTEGER):
            if not -_LARGEST <= values[index] <= _LARGEST:
                kinds[index] = OTHER
        for index in _indices(kinds, OTHER):
            value = values[index]
            self._others.setdefault(paths[index], {})[row] = [*value] if isinstance(value, list) else value
            values[index] = math.nan
        for index in _indices(kinds, MISSING):
            values[index] = math.nan
        return kinds

    def finish(self) -> None:
        """Makes columns of the rows."""
        parts: dict[Path, list[tuple[Indices, Floats, Kinds]]] = {}
        for group in chain(self._groups.values(), self._rare.groups.values()):
            rows = np.asarray(group.rows)
            shape = len(rows), len(group.paths)
            values, kinds = np.asarray(group.values).reshape(shape), np.asarray(group.kinds).reshape(shape)
            for index, path in enumerate(group.paths):
                parts.setdefault(path, []).append((rows, values[:, index], kinds[:, index]))
        self.columns = {path: Column(*_joined(of_path), self._others.get(path, {})) for path, of_path in parts.items()}
        self._layouts = [group.paths for group in self._groups.values()]
        if len(self._layouts) > 1 or len(self._rare):
            self._layout_of = np.full(len(self), -1, dtype=np.int32)
            for number, group in enumerate(self._groups.values()):
                self._layout_of[np.asarray(group.rows)] = number
        self._groups = {}
        self._rare.groups = {}

    def replace(self, row: int) -> None:
        """Replaces a row by the next one that is added."""
        self._places[len(self)] = self._places.get(row, row)
        self.outputs[row] = -1

    def move(self, target: Indices) -> Indices:
        """Moves rows to other outputs; returns the moved rows of outputs that have a row here already.

        Args:
            target: Each output to the new one; the last number is -1.
        """
        outputs = np.asarray(self.outputs)
        moved = target[outputs] != outputs
        outputs[:] = target[outputs]
        return np.flatnonzero(moved & np.isin(outputs, outputs[~moved]))

    def drop(self, rows: Indices) -> None:
        """Removes rows."""
        np.asarray(self.outputs)[rows] = -1

    def place(self, row: int) -> int:
        """Returns the position of a row among the rows of the file: that of the first row of its output."""
        return self._places.get(row, row)

    def used_outputs(self) -> Indices:
        """Returns the outputs of all rows that are used."""
        outputs = np.asarray(self.outputs)
        return outputs[outputs >= 0]

    def rows_of(self, count: int) -> Indices:
        """Returns the row of each output; -1 if it has none.

        Args:
            count: The number of outputs.
        """
        rows: Indices = np.full(count + 1, -1)  # the last one is of rows that are not used
        rows[np.asarray(self.outputs)] = np.arange(len(self))
        rows[count] = -1
        return rows[:count]

    def rows(self, rows: Indices) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yields some rows and their scores, nested as they were read."""
        scores = {path: column.scores() for path, column in self.columns.items()}
        for number, paths in enumerate(self._layouts):
            chosen = rows[self._layout_of[rows] == number] if len(self._layout_of) else rows
            columns = ((scores[path], self.columns[path].at(chosen)[0].tolist()) for path in paths)
            values = zip(*([listed[index] for index in positions] for listed, positions in columns), strict=True)
            for row, of_row in zip(chosen.tolist(), values if paths else [()] * len(chosen), strict=True):
                yield row, _nested(paths, of_row)
        for row in rows[self._layout_of[rows] < 0].tolist() if len(self._layout_of) else ():
            rare = self._rare.paths_of(row)
            yield row, _nested(rare, [scores[path][self.columns[path].position(row)] for path in rare])

    def cells_of(self, row: int, scores: Mapping[int, Any]) -> dict[str, Any]:
        """Returns a row with its scores and its further columns."""
        return {"metrics": scores[row], **self._cells.get(row, {})}

    def scores(self, row: int) -> MetricsDict:
        """Returns the scores of a row, nested as they were read."""
        layout = int(self._layout_of[row]) if len(self._layout_of) else 0
        paths = self._layouts[layout] if layout >= 0 else self._rare.paths_of(row)
        columns = (self.columns[path] for path in paths)
        return MetricsDict(_nested(paths, [column.score(column.position(row)) for column in columns]))

    def take(self, rows: Indices) -> ScoreBlock:
        """Returns a block of some rows."""
        block = ScoreBlock(self.path)
        for row in rows.tolist():
            block.add(self.outputs[row], self.lines[row], self.types[row], self.scores(row), self._cells.get(row))
        block.is_table, block.columns_of_ids = self.is_table, self.columns_of_ids
        block.finish()
        return block


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
    for (*outer, last), score in zip(paths, scores, strict=True):
        inner = nested
        for key in outer:
            inner = inner.setdefault(str(key), {})
        if last is not None:
            inner[last] = score
    return nested


def _indices(kinds: bytearray, kind: int) -> Iterator[int]:
    """Yields the indices of a kind."""
    index = kinds.find(kind)
    while index >= 0:
        yield index
        index = kinds.find(kind, index + 1)


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
