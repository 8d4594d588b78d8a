"""Human scores made of the ratings of several people: standardized per rater, their ceiling, and raters as metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from metrics_framework.common.errors import UsageError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.ratings import Ratings
from metrics_framework.inputs.score_matrices import ScoreColumns
from metrics_framework.meta_evaluation.choices import CoefficientOptions, Level
from metrics_framework.meta_evaluation.correlate.correlation import Correlation, correlate_pair
from metrics_framework.meta_evaluation.correlate.data import Provenance
from metrics_framework.meta_evaluation.correlate.request import MEAN, CorrelateRequest
from metrics_framework.meta_evaluation.rater_agreement.ceilings import MIN_OUTPUTS, Ceiling, ceilings, standardized
from metrics_framework.meta_evaluation.study import Finding


@dataclass(frozen=True)
class HumanCeiling(Finding):
    """How well the raters of a human score agree with each other; no metric can be expected to do much better.

    Args:
        human: The human score.
        num_raters: The number of raters.
        num_outputs: The number of rated outputs.
        ceilings: Level and coefficient to the agreement.
        data_set: The data set of the outputs; empty if there is only one.
        ratings: The ratings.
    """

    human: str
    num_raters: int
    num_outputs: int
    ceilings: Mapping[tuple[Level, str], Ceiling]
    data_set: str
    ratings: Ratings = field(repr=False, compare=False)

    @overrides
    def as_json(self) -> dict[str, Any]:
        """Returns the ceiling as it appears in the JSON file."""
        rows = [found.as_json() for found in self.ceilings.values()]
        where = {"data_set": self.data_set} if self.data_set else {}
        return {**where, "num_raters": self.num_raters, "num_outputs": self.num_outputs, "coefficients": rows}


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
    return columns.plus(ratings.name, scaled.means()), scaled, [text]


def ceiling_of(ratings: Ratings, request: CorrelateRequest, data_set: str = "") -> HumanCeiling | None:
    """Computes the agreement of the raters by every coefficient at every level; `None` without several raters.

    A given ε is one of metric scores: ratings are tied if they are equal, or by an ε that is calibrated on them.
    """
    rated = (~np.isnan(ratings.values)).sum(axis=0)
    if not (rated > 1).any():
        return None
    options = CoefficientOptions(**request.options("threshold", "sign_flips", "seed", "stream"))
    chosen = [
        (one.name, level) for level in request.levels for one in request.coefficients_at(level) if one.ceiling_splits
    ]
    of_each = ceilings(ratings, chosen, seed=request.seed, options=options, min_group=request.min_group)
    found = {(level, name): one for (name, level), one in zip(chosen, of_each, strict=True)}
    return HumanCeiling(ratings.name, len(ratings.raters), int((rated > 0).sum()), found, data_set, ratings)


def correlate_raters(
    columns: ScoreColumns, ratings: Ratings, request: CorrelateRequest, data_set: str = ""
) -> list[Correlation]:
    """Correlates each rater, as if a metric, with the mean of the other raters.

    Raters with fewer than `MIN_OUTPUTS` outputs that others rated, too, are left out.
    """
    return [
        correlate_pair(both, names, request, Provenance(), data_set)
        for names, both in _raters_as_metrics(columns, ratings)
    ]


def _raters_as_metrics(columns: ScoreColumns, ratings: Ratings) -> Iterator[tuple[tuple[str, str], ScoreColumns]]:
    """Yields each rater as a metric, with the mean of the other raters as the human score."""
    present = ~np.isnan(ratings.values)
    counts = present.sum(axis=0)
    for index, rater in enumerate(ratings.raters):
        shared = np.flatnonzero(present[index] & (counts > 1))
        if len(shared) < MIN_OUTPUTS:
            continue
        # A mean of the others, not a difference of sums, which would break ties by rounding.
        others = np.nanmean(np.delete(ratings.values, index, axis=0)[:, shared], axis=0)
        units = [ratings.units[unit] for unit in shared.tolist()]
        own = dict(zip(units, ratings.values[index, shared].tolist(), strict=True))
        rest = dict(zip(units, others.tolist(), strict=True))
        names = f"rater:{rater}", f"{ratings.name} of the other raters"
        yield names, columns.plus(names[0], own).plus(names[1], rest)
