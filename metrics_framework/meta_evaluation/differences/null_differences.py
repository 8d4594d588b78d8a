"""Differences between the coefficients of two metrics after the swaps of each permutation: the null distribution.

What all coefficients share is fast: means over groups that swap as a whole, and means of systems. A coefficient may add
a faster way, `Coefficient.swapped_differences`; any other is computed from swapped scores.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, GroupCoefficient
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.differences.swapped_scores import (
    explicit_differences,
    weighted_differences,
)
from metrics_framework.meta_evaluation.sums.rows import row_groups
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair
from metrics_framework.meta_evaluation.sums.swapped_epsilons import mixed_epsilons, with_one_epsilon
from metrics_framework.meta_evaluation.sums.swapped_means import swapped_means
from metrics_framework.meta_evaluation.sums.swaps import Swaps
from metrics_framework.meta_evaluation.sums.system_means import system_means

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
    if swaps.folds and not coefficient.defined_by_human:
        return explicit_differences(coefficient, swaps, first, second)
    if swaps.folds:
        return _differences_of_folds(coefficient, swaps, first, second)
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
        changes = signs @ each.reshape(2, -1, signs.shape[1]).sum(axis=1).T  # the groups of all folds swap together
        totals = each.sum(axis=1)
        sides = [((totals[index] + side * changes[:, index]) / 2) for index in (0, 1) for side in (1, -1)]
        return {"sums": (sides[0], sides[1]), "counts": (sides[2], sides[3])}

    return swaps.once_per_draw(("groups", name), compute)


def _differences_of_folds(coefficient: GroupCoefficient, swaps: Swaps, first: str, second: str) -> Floats:
    """Averages the differences of folds, each as often as it has groups with a coefficient."""
    total, count = np.zeros(swaps.permutations.count), 0.0
    for number in range(swaps.folds):
        fold = swaps.fold(number)
        if any(np.isnan(swaps.options[name].fold_epsilons[number]) for name in (first, second)):
            continue
        scores = ScorePair(fold.human, fold.metrics[first])
        values = coefficient.group_values(scores, fold.level, fold.options[first])
        weights = coefficient.group_weights(scores, fold.level, fold.options[first])
        groups = float(weights[~np.isnan(values)].sum())
        if groups:
            total += groups * _of_groups(coefficient, fold, first, second)
            count += groups
    return total / count if count else np.full(len(total), np.nan)


def _differences_of_means(coefficient: GroupCoefficient, swaps: Swaps, first: str, second: str) -> Floats:
    """Compares the coefficients of the systems' means in every permutation."""
    people = system_means(swaps.human)
    sides = [
        _of_means(coefficient, people, means, epsilons, swaps.options[first])
        for means, epsilons in zip(
            swapped_means(swaps, first, second), mixed_epsilons(swaps, first, second), strict=True
        )
    ]
    return np.asarray(sides[0] - sides[1])


def _of_means(
    coefficient: GroupCoefficient, human: Floats, metric: Floats, epsilons: Floats, options: CoefficientOptions
) -> Floats:
    """Computes the coefficient of each row of means, shape (permutations, systems), each with its own ε."""
    values = np.empty(len(metric))
    for scaled, tolerance, chosen in with_one_epsilon(metric, epsilons):
        people = np.where(np.isnan(scaled), np.nan, human)
        found = [
            coefficient.of_groups(groups, replace(options, epsilon=tolerance))[:, 0]
            for _, groups in row_groups(people, scaled, np.ones(scaled.shape))
        ]
        values[chosen] = np.concatenate([np.empty(0), *found])
    return values
