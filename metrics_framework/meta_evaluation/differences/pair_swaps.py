"""The pair-swapping test: each pair of outputs swaps the verdicts of two metrics on its own.

The test ranked the metrics of the shared tasks of WMT from 2023 to 2025. It is *anti-conservative*: the n(n−1)/2 pairs
of one input share n outputs, so their verdicts are correlated, but the test treats them as independent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.coefficients.group_pairs import pair_blocks, pair_differences
from metrics_framework.meta_evaluation.coefficients.grouping import groups_of
from metrics_framework.meta_evaluation.differences.paired_scores import PairedScores
from metrics_framework.meta_evaluation.names import Level
from metrics_framework.significance.arrays import Bools, Floats, Indices
from metrics_framework.significance.proportions import binomial_p

NAMES = ("acc-23", "acc-eq", "tau-23", "pairwise-accuracy")
"""The coefficients that are averages of verdicts on pairs."""
LARGEST_GROUP = 4000
"""The largest number of outputs per group: all pairs are compared."""
WARNING = (
    "anti-conservative: the pairs of outputs for one input share outputs, so the test finds a difference between "
    "equal metrics several times too often; use 'inputs' or 'systems'"
)


class PairSwaps(NamedTuple):
    """The result of the test.

    Attributes:
        p_value: The two-sided p-value.
        p_greater: The one-sided p-value of the alternative that the first metric is more accurate.
        p_less: That of the alternative that the second metric is more accurate.
        is_exact: Whether they are exact.
    """

    p_value: float
    p_greater: float
    p_less: float
    is_exact: bool


def swapped_pairs(scores: PairedScores, name: str, level: Level, resamples: int, seed: int) -> PairSwaps:
    """Tests two metrics by swapping their verdicts on pairs.

    A verdict is right if the metric orders a pair as people do, or ties a pair that people tie. Only pairs on which one
    of the metrics is right and the other wrong matter. If all groups have the same number of pairs, the number of pairs
    that the first metric wins is binomial, and p is exact; otherwise binomial numbers are drawn for each size of group.

    Args:
        scores: The scores, with the ε of each metric.
        name: The coefficient, one of `NAMES`.
        level: The level.
        resamples: The number of draws if p is not exact.
        seed: The seed.

    Raises:
        InputError: if the coefficient is not an accuracy, or a group has too many outputs.
    """
    if name not in NAMES:
        raise InputError(f"the test 'pairs' compares accuracies ({', '.join(NAMES)}), got '{name}'")
    groups = [groups_of(scores.human, metric, level) for metric in (scores.first, scores.second)]
    if groups[0][0].shape[1] > LARGEST_GROUP:
        raise InputError(
            f"the test 'pairs' compares all pairs of outputs; a group has {groups[0][0].shape[1]:,} outputs, more than "
            f"{LARGEST_GROUP:,}; use the level 'input' or the test 'inputs'"
        )
    totals, wins, losses = _counts(groups, scores.epsilons)
    sizes = np.unique(totals)
    if not len(sizes):
        return PairSwaps(np.nan, np.nan, np.nan, False)
    won = np.array([wins[totals == size].sum() for size in sizes])
    decided = won + np.array([losses[totals == size].sum() for size in sizes])
    if len(sizes) == 1:
        tails = (_upper_tail(won[0], decided[0]), _upper_tail(decided[0] - won[0], decided[0]))
        return PairSwaps(binomial_p(int(won[0]), int(decided[0])), *tails, True)
    drawn = np.random.default_rng([seed, 4]).binomial(decided, 0.5, size=(resamples, len(sizes)))
    trials, found = (2 * drawn - decided) @ (1 / sizes), float((2 * won - decided) @ (1 / sizes))
    near = 1e-9
    counts = ((abs(trials) >= abs(found) - near), trials >= found - near, trials <= found + near)
    two_sided, greater, less = ((int(np.count_nonzero(large)) + 1) / (resamples + 1) for large in counts)
    return PairSwaps(two_sided, greater, less, False)


def _upper_tail(successes: int, trials: int) -> float:
    """Returns the probability of at least this many successes in fair trials."""
    from scipy.special import bdtr

    return float(bdtr(trials - successes, trials, 0.5))


def _counts(groups: list[tuple[Floats, Floats]], epsilons: tuple[float, float]) -> tuple[Indices, Indices, Indices]:
    """Counts the pairs of each group, those only the first metric has right, and those only the second has right."""
    counts = []
    for block in pair_blocks(groups[0][0].shape):
        people = pair_differences(groups[0][0][block])
        right = [
            _is_right(people, pair_differences(metric[block]), epsilon)
            for (_, metric), epsilon in zip(groups, epsilons, strict=True)
        ]
        pairs = (~np.isnan(people), right[0] & ~right[1], right[1] & ~right[0])
        counts.append([np.count_nonzero(chosen, axis=1) for chosen in pairs])
    totals, wins, losses = np.concatenate(counts, axis=1)
    compared = totals > 0
    return totals[compared], wins[compared], losses[compared]


def _is_right(people: Floats, metric: Floats, epsilon: float) -> Bools:
    tied = np.abs(metric) <= epsilon
    right: Bools = np.where(people == 0, tied, ~tied & ((people > 0) == (metric > 0)) & ~np.isnan(people))
    return right
