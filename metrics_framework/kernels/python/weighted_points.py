"""The readable definition of the kernel of weighted points: sums over pairs of points, for many vectors of weights."""

from __future__ import annotations

from enum import IntFlag
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = "npt.NDArray[Any]"


class Wanted(IntFlag):
    """Groups of the numbers of a resample; numbers that are not wanted are 0."""

    PAIRS = 1
    DISTINCT = 2
    RANKS = 4


EVERYTHING = Wanted.PAIRS | Wanted.DISTINCT | Wanted.RANKS

SUMS = {
    "points": Wanted(0),
    "less": Wanted.PAIRS,
    "equal": Wanted.PAIRS,
    "greater": Wanted.PAIRS,
    "squares_codes": Wanted.PAIRS,
    "distinct_codes": Wanted.DISTINCT,
    "distinct_groups": Wanted.DISTINCT,
    "rank_products": Wanted.RANKS,
    "rank_codes": Wanted.RANKS,
    "rank_groups": Wanted.RANKS,
}
"""The numbers of one resample, in the order of the native kernel, and the group of each; ``points`` is in every one."""

DENSE_POINTS = 1024
"""The number of adjacent points whose pairs are compared directly, in one matrix product."""


def weighted_points(
    codes: Integers, groups: Integers, limits: Integers, weights: npt.NDArray[np.float64], wanted: Wanted = EVERYTHING
) -> npt.NDArray[np.float64]:
    """Adds up pairs of points, each weighted by the product of its weights, and centred ranks.

    Args:
        codes: The number of the value of each point, ascending with the value, shape (points,).
        groups: The same of the variable that the points are sorted by.
        limits: The length of the prefix of each point: it is compared with the points of its prefix.
        weights: Integers, shape (points, resamples).
        wanted: The numbers to compute.

    Returns:
        The numbers named in `SUMS`, shape (10, resamples). Ranks are mid-ranks minus their mean, doubled.
    """
    by_code, by_group = _sizes(codes, weights), _sizes(groups, weights)
    found = {"points": weights.sum(axis=0)}
    if wanted & Wanted.PAIRS:
        less, equal, greater = _prefix_pairs(codes, limits, weights)
        found |= {"less": less, "equal": equal, "greater": greater, "squares_codes": (by_code**2).sum(axis=0)}
    if wanted & Wanted.DISTINCT:
        found |= {"distinct_codes": (by_code > 0).sum(axis=0), "distinct_groups": (by_group > 0).sum(axis=0)}
    if wanted & Wanted.RANKS:
        of_code, of_group = _ranks(by_code, found["points"]), _ranks(by_group, found["points"])
        found |= {
            "rank_products": (weights * of_code[codes] * of_group[groups]).sum(axis=0),
            "rank_codes": (by_code * of_code**2).sum(axis=0),
            "rank_groups": (by_group * of_group**2).sum(axis=0),
        }
    return np.stack([found.get(name, np.zeros(weights.shape[1])) for name in SUMS])


def _sizes(groups: Integers, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Adds the weights of each group, shape (groups, resamples)."""
    order = np.argsort(groups, kind="stable")
    sizes = np.zeros((int(groups.max(initial=-1)) + 1, weights.shape[1]))
    present, starts = np.unique(groups[order], return_index=True)
    if len(present):
        sizes[present] = np.add.reduceat(weights[order], starts, axis=0)
    return sizes


def _ranks(sizes: npt.NDArray[np.float64], total: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    ranks: npt.NDArray[np.float64] = 2 * np.cumsum(sizes, axis=0) - sizes - total
    return ranks


def _prefix_pairs(codes: Integers, limits: Integers, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Sums pairs of a point and a point of its prefix whose code is less, equal or greater, shape (3, resamples).

    A prefix is a union of aligned blocks. The codes of a block are sorted once for all resamples.
    """
    sums = np.zeros((3, weights.shape[1]))
    width = DENSE_POINTS
    while width <= len(codes):
        for start in range(0, len(codes) - width + 1, 2 * width):
            points = np.flatnonzero((limits // width % 2 == 1) & (limits // (2 * width) * 2 * width == start))
            block = slice(start, start + width)
            sums += _compared(codes[block], weights[block], codes[points], weights[points])
        width *= 2
    for start in range(0, len(codes), DENSE_POINTS):
        points = np.flatnonzero((limits // DENSE_POINTS * DENSE_POINTS == start) & (limits % DENSE_POINTS > 0))
        for part in np.array_split(points, len(points) // DENSE_POINTS + 1):
            sums += _compared_directly(codes, limits, weights, start, part)
    return sums


def _compared(
    block: Integers, block_weights: npt.NDArray[np.float64], codes: Integers, weights: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    order = np.argsort(block, kind="stable")
    up_to = np.zeros((len(block) + 1, block_weights.shape[1]))
    np.cumsum(block_weights[order], axis=0, out=up_to[1:])
    below = up_to[np.searchsorted(block[order], codes)]
    through = up_to[np.searchsorted(block[order], codes, side="right")]
    parts = below, through - below, up_to[-1] - through
    return np.stack([(weights * part).sum(axis=0) for part in parts])


def _compared_directly(
    codes: Integers, limits: Integers, weights: npt.NDArray[np.float64], start: int, points: Integers
) -> npt.NDArray[np.float64]:
    block = slice(start, start + DENSE_POINTS)
    inside = np.arange(start, min(start + DENSE_POINTS, len(codes))) < limits[points, None]
    single = weights[block].astype(np.float32)  # exact: sums of integers below 2²⁴
    comparisons = (compare(codes[block], codes[points, None]) & inside for compare in (np.less, np.equal, np.greater))
    return np.stack([(weights[points] * (one.astype(np.float32) @ single)).sum(axis=0) for one in comparisons])
