"""Differences of any coefficient after swaps, from the swapped scores themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, GroupCoefficient
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.columns import MAX_ROWS_OF_PAIRS
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair, mean_over_groups
from metrics_framework.meta_evaluation.sums.swapped_epsilons import (
    BORDER,
    mixed_epsilons,
    mixed_fold_epsilons,
    with_one_epsilon,
)
from metrics_framework.meta_evaluation.sums.swaps import Swaps


def weighted_differences(coefficient: GroupCoefficient, swaps: Swaps, first: str, second: str) -> Floats | None:
    """Computes differences from weights: each permutation has one half of the stacked scores of both metrics.

    Args:
        coefficient: The coefficient.
        swaps: The metrics and the permutations; the level is ``input`` or ``global``.
        first: The name of the first metric.
        second: The name of the second.

    Returns:
        Shape (permutations,), NaN where undefined; `None` if the permutations are no weights of systems or inputs, or
        the metrics have an ε, which depends on the permutation.
    """
    drawn = swaps.permutations
    swaps_systems = drawn.columns is None
    signs = drawn.rows if swaps_systems else drawn.columns
    mixed = drawn.cells is not None or (drawn.rows is not None and not swaps_systems)
    if signs is None or mixed or (swaps.level == "input" and not swaps_systems):
        return None
    if swaps.common_epsilon(first) or swaps.common_epsilon(second):
        return None
    axis = 0 if swaps_systems else 1
    stacked = ScorePair(
        np.concatenate([swaps.human, swaps.human], axis=axis),
        np.concatenate([swaps.common(first), swaps.common(second)], axis=axis),
    )
    sides = []
    for weights in swaps.once_per_draw("weights", lambda: _weights(signs, swaps.level)):
        rows, columns = (weights, None) if swaps_systems else (None, weights)
        sides.append(coefficient.resampled(stacked, swaps.level, rows, columns, swaps.options[first]))
    return np.asarray(sides[0] - sides[1])


def _weights(signs: Floats, level: Level) -> list[Any]:
    """Returns the weights of the stacked scores on both sides; as 32-bit integers where they are sorted points."""
    of_points = level == "global" or 2 * signs.shape[1] > MAX_ROWS_OF_PAIRS
    kept = ((1 + signs) / 2).astype(np.int32 if of_points else np.float64)
    return [np.concatenate([one, 1 - one], axis=1) for one in (kept, 1 - kept)]


def explicit_differences(coefficient: Coefficient, swaps: Swaps, first: str, second: str) -> Floats:
    """Computes the difference in each permutation from its scores.

    Args:
        coefficient: The coefficient.
        swaps: The metrics and the permutations.
        first: The name of the first metric.
        second: The name of the second.

    Returns:
        Shape (permutations,); NaN where undefined.
    """
    epsilons, of_folds = mixed_epsilons(swaps, first, second), mixed_fold_epsilons(swaps, first, second)
    is_grouped = isinstance(coefficient, GroupCoefficient) and not swaps.folds
    as_columns = is_grouped and not (coefficient.depends_on_scale and epsilons.any())
    values = np.empty((2, swaps.permutations.count))
    for side, (one, other) in enumerate(((first, second), (second, first))):
        for block, metric in _swapped(swaps, one, other):
            if as_columns and isinstance(coefficient, GroupCoefficient):
                values[side, block] = _of_columns(coefficient, swaps, first, metric, epsilons[side, block])
            else:
                each = _options(swaps.options[first], epsilons[side, block], of_folds[side, block])
                values[side, block] = _one_by_one(coefficient, swaps, metric, each)
    return np.asarray(values[0] - values[1])


def _swapped(swaps: Swaps, one: str, other: str) -> Iterator[tuple[slice, Floats]]:
    """Yields blocks of permutations and the scores of the first metric in them, (permutations, systems, inputs)."""
    for block, part in swaps.permutations.blocks(swaps.human.size):
        yield block, np.where(part.dense(swaps.shape) > 0, swaps.common(one), swaps.common(other))


def _of_columns(coefficient: GroupCoefficient, swaps: Swaps, first: str, metric: Floats, epsilons: Floats) -> Floats:
    """Computes the coefficient in each permutation of a block, whose groups are columns of one matrix."""
    values = np.empty(len(metric))

    def by_group(one: Floats) -> Floats:
        return one.T if swaps.level == "input" else one.reshape(1, -1)

    for scaled, epsilon, chosen in with_one_epsilon(metric.reshape(len(metric), -1), epsilons):
        groups = np.concatenate([by_group(one.reshape(swaps.shape)) for one in scaled])
        human = np.tile(by_group(swaps.human), (len(scaled), 1))
        options = replace(swaps.options[first], epsilon=epsilon)
        scores = ScorePair(human.T, groups.T)
        of_groups = coefficient.group_values(scores, "input", options).reshape(len(scaled), -1)
        weights = coefficient.group_weights(scores, "input", options).reshape(len(scaled), -1)
        values[chosen] = mean_over_groups(of_groups, weights, "global", None, None)
    return values


def _options(options: CoefficientOptions, epsilons: Floats, of_folds: Floats) -> Iterator[CoefficientOptions]:
    """Yields the options of each permutation of a block, with its ε."""
    for epsilon, of_each in zip(epsilons * (1 + BORDER), of_folds * (1 + BORDER), strict=True):
        yield replace(options, epsilon=float(epsilon) or None, fold_epsilons=tuple(of_each.tolist()))


def _one_by_one(
    coefficient: Coefficient, swaps: Swaps, metric: Floats, options: Iterable[CoefficientOptions]
) -> Floats:
    """Computes the coefficient in each permutation of a block."""
    return np.array(
        [
            coefficient.resampled(ScorePair(swaps.human, scores), swaps.level, None, None, chosen)[0]
            for scores, chosen in zip(metric, options, strict=True)
        ]
    )
