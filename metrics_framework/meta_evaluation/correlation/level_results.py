"""The coefficients of two scores at one level, with the groups and ties they rest on."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from metrics_framework.meta_evaluation.coefficients.levels import global_level, system_level, ties_of_columns
from metrics_framework.meta_evaluation.correlation.coefficient_values import coefficient_value
from metrics_framework.meta_evaluation.correlation.interval_estimates import Point, intervals_of
from metrics_framework.meta_evaluation.correlation.result import AVERAGED, Estimate, Estimates, LevelResult
from metrics_framework.meta_evaluation.correlation.settings import StudySettings
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.scores.score_matrix import ScoreMatrix
from metrics_framework.significance.arrays import Bools, Floats, Indices

Intervals: TypeAlias = "Mapping[tuple[str, str], tuple[Interval, str]]"


def level_results(
    matrix: ScoreMatrix, settings: StudySettings, clusters: Sequence[Hashable] | None = None
) -> dict[str, LevelResult]:
    """Computes all coefficients at all levels.

    Args:
        matrix: The scores.
        settings: The settings of the study.
        clusters: The cluster of each input.
    """
    groups = {level: _Groups.of(matrix, level, settings.min_group) for level in settings.levels if level in AVERAGED}
    points = []
    for level in settings.levels:
        of_level = groups.get(level, matrix)
        for name in settings.coefficients_at(level):
            found = coefficient_value(of_level.z, of_level.x, name, level, settings)
            points.append(Point(level, name, found, of_level.z, of_level.x))
    intervals = intervals_of(points, settings.interval, clusters)
    results = {}
    for level in settings.levels:
        of_level_points = [point for point in points if point.level == level]
        if level in groups:
            results[level] = _averaged(level, groups[level], of_level_points, intervals)
        else:
            results[level] = _of_points(level, matrix, of_level_points, intervals)
    return results


def _averaged(level: str, groups: _Groups, points: Sequence[Point], intervals: Intervals) -> LevelResult:
    """Averages over inputs (level input) or systems (level within-system)."""
    estimates, values = Estimates(), {}
    for point in points:
        of_groups = point.found.groups
        used = None
        if len(of_groups) == len(groups.sizes):  # a coefficient such as PDP pools the groups
            values[point.name] = of_groups.tolist()
            used = int((~np.isnan(of_groups)).sum())
        estimates[point.name] = _estimate(point, None, intervals, used)
    return LevelResult(level, groups.size, estimates, groups.ties(), groups.details, values)


def _of_points(level: str, matrix: ScoreMatrix, points: Sequence[Point], intervals: Intervals) -> LevelResult:
    size: dict[str, int]
    if level == "system":
        correlated = system_level(*matrix.system_means())
        size = {"num_summarizers": len(matrix.systems), "num_instances": len(matrix.inputs)}
    else:
        correlated, size = global_level(matrix.x, matrix.z), {"num_summaries": matrix.num_cells}
    estimates = Estimates()
    for point in points:
        p_value = correlated.coefficients.get(_P_VALUES.get(point.name, ""), (math.nan, None))[1]
        estimates[point.name] = _estimate(point, p_value, intervals)
    return LevelResult(level, size, estimates, correlated.ties)


_P_VALUES = {"pearson": "pearson", "spearman": "spearman", "kendall-b": "kendall"}
"""Coefficients that have a p-value of no correlation, to their names in `coefficients.levels`."""


def _estimate(point: Point, p_value: float | None, intervals: Intervals, groups: int | None = None) -> Estimate:
    interval, method = intervals[point.level, point.name]
    lower, upper = (interval.lower, interval.upper) if interval.is_defined else (None, None)
    undefined = interval.undefined_resamples
    return Estimate(point.found.value, p_value, lower, upper, undefined, method, groups, point.found.details)


FEWEST = 2
"""The least number of outputs that have a coefficient."""


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
        self._constant = is_constant & (sizes >= min_group)
        self._used = (sizes >= min_group) & ~is_constant
        self._min_group = min_group

    @classmethod
    def of(cls, matrix: ScoreMatrix, level: str, min_group: int) -> _Groups:
        axis = 0 if level == "input" else 1
        sizes = (~np.isnan(matrix.x)).sum(axis=axis)
        x, z = matrix.x, matrix.z
        if min_group > FEWEST:  # single outputs have no coefficient anyway, and the shape decides the resamples
            small = np.expand_dims(sizes < min_group, axis)
            x, z = (np.where(small, np.nan, scores) for scores in (x, z))
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
        if self._min_group > FEWEST:
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
