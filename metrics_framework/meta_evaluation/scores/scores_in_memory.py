"""Scores in memory, which are read like a score file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from sys import intern
from typing import Any

from metrics_framework.common.errors import ListName, Problems
from metrics_framework.data.fields import IDENTITY_FIELDS
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.scored_output import MetricsRow, ScoredOutput
from metrics_framework.io.rating_tables import (
    NO_DATA_SETS,
    LeftOut,
    NumberedRows,
    TableColumns,
    rated_outputs,
)


@dataclass(frozen=True)
class ScoresInMemory:
    """The scores of outputs, or the rows of a table of ratings.

    Args:
        name: The name for messages.
        rows: The scores of each output.
        cells: The rows of a table, with cells as in a CSV file.
        lists: Number of a row to its scores that are lists of numbers, such as one per rater.
        signatures: Metric to its signature.
    """

    name: ListName
    rows: Sequence[MetricsRow] = ()
    cells: NumberedRows = field(default_factory=list)
    lists: dict[int, dict[str, Any]] = field(default_factory=dict)
    signatures: dict[str, str] | None = None

    @classmethod
    def of_rows(cls, name: str, rows: Iterator[Mapping[str, Any]]) -> ScoresInMemory:
        """Creates the table of rows with ids and scores; all rows get the columns of all."""
        lists: dict[int, dict[str, Any]] = {}
        cells: list[dict[str, str]] = []
        for number, row in enumerate(map(flat_row, rows), 1):
            lists[number] = {column: value for column, value in row.items() if _is_list_of_numbers(value)}
            cells.append({column: _cell(value) for column, value in row.items() if column not in lists[number]})
        with_lists = {column for of_row in lists.values() for column in of_row}
        columns = [column for column in dict.fromkeys(chain.from_iterable(cells)) if column not in with_lists]
        complete = ({column: row.get(column, "") for column in columns} for row in cells)
        return cls(ListName(name), cells=[*enumerate(complete, 1)], lists=lists)

    def outputs(
        self, left_out: LeftOut, problems: Problems, special: TableColumns = NO_DATA_SETS
    ) -> Iterator[ScoredOutput]:
        """Yields the scores of each output; see `read_rating_table`."""
        for number, row in enumerate(self.rows, 1):
            ids = row.instance_id, row.summarizer_id, row.summarizer_type
            yield ScoredOutput(*ids, row.metrics, self.name, number)
        for output in rated_outputs(self.cells, self.name, left_out, problems, special):
            lists = self.lists[output.line]
            yield output._replace(metrics={**output.metrics, **lists}) if lists else output

    def table_rows(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yields each row with its number and the cells of all columns, including lists."""
        for number, row in enumerate(self.rows, 1):
            ids = zip(IDENTITY_FIELDS, (row.instance_id, row.summarizer_id, row.summarizer_type), strict=True)
            yield number, {**dict(ids), **row.metrics.flatten()}
        for number, cells in self.cells:
            yield number, cells | self.lists[number]


def flat_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a row without nesting; the scores in ``metrics`` keep their names.

    >>> flat_row({"id": 1, "metrics": {"rouge": {"recall": 40.0}}})
    {'id': 1, 'rouge_recall': 40.0}
    """
    flat: dict[Any, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            nested = value if name == "metrics" else {str(name): value}
            is_flat = not any(isinstance(inner, Mapping) for inner in nested.values())
            flat.update(nested if is_flat else MetricsDict(nested).flatten())
        else:
            flat[name] = value
    return {intern(str(name)): value for name, value in flat.items()}  # else each row of a file has separate names


def _is_list_of_numbers(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(
        number is None or (isinstance(number, (int, float)) and not isinstance(number, bool)) for number in value
    )


def _cell(value: Any) -> str:
    """Returns a value as in a CSV file; numbers keep all digits."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool) else str(value)
