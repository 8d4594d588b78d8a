"""Differences between PDP of two metrics after swaps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.sums.common_scale import standardized
from metrics_framework.meta_evaluation.sums.moments import CANCELLATION
from metrics_framework.meta_evaluation.sums.swapped_moments import around_mean, shifted_metrics
from metrics_framework.meta_evaluation.sums.swaps import Swaps

NUMBERS_PER_INPUT = 16
"""The number of numbers in memory for each input of a permutation, so that a block fits in the cache."""


def pdp_differences(swaps: Swaps, first: str, second: str) -> Floats:
    """Computes PDP of the first metric minus that of the second after swaps.

    PDP = Σ n S(h, m) / √(Σ n S(h, h) · Σ n S(m, m)), where S sums products of deviations over the n outputs of an
    input, and Σ is over inputs. Only Σ (Σ m)² needs both metrics of a pair.

    Args:
        swaps: The metrics and the permutations.
        first: The name of the first metric.
        second: The name of the second.

    Returns:
        Shape (permutations,); NaN where a coefficient is undefined, or has lost digits.
    """
    return swaps.of_all_pairs("pdp", NUMBERS_PER_INPUT * swaps.shape[1], _differences, first, second)


class _Kept(NamedTuple):
    """The sums of a metric over the cells that stay in each permutation, or over those that swap.

    Attributes:
        sums: Σ m of each input, shape (permutations, inputs).
        squared: Σ (Σ m)² over inputs, shape (permutations,).
        squares: Σ n m² over inputs, of the same shape.
        products: Σ n h m over inputs, divided by √(Σ n h²), of the same shape.
    """

    sums: Floats
    squared: Floats
    squares: Floats
    products: Floats


def _differences(swaps: Swaps, first: str, second: str) -> Floats:
    sums = [_kept_sums(swaps, name) for name in (first, second)]
    sides = []
    for (one, _), (_, other) in (sums, sums[::-1]):
        crossed = np.einsum("bn,bn->b", one.sums, other.sums)
        squares = one.squares + other.squares
        variance = squares - (one.squared + other.squared + 2 * crossed)
        is_precise = variance > CANCELLATION * squares
        r = (one.products + other.products) / np.sqrt(np.where(is_precise, variance, np.nan))
        sides.append(np.clip(r, -1, 1))
    return np.asarray(sides[0] - sides[1])


def _kept_sums(swaps: Swaps, name: str) -> tuple[_Kept, _Kept]:
    def compute() -> tuple[_Kept, _Kept]:
        human, metrics, counts = swaps.once("shifted", lambda: _shifted(swaps))
        metric = metrics[name]
        totals, changes = metric.sum(axis=0), swaps.permutations.by_column(metric)
        weighted = np.stack([counts * metric**2, human * metric])
        of_all, change = weighted.sum(axis=(1, 2))[:, None], swaps.permutations.totals(weighted)
        sides = []
        for sign in (1, -1):
            sums, (squares, products) = (totals + sign * changes) / 2, (of_all + sign * change) / 2
            sides.append(_Kept(sums, np.einsum("bn,bn->b", sums, sums), squares, products))
        return sides[0], sides[1]

    return swaps.once_per_draw(("kept", name), compute)


def _shifted(swaps: Swaps) -> tuple[Floats, dict[str, Floats], Floats]:
    """Returns the human scores times n/√(Σ n h²), the shifted metrics, and the numbers of outputs n of the inputs."""
    counts = swaps.present.sum(axis=0)
    people = around_mean(standardized(swaps.human), 0)
    norm = float((counts * people**2).sum())
    return counts * people / (np.sqrt(norm) if norm else np.nan), shifted_metrics(swaps, 0), counts
