"""Kendall's τ-a."""

from __future__ import annotations

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, PairCoefficient
from metrics_framework.meta_evaluation.coefficients.kendall import Kendall
from metrics_framework.meta_evaluation.sums.pair_sums import PairSums, shares


@Coefficient.register("kendall-a")
class KendallA(Kendall, PairCoefficient):
    """Kendall's τ-a = (C − D)/T, of concordant, discordant and all pairs; undefined if a score is constant."""

    title = "Kendall τ-a"

    @overrides
    def of_pairs(self, sums: PairSums) -> Floats:
        defined = (sums.untied_human > 0) & (sums.untied_metric > 0)
        return np.where(defined, shares(sums.surplus, sums.total), np.nan)
