"""The coefficient of WMT until 2020 that is like Kendall's τ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, PairCoefficient
from metrics_framework.meta_evaluation.coefficients.kendall import KendallFamily
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.groups import WeightedGroups
from metrics_framework.meta_evaluation.sums.pair_sums import PairSums, Ties, shares
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair


@Coefficient.register("kendall-like")
class KendallLike(KendallFamily, PairCoefficient):
    """(C − D)/(C + D) over pairs whose human scores differ by a threshold or more; ties in the metric are discordant.

    The mean over groups pools their pairs. Source: the metrics tasks of WMT until 2020.
    """

    title = "Kendall-like"
    uses: ClassVar[frozenset[str]] = frozenset({"threshold"})
    is_linear: ClassVar[bool] = True

    @overrides
    def ties(self, options: CoefficientOptions) -> Ties:
        return Ties(threshold=options.threshold)

    @overrides
    def of_pairs(self, sums: PairSums) -> Floats:
        return shares(sums.surplus - (sums.untied_human - sums.untied), sums.untied_human)

    @overrides
    def importance(self, groups: WeightedGroups, options: CoefficientOptions) -> Floats | None:
        return groups.pair_sums(self.ties(options)).untied_human

    @overrides
    def fitted(
        self, scores: ScorePair, level: Level, options: CoefficientOptions
    ) -> tuple[CoefficientOptions, Mapping[str, Any]]:
        return options, {"threshold": options.threshold}
