"""The pair-swapping test: each pair of outputs swaps the verdicts of two metrics on its own.

The test ranked the metrics of the shared tasks of WMT from 2023 to 2025. It is *anti-conservative*: the n(n−1)/2 pairs
of one input share n outputs, so their verdicts are correlated, but the test treats them as independent.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.common.errors import InputError
from metrics_framework.common.overriding import overrides
from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, PairCoefficient
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.differences.difference_test import Compared, DifferenceTest, Tested, these
from metrics_framework.meta_evaluation.grouping import groups_of
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.pair_differences import pair_blocks, pair_differences
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair
from metrics_framework.significance.proportions import binomial_p

MAX_GROUP = 4000
"""The largest number of outputs per group: all pairs are compared."""

WARNING = (
    "anti-conservative: the pairs of outputs for one input share outputs, so the test finds a difference between "
    "equal metrics several times too often; use 'inputs' or 'systems'"
)


@DifferenceTest.register("pairs")
class SwappedPairs(DifferenceTest):
    """Swaps the verdicts of two metrics on single pairs of outputs, as WMT 2023 to 2025 did: anti-conservative.

    A verdict is right if the metric orders a pair as people do, or ties a pair that people tie. Only pairs on which one
    of the metrics is right and the other wrong matter. If all groups have the same number of pairs, the number of pairs
    that the first metric wins is binomial, and p is exact; otherwise binomial numbers are drawn for each size of group.
    """

    keeps_clusters: ClassVar[bool] = False

    @overrides
    def population(self, shape: tuple[int, int], level: Level) -> str:
        return f"for other errors of single outputs, {these(shape[0], 'system')} and {counted(shape[1], 'input')}"

    @overrides
    def refusal(self, coefficient: Coefficient, level: Level) -> str | None:
        if isinstance(coefficient, PairCoefficient) and coefficient.averages_verdicts:
            return None
        return (
            f"'pairs' compares verdicts on pairs of outputs, of accuracies and the like, got '{coefficient.name}'; use "
            "the test 'inputs' or 'systems'"
        )

    @overrides
    def compare(self, compared: Compared, first: str, second: str) -> Tested:
        settings = compared.settings
        groups = [_groups(compared, name) for name in (first, second)]
        found = swapped_pairs(groups[0], groups[1], settings.resamples, settings.seed)
        return Tested(
            found.p_value,
            found.p_greater,
            found.p_less,
            test=self.name,
            population=self.population(compared.scores.shape, compared.level),
            permutations=0 if found.is_exact else settings.resamples,
            is_exact=found.is_exact,
            notes=(WARNING,),
        )


class Group(NamedTuple):
    """Groups of outputs that share an ε.

    Attributes:
        human: The human scores, shape (groups, outputs).
        metric: The scores of a metric, of the same shape.
        epsilon: The largest difference that is a tie.
    """

    human: Floats
    metric: Floats
    epsilon: float


def _groups(compared: Compared, name: str) -> list[Group]:
    """Returns the groups of a metric, those of each fold of inputs separately."""
    options: CoefficientOptions = compared.measured[name].options
    scores = ScorePair(compared.scores.human, compared.scores.metrics[name])
    parts = [(scores, options.epsilon or 0.0)]
    if options.fold_epsilons:
        folds = scores.folds(options.fold_of, len(options.fold_epsilons))
        parts = [(fold, epsilon) for (fold, _), epsilon in zip(folds, options.fold_epsilons, strict=True)]
    groups = [Group(*groups_of(one.human, one.metric, compared.level), epsilon) for one, epsilon in parts]
    if (largest := max(one.human.shape[1] for one in groups)) > MAX_GROUP:
        raise InputError(
            f"the test 'pairs' compares all pairs of outputs; a group has {largest:,} outputs, more than "
            f"{MAX_GROUP:,}; use the level 'input' or the test 'inputs'"
        )
    return groups


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


def swapped_pairs(first: list[Group], second: list[Group], resamples: int, seed: int) -> PairSwaps:
    """Tests two metrics by swapping their verdicts on pairs.

    Args:
        first: The groups of the first metric.
        second: The same groups of the second.
        resamples: The number of draws if p is not exact.
        seed: The seed.
    """
    counts = [_counts(one, other) for one, other in zip(first, second, strict=True)]
    totals, wins, losses = np.concatenate(counts, axis=1)
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
    large = ((abs(trials) >= abs(found) - near), trials >= found - near, trials <= found + near)
    two_sided, greater, less = ((int(np.count_nonzero(one)) + 1) / (resamples + 1) for one in large)
    return PairSwaps(two_sided, greater, less, False)


def _upper_tail(successes: int, trials: int) -> float:
    """Returns the probability of at least this many successes in fair trials."""
    from scipy.special import bdtr

    return float(bdtr(trials - successes, trials, 0.5))


def _counts(first: Group, second: Group) -> Indices:
    """Counts the pairs of each group, those only the first metric has right, and those only the second has right.

    Groups without pairs are left out, as are those in which the ε of a metric is undefined.
    """
    counts = [np.empty((3, 0), dtype=np.intp)]
    for block in pair_blocks(first.human.shape):
        people = pair_differences(first.human[block])
        right = [_is_right(people, pair_differences(one.metric[block]), one.epsilon) for one in (first, second)]
        pairs = (~np.isnan(people), right[0] & ~right[1], right[1] & ~right[0])
        counts.append(np.stack([np.count_nonzero(chosen, axis=1) for chosen in pairs]))
    found = np.concatenate(counts, axis=1)
    compared = (found[0] > 0) & ~np.isnan(first.epsilon) & ~np.isnan(second.epsilon)
    return np.asarray(found[:, compared])


def _is_right(people: Floats, metric: Floats, epsilon: float) -> Bools:
    tied = np.abs(metric) <= epsilon
    right: Bools = np.where(people == 0, tied, ~tied & ((people > 0) == (metric > 0)) & ~np.isnan(people))
    return right
