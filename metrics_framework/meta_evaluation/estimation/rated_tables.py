"""Makes matrices of ratings and judgements from long tables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from metrics_framework.common.errors import DataError, InputError, UnknownNameError
from metrics_framework.data.identity import order_keys
from metrics_framework.data.texts import shown
from metrics_framework.meta_evaluation.coefficients.large_values import row_means
from metrics_framework.meta_evaluation.estimation.names import VERDICTS
from metrics_framework.meta_evaluation.estimation.system_estimates import RatedScores
from metrics_framework.meta_evaluation.scores.input_clusters import input_clusters
from metrics_framework.meta_evaluation.scores.long_tables import LongTables, Unit
from metrics_framework.significance.arrays import Floats

LARGEST = 8e307


def rated_scores(
    tables: LongTables, rating: str, judge: str, cluster: str | None = None, *, as_verdicts: bool = False
) -> tuple[RatedScores, int]:
    """Returns ratings, averaged over raters, and the scores of a judge.

    Args:
        tables: The rows.
        rating: The column of the ratings.
        judge: The column of the judge's scores, or a rater who is a judge.
        cluster: The column of clusters of inputs; that of inputs changes nothing.
        as_verdicts: Whether ratings and judgements are verdicts. Several raters decide by majority.

    Returns:
        The matrices, and the number of outputs left out because as many raters call them good as bad.

    Raises:
        UnknownNameError: if there is no column of a name.
        DataError: if a value is not a number, or not a verdict.
    """
    people = _values_by_rater(tables, rating, as_verdicts)
    if judge in tables.columns:
        scores = _verdicts(tables.texts(judge), judge) if as_verdicts else tables.numbers(judge)
    elif judge in people:
        scores = people.pop(judge)
    else:
        raise UnknownNameError("judge", judge, tables.columns, "A judge is a column, or a rater.")
    ratings = _means(people)
    undecided = [unit for unit, mean in ratings.items() if as_verdicts and mean == 0.5]
    for unit in undecided:
        del ratings[unit]
        scores.pop(unit, None)
    if as_verdicts:
        ratings = {unit: float(mean > 0.5) for unit, mean in ratings.items()}
    return _matrices(ratings, scores, tables, cluster), len(undecided)


def _values_by_rater(tables: LongTables, rating: str, as_verdicts: bool) -> dict[str, dict[Unit, float]]:
    ratings = tables.ratings(rating, as_labels=as_verdicts)
    verdicts = [_verdict(label, rating) for label in ratings.labels] if as_verdicts else None
    found: dict[str, dict[Unit, float]] = {}
    for rater, row in zip(ratings.raters, ratings.values, strict=True):
        numbers = {unit: number for unit, number in zip(ratings.units, row, strict=True) if not np.isnan(number)}
        found[rater] = {
            unit: float(number if verdicts is None else verdicts[int(number)]) for unit, number in numbers.items()
        }
    return found


def _verdicts(texts: Mapping[Unit, str], column: str) -> dict[Unit, float]:
    return {unit: _verdict(text, column) for unit, text in texts.items()}


def _verdict(text: str, column: str) -> float:
    verdict = VERDICTS.get(text.strip().lower())
    if verdict is None:
        spellings = ", ".join(VERDICTS)
        raise DataError(f"'{column}' must be a verdict (one of {spellings}), got {shown(text)}")
    return verdict


def _means(people: Mapping[str, Mapping[Unit, float]]) -> dict[Unit, float]:
    lists: dict[Unit, list[float]] = {}
    for rated in people.values():
        for unit, value in rated.items():
            lists.setdefault(unit, []).append(value)
    return {unit: _mean(np.array(values)) for unit, values in lists.items()}


def _mean(values: Floats) -> float:
    return float(row_means(values[None])[0])


def _matrices(
    ratings: Mapping[Unit, float], scores: Mapping[Unit, float], tables: LongTables, cluster: str | None
) -> RatedScores:
    units = {*ratings, *scores}
    if not ratings:
        raise InputError("no output has a rating")
    systems = _ordered({system for _, system in units})
    inputs = _ordered({instance for instance, _ in units})
    row = {system: index for index, system in enumerate(systems)}
    column = {instance: index for index, instance in enumerate(inputs)}

    def matrix(values: Mapping[Unit, float]) -> Floats:
        filled = np.full((len(systems), len(inputs)), np.nan)
        for (instance, system), value in values.items():
            if abs(value) > LARGEST:
                raise DataError(
                    f"ratings and scores must be within ±{LARGEST:g}, so that their differences are numbers, "
                    f"got {value:g} for system {shown(system)} and instance {shown(instance)}"
                )
            filled[row[system], column[instance]] = value
        return filled

    return RatedScores(systems, matrix(ratings), matrix(scores), input_clusters(tables, cluster, inputs))


def _ordered(names: set[str]) -> list[str]:
    listed = sorted(names)
    return [name for _, name in sorted(zip(order_keys(listed), listed, strict=True))]
