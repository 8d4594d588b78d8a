"""Differences between the coefficients of two metrics after the swaps of each permutation: the null distribution.

What all coefficients share is fast: means over groups that swap as a whole, and means of systems. A coefficient may add
a faster way, `Coefficient.swapped_differences`; any other is computed from swapped scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, GroupCoefficient
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.groups import MAX_ROWS_OF_PAIRS, row_groups
from metrics_framework.meta_evaluation.sums.means import system_means
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair, mean_over_groups
from metrics_framework.meta_evaluation.sums.swaps import Swaps, swapped_means

BORDER = 1e-12
"""Scaled differences that exceed 1 by no more than this are ties: an ε is often itself a difference of two scores."""
ROUNDING = 1e-9
"""A sum of weights below this fraction of all weights is 0 up to rounding."""


def null_differences(coefficient: Coefficient, swaps: Swaps, first: str, second: str) -> Floats:
    """Computes the coefficient of the first metric minus that of the second in every permutation.

    Args:
        coefficient: The coefficient.
        swaps: The metrics and the permutations.
        first: The name of the first metric.
        second: The name of the second.

    Returns:
        Shape (permutations,); NaN where one of the two is undefined.
    """
    if isinstance(coefficient, GroupCoefficient):
        return _of_groups(coefficient, swaps, first, second)
    found = coefficient.swapped_differences(swaps, first, second)
    return explicit_differences(coefficient, swaps, first, second) if found is None else found


def _of_groups(coefficient: GroupCoefficient, swaps: Swaps, first: str, second: str) -> Floats:
    if _groups_swap_as_a_whole(swaps):
        return _flipped_differences(coefficient, swaps, first, second)
    if swaps.level == "within-system":
        return _of_groups(coefficient, swaps.transposed(), first, second)
    if swaps.level == "system":
        return _differences_of_means(coefficient, swaps, first, second)
    found = coefficient.swapped_differences(swaps, first, second)
    if found is None:
        found = weighted_differences(coefficient, swaps, first, second)
    return explicit_differences(coefficient, swaps, first, second) if found is None else found


def _groups_swap_as_a_whole(swaps: Swaps) -> bool:
    """Returns whether each permutation exchanges the values of the two metrics in some groups, and nothing else."""
    drawn = swaps.permutations
    if swaps.level == "within-system":
        return drawn.columns is None and drawn.cells is None
    return swaps.level == "input" and not drawn.has_members


def _flipped_differences(coefficient: GroupCoefficient, swaps: Swaps, first: str, second: str) -> Floats:
    """Subtracts means over groups: each group of the first metric keeps its value, or gets that of the second."""
    sums, counts = (
        [_flipped_sums(coefficient, swaps, name)[what] for name in (first, second)] for what in ("sums", "counts")
    )
    sides = []
    for one, other in ((0, 1), (1, 0)):
        total = sums[one][0] + sums[other][1]
        count = counts[one][0] + counts[other][1]
        defined = count > ROUNDING * (counts[one][0] + counts[one][1]).max(initial=0)
        sides.append(np.where(defined, total / np.where(defined, count, 1), np.nan))
    return np.asarray(sides[0] - sides[1])


def _flipped_sums(coefficient: GroupCoefficient, swaps: Swaps, name: str) -> dict[str, tuple[Floats, Floats]]:
    """Sums the values of a metric, and their weights, over the groups that keep them, and over those that swap."""

    def compute() -> dict[str, tuple[Floats, Floats]]:
        scores, options = ScorePair(swaps.human, swaps.metrics[name]), swaps.options[name]
        values = coefficient.group_values(scores, swaps.level, options)
        weights = np.where(np.isnan(values), 0, coefficient.group_weights(scores, swaps.level, options))
        drawn = swaps.permutations
        signs = drawn.rows if swaps.level == "within-system" else drawn.columns
        signs = np.ones((drawn.count, swaps.shape[1])) if signs is None else signs
        each = np.stack([np.where(weights > 0, values, 0) * weights, weights])
        changes = signs @ each.T
        totals = each.sum(axis=1)
        sides = [((totals[index] + side * changes[:, index]) / 2) for index in (0, 1) for side in (1, -1)]
        return {"sums": (sides[0], sides[1]), "counts": (sides[2], sides[3])}

    return swaps.once_per_draw(("groups", name), compute)


def _differences_of_means(coefficient: GroupCoefficient, swaps: Swaps, first: str, second: str) -> Floats:
    """Compares the coefficients of the systems' means in every permutation."""
    people = system_means(swaps.human)
    sides = [
        _of_means(coefficient, people, means, epsilons, swaps.options[first])
        for means, epsilons in zip(
            swapped_means(swaps, first, second), _mixed_epsilons(swaps, first, second), strict=True
        )
    ]
    return np.asarray(sides[0] - sides[1])


def _of_means(
    coefficient: GroupCoefficient, human: Floats, metric: Floats, epsilons: Floats, options: CoefficientOptions
) -> Floats:
    """Computes the coefficient of each row of means, shape (permutations, systems), each with its own ε."""
    values = np.empty(len(metric))
    for scaled, tolerance, chosen in _with_one_epsilon(metric, epsilons):
        people = np.where(np.isnan(scaled), np.nan, human)
        found = [
            coefficient.of_groups(groups, replace(options, epsilon=tolerance))[:, 0]
            for _, groups in row_groups(people, scaled, np.ones(scaled.shape))
        ]
        values[chosen] = np.concatenate([np.empty(0), *found])
    return values


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
    epsilons = _mixed_epsilons(swaps, first, second)
    as_columns = not (coefficient.depends_on_scale and epsilons.any())
    values = np.empty((2, swaps.permutations.count))
    for side, (one, other) in enumerate(((first, second), (second, first))):
        for block, metric in _swapped(swaps, one, other):
            if as_columns and isinstance(coefficient, GroupCoefficient):
                values[side, block] = _of_columns(coefficient, swaps, first, metric, epsilons[side, block])
            else:
                values[side, block] = _one_by_one(coefficient, swaps, first, metric, epsilons[side, block])
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

    for scaled, epsilon, chosen in _with_one_epsilon(metric.reshape(len(metric), -1), epsilons):
        groups = np.concatenate([by_group(one.reshape(swaps.shape)) for one in scaled])
        human = np.tile(by_group(swaps.human), (len(scaled), 1))
        options = replace(swaps.options[first], epsilon=epsilon)
        scores = ScorePair(human.T, groups.T)
        of_groups = coefficient.group_values(scores, "input", options).reshape(len(scaled), -1)
        weights = coefficient.group_weights(scores, "input", options).reshape(len(scaled), -1)
        values[chosen] = mean_over_groups(of_groups, weights, "global", None, None)
    return values


def _one_by_one(coefficient: Coefficient, swaps: Swaps, first: str, metric: Floats, epsilons: Floats) -> Floats:
    """Computes the coefficient in each permutation of a block, with its ε."""
    options = swaps.options[first]
    return np.array(
        [
            coefficient.resampled(
                ScorePair(swaps.human, scores),
                swaps.level,
                None,
                None,
                replace(options, epsilon=float(epsilon) or None),
            )[0]
            for scores, epsilon in zip(metric, epsilons * (1 + BORDER), strict=True)
        ]
    )


def _mixed_epsilons(swaps: Swaps, first: str, second: str) -> Floats:
    """Returns the ε of both metrics on the common scale, weighted by the share of cells that each metric has.

    Returns:
        Shape (2, permutations).
    """
    one, other = swaps.common_epsilon(first), swaps.common_epsilon(second)
    if not one and not other:
        return np.zeros((2, swaps.permutations.count))
    size = max(1, swaps.human.size)
    kept = swaps.once_per_draw("kept", lambda: (1 + swaps.permutations.total(np.full(swaps.shape, 1 / size))) / 2)
    mixed = np.stack([one * share + other * (1 - share) for share in (kept, 1 - kept)])
    return np.where(mixed <= 1e-9 * max(one, other), 0, mixed)


def _with_one_epsilon(metric: Floats, epsilons: Floats) -> Iterator[tuple[Floats, float | None, Bools]]:
    """Divides rows of scores by their ε, so that one ε is that of all of them.

    Args:
        metric: The scores, shape (rows, outputs).
        epsilons: The ε of each row, shape (rows,).

    Yields:
        Rows divided by their ε and the ε that they have now, or rows without one; and which rows they are.
    """
    tied = epsilons > 0
    if tied.any():
        yield metric[tied] / epsilons[tied, None], 1 + BORDER, tied
    if not tied.all():
        yield metric[~tied], None, ~tied
