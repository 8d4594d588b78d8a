"""The coefficients of two scores at one level, with the groups and ties they rest on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from metrics_framework.meta_evaluation.coefficients.levels import global_level, system_level, ties_of_columns
from metrics_framework.meta_evaluation.correlation.coefficient_values import CoefficientValue, coefficient_value
from metrics_framework.meta_evaluation.correlation.interval_estimates import OLD, Intervals
from metrics_framework.meta_evaluation.correlation.result import AVERAGED, Estimate, Estimates, LevelResult
from metrics_framework.meta_evaluation.correlation.settings import StudySettings
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.scores.score_matrix import ScoreMatrix
from metrics_framework.significance.arrays import Bools, Floats, Indices


def level_result(matrix: ScoreMatrix, level: str, settings: StudySettings, intervals: Intervals) -> LevelResult:
    """Computes all coefficients that are defined at a level.

    Args:
        matrix: The scores.
        level: The level.
        settings: The settings of the study.
        intervals: Computes the intervals.
    """
    return (_averaged if level in AVERAGED else _of_points)(matrix, level, settings, intervals)


def _averaged(matrix: ScoreMatrix, level: str, settings: StudySettings, intervals: Intervals) -> LevelResult:
    """Averages over inputs (level input) or systems (level within-system)."""
    groups = _Groups.of(matrix, level, settings.min_group)
    estimates, values = Estimates(), {}
    for name in settings.coefficients_at(level):
        found = coefficient_value(groups.z, groups.x, name, level, settings)
        if len(found.groups) == len(groups.sizes):  # a coefficient such as PDP pools the groups
            values[name] = found.groups.tolist()
        interval, method = intervals.interval(name, level, found.value, len(matrix.systems))
        used = int((~np.isnan(found.groups)).sum()) if name in values else None
        estimates[name] = _estimate(found, None, interval, method, used)
    return LevelResult(level, groups.size, estimates, groups.ties(), groups.details, values)


def _estimate(
    found: CoefficientValue, p_value: float | None, interval: Interval, method: str, groups: int | None = None
) -> Estimate:
    lower, upper = (interval.lower, interval.upper) if interval.is_defined else (None, None)
    undefined = interval.undefined_resamples
    return Estimate(found.value, p_value, lower, upper, undefined, method, groups, found.details)


class _Groups:
    """The outputs of two scores in groups, one per input or per system.

    Args:
        matrix: The scores.
        level: ``input`` or ``within-system``.
        min_group: The least number of outputs of a group.
    """

    def __init__(self, x: Floats, z: Floats, level: str, sizes: Indices, is_constant: Bools, min_group: int) -> None:
        self.x, self.z = x, z
        self._level = level
        self.sizes = sizes
        self._constant = is_constant & (sizes >= max(2, min_group))
        self._used = (sizes >= max(2, min_group)) & ~is_constant
        self._min_group = min_group

    @classmethod
    def of(cls, matrix: ScoreMatrix, level: str, min_group: int) -> _Groups:
        axis = 0 if level == "input" else 1
        sizes = (~np.isnan(matrix.x)).sum(axis=axis)
        small = np.expand_dims(sizes < min_group, axis)
        x, z = (np.where(small, np.nan, scores) for scores in (matrix.x, matrix.z))
        return cls(x, z, level, sizes, _is_constant(matrix.x, axis) | _is_constant(matrix.z, axis), min_group)

    @property
    def size(self) -> dict[str, int]:
        key = "num_summary_groups" if self._level == "input" else "num_summarizer_groups"
        return {key: int(self._used.sum())}

    @property
    def details(self) -> Mapping[str, Any]:
        one = "num_groups_one_system" if self._level == "input" else "num_groups_one_input"
        sizes, counts = np.unique(self.sizes[self._used], return_counts=True)
        too_small = (self.sizes > 1) & (self.sizes < self._min_group)
        details: dict[str, Any] = {one: int((self.sizes == 1).sum())}
        if self._min_group > 2:
            details["num_groups_too_small"] = int(too_small.sum())
        details["num_groups_constant"] = int(self._constant.sum())
        details["group_sizes"] = {str(size): int(count) for size, count in zip(sizes, counts, strict=True)}
        return details

    def ties(self) -> dict[str, int]:
        if self._level == "input":
            return ties_of_columns(self.x, self.z)
        return ties_of_columns(np.ascontiguousarray(self.x.T), np.ascontiguousarray(self.z.T))


def _is_constant(scores: Floats, axis: int) -> Bools:
    present = ~np.isnan(scores)
    least = np.where(present, scores, np.inf).min(axis=axis)
    most = np.where(present, scores, -np.inf).max(axis=axis)
    constant: Bools = least >= most
    return constant


def _of_points(matrix: ScoreMatrix, level: str, settings: StudySettings, intervals: Intervals) -> LevelResult:
    systems, inputs, cells = len(matrix.systems), len(matrix.inputs), matrix.num_cells
    if level == "system":
        points, size = system_level(*matrix.system_means()), {"num_summarizers": systems, "num_instances": inputs}
    else:
        points, size = global_level(matrix.x, matrix.z), {"num_summaries": cells}
    estimates = Estimates()
    for name in settings.coefficients_at(level):
        found = coefficient_value(matrix.z, matrix.x, name, level, settings)
        _, p_value = points.coefficients.get(OLD.get(name, name), (math.nan, None))
        interval, method = intervals.interval(name, level, found.value, systems if level == "system" else cells)
        estimates[name] = _estimate(found, p_value, interval, method)
    return LevelResult(level, size, estimates, points.ties)
