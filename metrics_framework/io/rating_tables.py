"""Reads tables of ratings or scores: CSV and TSV files with one row per output, or one row per rating."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from metrics_framework.common.errors import PARQUET, DataError, ListName, Problems
from metrics_framework.data.eval_instance import SUMMARIZER_TYPES
from metrics_framework.data.identity import parse_id, parse_summarizer_type
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.missing_values import described, is_missing, missing_cells
from metrics_framework.data.scored_output import (
    INSTANCE_NAMES,
    SUMMARIZER_NAMES,
    TYPE_NAMES,
    ScoredOutput,
)
from metrics_framework.data.similar_names import SimilarNames
from metrics_framework.data.texts import shown
from metrics_framework.io.tables import header_line, read_table

RATER_COLUMNS = ("rater_id", "rater", "annotator", "annotator_id", "worker_id")
"""The names of the column of raters."""

NumberedRows: TypeAlias = "list[tuple[int, dict[str, str]]]"
"""Rows with their line numbers."""


@dataclass(frozen=True)
class DroppedColumn:
    """A column that is not a metric although some of its cells are numbers, because other cells are text.

    Args:
        name: The column.
        path: The file.
        line: The line of the first cell that is not a number.
        cell: The text of that cell.
        numbers: The number of cells with a number, with a decimal point or a decimal comma.
        cells: The number of cells that are not missing.
    """

    name: str
    path: str
    line: int
    cell: str
    numbers: int
    cells: int

    def warning(self, path: str) -> str:
        """Returns a warning that states why the column is left out and how to fix it.

        Args:
            path: The file, as the warning should name it.
        """
        return (
            f"Left out: the column '{self.name}' of {path}, because {_row(self.path, self.line)} has "
            f"{shown(self.cell)}; "
            f"{self.numbers} of its {self.cells} cells are numbers. Use a decimal point, and leave a cell "
            "without a score empty or write NA."
        )


class LeftOut(NamedTuple):
    """What is left out of tables; `read_rating_table` adds to it.

    Args:
        hints: Maps each column that is not a metric to the reason.
        dropped: The columns of `hints` that contain numbers.
        missing: Maps each metric to the counts of its missing values, by their spelling.
    """

    hints: dict[str, str]
    dropped: list[DroppedColumn]
    missing: dict[str, Counter[str]]


def read_rating_table(
    path: str, left_out: LeftOut, problems: Problems, raters: Sequence[str] = RATER_COLUMNS
) -> Iterator[ScoredOutput]:
    """Reads a table; columns are recognised by name.

    If there is a rater column, the rows of an output are joined, and each of its scores is a list with one number per
    rater. Columns of text are left out. An empty cell, or one with ``NA``, ``n/a``, ``None``, ``null`` or ``NaN``, is
    a missing score. Rows of empty cells, which spreadsheets write below the data, are ignored.

    Args:
        path: The table.
        left_out: Collects columns and missing values.
        problems: Collects invalid rows.
        raters: The names of the column of raters.

    Raises:
        DataError: if the table cannot be read, or has no column for the instance or the system.
    """
    rows = [(line, row) for line, row in read_table(path, problems) if any(map(str.strip, row.values()))]
    yield from rated_outputs(rows, path, left_out, problems, raters)


def rated_outputs(
    rows: NumberedRows, path: str, left_out: LeftOut, problems: Problems, raters: Sequence[str] = RATER_COLUMNS
) -> Iterator[ScoredOutput]:
    """Like `read_rating_table`, given the rows of the table; ``path`` names it in messages."""
    if not rows:
        return
    columns = list(rows[0][1])
    instance = _required(columns, INSTANCE_NAMES, "the instance", path)
    summarizer = _required(columns, SUMMARIZER_NAMES, "the system", path)
    type_column = _type_column(rows, columns)
    rater = _first(columns, raters)
    metrics = [name for name in columns if name not in (instance, summarizer, type_column, rater)]
    metrics = [name for name in metrics if _is_metric(name, rows, path, left_out)]
    outputs = (_output(row, line, path, (instance, summarizer, type_column), metrics, problems) for line, row in rows)
    if rater is None:
        yield from (output for output in outputs if output is not None)
    else:
        rated_by = [row[rater] for _, row in rows]
        yield from _with_lists(zip(rated_by, outputs, strict=True), problems)


def _first(columns: Sequence[str], names: Sequence[str]) -> str | None:
    return next((name for name in names if name in columns), None)


def _required(columns: Sequence[str], names: Sequence[str], meaning: str, path: str) -> str:
    column = _first(columns, names)
    if column is None:
        expected, got = ", ".join(names), ", ".join(columns)
        hint = next(filter(None, map(SimilarNames(columns).hint, names)), "")
        raise DataError(
            f"has no column for {meaning} (one of {expected}); its columns are {got}{hint}", path, header_line(path)
        )
    return column


def _type_column(rows: NumberedRows, columns: Sequence[str]) -> str | None:
    """Finds the type column; under another name, a column must contain ``peer`` or ``reference``."""
    column = _first(columns, TYPE_NAMES)
    if column == TYPE_NAMES[0] or column is None:
        return column
    return column if any(row[column] in SUMMARIZER_TYPES for _, row in rows) else None


def _is_metric(name: str, rows: NumberedRows, path: str, left_out: LeftOut) -> bool:
    """Returns whether a column has scores; if not, records the reason."""
    cells = [(line, row[name].strip()) for line, row in rows if not is_missing(row[name])]
    missing = missing_cells(row[name] for _, row in rows)
    if not cells:
        why = f"has only missing values: {described(missing)}" if any(missing) else "is empty"
        left_out.hints[name] = f"(The column '{name}' of {path} {why}.)"
        return False
    text = next(((line, cell) for line, cell in cells if _number(cell) is None), None)
    if text is None:
        left_out.missing.setdefault(name, Counter()).update(missing)
        return True
    line, cell = text
    left_out.hints[name] = f"(The column '{name}' of {path} is text: {_row(path, line)} has '{cell[:40]}'.)"
    numbers = sum(_looks_like_a_number(cell) for _, cell in cells)
    if numbers:
        left_out.dropped.append(DroppedColumn(name, path, line, cell, numbers, len(cells)))
    return False


def _row(path: str, line: int) -> str:
    if isinstance(path, ListName):
        return f"row {line - 1}"
    return f"row {line}" if path.endswith(PARQUET) else f"line {line}"


def _looks_like_a_number(cell: str) -> bool:
    """Returns whether a person would read a cell as a number: a decimal comma is allowed."""
    return _number(cell.replace(",", ".")) is not None


def _number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in cell else None


def _output(
    row: Mapping[str, str],
    line: int,
    path: str,
    columns: tuple[str, str, str | None],
    metrics: Sequence[str],
    problems: Problems,
) -> ScoredOutput | None:
    instance, summarizer, type_column = columns
    try:
        instance_id, summarizer_id = (parse_id(row[column], column) for column in (instance, summarizer))
        summarizer_type = (
            parse_summarizer_type(row[type_column], type_column) if type_column and row[type_column] else None
        )
    except DataError as problem:
        problems.add(DataError(problem.message, path, line))
        return None
    scores = MetricsDict({name: None if is_missing(row[name]) else _number(row[name].strip()) for name in metrics})
    return ScoredOutput(instance_id, summarizer_id, summarizer_type, scores, path, line)


def _with_lists(rated: Iterator[tuple[str, ScoredOutput | None]], problems: Problems) -> Iterator[ScoredOutput]:
    """Joins the ratings of each output into lists, in the order of the rows."""
    ratings: dict[tuple[str, str], dict[str, ScoredOutput]] = {}
    for rater, output in rated:
        if output is None:
            continue
        by_rater = ratings.setdefault(output.key, {})
        if rater in by_rater:
            message = f"duplicate rating of {output.name} by rater '{rater}' (first at {by_rater[rater].location})"
            problems.add(DataError(message, output.path, output.line))
        by_rater.setdefault(rater, output)
    for by_rater in ratings.values():
        outputs = list(by_rater.values())
        lists = MetricsDict({name: [output.metrics[name] for output in outputs] for name in outputs[0].metrics})
        yield outputs[0]._replace(metrics=lists)
