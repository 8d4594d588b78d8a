"""Scores of pairs of outputs whose sum a coefficient is, up to a factor that no swap changes.

Such a coefficient of a group is f = Σ v(a, b) over pairs of outputs, where v depends on how the metric orders the two.
With signs s of the outputs, v is a polynomial in s_a and s_b, and in the difference between the two metrics all terms
but the linear ones cancel: f(s) − f(−s) = 2 Σ_a s_a L_a, L_a = ¼ Σ_b [v₁₁ + v₁₂ − v₂₁ − v₂₂](a, b), where v_kl compares
the score of a by metric k with that of b by metric l.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.sums.midranks import row_ranks
from metrics_framework.meta_evaluation.sums.sorted_groups import SortedGroups, SortedHuman, compare_orders

MAX_DENSE = 64
"""Up to this many outputs per group, all pairs are compared."""

BLOCK_PAIRS = 1 << 18
"""The number of pairs that are compared at a time: the arrays of a block stay in the cache."""


@dataclass(frozen=True)
class PairScores(ABC):
    """A score of each pair of outputs, given the human scores.

    Args:
        human: The human scores; columns are groups; NaN where missing.
    """

    human: Floats

    def sums(self, one: SortedGroups, other: SortedGroups, epsilon: float) -> Floats:
        """Sums the scores of each output's pairs, its score by one metric against those of all others by another.

        Args:
            one: The scores of one metric, NaN in the same cells as the human scores.
            other: The scores of the other metric on the same scale.
            epsilon: The largest difference that is a tie.

        Returns:
            Shape (outputs, groups); 0 where missing.
        """
        outputs, groups = self.human.shape[0], self.human.shape[1]
        found = np.zeros((outputs, groups))
        if outputs > MAX_DENSE:
            for group in range(groups):
                found[one.used(group), group] = self._sorted(group, one, other, epsilon)
            return found
        step = max(1, BLOCK_PAIRS // max(1, outputs**2))
        for start in range(0, groups, step):
            block = slice(start, start + step)
            with np.errstate(over="ignore"):  # of differences only the sign, and whether they are large, are used
                found[:, block] = self._dense(block, one.scores[:, block], other.scores[:, block], epsilon)
        return found

    @abstractmethod
    def _dense(self, block: slice, one: Floats, other: Floats, epsilon: float) -> Floats:
        """Compares all pairs of outputs of some groups, shape (outputs, groups)."""

    @abstractmethod
    def _sorted(self, group: int, one: SortedGroups, other: SortedGroups, epsilon: float) -> Floats:
        """Compares all pairs of outputs of a group by sorting them, shape (outputs,)."""


def _signs(one: Floats, other: Floats, epsilon: float) -> Floats:
    """Returns the sign of one score minus another, 0 for ties, for all pairs; shape (outputs, outputs, groups)."""
    a, b = one[:, None], other[None]
    if not epsilon:
        return np.subtract(a > b, a < b, dtype=np.float64)
    differences = a - b
    return np.subtract(differences > epsilon, differences < -epsilon, dtype=np.float64)


@dataclass(frozen=True)
class OrderScores(PairScores):
    """v = β₁ [apart in the metric] + β₂ [apart in both scores] + β₃ sign(h_a − h_b) sign(m_a − m_b), for each group.

    Args:
        human: The human scores; columns are groups; NaN where missing.
        slopes: β₁, β₂ and β₃ of each group, shape (3, groups).
        threshold: Human scores that differ by less are tied.
    """

    slopes: Floats
    threshold: float = 0.0
    _people: dict[int, SortedHuman] = field(default_factory=dict, repr=False)

    @overrides
    def _dense(self, block: slice, one: Floats, other: Floats, epsilon: float) -> Floats:
        human, (apart, both, order) = self.human[:, block], self.slopes[:, block]
        people = _signs(human, human, _largest_tie(self.threshold))
        signs = _signs(one, other, epsilon)
        signs[np.arange(len(human)), np.arange(len(human))] = 0
        sums = order * np.einsum("abg,abg->ag", people, signs)
        if both.any() or apart.any():
            np.abs(signs, out=signs)
            sums += apart * signs.sum(axis=1) + both * np.einsum("abg,abg->ag", np.abs(people), signs)
        return np.asarray(sums)

    @overrides
    def _sorted(self, group: int, one: SortedGroups, other: SortedGroups, epsilon: float) -> Floats:
        if group not in self._people:
            self._people[group] = SortedHuman.of(self.human[one.used(group), group], _largest_tie(self.threshold))
        apart, both, order = self.slopes[:, group]
        counts = compare_orders(self._people[group], one, other, group, epsilon)
        sums = order * (counts.concordant - counts.discordant) + both * (counts.concordant + counts.discordant)
        return np.asarray(sums + apart * counts.apart)


def _largest_tie(threshold: float) -> float:
    """Returns the largest difference of human scores that is a tie; those below the threshold are."""
    return float(np.nextafter(threshold, 0)) if threshold else 0.0


@dataclass(frozen=True)
class RankScores(PairScores):
    """v = β (r_a − r_b) sign(m_a − m_b), where r are the ranks of the human scores.

    Args:
        human: The human scores; columns are groups; NaN where missing.
        slopes: β of each group, shape (groups,).
    """

    slopes: Floats

    @overrides
    def _dense(self, block: slice, one: Floats, other: Floats, epsilon: float) -> Floats:
        ranks = np.nan_to_num(row_ranks(self.human[:, block].T).T)
        signs = _signs(one, other, epsilon)
        signs[np.arange(len(ranks)), np.arange(len(ranks))] = 0
        return np.asarray(self.slopes[block] * (ranks * signs.sum(axis=1) - np.einsum("bg,abg->ag", ranks, signs)))

    @overrides
    def _sorted(self, group: int, one: SortedGroups, other: SortedGroups, epsilon: float) -> Floats:
        ranks = row_ranks(self.human[None, one.used(group), group])[0]
        limits = one.limits_in(other, group, epsilon)
        sums = np.concatenate([[0], np.cumsum((ranks - ranks.mean())[other.of_group(group).order])])
        signed = sums[limits.below] - (sums[-1] - sums[limits.up_to])
        surplus = limits.below - (len(ranks) - limits.up_to)
        return np.asarray(self.slopes[group] * ((ranks - ranks.mean()) * surplus - signed))
