"""The pairwise accuracy of systems."""

from __future__ import annotations

from typing import ClassVar

from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.coefficients.kendall import Accuracy
from metrics_framework.meta_evaluation.levels import Level


@Coefficient.register("pairwise-accuracy")
class PairwiseAccuracy(Accuracy):
    """The share of pairs of systems that the means of the metric order, or tie, as those of the human scores do.

    Source: Kocmi et al. (2021), "To Ship or Not to Ship".
    """

    title = "pairwise accuracy"
    levels: ClassVar[tuple[Level, ...]] = ("system",)

    @overrides
    def pooling_weight(self, systems: int) -> float | None:
        return systems * (systems - 1) / 2
