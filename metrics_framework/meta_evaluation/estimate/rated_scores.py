"""`RatedScores`: ratings of some outputs and the scores of a judge, as matrices."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import DataError, InputError, UnknownNameError
from metrics_framework.data.fields import order_keys
from metrics_framework.data.texts import shown
from metrics_framework.meta_evaluation.estimate.predicted_means import IntervalName
from metrics_framework.meta_evaluation.groups.moments import row_means
from metrics_framework.meta_evaluation.scores.long_tables import LongTables, Unit, input_clusters

VERDICTS = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "pass", "passed", "good", "correct"), 1.0),
    **dict.fromkeys(("0", "0.0", "false", "no", "fail", "failed", "bad", "incorrect"), 0.0),
}
"""Spellings of verdicts, in lower case: 1 is good, 0 is bad."""
MAX_SIZE = 8e307
"""Ratings and scores up to this size have differences that do not overflow."""


@dataclass(frozen=True)
class RatedScores:
    """Ratings of some outputs, and a judge's scores of these and others.

    Args:
        systems: The systems.
        ratings: Shape (systems, inputs), NaN without a rating.
        scores: Shape (systems, inputs), NaN without a score.
        clusters: The cluster of each input; by default each input is one.
    """

    systems: Sequence[str]
    ratings: Floats
    scores: Floats
    clusters: Sequence[Hashable] | None = None

    @property
    def interval(self) -> IntervalName:
        """The kind of the intervals of means: ``score`` if the ratings of all systems are 0 or 1, else ``t``."""
        known = self.ratings[~np.isnan(self.ratings)]
        return "score" if np.isin(known, (0, 1)).all() else "t"

    def clusters_of(self, inputs: Bools) -> list[Hashable] | None:
        """Returns the clusters of some inputs."""
        if self.clusters is None:
            return None
        return [cluster for cluster, used in zip(self.clusters, inputs, strict=True) if used]


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
            if abs(value) > MAX_SIZE:
                raise DataError(
                    f"ratings and scores must be within ±{MAX_SIZE:g}, so that their differences are numbers, "
                    f"got {value:g} for system {shown(system)} and instance {shown(instance)}"
                )
            filled[row[system], column[instance]] = value
        return filled

    return RatedScores(systems, matrix(ratings), matrix(scores), input_clusters(tables, cluster, inputs))


def _ordered(names: set[str]) -> list[str]:
    listed = sorted(names)
    return [name for _, name in sorted(zip(order_keys(listed), listed, strict=True))]
