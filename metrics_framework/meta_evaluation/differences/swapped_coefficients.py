"""Differences between the coefficients of two metrics after the swaps of each arrangement, at every level."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from metrics_framework.meta_evaluation.coefficients.groups import group_values, group_weights
from metrics_framework.meta_evaluation.coefficients.system_means import EPSILON, system_means, without_rounding
from metrics_framework.meta_evaluation.differences.linear_groups import linear_groups
from metrics_framework.meta_evaluation.differences.moments import (
    Halves,
    column_sums,
    pearson_of_sums,
    swapped_pdp,
    total_sums,
)
from metrics_framework.meta_evaluation.differences.paired_scores import PairedScores
from metrics_framework.meta_evaluation.differences.soft_pairs import soft_differences
from metrics_framework.meta_evaluation.differences.spins import Spins
from metrics_framework.meta_evaluation.differences.vectors import explicit_columns
from metrics_framework.meta_evaluation.names import Coefficient, Level
from metrics_framework.significance.arrays import Bools, Floats

Both: TypeAlias = "tuple[Floats, Floats]"
"""A value of each metric in every arrangement."""
NUMBERS_PER_VALUE = 64
"""The number of numbers in memory for each coefficient of a block."""


def null_differences(scores: PairedScores, name: Coefficient, level: Level, spins: Spins, seed: int = 0) -> Floats:
    """Computes the difference between the coefficients of both metrics in every arrangement.

    Args:
        scores: The scores, with the ε of each metric (``acc-23``).
        name: The coefficient; ``acc-23`` means ``acc-eq`` with the given ε.
        level: The level.
        spins: The arrangements.
        seed: The seed of the sign flips of ``spa``.

    Returns:
        Shape (arrangements,); NaN where one of the two is undefined.
    """
    if level == "within-system":
        return _input_level(scores.changed(np.transpose), name, spins.transposed())
    if name == "pdp":
        plus, minus = swapped_pdp(scores, spins)
        return np.asarray(plus - minus)
    if name in ("spa", "spa:normal"):
        return soft_differences(scores, spins, seed, normal=name == "spa:normal")
    if level == "input":
        return _input_level(scores, name, spins)
    if level == "system":
        return _system_level(scores, "acc-23" if name == "pairwise-accuracy" else name, spins)
    return _global_level(scores, name, spins)


def _input_level(scores: PairedScores, name: Coefficient, spins: Spins) -> Floats:
    """Averages over inputs; spins of columns exchange the values of the two metrics."""
    weights = group_weights(scores.human, scores.first, name, level="input", epsilon=scores.epsilons[0])
    flips = np.ones((1, 1)) if spins.columns is None else spins.columns
    if not spins.has_members:
        values = [
            group_values(scores.human, metric, name, level="input", epsilon=scores.epsilons[index])[None]
            for index, metric in enumerate((scores.first, scores.second))
        ]
        return _mean_difference(values[0], values[1], flips, weights)
    members = spins.without_columns()
    if name == "pearson":
        return _mean_of_pearson(scores, members, flips, weights)
    linear, denominators, is_linear = linear_groups(scores, name)
    used = is_linear & (denominators > 0)
    rest = ~is_linear
    others = (
        _column_values(scores.changed(lambda values: values[:, rest]), name, members.only_columns(rest))
        if rest.any()
        else None
    )
    if others is not None and _changes(others):
        plus, minus = _column_values(scores, name, members)
        return _mean_difference(plus, minus, flips, weights)
    sums = ((members.by_column(linear) * flips) * (used * weights)).sum(axis=1)
    total = float(weights[used].sum())
    if others is not None:
        plus, minus = others
        defined = ~np.isnan(plus[0])
        kept = weights[rest] * defined
        other_flips = flips if flips.shape[1] == 1 else flips[:, rest]
        sums = sums + (np.nan_to_num(plus - minus) * other_flips * kept).sum(axis=1)
        total += float(kept.sum())
    return np.asarray(sums / total) if total else np.full(spins.count, np.nan)


def _mean_of_pearson(scores: PairedScores, members: Spins, flips: Floats, weights: Floats) -> Floats:
    """Averages Pearson's r over inputs, in blocks of arrangements that fit in the cache."""
    halves = Halves.of(scores, 0)
    parts = []
    for block, part in members.blocks(NUMBERS_PER_VALUE * scores.shape[1]):
        plus, minus = _column_pearson(scores, part, halves)
        parts.append(_mean_difference(plus, minus, flips if len(flips) == 1 else flips[block], weights))
    return np.concatenate(parts)


def _changes(values: Both) -> bool:
    """Returns whether a coefficient is defined in some arrangements only."""
    undefined = np.isnan(values[0]) | np.isnan(values[1])
    return bool((undefined.any(axis=0) & ~(np.isnan(values[0]) & np.isnan(values[1])).all(axis=0)).any())


def _mean_difference(plus: Floats, minus: Floats, flips: Floats, weights: Floats) -> Floats:
    """Subtracts weighted means over groups, after exchanging the two values where the flip is −1.

    Args:
        plus: Shape (arrangements, groups), or (1, groups) if they are the same in all arrangements.
        minus: Of the same shape.
        flips: Shape (arrangements, groups), or (1, 1) for none.
        weights: The weights of groups, shape (groups,).
    """
    defined = [np.where(np.isnan(values), 0.0, weights) for values in (plus, minus)]
    filled = [np.where(np.isnan(values), 0.0, values) * weights for values in (plus, minus)]
    sums, counts = _flipped(filled[0], filled[1], flips), _flipped(defined[0], defined[1], flips)
    means = [np.where(n > 0.5, s / np.where(n > 0.5, n, 1), np.nan) for s, n in zip(sums, counts, strict=True)]
    return np.asarray(means[0] - means[1])


def _flipped(plus: Floats, minus: Floats, flips: Floats) -> Both:
    """Sums both values over the groups after the flips, shapes (arrangements,)."""
    half = (plus - minus) / 2
    flips = np.broadcast_to(flips, (len(flips), half.shape[1]))
    change = flips @ half[0] if len(half) == 1 else np.einsum("bg,bg->b", np.broadcast_to(flips, half.shape), half)
    middle = (plus.sum(axis=1) + minus.sum(axis=1)) / 2
    return middle + change, middle - change


def _column_values(scores: PairedScores, name: Coefficient, spins: Spins) -> Both:
    """Computes the coefficient of each column in every arrangement, shapes (arrangements, inputs)."""
    if name == "pearson":
        return _column_pearson(scores, spins, Halves.of(scores, 0))
    everything = np.indices((spins.count, scores.shape[1])).reshape(2, -1).T
    results = []
    for sign in (1, -1):
        result = np.empty((spins.count, scores.shape[1]))
        for block, values in explicit_columns(scores, name, spins, sign, everything):
            result[tuple(block.T)] = values
        results.append(result)
    return results[0], results[1]


def _column_pearson(scores: PairedScores, spins: Spins, halves: Halves) -> Both:
    squares = (halves.human**2).sum(axis=0)
    human_constant = _constant_columns(scores.human)
    results = []
    for sign, sums in zip((1, -1), column_sums(halves, spins), strict=True):
        r = pearson_of_sums(sums, np.where(human_constant, 0, squares))
        imprecise = ~sums.is_precise & ~human_constant
        if imprecise.any():
            for block, values in explicit_columns(scores, "pearson", spins, sign, np.argwhere(imprecise)):
                r[tuple(block.T)] = values
        results.append(r)
    return results[0], results[1]


def _constant_columns(values: Floats) -> Bools:
    """Returns which columns have fewer than two different values."""
    present = ~np.isnan(values)
    largest = np.max(values, axis=0, initial=-np.inf, where=present)
    constant: Bools = largest <= np.min(values, axis=0, initial=np.inf, where=present)
    return constant


def _global_level(scores: PairedScores, name: Coefficient, spins: Spins) -> Floats:
    """Compares the coefficients over all cells in every arrangement."""
    flat = scores.changed(lambda values: values.reshape(-1, 1))
    if name == "pearson":
        halves = Halves.of(scores, None)
        squares = np.asarray((halves.human**2).sum())
        sides = total_sums(halves, spins)
        if all(sums.is_precise.all() for sums in sides) and not _constant_columns(flat.human).any():
            return np.asarray(pearson_of_sums(sides[0], squares) - pearson_of_sums(sides[1], squares))
    else:
        linear, denominators, is_linear = linear_groups(flat, name)
        if is_linear.all():
            undefined = np.full(spins.count, np.nan)
            return spins.total(linear.reshape(scores.shape)) if denominators[0] else undefined
    cells = Spins(spins.count, cells=spins.dense(scores.shape).astype(np.int8).reshape(spins.count, -1, 1))
    plus, minus = _column_values(flat, name, cells)
    return np.asarray(plus[:, 0] - minus[:, 0])


def _system_level(scores: PairedScores, name: Coefficient, spins: Spins) -> Floats:
    """Compares the coefficients of the systems' means in every arrangement."""
    used: Bools = np.asarray(scores.present.any(axis=1))
    scores, spins = scores.changed(lambda values: values[used]), spins.only_rows(used)
    counts = scores.present.sum(axis=1)
    first, second = (np.nan_to_num(values) for values in (scores.first_z, scores.second_z))
    change = spins.by_row((first - second) / 2) / counts
    middle = ((first + second) / 2).sum(axis=1) / counts
    sizes = np.maximum(np.abs(first), np.abs(second)).sum(axis=1) / counts
    bounds = EPSILON * (4 + np.sqrt(counts)) * sizes
    human = np.repeat(system_means(scores.human)[:, None], spins.count, axis=1)
    kept = (1 + spins.total(np.full(scores.shape, 1 / first.size))) / 2
    results = []
    for means, share in ((middle + change, kept), (middle - change, 1 - kept)):
        merged = without_rounding(means, np.broadcast_to(bounds, means.shape)).T
        results.append(_with_epsilons(human, merged, name, _mixed_epsilons(scores, name, share)))
    return np.asarray(results[0] - results[1])


def _mixed_epsilons(scores: PairedScores, name: Coefficient, share: Floats) -> Floats:
    """Returns the ε of each arrangement on the common scale, weighted by the share of each metric's scores."""
    if name == "kendall-like":
        return np.full(len(share), scores.epsilons[0])
    first, second = scores.common_epsilons
    mixed = first * share + second * (1 - share)
    return np.where(mixed > 1e-9 * max(first, second), mixed, 0)


def _with_epsilons(human: Floats, metric: Floats, name: Coefficient, epsilons: Floats) -> Floats:
    """Computes the coefficient of each column, each with its own ε; shapes (systems, columns), (columns,)."""
    if name == "kendall-like" or not epsilons.any():
        return group_values(human, metric, name, level="input", epsilon=float(epsilons[0]))
    scaled = metric / np.where(epsilons > 0, epsilons, 1)
    with_ties = group_values(human, scaled, name, level="input", epsilon=1 + 1e-12)
    return np.where(epsilons > 0, with_ties, group_values(human, metric, name, level="input"))
