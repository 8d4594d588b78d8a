"""Pairwise-difference Pearson (PDP)."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.choices import CoefficientOptions, Level
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.groups.moments import BLOCK_BYTES, CANCELLATION, ratio, weighted_centred
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair, Weights, all_weights
from metrics_framework.meta_evaluation.groups.swaps import (
    Swaps,
    around_mean,
    once,
    once_per_draw,
    shifted_metrics,
    standardized,
)

NUMBERS_PER_INPUT = 16
"""The number of numbers in memory for each input of a permutation, so that a block fits in the cache."""


@Coefficient.register("pdp")
class PairwiseDifferencePearson(Coefficient):
    """Pearson's r of the differences of outputs for the same input, over all ordered pairs of outputs of all inputs."""

    title = "PDP"
    citation = "diianni-deutsch-2025-dont"
    levels: ClassVar[tuple[Level, ...]] = ("input",)

    @overrides
    def resampled(
        self, scores: ScorePair, level: Level, rows: Weights, columns: Weights, options: CoefficientOptions
    ) -> Floats:
        return weighted_pdp(scores.human, scores.metric, *all_weights(rows, columns, scores.shape))

    @overrides
    def swapped_differences(self, swaps: Swaps, first: str, second: str) -> Floats | None:
        differences = swaps.of_all_pairs(NUMBERS_PER_INPUT * swaps.human.shape[1], _differences, first, second)
        ones = np.ones((1, swaps.human.shape[0])), np.ones((1, swaps.human.shape[1]))
        for number in np.flatnonzero(np.isnan(differences)).tolist():
            sides = (weighted_pdp(swaps.human, metric, *ones)[0] for metric in swaps.swapped(number, first, second))
            differences[number] = next(sides) - next(sides)
        return differences


def weighted_pdp(human: Floats, metric: Floats, rows: Floats, columns: Floats) -> Floats:
    """Computes PDP, the Pearson correlation of differences within inputs, in every resample.

    PDP = Σ_i n_i S_i(h, m) / √(Σ_i n_i S_i(h, h) · Σ_i n_i S_i(m, m)), where S_i sums products of deviations from the
    means of the n_i outputs of input i.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        rows: Integers, shape (resamples, systems).
        columns: Integers, shape (resamples, inputs).

    Returns:
        Shape (resamples,); NaN if all differences of one of the two are 0.
    """
    present = (~np.isnan(human)).astype(np.float64)
    if len(rows) == 1:  # the last digits of products of BLAS depend on its number of threads
        return np.array([_pdp_of_resample(human, metric, rows[0, :, None] * present, columns[0])])
    h, m = (weighted_centred(one.T, present.T, axis=None).T for one in (human, metric))
    values = np.empty(len(rows))
    step = max(1, BLOCK_BYTES // (8 * max(1, human.shape[1])))
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        values[block], precise = _pdp_of_block(h, m, present, rows[block], columns[block])
        for resample in start + np.flatnonzero(~precise):
            weights = rows[resample, :, None] * present
            values[resample] = _pdp_of_resample(human, metric, weights, columns[resample])
    return values


def _pdp_of_block(h: Floats, m: Floats, present: Floats, rows: Floats, columns: Floats) -> tuple[Floats, Bools]:
    """Computes PDP from centred scores, and whether a resample has kept the digits of its sums of squares."""
    n, sum_h, sum_m = rows @ present, rows @ h, rows @ m
    moment_hm, moment_hh, moment_mm = ((columns * n * (rows @ one)).sum(axis=1) for one in (h * m, h * h, m * m))
    hm = moment_hm - (columns * sum_h * sum_m).sum(axis=1)
    hh, mm = moment_hh - (columns * sum_h**2).sum(axis=1), moment_mm - (columns * sum_m**2).sum(axis=1)
    # Where all differences are 0, all digits are lost.
    precise = (hh > CANCELLATION * moment_hh) & (mm > CANCELLATION * moment_mm)
    return np.clip(ratio(hm, np.maximum(hh, 0), np.maximum(mm, 0)), -1, 1), precise


def _pdp_of_resample(human: Floats, metric: Floats, weights: Floats, columns: Floats) -> float:
    """Computes PDP from the deviations of the outputs drawn from their mean.

    Args:
        human: The human scores, shape (systems, inputs).
        metric: The scores of the metric, of the same shape.
        weights: How often the system of each output is drawn, of the same shape; 0 for missing outputs.
        columns: How often each input is drawn, shape (inputs,).
    """
    weights = np.where(columns > 0, weights, 0).T
    h, m = (weighted_centred(one.T, weights, axis=None) for one in (human, metric))
    n = columns * weights.sum(axis=1)
    hm, hh, mm = ((n * (weights * one).sum(axis=1)).sum() for one in (h * m, h * h, m * m))
    return float(np.clip(ratio(hm, hh, mm), -1, 1))


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


@once_per_draw
def _kept_sums(swaps: Swaps, name: str) -> tuple[_Kept, _Kept]:
    """Sums a metric over the cells that stay and those that swap, once for all its pairs."""
    human, metrics, counts = _shifted(swaps)
    metric = metrics[name]
    totals, changes = metric.sum(axis=0), swaps.permutations.by_column(metric)
    weighted = np.stack([counts * metric**2, human * metric])
    of_all, change = weighted.sum(axis=(1, 2))[:, None], swaps.permutations.totals(weighted)
    sides = []
    for sign in (1, -1):
        sums, (squares, products) = (totals + sign * changes) / 2, (of_all + sign * change) / 2
        sides.append(_Kept(sums, np.einsum("bn,bn->b", sums, sums), squares, products))
    return sides[0], sides[1]


@once
def _shifted(swaps: Swaps) -> tuple[Floats, dict[str, Floats], Floats]:
    """Returns the human scores times n/√(Σ n h²), the shifted metrics, and the numbers of outputs n of the inputs."""
    counts = swaps.present.sum(axis=0)
    people = around_mean(standardized(swaps.human), 0)
    norm = float((counts * people**2).sum())
    return counts * people / (np.sqrt(norm) if norm else np.nan), shifted_metrics(swaps, 0), counts
