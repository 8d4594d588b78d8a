"""Coefficients of ranks whose difference between two metrics is linear in the signs of a permutation.

Accuracies, τ_23 and ``kendall-like`` are linear in sums over pairs that the metric orders or ties. τ-a, τ-b, τ-c
and ρ are linear in one sum over pairs in groups in which no two outputs can be tied in the metric.
"""

from __future__ import annotations

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.coefficients.coefficient import GroupCoefficient, PairCoefficient
from metrics_framework.meta_evaluation.sums.linear_swaps import (
    OrderScores,
    PairScores,
    RankScores,
    SortedGroups,
    as_columns,
    can_tie,
    linear_differences,
)
from metrics_framework.meta_evaluation.sums.pair_sums import PairSums
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair
from metrics_framework.meta_evaluation.sums.swaps import Swaps


def always_linear(coefficient: PairCoefficient, swaps: Swaps, first: str, second: str) -> Floats:
    """Computes the differences of a coefficient that is linear in the sums over pairs.

    Args:
        coefficient: The coefficient.
        swaps: The metrics and the permutations.
        first: The name of the first metric.
        second: The name of the second.

    Returns:
        Shape (permutations,).
    """
    scores, weights = swaps.once("linear", lambda: _order_scores(coefficient, swaps, first))
    return linear_differences(swaps, scores, weights, first, second)


def linear_without_ties(
    coefficient: GroupCoefficient, swaps: Swaps, first: str, second: str, *, of_ranks: bool = False
) -> Floats | None:
    """Computes the differences of a coefficient that is linear if the metric ties no outputs.

    Args:
        coefficient: The coefficient.
        swaps: The metrics and the permutations.
        first: The name of the first metric.
        second: The name of the second.
        of_ranks: Whether pairs of outputs count by the difference of their human ranks, not only by its sign.

    Returns:
        Shape (permutations,); `None` if some outputs can be tied after swaps.
    """
    if swaps.epsilon(first) or swaps.epsilon(second):
        return None
    if can_tie(*(as_columns(swaps.common(name), swaps) for name in (first, second))).any():
        return None
    scores, weights = swaps.once("linear", lambda: _untied_scores(coefficient, swaps, of_ranks=of_ranks))
    return linear_differences(swaps, scores, weights, first, second)


def _order_scores(coefficient: PairCoefficient, swaps: Swaps, metric: str) -> tuple[PairScores, Floats]:
    """Finds the slopes of a linear coefficient in the sums over pairs from its values for four metrics.

    They tie all outputs; order all as people do, or the reverse; and order them as people do, with people's ties.
    """
    human, options = as_columns(swaps.human, swaps), swaps.options[metric]
    scores = ScorePair(human, as_columns(swaps.metrics[metric], swaps))
    ties = coefficient.ties(options)
    blocks = [groups.pair_sums(ties) for _, groups in scores.groups("input", None, None)]
    points = np.concatenate([np.empty(0), *(sums.points[0] for sums in blocks)])
    untied = np.concatenate([np.empty(0), *(sums.untied_human[0] for sums in blocks)])
    pairs, none = points * (points - 1) / 2, np.zeros(len(points))
    tied, ordered, reverse, like_people = (
        coefficient.of_pairs(PairSums(points, untied, apart, both, surplus))
        for apart, both, surplus in (
            (none, none, none),
            (pairs, untied, untied),
            (pairs, untied, -untied),
            (untied, untied, untied),
        )
    )
    of_apart, of_order = _divided(ordered - like_people, pairs - untied), _divided(ordered - reverse, 2 * untied)
    of_both = _divided(like_people - tied, untied) - of_apart - of_order
    values = coefficient.group_values(scores, "input", options)
    weights = np.where(np.isnan(values), 0, coefficient.group_weights(scores, "input", options))
    threshold = options.threshold if "threshold" in coefficient.uses else 0.0
    return OrderScores(human, np.stack([of_apart, of_both, of_order]), threshold), weights


def _divided(differences: Floats, counts: Floats) -> Floats:
    return np.divide(differences, counts, out=np.zeros(len(counts)), where=(counts > 0) & ~np.isnan(differences))


def _untied_scores(coefficient: GroupCoefficient, swaps: Swaps, *, of_ranks: bool) -> tuple[PairScores, Floats]:
    """Finds the slope of a coefficient from its values for metrics that order outputs as people do, or the reverse."""
    human = as_columns(swaps.human, swaps)
    order = np.argsort(np.argsort(human, axis=0, kind="stable"), axis=0).astype(np.float64)
    order = np.where(np.isnan(human), np.nan, order)
    options = next(iter(swaps.options.values()))
    values, reversed_values = (
        coefficient.group_values(ScorePair(human, metric), "input", options) for metric in (order, -order)
    )
    ones = np.ones(human.shape[1])
    unit: PairScores = RankScores(human, ones) if of_ranks else OrderScores(human, np.stack([0 * ones, 0 * ones, ones]))
    ordered = SortedGroups(order)
    slopes = _divided(values - reversed_values, unit.sums(ordered, ordered, 0.0).sum(axis=0))
    weights = np.where(np.isnan(values), 0, coefficient.group_weights(ScorePair(human, order), "input", options))
    if of_ranks:
        return RankScores(human, slopes), weights
    return OrderScores(human, np.stack([0 * ones, 0 * ones, slopes])), weights
