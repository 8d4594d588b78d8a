"""τ_23, Kendall's τ with credit for ties that are predicted."""

from __future__ import annotations

from typing import ClassVar

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, PairCoefficient
from metrics_framework.meta_evaluation.coefficients.given_epsilon import GivenEpsilon
from metrics_framework.meta_evaluation.coefficients.kendall import KendallFamily
from metrics_framework.meta_evaluation.sums.pair_sums import PairSums


@Coefficient.register("tau-23")
class Tau23(GivenEpsilon, KendallFamily, PairCoefficient):
    """τ_23 = (C + T_hm − D − T_h − T_m)/T, which is 2·acc_23 − 1, with a given ε (by default 0).

    C and D are concordant and discordant pairs, T_h and T_m those tied in one score only, T_hm in both, T all pairs.

    Source: Deutsch, Foster and Freitag (2023), "Ties Matter".
    """

    title = "τ_23"
    uses: ClassVar[frozenset[str]] = frozenset({"epsilon"})
    is_linear: ClassVar[bool] = True

    @overrides
    def of_pairs(self, sums: PairSums) -> Floats:
        return 2 * sums.accuracy() - 1
