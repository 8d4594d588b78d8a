"""The groups of outputs that each level correlates."""

from __future__ import annotations

from metrics_framework.meta_evaluation.coefficients.system_means import system_means
from metrics_framework.meta_evaluation.names import Level
from metrics_framework.significance.arrays import Floats


def groups_of(human: Floats, metric: Floats, level: Level) -> tuple[Floats, Floats]:
    """Arranges two matrices of scores in groups.

    - ``input``: the outputs of all systems for one input; shape (inputs, systems);
    - ``within-system``: the outputs of one system; shape (systems, inputs);
    - ``system``: the means of all systems; shape (1, systems);
    - ``global``: all outputs; shape (1, systems · inputs).

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing, in the same cells as the metric.
        metric: The scores of the metric, of the same shape.
        level: The level.
    """
    if level == "input":
        return human.T, metric.T
    if level == "within-system":
        return human, metric
    if level == "system":
        return system_means(human)[None], system_means(metric)[None]
    return human.reshape(1, -1), metric.reshape(1, -1)
