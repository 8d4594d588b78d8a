"""The ceiling of a metric: how well people agree with each other, by the coefficient that metrics are judged by."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from metrics_framework.meta_evaluation.coefficients.groups import coefficient
from metrics_framework.meta_evaluation.coefficients.large_values import scaled_down
from metrics_framework.meta_evaluation.names import Coefficient, Level
from metrics_framework.meta_evaluation.scores.long_tables import Ratings
from metrics_framework.significance.arrays import Floats

LEAST_OUTPUTS = 10
"""Raters with fewer outputs are left out: a correlation over so few says little."""
SPLITS = 200
_STEPPED_UP = ("pearson", "spearman")


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
    name: Coefficient = "pearson",
    *,
    level: Level = "global",
    least_outputs: int = LEAST_OUTPUTS,
    splits: int = SPLITS,
    seed: int = 0,
) -> Ceiling:
    """Computes how well a rater, and half of the ratings, agree with the rest.

    If every rater rated every output, halves are halves of the raters, and all splits are used if there are at most
    ``splits``. Else the ratings of each output are split by themselves.

    Args:
        ratings: The ratings.
        name: The coefficient.
        level: The level.
        least_outputs: The least number of outputs of a rater.
        splits: The number of random splits.
        seed: The seed of the splits.
    """
    return ceilings(ratings, [(name, level)], least_outputs=least_outputs, splits=splits, seed=seed)[0]


def ceilings(
    ratings: Ratings,
    chosen: Sequence[tuple[Coefficient, Level]],
    *,
    least_outputs: int = LEAST_OUTPUTS,
    splits: int = SPLITS,
    seed: int = 0,
) -> list[Ceiling]:
    """Computes the ceilings of several coefficients and levels from the same splits; see `ceiling`."""
    cube = scaled_down(ratings.cube()[2])
    halves = [
        [coefficient(first, second, name, level=level) for name, level in chosen]
        for first, second in _halves(cube, splits, seed)
    ]
    rated = int(np.isfinite(cube).any(axis=(0, 1)).sum())
    found = []
    for index, (name, level) in enumerate(chosen):
        one, used = _one_vs_rest(cube, name, level, least_outputs)
        defined = [of_split[index] for of_split in halves if not math.isnan(of_split[index])]
        half = math.fsum(defined) / len(defined) if defined else math.nan
        reliability = 2 * half / (1 + half) if name in _STEPPED_UP and half >= 0 else math.nan
        found.append(Ceiling(name, level, one, used, rated - used, half, reliability, len(halves)))
    return found


def _one_vs_rest(cube: Floats, name: Coefficient, level: Level, least: int) -> tuple[float, int]:
    present = np.isfinite(cube)
    sums, counts = np.nansum(cube, axis=2), present.sum(axis=2)
    values, weights = [], []
    for rater in range(cube.shape[2]):
        shared = present[:, :, rater] & (counts > 1)
        if shared.sum() < least:
            continue
        own = np.where(shared, cube[:, :, rater], np.nan)
        rest = np.divide(sums - own, counts - 1, out=np.full(own.shape, np.nan), where=shared)
        value = coefficient(rest, own, name, level=level)
        if not math.isnan(value):
            values.append(value)
            weights.append(int(shared.sum()))
    total = sum(value * weight for value, weight in zip(values, weights, strict=True))
    return (total / sum(weights) if weights else math.nan), len(values)


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
