"""The area under the ROC curve: how well a metric tells good outputs from bad ones."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.choices import CoefficientOptions, Level
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, WeightedCoefficient


@Coefficient.register("auroc")
class Auroc(WeightedCoefficient):
    """P(x > y) + P(x = y)/2 for the scores x of good outputs and y of bad ones; undefined without both.

    An output is good if its human score is above the threshold, 0 by default: human scores are 1 and 0, such as those
    of ``fw convert-ratings --error-free``.

    Source: Fawcett (2006).
    """

    title = "AUROC"
    citation = "fawcett-2006-introduction"
    levels: ClassVar[tuple[Level, ...]] = ("input", "global")
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    uses: ClassVar[frozenset[str]] = frozenset({"threshold"})

    @overrides
    def weighted(self, human: Floats, metric: Floats, weights: Floats, options: CoefficientOptions) -> Floats:
        good = weights * (human > options.threshold)
        order = np.argsort(metric, axis=1, kind="stable")
        metric, good, all_weights = (np.take_along_axis(array, order, axis=1) for array in (metric, good, weights))
        bad = all_weights - good
        below = np.cumsum(bad, axis=1)
        index = np.arange(metric.shape[1])
        rises = np.diff(metric, axis=1) > 0
        edge = np.ones((len(metric), 1), dtype=bool)
        first = np.maximum.accumulate(np.where(np.concatenate([edge, rises], axis=1), index, 0), axis=1)
        last = np.where(np.concatenate([rises, edge], axis=1), index, metric.shape[1] - 1)
        last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
        up_to = np.take_along_axis(below, last, axis=1)
        lower = np.take_along_axis(below - bad, first, axis=1)
        wins = (good * (up_to + lower)).sum(axis=1) / 2
        area: Floats = wins / (good.sum(axis=1) * bad.sum(axis=1))
        return area
