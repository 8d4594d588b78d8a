"""Ratings of several people: z-scores, and the ceiling of a metric, how well people agree by its coefficient."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.data.sums import plain_sum
from metrics_framework.inputs.ratings import Ratings
from metrics_framework.meta_evaluation.choices import CoefficientOptions, Level
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, resampled_values
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.groups.moments import scaled_down
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair, without_small_groups
from metrics_framework.meta_evaluation.rater_agreement.rated_units import scaled
from metrics_framework.meta_evaluation.study import Finding

MIN_OUTPUTS = 10
"""Raters with fewer outputs are left out: a correlation over so few says little."""


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
    coefficient: Coefficient, level: Level, of_raters: Sequence[tuple[float, int]], rated: int, halves: Sequence[float]
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
    return np.asarray(np.take_along_axis(cube, np.argsort(~present, axis=2, kind="stable"), axis=2)[:, :, :most])


def _mean(cube: Floats, chosen: Any) -> Floats:
    """Returns the mean of the chosen ratings of each output; NaN without one."""
    used = np.isfinite(cube) & chosen
    counts = used.sum(axis=2)
    sums = np.where(used, cube, 0.0).sum(axis=2)
    return np.asarray(np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0))


def standardized(ratings: Ratings) -> tuple[Ratings, list[str]]:
    """Replaces each rating by its z-score among those of the same rater, (x − mean) / population standard deviation.

    Args:
        ratings: The ratings.

    Returns:
        The z-scores, and the raters whose ratings are all equal; their z-scores are missing.
    """
    present = np.isfinite(ratings.values)
    counts = np.maximum(present.sum(axis=1, keepdims=True), 1)
    values = scaled(ratings.values, axis=1)
    deviations = values - np.nansum(values, axis=1, keepdims=True) / counts
    spread = np.sqrt(np.nansum(deviations**2, axis=1, keepdims=True) / counts)
    lowest = np.where(present, ratings.values, np.inf).min(axis=1, initial=np.inf)
    highest = np.where(present, ratings.values, -np.inf).max(axis=1, initial=-np.inf)
    varies = (highest > lowest)[:, None]
    scores = np.divide(deviations, spread, out=np.full(deviations.shape, np.nan), where=varies & present)
    constant = [rater for rater, is_varied in zip(ratings.raters, varies[:, 0], strict=True) if not is_varied]
    return replace(ratings, values=scores), constant
