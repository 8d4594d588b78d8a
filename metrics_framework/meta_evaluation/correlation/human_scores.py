"""Human scores made of the ratings of several people: standardized per rater, their ceiling, and raters as metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from metrics_framework.common.errors import UsageError
from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.correlation.settings import MEAN, StudySettings
from metrics_framework.meta_evaluation.names import ACCURACIES
from metrics_framework.meta_evaluation.raters.ceiling import Ceiling, ceiling
from metrics_framework.meta_evaluation.raters.standardize import standardized
from metrics_framework.meta_evaluation.scores.long_tables import Ratings
from metrics_framework.meta_evaluation.scores.score_columns import ScoreColumns

WITHOUT_CEILING = ("spa", "spa:normal")
"""Coefficients that compare the confidence in systems, which single raters do not have."""
FEW_SPLITS = 20
"""The number of splits for accuracies, which compare all pairs of outputs."""


@dataclass(frozen=True)
class HumanCeiling:
    """How well the raters of a human score agree with each other; no metric can be expected to do much better.

    Args:
        human: The human score.
        num_raters: The number of raters.
        num_outputs: The number of rated outputs.
        ceilings: Level and coefficient to the agreement.
    """

    human: str
    num_raters: int
    num_outputs: int
    ceilings: Mapping[tuple[str, str], Ceiling]

    def as_json(self) -> dict[str, object]:
        """Returns the ceiling as it appears in the JSON file."""
        rows = [found.as_json() for found in self.ceilings.values()]
        return {"num_raters": self.num_raters, "num_outputs": self.num_outputs, "coefficients": rows}


def ratings_of(ratings: Ratings, columns: ScoreColumns) -> Ratings:
    """Returns only the ratings of outputs that are in a matrix, and the raters who rated them."""
    row = {system: index for index, system in enumerate(columns.systems)}
    column = {instance: index for index, instance in enumerate(columns.inputs)}
    kept = [
        unit
        for unit, (instance, system) in enumerate(ratings.units)
        if instance in column and system in row and columns.present[row[system], column[instance]]
    ]
    values = ratings.values[:, kept]
    rated = np.flatnonzero(~np.isnan(values).all(axis=1))
    return replace(
        ratings,
        units=[ratings.units[unit] for unit in kept],
        raters=[ratings.raters[rater] for rater in rated.tolist()],
        values=values[rated],
    )


def with_aggregate(columns: ScoreColumns, ratings: Ratings, aggregate: str) -> tuple[ScoreColumns, Ratings, list[str]]:
    """Replaces a human score by the mean of standardized ratings, if that is requested.

    Args:
        columns: The scores.
        ratings: The ratings of the outputs.
        aggregate: ``mean`` or ``zscore-mean``.

    Returns:
        The scores, the ratings that they are means of, and notes.

    Raises:
        UsageError: if there is only one rater.
    """
    if aggregate == MEAN:
        return columns, ratings, []
    if len(ratings.raters) < 2:
        raise UsageError(
            f"'{ratings.name}' has no ratings of several people to standardize; name their column with --rater-column"
        )
    scaled, constant = standardized(ratings)
    text = f"{ratings.name}: z-scores per rater (population standard deviation), averaged over the raters of an output"
    if constant:
        text += f"; without {counted(len(constant), 'rater')} whose ratings are all equal"
    means = {(instance, system): mean for (instance, system), mean in scaled.means().items()}
    return columns.plus(ratings.name, means), scaled, [text]


def ceiling_of(ratings: Ratings, settings: StudySettings) -> HumanCeiling | None:
    """Computes the agreement of the raters by every coefficient at every level; `None` without several raters."""
    rated = (~np.isnan(ratings.values)).sum(axis=0)
    if not (rated > 1).any():
        return None
    found = {}
    for level in settings.levels:
        for name in settings.coefficients_at(level):
            if name not in WITHOUT_CEILING:
                found[level, name] = _ceiling(ratings, name, level, settings.interval.seed)
    return HumanCeiling(ratings.name, len(ratings.raters), int((rated > 0).sum()), found)


def _ceiling(ratings: Ratings, name: str, level: str, seed: int) -> Ceiling:
    if name in ACCURACIES:
        return ceiling(ratings, name, level=level, splits=FEW_SPLITS, seed=seed)  # type: ignore[arg-type]
    return ceiling(ratings, name, level=level, seed=seed)  # type: ignore[arg-type]


def raters_as_metrics(columns: ScoreColumns, ratings: Ratings, fewest: int) -> Iterator[tuple[str, str, ScoreColumns]]:
    """Yields each rater as a metric, with the mean of the other raters as the human score.

    Args:
        columns: The scores.
        ratings: The ratings of the outputs.
        fewest: Raters with fewer outputs that others rated, too, are left out.

    Yields:
        The names of the two scores, and the matrices that contain them.
    """
    present = ~np.isnan(ratings.values)
    counts, sums = present.sum(axis=0), np.nansum(ratings.values, axis=0)
    for index, rater in enumerate(ratings.raters):
        shared = np.flatnonzero(present[index] & (counts > 1))
        if len(shared) < fewest:
            continue
        own = {ratings.units[unit]: float(ratings.values[index, unit]) for unit in shared.tolist()}
        rest = {
            ratings.units[unit]: float((sums[unit] - ratings.values[index, unit]) / (counts[unit] - 1))
            for unit in shared.tolist()
        }
        names = f"rater:{rater}", f"{ratings.name} of the other raters"
        yield *names, columns.plus(names[0], own).plus(names[1], rest)
