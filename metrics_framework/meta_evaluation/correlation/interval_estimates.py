"""Confidence intervals of all coefficients of two scores, from the same resamples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from metrics_framework.meta_evaluation.correlation.coefficient_values import CoefficientValue
from metrics_framework.meta_evaluation.correlation.settings import NONE, IntervalSettings
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.intervals.estimation import IntervalRequest, shared_intervals
from metrics_framework.meta_evaluation.intervals.formulas import FISHER_COEFFICIENTS
from metrics_framework.significance.arrays import Floats

FIXED_EPSILON = {"acc-eq": "acc-23"}
"""Coefficient to the coefficient that equals it once ε is fixed, as it is in resamples."""


class Point(NamedTuple):
    """A coefficient that needs an interval.

    Attributes:
        level: The level.
        name: The coefficient.
        found: Its value.
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
    """

    level: str
    name: str
    found: CoefficientValue
    human: Floats
    metric: Floats


def intervals_of(
    points: Sequence[Point], settings: IntervalSettings, clusters: Sequence[Hashable] | None = None
) -> dict[tuple[str, str], tuple[Interval, str]]:
    """Computes the intervals of coefficients.

    Args:
        points: The coefficients.
        settings: How intervals are computed.
        clusters: The cluster of each input.

    Returns:
        Level and name to the interval and its method: ``none`` for coefficients for which the method is undefined.
    """
    found = {(point.level, point.name): (Interval(point.found.value), NONE) for point in points}
    for (method, _, epsilon), alike in _batches(points, settings).items():
        keys = {(point.level, FIXED_EPSILON.get(point.name, point.name)): point for point in alike}
        request = IntervalRequest(
            method, settings.confidence, settings.resamples, settings.seed, clusters, tail=settings.tail
        )
        scores = [(alike[0].human, alike[0].metric)]
        epsilons = {name: epsilon for _, name in keys}
        computed = shared_intervals(scores, [*keys], request, epsilons)[0]
        for key, point in keys.items():
            interval = computed[key]
            value = Interval(point.found.value, interval.lower, interval.upper, interval.undefined_resamples)
            found[point.level, point.name] = value, method
    return found


def _batches(points: Sequence[Point], settings: IntervalSettings) -> Mapping[tuple[str, int, float], Sequence[Point]]:
    """Groups coefficients that share their method, scores and ε; at most one of those that equal each other."""
    batches: dict[tuple[str, int, float], list[Point]] = defaultdict(list)
    for point in points:
        method = settings.method_at(point.level, point.name)
        undefined = method == NONE or np.isnan(point.metric).all()
        if undefined or (method == "fisher" and point.name not in FISHER_COEFFICIENTS):
            continue
        kind = int(point.name in FIXED_EPSILON)
        batches[method, 2 * id(point.metric) + kind, point.found.epsilon].append(point)
    return batches
