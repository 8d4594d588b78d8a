"""The ceiling of a metric: how well people agree with each other, by the coefficient that metrics are judged by."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.data.sums import plain_sum
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, resampled_values
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.scores.long_tables import Ratings
from metrics_framework.meta_evaluation.sums.means import scaled_down
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair, without_small_groups

MIN_OUTPUTS = 10
"""Raters with fewer outputs are left out: a correlation over so few says little."""


@dataclass(frozen=True)
class Ceiling:
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

    def as_json(self) -> dict[str, Any]:
        """Returns the numbers by name; NaN is written as ``null``."""
        return asdict(self)


def ceiling(
    ratings: Ratings,
    name: str = "pearson",
    *,
    level: Level = "global",
    min_outputs: int = MIN_OUTPUTS,
    splits: int | None = None,
    seed: int = 0,
    options: CoefficientOptions | None = None,
    min_group: int = 2,
) -> Ceiling:
    """Computes how well a rater, and half of the ratings, agree with the rest.

    If every rater rated every output, halves are halves of the raters, and all splits are used if there are at most
    ``splits``. Else the ratings of each output are split by themselves.

    Args:
        ratings: The ratings.
        name: The coefficient.
        level: The level.
        min_outputs: The least number of outputs of a rater.
        splits: The number of random splits; by default that of the coefficient.
        seed: The seed of the splits.
        options: The options of the coefficient.
        min_group: The least number of outputs of an input, or of a system at the level ``within-system``.
    """
    chosen = [(name, level)]
    found = ceilings(
        ratings, chosen, min_outputs=min_outputs, splits=splits, seed=seed, options=options, min_group=min_group
    )
    return found[0]


def ceilings(
    ratings: Ratings,
    chosen: Sequence[tuple[str, Level]],
    *,
    min_outputs: int = MIN_OUTPUTS,
    splits: int | None = None,
    seed: int = 0,
    options: CoefficientOptions | None = None,
    min_group: int = 2,
) -> list[Ceiling]:
    """Computes the ceilings of several coefficients and levels from the same splits; see `ceiling`.

    Args:
        ratings: The ratings.
        chosen: The names of coefficients, each with a level.
        min_outputs: The least number of outputs of a rater.
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
        single = _one_vs_rest(cube, judge, min_outputs)
        for index, number in enumerate(numbers):
            one = _weighted_mean([(values[index], outputs) for values, outputs in single])
            found[number] = _ceiling(*coefficients[number], one, rated, [values[index] for values in halves])
    return [found[number] for number in range(len(chosen))]


def _ceiling(
    coefficient: Coefficient, level: Level, one_vs_rest: tuple[float, int], rated: int, halves: Sequence[float]
) -> Ceiling:
    """Summarizes the values of all splits; ``rated`` is the number of raters with ratings."""
    defined = [value for value in halves if not math.isnan(value)]
    half = math.fsum(defined) / len(defined) if defined else math.nan
    reliability = 2 * half / (1 + half) if coefficient.has_reliability and half >= 0 else math.nan
    one, used = one_vs_rest
    return Ceiling(coefficient.name, level, one, used, rated - used, half, reliability, len(halves))


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


def _one_vs_rest(cube: Floats, judge: _Judge, least: int) -> list[tuple[list[float], int]]:
    """Compares each rater of enough outputs with the mean of all others; with the number of outputs."""
    present = np.isfinite(cube)
    counts = present.sum(axis=2)
    found = []
    for rater in range(cube.shape[2]):
        shared = present[:, :, rater] & (counts > 1)
        if shared.sum() >= least:
            own = np.where(shared, cube[:, :, rater], np.nan)
            others = np.where(shared, _mean(cube, np.arange(cube.shape[2]) != rater), np.nan)
            found.append((judge.values(others, own), int(shared.sum())))
    return found


def _weighted_mean(values: Sequence[tuple[float, int]]) -> tuple[float, int]:
    """Returns the mean of the defined values, weighted by the numbers beside them, and how many are defined."""
    defined = [(value, weight) for value, weight in values if not math.isnan(value)]
    total = plain_sum(value * weight for value, weight in defined)
    return (total / sum(weight for _, weight in defined) if defined else math.nan), len(defined)


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
