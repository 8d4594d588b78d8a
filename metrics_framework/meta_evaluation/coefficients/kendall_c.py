"""Kendall's τ-c, also called Stuart's."""

from __future__ import annotations

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.coefficients.kendall import Kendall
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.sums.groups import WeightedGroups
from metrics_framework.meta_evaluation.sums.pair_sums import EQUAL


@Coefficient.register("kendall-c")
class KendallC(Kendall):
    """Kendall's τ-c = 2(C − D)/(n²(m − 1)/m), m the smaller number of distinct scores; undefined if m is 1."""

    title = "Kendall τ-c"

    @overrides
    def of_groups(self, groups: WeightedGroups, options: CoefficientOptions) -> Floats:
        sums, distinct = groups.pair_sums(EQUAL), groups.least_distinct()
        with np.errstate(invalid="ignore", divide="ignore"):
            values = 2 * sums.surplus * distinct / (sums.points**2 * (distinct - 1))
        return np.where(distinct > 1, np.clip(values, -1, 1), np.nan)
