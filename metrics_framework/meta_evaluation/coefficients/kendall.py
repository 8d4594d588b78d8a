"""What Kendall's coefficients share: intervals of τ, and of accuracies as τ = 2a − 1."""

from __future__ import annotations

from typing import ClassVar

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.coefficients.coefficient import GroupCoefficient, PairCoefficient
from metrics_framework.meta_evaluation.coefficients.fisher import Ends, fieller_error, fisher_ends, shrunken_fieller
from metrics_framework.meta_evaluation.coefficients.swapped_ranks import always_linear, linear_without_ties
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.pair_sums import EQUAL, PairSums
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair
from metrics_framework.meta_evaluation.sums.swaps import Swaps


class KendallFamily(GroupCoefficient):
    """A coefficient of pairs of outputs whose interval over systems is that of Kendall's τ."""

    @overrides
    def shrunken_interval(self, scores: ScorePair, value: float, tail: float) -> Ends | None:
        groups = next(groups for _, groups in scores.groups("system", None, None))
        pairs = float(groups.pair_sums(EQUAL).untied[0, 0])
        lower, upper = shrunken_fieller(2 * self.on_unit_scale(value) - 1, pairs, scores.points("system"), tail)
        return self.from_unit_scale((lower + 1) / 2), self.from_unit_scale((upper + 1) / 2)

    @overrides
    def default_interval(self, level: Level) -> str:
        return "fisher-shrunken" if level == "system" else super().default_interval(level)

    @overrides
    def swapped_differences(self, swaps: Swaps, first: str, second: str) -> Floats | None:
        if isinstance(self, PairCoefficient) and self.is_linear:
            return always_linear(self, swaps, first, second)
        return None


class Kendall(KendallFamily):
    """One of Kendall's τ."""

    @overrides
    def swapped_differences(self, swaps: Swaps, first: str, second: str) -> Floats | None:
        return linear_without_ties(self, swaps, first, second)

    @overrides
    def fisher_interval(self, value: float, points: int, tail: float) -> Ends | None:
        return fisher_ends(value, fieller_error(points), tail)


class Accuracy(KendallFamily, PairCoefficient):
    """The share of pairs of outputs that the metric orders, or ties, as people do."""

    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    is_linear: ClassVar[bool] = True
    ceiling_splits: ClassVar[int] = 20  # all pairs of outputs are compared in each

    @overrides
    def of_pairs(self, sums: PairSums) -> Floats:
        return sums.accuracy()
