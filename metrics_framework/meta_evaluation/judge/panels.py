"""Makes a panel of judgements and ratings from long tables."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import DataError, Problems, UnknownNameError, UsageError
from metrics_framework.data.fields import folded
from metrics_framework.data.texts import is_missing
from metrics_framework.inputs.keys import LongRow
from metrics_framework.inputs.ratings import LongTables, Ratings, Unit, input_clusters
from metrics_framework.inputs.roles import find_columns
from metrics_framework.inputs.values import USUAL, plain_number
from metrics_framework.significance.clusters import labels_of


@dataclass(frozen=True)
class Panel:
    """Judgements and ratings of the same units.

    Args:
        judges: The judgements of each judge, shape (units,), NaN where missing.
        ratings: Shape (raters, units), NaN where missing; labels are numbered.
        raters: The names of the raters.
        lengths: The length of each output, shape (units,), if texts are given.
        labels: The labels, if ratings are labels.
        categories: The possible ratings, if a scale states them.
        clusters: The cluster of each unit; by default each unit is one.
        stated: Judge to the confidence that it states, shape (units,), NaN without one.
    """

    judges: Mapping[str, Floats]
    ratings: Floats
    raters: Sequence[str]
    lengths: Floats | None = None
    labels: Sequence[str] = ()
    categories: Sequence[float] = ()
    clusters: Sequence[Hashable] | None = None
    stated: Mapping[str, Floats] = field(default_factory=dict)

    def of_units(self, used: Bools) -> Panel:
        """Returns the panel of some units; without lengths, if one of these units has none."""
        judges = {name: values[used] for name, values in self.judges.items()}
        lengths = None if self.lengths is None or np.isnan(self.lengths[used]).any() else self.lengths[used]
        stated, clusters = {name: values[used] for name, values in self.stated.items()}, labels_of(self.clusters, used)
        ratings = self.ratings[:, used]
        return replace(self, judges=judges, ratings=ratings, lengths=lengths, clusters=clusters, stated=stated)


def panel_of(
    tables: LongTables,
    rating: str,
    judges: Sequence[str],
    *,
    as_labels: bool,
    text: str | None = None,
    cluster: str | None = None,
    confidence_columns: Mapping[str, str] | None = None,
) -> Panel:
    """Returns the panel of the units that people rated.

    Args:
        tables: The rows.
        rating: The column of the ratings.
        judges: The judges: columns, or raters.
        as_labels: Whether ratings and judgements are text.
        text: The column of texts or lengths of outputs; by default one of the usual names.
        cluster: The column of clusters of inputs.
        confidence_columns: Judge to the column of the confidence that it states.

    Raises:
        UnknownNameError: if there is no column of a name.
        UsageError: if a judge is both a column and a rater.
        DataError: if a value is not a number, or contradicts another row, or two columns have texts of outputs.
    """
    ratings = tables.ratings(rating, as_labels=as_labels)
    labels = list(ratings.labels)
    judgements = {name: _judgements(tables, name, ratings, labels, as_labels=as_labels) for name in judges}
    people = [name not in judges for name in ratings.raters]
    return Panel(
        judgements,
        ratings.values[people],
        [name for name, is_person in zip(ratings.raters, people, strict=True) if is_person],
        _lengths(tables, text, ratings.units),
        labels,
        ratings.categories,
        input_clusters(tables, cluster, [instance for instance, _ in ratings.units]),
        stated_confidence(tables, confidence_columns or {}, ratings.units),
    )


def _judgements(tables: LongTables, name: str, ratings: Ratings, labels: list[str], *, as_labels: bool) -> Floats:
    """Returns the judgements of a column, or of a rater; new labels are appended.

    Raises:
        UnknownNameError: if the judge is neither.
        UsageError: if it is both.
    """
    if name in tables.columns and name in ratings.raters:
        raise UsageError(f"'{name}' is both a column and a rater; rename one of them, so that the judge is clear")
    if name not in tables.columns:
        if name in ratings.raters:
            return np.asarray(ratings.values[list(ratings.raters).index(name)])
        raise UnknownNameError("judge", name, tables.columns, "A judge is a column, or a rater.")
    if not as_labels:
        return _of_units(tables.numbers(name, is_judge=True), ratings.units)
    codes = {folded(label): float(index) for index, label in enumerate(labels)}
    numbered: dict[Unit, float] = {}
    for unit, label in sorted(tables.labels(name).items()):
        if folded(label) not in codes:
            codes[folded(label)] = float(len(codes))
            labels.append(label)
        numbered[unit] = codes[folded(label)]
    return _of_units(numbered, ratings.units)


def _of_units(values: Mapping[Unit, float], units: Sequence[Unit]) -> Floats:
    return np.array([values.get(unit, math.nan) for unit in units], dtype=np.float64)


def _lengths(tables: LongTables, column: str | None, units: Sequence[Unit]) -> Floats | None:
    try:
        given = tables.rules.of_roles("summary")
        names = [column] if column else find_columns(tables.columns, ["summary"], given).get("summary")
        if not names:
            return None
        texts = tables.texts(names[0])
    except DataError:
        if column is not None:
            raise
        return None  # a column that is only called like one of texts
    lengths = {unit: plain_number(text) for unit, text in texts.items()}
    if any(length is None for length in lengths.values()):
        lengths = {unit: float(len(text.split())) for unit, text in texts.items()}
    return _of_units({unit: length for unit, length in lengths.items() if length is not None}, units)


def stated_confidence(tables: LongTables, columns: Mapping[str, str], units: Sequence[Unit]) -> dict[str, Floats]:
    """Returns the confidence that each judge states, shape (units,), NaN where missing.

    Args:
        tables: The rows. The confidence of a judge who is a rater is in the rows of this rater.
        columns: Judge to the column of its confidence.
        units: The outputs.

    Raises:
        UnknownNameError: if no row has a column.
        UsageError: if judges that are columns share one column of confidence.
        DataError: if a value is not a number from 0 to 1, or rows of one output differ.
    """
    in_columns = [judge for judge in columns if judge in tables.columns]
    shared = {columns[judge] for judge in in_columns}
    if len(shared) < len(in_columns):
        raise UsageError(
            f"'{in_columns[0]}' and '{in_columns[1]}' are columns, so each needs its own column of stated confidence; "
            "name one for each judge, in the order of the judges"
        )
    problems = Problems()
    found = {
        judge: _of_judge(tables, column, None if judge in in_columns else judge, problems)
        for judge, column in columns.items()
    }
    problems.raise_any()
    return {judge: np.array([values.get(unit, math.nan) for unit in units]) for judge, values in found.items()}


def _of_judge(tables: LongTables, column: str, rater: str | None, problems: Problems) -> dict[Unit, float]:
    rows = [row for row in tables.rows if column in row.cells]
    if not rows:
        raise UnknownNameError("column", column, tables.columns)
    found: dict[Unit, tuple[float, LongRow]] = {}
    for row in rows:
        cell = row.cells[column]
        if (rater is not None and row.rater != rater) or is_missing(cell):
            continue
        with problems.at(row.path, row.line):
            value = _probability(cell, column)
            known, first = found.setdefault(row.unit, (value, row))
            if known != value:
                where = f"{known:g} at {first.location}"
                raise DataError(f"'{column}' of {row.output_name} is {value:g}, but {where}")
    return {unit: value for unit, (value, _) in found.items()}


def _probability(cell: object, column: str) -> float:
    value = USUAL.number_of(cell, column)
    if not 0 <= value <= 1:
        raise DataError(f"'{column}' must be a stated confidence from 0 to 1, got {value:g}; write 85 % as 0.85")
    return value
