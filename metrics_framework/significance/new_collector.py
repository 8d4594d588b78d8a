"""The collector that a way of resampling needs."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.metrics.base.metric import LabelledMetric
from metrics_framework.significance.collector import Collector, ScoreCollector
from metrics_framework.significance.resampling import Resampling


def new_collector(metrics: Sequence[LabelledMetric], resampling: Resampling) -> Collector:
    """Returns an empty collector for the intervals and tests of a run.

    Raises:
        UsageError: if a metric's system score is neither a mean nor computed from summed statistics.
    """
    if resampling.scheme == "poisson":
        from metrics_framework.significance.poisson import PoissonCollector

        return PoissonCollector(metrics, resampling)
    return ScoreCollector(metrics)
