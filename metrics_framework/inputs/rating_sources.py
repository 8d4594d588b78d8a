"""What ratings and scores are read from: files, and rows, tables and results of `evaluate` in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from sys import intern
from typing import Any, Protocol, TypeAlias, runtime_checkable

from metrics_framework.common.errors import ListName
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.data.texts import is_list, is_missing
from metrics_framework.inputs.exports import by_member
from metrics_framework.inputs.frames import parts_of, rows_of

Source: TypeAlias = "str | ScoresInMemory"
_SCALARS = frozenset({str, int, float, bool, type(None)})


def label_in(row: Mapping[str, Any], column: str) -> str | None:
    """Returns the label of a row of a score file, such as its data set; `None` if it is missing.

    The column is a key of the row, or one of its scores.

    >>> label_in({"lp": "en-de", "metrics": {"ter": 40.0}}, "lp"), label_in({"metrics": {"year": 2023}}, "year")
    ('en-de', '2023')
    """
    if column in row and column not in (row.get("metrics") or ()):  # nearly always, and flat rows take time
        cell = row[column]
        if not isinstance(cell, Mapping):
            return _label(cell)
    return _label(flat_row(row).get(column))


def _label(cell: Any) -> str | None:
    return None if is_missing(cell) else str(cell)


@runtime_checkable
class ScoredOutputs(Protocol):
    """A result of `evaluate`, with the scores of outputs."""

    @property
    def signature(self) -> Mapping[str, str]:
        """Metric to its signature."""

    def scored_rows(self) -> Sequence[MetricsRow]:
        """Returns the scores of each output.

        Raises:
            InputError: if there are none, or those of several sets.
        """


@dataclass(frozen=True)
class ScoresInMemory:
    """The scores of outputs, or the rows of a table of ratings.

    Args:
        name: The name for messages.
        rows: The scores of each output.
        cells: The rows of a table, with cells as in a CSV file, or lists of numbers, such as one per rater.
        signatures: Metric to its signature.
    """

    name: ListName
    rows: Sequence[MetricsRow] = ()
    cells: Sequence[Mapping[str, Any]] = ()
    signatures: dict[str, str] | None = None

    @classmethod
    def of_rows(cls, name: str, rows: Iterator[Mapping[str, Any]]) -> ScoresInMemory:
        """Creates the table of rows with ids and scores; all rows get the columns of all."""
        cells = [
            {column: value if is_list_of_numbers(value) else as_cell(value) for column, value in row.items()}
            for row in map(flat_row, rows)
        ]
        with_lists = {column for row in cells for column, value in row.items() if type(value) is not str}
        columns = [column for column in dict.fromkeys(chain.from_iterable(cells)) if column not in with_lists]
        return cls(ListName(name), cells=[dict.fromkeys(columns, "") | row for row in cells])

    def table_rows(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yields each row with its number: scores of outputs as in a score file, or the cells of all columns."""
        yield from enumerate([*self.cells] or (row.as_json() for row in self.rows), 1)


def sources_of(scores: Any) -> tuple[list[str | ScoresInMemory], str | None]:
    """Returns what to read, and the library of the first table.

    Raises:
        InputError: if the scores have none of the forms that `correlate` accepts.
    """
    expected = "a table, rows, a result of evaluate() or files"
    parts, library = parts_of(scores, "scores", expected, (ScoredOutputs,))
    return [part if isinstance(part, str) else _in_memory(part, name) for part, name in parts], library


def _in_memory(part: Any, name: str) -> ScoresInMemory:
    if isinstance(part, ScoredOutputs):
        return ScoresInMemory(ListName(name), rows=part.scored_rows(), signatures=dict(part.signature))
    if is_list(part):
        part = list(part)
        if part and all(isinstance(row, MetricsRow) for row in part):
            return ScoresInMemory(ListName(name), rows=part)
    return ScoresInMemory.of_rows(name, iter(rows_of(part, name)))


def flat_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a row without nesting; the scores in ``metrics`` keep their names.

    >>> flat_row({"id": 1, "metrics": {"rouge": {"recall": 40.0}}})
    {'id': 1, 'rouge_recall': 40.0}
    """
    flat: dict[Any, Any] = {}
    if _SCALARS.issuperset(map(type, row.values())):  # nearly always, and much faster
        return {intern(str(name)): value for name, value in row.items()}
    for name, value in row.items():
        if type(value) is list and value and type(value[0]) is dict:
            value = by_member(value)
        if isinstance(value, Mapping):
            nested = value if name == "metrics" else {str(name): value}
            is_flat = not any(isinstance(inner, Mapping) for inner in nested.values())
            flat.update(nested if is_flat else MetricsDict(nested).flatten())
        else:
            flat[name] = value
    return {intern(str(name)): value for name, value in flat.items()}  # else each row of a file has separate names


def is_list_of_numbers(value: Any) -> bool:
    """Returns whether a cell has a list of ratings."""
    return isinstance(value, (list, tuple)) and all(
        number is None or (isinstance(number, (int, float)) and not isinstance(number, bool)) for number in value
    )


def as_cell(value: Any) -> str:
    """Returns a value as in a CSV file; numbers keep all digits."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool) else str(value)
