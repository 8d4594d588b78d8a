"""The groups of outputs that each level correlates."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.levels import GROUP_AXIS, Level
from metrics_framework.meta_evaluation.sums.system_means import system_means


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
    arranged = _ARRANGED[level]
    return arranged(human), arranged(metric)


_ARRANGED: Mapping[Level, Callable[[Floats], Floats]] = {
    "input": np.transpose,
    "within-system": np.asarray,
    "system": lambda scores: system_means(scores)[None],
    "global": lambda scores: scores.reshape(1, -1),
}


def without_small_groups(scores: Floats, level: Level, min_group: int) -> Floats:
    """Leaves out the outputs of groups that are too small.

    Args:
        scores: Shape (systems, inputs); NaN where missing.
        level: The level: groups are inputs, systems (``within-system``), or all outputs, which are always kept.
        min_group: The least number of outputs of a group. Groups of one output have no coefficient anyway, so that 2
            leaves out none.

    >>> without_small_groups(np.array([[1.0, 2], [3, np.nan], [4, 5]]), "input", 3).tolist()
    [[1.0, nan], [3.0, nan], [4.0, nan]]
    """
    if level not in GROUP_AXIS or min_group <= 2:
        return scores
    sizes = (~np.isnan(scores)).sum(axis=GROUP_AXIS[level], keepdims=True)
    return np.where(sizes < min_group, np.nan, scores)
