"""Pearson's correlation: of scores, of their ranks (Spearman), and of the differences of pairs of outputs (PDP)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.common.overriding import overrides
from metrics_framework.data.sums import plain_sum
from metrics_framework.meta_evaluation.choices import CoefficientOptions, Level
from metrics_framework.meta_evaluation.coefficients.coefficient import Centre, Coefficient, GroupCoefficient
from metrics_framework.meta_evaluation.coefficients.rank_swaps import linear_differences
from metrics_framework.meta_evaluation.groups.moments import (
    BLOCK_BYTES,
    CANCELLATION,
    pearson_of_rows,
    ratio,
    row_ranks,
    weighted_centred,
)
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair, Weights, all_weights
from metrics_framework.meta_evaluation.groups.swaps import (
    BLOCK_CELLS,
    Swaps,
    around_mean,
    once,
    once_per_draw,
    shifted_metrics,
    standardized,
)
from metrics_framework.meta_evaluation.groups.weighted_groups import WeightedGroups

NUMBERS_PER_GROUP = 64
"""The number of numbers in memory for each group of a permutation, so that a block fits in the cache."""


@Coefficient.register("pearson")
class Pearson(GroupCoefficient):
    """Pearson's r = Σ(x−x̄)(z−z̄) / √(Σ(x−x̄)² Σ(z−z̄)²); undefined if a score is constant."""

    title = "Pearson r"
    by_ranks = "spearman"
    citation = "pearson-1895-note"
    interval_over_systems = "fisher"
    has_reliability = True
    sacrerouge_name = ("pearson", "r")

    @overrides
    def of_groups(self, groups: WeightedGroups, options: CoefficientOptions) -> Floats:
        return groups.pearson()

    @overrides
    def swapped_differences(self, swaps: Swaps, first: str, second: str) -> Floats | None:
        groups = swaps.human.shape[1] if swaps.level == "input" else 1
        return swaps.of_all_pairs(NUMBERS_PER_GROUP * groups, _differences, first, second)

    @overrides
    def p_value(self, human: Floats, metric: Floats) -> float | None:
        r = pearson_of_rows(human[None], metric[None], np.ones((1, len(human))))
        return pearson_p(float(r[0]), len(human))

    @overrides
    def fisher(self, value: float, points: int) -> Centre | None:
        return value, 1 / math.sqrt(points - 3) if points > 3 else math.nan


def pearson_p(r: float, n: int) -> float:
    """Computes the two-sided p-value of r from its distribution for normal data, a beta distribution.

    >>> round(pearson_p(0.5, 10), 6)
    0.141113
    """
    from scipy.special import betainc

    if math.isnan(r):
        return math.nan
    if n == 2:
        return 1.0
    half = n / 2 - 1
    return min(1.0, 2 * float(betainc(half, half, (1 - abs(r)) / 2)))


def _differences(swaps: Swaps, first: str, second: str) -> Floats:
    """Computes the mean over groups of Pearson's r of the first metric, minus that of the second, after swaps.

    Args:
        swaps: The metrics and the permutations, at the level ``input`` or ``global``.
        first: The name of the first metric.
        second: The name of the second.

    Returns:
        Shape (permutations,); NaN where undefined.
    """
    has_differences = _shifted(swaps).has_differences
    means = []
    for names in ((first, second), (second, first)):
        (stay, _), (_, swap) = (_kept_sums(swaps, name) for name in names)
        variance = stay[0] + swap[0]
        np.square(variance, out=variance)
        squares = stay[1] + swap[1]
        np.subtract(squares, variance, out=variance)
        squares *= CANCELLATION
        imprecise = variance <= squares  # also where the metric is constant
        wanted = np.argwhere(imprecise) if imprecise.any() else np.empty((0, 2), dtype=np.intp)
        variance[tuple(wanted.T)] = 1
        r = np.add(stay[2], swap[2], out=squares)
        r /= np.sqrt(variance, out=variance)
        totals = r @ has_differences
        counts = np.full(len(totals), float(has_differences.sum()))
        for block, values in _recomputed(swaps, names, wanted[has_differences[wanted[:, 1]]]):
            known, permutations = ~np.isnan(values), block[:, 0]
            np.add.at(totals, permutations, np.where(known, values, 0) - r[tuple(block.T)])
            np.subtract.at(counts, permutations, ~known)
        means.append(np.where(counts > 0, totals / np.maximum(counts, 1), np.nan))
    return np.asarray(means[0] - means[1])


class _Shifted(NamedTuple):
    """Human scores and metrics, shifted to a common mean of each group; 0 where missing.

    Attributes:
        human: The human scores around the mean of their group, divided by their norm; 0 in groups without differences.
        metrics: Metric to its scores on the common scale, around the mean of all metrics.
        counts: The number of outputs of each group, shape (groups,).
        has_differences: Whether the human scores of a group differ.
    """

    human: Floats
    metrics: dict[str, Floats]
    counts: Floats
    has_differences: Bools


@once
def _shifted(swaps: Swaps) -> _Shifted:
    """Shifts scores so that sums over groups keep their precision; groups are columns, or all cells (``global``)."""
    axis, present = 0 if swaps.level == "input" else None, swaps.present
    people = around_mean(standardized(swaps.human), axis)
    norms = np.sqrt((people**2).sum(axis=axis))
    largest = np.max(swaps.human, axis=axis, initial=-np.inf, where=present)
    distinct = np.asarray(largest > np.min(swaps.human, axis=axis, initial=np.inf, where=present))
    divided = np.where(distinct, people / np.where(norms > 0, norms, 1), 0)
    counts = np.atleast_1d(np.maximum(present.sum(axis=axis), 1))
    return _Shifted(divided, shifted_metrics(swaps, axis), counts, np.atleast_1d(distinct))


@once_per_draw
def _kept_sums(swaps: Swaps, name: str) -> tuple[Floats, Floats]:
    """Sums a metric over the cells that stay and those that swap, once for all its pairs.

    Returns:
        Sums of m/√n, m² and h·m over the n cells of a group that stay, shape (3, permutations, groups), and over those
        that swap.
    """
    scores = _shifted(swaps)
    metric = scores.metrics[name]
    each = np.stack([metric / np.sqrt(scores.counts), metric**2, scores.human * metric])
    if swaps.level == "input":
        totals = each.sum(axis=1)[:, None]
        changes = np.stack([swaps.permutations.by_column(one) for one in each])
    else:
        totals = each.sum(axis=(1, 2))[:, None, None]
        changes = swaps.permutations.totals(each)[:, :, None]
    return (totals + changes) / 2, (totals - changes) / 2


def _recomputed(swaps: Swaps, names: tuple[str, str], wanted: Indices) -> Iterator[tuple[Indices, Floats]]:
    """Computes Pearson's r of single groups from the scores after swaps.

    Args:
        swaps: The metrics and the permutations.
        names: The metric that keeps its scores where the sign is 1, and the other.
        wanted: Pairs of a permutation and a group, shape (k, 2).

    Yields:
        Blocks of the pairs, and their coefficients, NaN where undefined.
    """
    human, kept, swapped = map(swaps.as_columns, (swaps.human, swaps.common[names[0]], swaps.common[names[1]]))
    step = max(1, BLOCK_CELLS // max(1, len(human)))
    for start in range(0, len(wanted), step):
        block = wanted[start : start + step]
        signs = swaps.permutations.of_groups(block, swaps.human.shape, flat=swaps.level == "global")
        groups = block[:, 1]
        people = human[:, groups].T
        metric = np.where(signs > 0, kept[:, groups].T, swapped[:, groups].T)
        yield block, pearson_of_rows(people, metric, (~np.isnan(people)).astype(np.float64))


Counts: TypeAlias = "npt.NDArray[np.int64]"

MAX_EXACT = 10
"""For up to this many points, the p-value of Spearman's ρ is exact: 10 ms, three times as much for each more."""


@Coefficient.register("spearman")
class Spearman(GroupCoefficient):
    """Spearman's ρ, Pearson's r of the mid-ranks; undefined if a score is constant."""

    title = "Spearman ρ"
    citation = "spearman-1904-proof"
    interval_over_systems = "fisher-shrunken"
    has_reliability = True
    sacrerouge_name = ("spearman", "rho")

    @overrides
    def of_groups(self, groups: WeightedGroups, options: CoefficientOptions) -> Floats:
        return groups.spearman()

    @overrides
    def swapped_differences(self, swaps: Swaps, first: str, second: str) -> Floats | None:
        return linear_differences(self, swaps, first, second, of_ranks=True)

    @overrides
    def p_value(self, human: Floats, metric: Floats) -> float | None:
        x, z = row_ranks(human[None]), row_ranks(metric[None])
        rho, n = float(pearson_of_rows(x, z, np.ones(x.shape))[0]), len(human)
        if math.isnan(rho):
            return math.nan
        if n <= MAX_EXACT:
            return exact_spearman_p(x[0], z[0])
        if abs(rho) == 1:
            return _perfect_order_p(x[0], z[0])
        return max(spearman_t_p(rho, n), 2 * math.exp(-math.lgamma(n + 1)))  # not below that of a perfect order

    @overrides
    def fisher(self, value: float, points: int) -> Centre | None:
        return value, bonett_wright_error(value, points)

    @overrides
    def shrunken(self, scores: ScorePair, value: float) -> Centre | None:
        """Returns k = ρ·m/(m + 4), m = S(S² − 1)/3, for few systems S, and Bonett and Wright's error."""
        systems = scores.points("system")
        m = systems * (systems**2 - 1) / 3
        k = value * m / (m + 4)
        return k, bonett_wright_error(k, systems)


def spearman_t_p(rho: float, n: int) -> float:
    """Computes the p-value of ρ from t = ρ√((n−2)/(1−ρ²)), n−2 degrees of freedom, as SciPy and SacreROUGE do.

    It is 0 for ρ = ±1, and NaN for two points.
    """
    from scipy.special import stdtr

    if math.isnan(rho) or n < 3:
        return math.nan
    if abs(rho) == 1:
        return 0.0
    t = abs(rho) * math.sqrt((n - 2) / ((1 + rho) * (1 - rho)))
    return min(1.0, 2 * float(stdtr(n - 2, -t)))


def _perfect_order_p(x: Floats, z: Floats) -> float:
    """Returns the proportion of pairings in the same or the reverse order, of two rankings that have ρ = ±1."""
    sizes = np.unique(x, return_counts=True)[1].tolist()
    both_orders = 2 if sizes == sizes[::-1] else 1
    return both_orders * math.exp(plain_sum(math.lgamma(size + 1) for size in sizes) - math.lgamma(len(x) + 1))


def exact_spearman_p(x: Floats, z: Floats) -> float:
    """Computes the proportion of the n! pairings of two rankings whose ρ is at least as far from 0.

    ρ is proportional to s = Σ a_i·b_π(i), where a and b are twice the mid-ranks minus n + 1: integers, so that equal
    values of s are equal exactly, also with ties. The distribution of s over all pairings of the first ranks with a
    subset of the second follows from those of the subsets with one element less, O(n·2ⁿ) instead of O(n!).

    Args:
        x: The mid-ranks of the first variable, shape (n,), n ≤ 20.
        z: Those of the second, of the same shape.

    >>> exact_spearman_p(np.array([1.0, 2, 3]), np.array([1.0, 2, 3]))  # 2 of 6 orders: the same and the reverse
    0.3333333333333333
    """
    n = len(x)
    a, b = (np.rint(2 * ranks - (n + 1)).astype(int).tolist() for ranks in (x, z))
    largest = sum(first * second for first, second in zip(sorted(map(abs, a)), sorted(map(abs, b)), strict=True))
    counts = _distribution(a, b, largest)
    observed = abs(sum(first * second for first, second in zip(a, b, strict=True)))
    sums = np.abs(np.arange(-largest, largest + 1))
    return float(counts[sums >= observed].sum() / counts.sum())


def _distribution(a: Sequence[int], b: Sequence[int], largest: int) -> Counts:
    """Counts the pairings by their sum of products, from −largest to largest."""
    subsets = np.arange(2 ** len(b))
    sizes = sum((subsets >> element) & 1 for element in range(len(b)))
    counts = np.zeros((len(subsets), 2 * largest + 1), dtype=np.int64)  # of each subset of b, paired with the first a
    counts[0, largest] = 1
    for size, factor in enumerate(a, start=1):
        for element, other in enumerate(b):
            paired = subsets[(sizes == size) & (subsets >> element & 1 == 1)]
            counts[paired] += np.roll(counts[paired - 2**element], factor * other, axis=1)  # no sum leaves the range
    return np.asarray(counts[-1])


def bonett_wright_error(rho: float, points: int) -> float:
    """Returns the standard error √((1 + ρ²/2)/(n − 3)) of artanh ρ; NaN for fewer than four points.

    Source: Bonett and Wright (Psychometrika, 2000).
    """
    return math.sqrt((1 + rho**2 / 2) / (points - 3)) if points > 3 else math.nan


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
        differences = swaps.of_all_pairs(NUMBERS_PER_INPUT * swaps.human.shape[1], _pdp_differences, first, second)
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


class _PdpKept(NamedTuple):
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


def _pdp_differences(swaps: Swaps, first: str, second: str) -> Floats:
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
    sums = [_pdp_sums(swaps, name) for name in (first, second)]
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
def _pdp_sums(swaps: Swaps, name: str) -> tuple[_PdpKept, _PdpKept]:
    """Sums a metric over the cells that stay and those that swap, once for all its pairs."""
    human, metrics, counts = _pdp_shifted(swaps)
    metric = metrics[name]
    totals, changes = metric.sum(axis=0), swaps.permutations.by_column(metric)
    weighted = np.stack([counts * metric**2, human * metric])
    of_all, change = weighted.sum(axis=(1, 2))[:, None], swaps.permutations.totals(weighted)
    sides = []
    for sign in (1, -1):
        sums, (squares, products) = (totals + sign * changes) / 2, (of_all + sign * change) / 2
        sides.append(_PdpKept(sums, np.einsum("bn,bn->b", sums, sums), squares, products))
    return sides[0], sides[1]


@once
def _pdp_shifted(swaps: Swaps) -> tuple[Floats, dict[str, Floats], Floats]:
    """Returns the human scores times n/√(Σ n h²), the shifted metrics, and the numbers of outputs n of the inputs."""
    counts = swaps.present.sum(axis=0)
    people = around_mean(standardized(swaps.human), 0)
    norm = float((counts * people**2).sum())
    return counts * people / (np.sqrt(norm) if norm else np.nan), shifted_metrics(swaps, 0), counts
