"""The coefficient ``concordance``."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy.typing as npt

from metrics_framework import Coefficient, CoefficientOptions, WeightedCoefficient

Floats = npt.NDArray[Any]


@Coefficient.register("concordance")
class Concordance(WeightedCoefficient):
    """Lin's concordance, 2·s_hm / (s_hh + s_mm + (h̄ − m̄)²), of scores on the same scale as those of people.

    Source: Lin (1989), "A Concordance Correlation Coefficient to Evaluate Reproducibility", with variances over n.
    """

    title = "Lin ρc"
    depends_on_scale: ClassVar[bool] = True

    def weighted(self, human: Floats, metric: Floats, weights: Floats, options: CoefficientOptions) -> Floats:
        """Computes the coefficient of each group; shapes (groups, outputs)."""
        n = weights.sum(axis=1, keepdims=True)
        h, m = ((weights * one).sum(axis=1, keepdims=True) / n for one in (human, metric))
        covariance = weights * (human - h) * (metric - m)
        spread = weights * ((human - h) ** 2 + (metric - m) ** 2 + (h - m) ** 2)
        concordance: Floats = 2 * covariance.sum(axis=1) / spread.sum(axis=1)
        return concordance
