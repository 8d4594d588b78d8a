"""The confidence that judges state in their judgements, and whether it comes true (decision 0036)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import DataError, InputError, Problems, UnknownNameError, UsageError
from metrics_framework.meta_evaluation.intervals.resamples import UnitResamples
from metrics_framework.meta_evaluation.judge.reliability import reliability
from metrics_framework.meta_evaluation.judge.request import Binning
from metrics_framework.meta_evaluation.judge.result import JudgeReliability
from metrics_framework.meta_evaluation.scores.long_rows import LongRow, number_of, spelling_if_missing
from metrics_framework.meta_evaluation.scores.long_tables import LongTables, Unit


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
        if (rater is not None and row.rater != rater) or spelling_if_missing(cell) is not None:
            continue
        try:
            value = _probability(cell, column)
            known, first = found.setdefault(row.unit, (value, row))
            if known != value:
                where = f"{known:g} at {first.location}"
                raise DataError(f"'{column}' of {row.output_name} is {value:g}, but {where}")
        except DataError as problem:
            problems.add(DataError(problem.message, row.path, row.line))
    return {unit: value for unit, (value, _) in found.items()}


def _probability(cell: object, column: str) -> float:
    value = number_of(cell, column)
    if not 0 <= value <= 1:
        raise DataError(f"'{column}' must be a stated confidence from 0 to 1, got {value:g}; write 85 % as 0.85")
    return value


def judge_reliability(
    judges: Mapping[str, Floats],
    ratings: Floats,
    stated: Mapping[str, Floats],
    resamples: UnitResamples,
    bins: tuple[int, Binning],
) -> list[JudgeReliability]:
    """Compares the stated confidence of judges, or judgements that are probabilities, with ratings.

    Stated confidence comes true if a rater gives the same rating as the judge. If all ratings are 0 or 1 and the
    judgements are numbers between 0 and 1, they are probabilities of a rating of 1.

    Args:
        judges: The judgements of each judge, shape (units,), without NaN.
        ratings: Shape (raters, units), NaN without a rating.
        stated: Judge to the confidence that it states, shape (units,), NaN without one.
        resamples: How units are resampled.
        bins: The number of bins, and how their edges are chosen.

    Raises:
        InputError: if no rated output has a stated confidence of a judge.
    """
    rated = ~np.isnan(ratings)
    counts = rated.sum(axis=0)
    found = []
    for name, judgements in judges.items():
        if name in stated:
            probabilities, equal = stated[name], (ratings == judgements) & rated
        elif _are_probabilities(judgements, ratings[rated]):
            probabilities, equal = judgements, (ratings == 1) & rated
        else:
            continue
        used = (counts > 0) & ~np.isnan(probabilities)
        if not used.any():
            raise InputError(
                f"no rated output has a stated confidence of '{name}'; do the tables have the same ids of inputs and "
                "systems, and is the confidence neither empty nor null?"
            )
        codes = resamples.clusters.codes[used].tolist()
        measured = reliability(
            probabilities[used],
            equal.sum(axis=0)[used] / counts[used],
            bins=bins[0],
            binning=bins[1],
            clusters=codes,
            confidence=resamples.confidence,
            resamples=resamples.resamples,
            seed=resamples.seed,
        )
        found.append(JudgeReliability(name, name in stated, measured, int((~used).sum())))
    return found


def _are_probabilities(judgements: Floats, known: Floats) -> bool:
    are_verdicts = bool(np.isin(known, (0.0, 1.0)).all())
    inside = bool(((judgements >= 0) & (judgements <= 1)).all())
    return are_verdicts and inside and not bool(np.isin(judgements, (0.0, 1.0)).all())
