"""Human scores made of the ratings of several people: standardized per rater, their ceiling, and raters as metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import UsageError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.data.sums import plain_sum
from metrics_framework.meta_evaluation.choices import CoefficientOptions, Level
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, resampled_values
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.correlation import Correlation, correlate_pair
from metrics_framework.meta_evaluation.correlate.data import Provenance
from metrics_framework.meta_evaluation.correlate.request import MEAN, CorrelateRequest
from metrics_framework.meta_evaluation.groups.moments import scaled_down
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair, without_small_groups
from metrics_framework.meta_evaluation.rater_agreement.rated_units import standardized
from metrics_framework.meta_evaluation.scores.long_tables import Ratings
from metrics_framework.meta_evaluation.scores.score_columns import ScoreColumns
from metrics_framework.meta_evaluation.study import Finding

MIN_OUTPUTS = 10
"""Raters with fewer outputs are left out: a correlation over so few says little."""


@dataclass(frozen=True)
class HumanCeiling(Finding):
    """How well the raters of a human score agree with each other; no metric can be expected to do much better.

    Args:
        human: The human score.
        num_raters: The number of raters.
        num_outputs: The number of rated outputs.
        ceilings: Level and coefficient to the agreement.
        data_set: The data set of the outputs; empty if there is only one.
    """

    human: str
    num_raters: int
    num_outputs: int
    ceilings: Mapping[tuple[Level, str], Ceiling]
    data_set: str = ""

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
    means = {(instance, system): mean for (instance, system), mean in scaled.means().items()}
    return columns.plus(ratings.name, means), scaled, [text]


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
    return HumanCeiling(ratings.name, len(ratings.raters), int((rated > 0).sum()), found, data_set)


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


@dataclass(frozen=True)
class Ceiling(Finding):
    """How well ratings agree with each other.

    Args:
        coefficient: The coefficient.
        level: The level.
        one_vs_rest: The mean coefficient of a rater's ratings with the mean of all other ratings of the same outputs,
            weighted by the number of outputs of each rater; NaN if undefined.
        raters: The number of raters in this mean.
        raters_left_out: The number of raters with too few outputs, or without a defined coefficient.
        split_half: The mean coefficient of the means of two random halves of the ratings; NaN if undefined.
        reliability: The reliability of the mean of all ratings, 2r / (1 + r) for the split half r (Spearman and Brown);
            NaN for other coefficients than Pearson's and Spearman's, and for a negative split half.
        splits: The number of splits.
    """

    coefficient: str
    level: str
    one_vs_rest: float
    raters: int
    raters_left_out: int
    split_half: float
    reliability: float
    splits: int


def ceilings(
    ratings: Ratings,
    chosen: Sequence[tuple[str, Level]],
    *,
    splits: int | None = None,
    seed: int = 0,
    options: CoefficientOptions | None = None,
    min_group: int = 2,
) -> list[Ceiling]:
    """Computes how well a rater, and half of the ratings, agree with the rest, by several coefficients and levels.

    If every rater rated every output, halves are halves of the raters, and all splits are used if there are at most
    ``splits``. Else the ratings of each output are split by themselves. All coefficients have the same splits.

    Args:
        ratings: The ratings.
        chosen: The names of coefficients, each with a level.
        splits: The number of random splits; by default that of each coefficient.
        seed: The seed of the splits.
        options: The options of the coefficients.
        min_group: The least number of outputs of an input, or of a system at the level ``within-system``.
    """
    cube = scaled_down(ratings.cube()[2])
    rated = int(np.isfinite(cube).any(axis=(0, 1)).sum())
    coefficients = [(load_coefficient(name), level) for name, level in chosen]
    counts = [splits or coefficient.ceiling_splits for coefficient, _ in coefficients]
    found: dict[int, Ceiling] = {}
    for count in dict.fromkeys(counts):
        numbers = [number for number, its_count in enumerate(counts) if its_count == count]
        judge = _Judge([coefficients[number] for number in numbers], options or CoefficientOptions(), min_group)
        halves = [judge.values(*half) for half in _halves(cube, count, seed)]
        single = _one_vs_rest(cube, judge)
        for index, number in enumerate(numbers):
            of_raters = [(values[index], outputs) for values, outputs in single]
            found[number] = _ceiling(*coefficients[number], of_raters, rated, [values[index] for values in halves])
    return [found[number] for number in range(len(chosen))]


def _ceiling(
    coefficient: Coefficient,
    level: Level,
    of_raters: Sequence[tuple[float, int]],
    rated: int,
    halves: Sequence[float],
) -> Ceiling:
    """Summarizes the values of raters with their numbers of outputs, and of splits; ``rated`` raters have ratings."""
    used = [(value, outputs) for value, outputs in of_raters if not math.isnan(value)]
    one_vs_rest = math.nan
    if used:
        one_vs_rest = plain_sum(value * outputs for value, outputs in used) / sum(outputs for _, outputs in used)
    defined = [value for value in halves if not math.isnan(value)]
    half = math.fsum(defined) / len(defined) if defined else math.nan
    reliability = 2 * half / (1 + half) if coefficient.has_reliability and half >= 0 else math.nan
    left_out = rated - len(used)
    return Ceiling(coefficient.name, level, one_vs_rest, len(used), left_out, half, reliability, len(halves))


@dataclass(frozen=True)
class _Judge:
    """Computes coefficients of ratings, each at its level."""

    coefficients: Sequence[tuple[Coefficient, Level]]
    options: CoefficientOptions
    min_group: int

    def values(self, human: Floats, metric: Floats) -> list[float]:
        """Returns the value of each coefficient; those of a level share sums."""
        joint = np.where(np.isnan(metric), np.nan, human)
        found: dict[tuple[str, Level], float] = {}
        for level in dict.fromkeys(level for _, level in self.coefficients):
            scores = ScorePair(without_small_groups(joint, level, self.min_group), metric)
            wanted = {
                one.name: (one, one.fitted(scores, level, self.options)[0])
                for one, its_level in self.coefficients
                if its_level == level
            }
            for name, values in resampled_values(scores, level, wanted, None, None).items():
                found[name, level] = float(values[0])
        return [found[one.name, level] for one, level in self.coefficients]


def _one_vs_rest(cube: Floats, judge: _Judge) -> list[tuple[list[float], int]]:
    """Compares each rater of enough outputs with the mean of all others; with the number of outputs."""
    present = np.isfinite(cube)
    counts = present.sum(axis=2)
    found = []
    for rater in range(cube.shape[2]):
        shared = present[:, :, rater] & (counts > 1)
        if shared.sum() >= MIN_OUTPUTS:
            own = np.where(shared, cube[:, :, rater], np.nan)
            others = np.where(shared, _mean(cube, np.arange(cube.shape[2]) != rater), np.nan)
            found.append((judge.values(others, own), int(shared.sum())))
    return found


def _halves(cube: Floats, splits: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """Yields the means of two halves of the ratings, shape (systems, inputs)."""
    raters = cube.shape[2]
    rated = np.isfinite(cube).any(axis=2)
    is_crossed = bool((np.isfinite(cube).all(axis=2) == rated).all())
    if is_crossed and math.comb(raters, raters // 2) <= 2 * splits:
        for chosen in combinations(range(raters), raters // 2):
            if raters % 2 or 0 in chosen:  # of two complementary halves, the one with the first rater
                is_first = np.isin(np.arange(raters), chosen)
                yield _mean(cube, is_first), _mean(cube, ~is_first)
        return
    generator = np.random.default_rng(seed)
    packed = cube if is_crossed else _packed(cube)
    present = np.isfinite(packed)
    last = np.maximum(present.sum(axis=2, keepdims=True) // 2 - 1, 0)
    for _ in range(splits if raters > 1 else 0):
        keys = np.where(present, generator.random(raters if is_crossed else packed.shape), np.inf)
        is_first = keys <= np.take_along_axis(np.sort(keys, axis=2), last, axis=2)
        yield _mean(packed, is_first), _mean(packed, ~is_first)


def _packed(cube: Floats) -> Floats:
    """Moves the ratings of each output to the front; the last axis has the length of the largest number of ratings."""
    present = np.isfinite(cube)
    most = int(present.sum(axis=2).max(initial=0))
    packed: Floats = np.take_along_axis(cube, np.argsort(~present, axis=2, kind="stable"), axis=2)[:, :, :most]
    return packed


def _mean(cube: Floats, chosen: Any) -> Floats:
    """Returns the mean of the chosen ratings of each output; NaN without one."""
    used = np.isfinite(cube) & chosen
    counts = used.sum(axis=2)
    sums = np.where(used, cube, 0.0).sum(axis=2)
    means: Floats = np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
    return means
