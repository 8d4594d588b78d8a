"""The direction of a metric: whether higher scores are better."""

from __future__ import annotations

from metrics_framework.common.errors import FwError
from metrics_framework.metrics.base.metric import Metric

BETTER_HIGHER, BETTER_LOWER = "better:higher", "better:lower"
"""What the signature of a metric whose direction is an option says."""


def direction_of(signature: str) -> bool | None:
    """Returns whether higher scores are better for a metric, given its signature or name.

    Returns `None` if neither direction is better, if the metric is unknown, or if its plug-in cannot be imported.

    >>> direction_of("ter|case:lc|fw:0.1.0"), direction_of("simplicity")
    (False, None)
    """
    registry, (name, *options) = Metric.registry(), signature.split("|")
    if name not in registry.names(aliases=True):
        return None
    if {BETTER_LOWER, BETTER_HIGHER}.intersection(options):
        return BETTER_HIGHER in options
    try:
        higher_is_better: bool | None = registry.get(name).higher_is_better
    except FwError:  # a plug-in that cannot be imported; its scores can still be reported
        return None
    return higher_is_better
