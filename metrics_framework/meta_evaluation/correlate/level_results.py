"""The coefficients of two scores at each level, with the groups and ties they rest on."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, Measured
from metrics_framework.meta_evaluation.correlate.option_names import NONE
from metrics_framework.meta_evaluation.correlate.request import CorrelateRequest, Pair
from metrics_framework.meta_evaluation.correlate.result import Estimate, Estimates, LevelResult
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.intervals.estimation import (
    IntervalRequest,
    Key,
    has_interval,
    shared_intervals,
)
from metrics_framework.meta_evaluation.levels import AVERAGED, GROUP_AXIS, Level
from metrics_framework.meta_evaluation.scores.score_columns import ScoreMatrix
from metrics_framework.meta_evaluation.sums.pair_sums import EQUAL
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair, without_small_groups


def level_results(matrix: ScoreMatrix, pair: Pair, request: CorrelateRequest) -> dict[Level, LevelResult]:
    """Computes all coefficients at all levels.

    Args:
        matrix: The scores.
        pair: Their names.
        request: What to compute.
    """
    scores = _scores_of_levels(matrix, request)
    points = {
        (level, one.name): _Point(one, one.measure(scores[level], level, request.options_for(one, *pair, level)))
        for level in request.levels
        for one in request.coefficients_at(level)
    }
    clusters = request.cluster_labels(matrix.inputs)
    intervals = _intervals(points, scores, request, clusters)
    results = {}
    for level in request.levels:
        of_level = {name: point for (at, name), point in points.items() if at == level}
        described = _described(matrix, level, request)
        groups = _values_of_groups(of_level, scores[level], level)
        results[level] = LevelResult(
            level,
            described.size,
            Estimates(
                {
                    name: _estimate(
                        point, intervals[level, name], _p_value(point, scores[level], level, clusters), groups.get(name)
                    )
                    for name, point in of_level.items()
                }
            ),
            _ties(scores[level], level),
            described.details,
            {name: values.tolist() for name, values in groups.items()},
        )
    return results


@dataclass(frozen=True)
class _Point:
    coefficient: Coefficient
    found: Measured


def _scores_of_levels(matrix: ScoreMatrix, request: CorrelateRequest) -> dict[Level, ScorePair]:
    """Returns the scores without groups that are too small at each level; levels without such groups share them."""
    everything = ScorePair(matrix.z, matrix.x)
    scores = {}
    for level in request.levels:
        human = without_small_groups(matrix.z, level, request.min_group)
        is_whole = human is matrix.z or bool((np.isnan(human) == np.isnan(matrix.z)).all())
        scores[level] = everything if is_whole else ScorePair(human, matrix.x)
    return scores


def _intervals(
    points: Mapping[Key, _Point],
    scores: Mapping[Level, ScorePair],
    request: CorrelateRequest,
    clusters: Sequence[Hashable] | None,
) -> dict[Key, tuple[Interval, str]]:
    """Returns intervals and their methods: ``none`` for coefficients for which the method is undefined."""
    found = {key: (Interval(point.found.value), NONE) for key, point in points.items()}
    batches: dict[tuple[str, int], list[Key]] = {}
    settings = request.interval
    for (level, name), point in points.items():
        method = settings.method_at(level, point.coefficient)
        if method != NONE and scores[level].present.any() and has_interval(point.coefficient, method):
            batches.setdefault((method, id(scores[level])), []).append((level, name))
    for (method, _), keys in batches.items():
        how = IntervalRequest(
            method, settings.confidence, settings.resamples, settings.seed, clusters, tail=settings.tail
        )
        wanted = {key: (points[key].coefficient, points[key].found.options) for key in keys}
        for key, interval in shared_intervals([(scores[keys[0][0]], wanted)], how)[0].items():
            value = Interval(points[key].found.value, interval.lower, interval.upper, interval.undefined_resamples)
            found[key] = value, method
    return found


def _estimate(
    point: _Point, interval: tuple[Interval, str], p_value: float | None, level_groups: Floats | None
) -> Estimate:
    found, method = interval
    lower, upper = (found.lower, found.upper) if found.is_defined else (None, None)
    groups = None if level_groups is None else int((~np.isnan(level_groups)).sum())
    # The one NaN of `math` equals itself in lists and dictionaries, so that records of equal results are equal.
    value = math.nan if math.isnan(point.found.value) else point.found.value
    p_value = math.nan if p_value is not None and math.isnan(p_value) else p_value
    return Estimate(value, p_value, lower, upper, found.undefined_resamples, method, groups, point.found.details)


def _p_value(point: _Point, scores: ScorePair, level: Level, clusters: Sequence[Hashable] | None) -> float | None:
    """Returns the p-value of no correlation of points, which must be independent: not outputs of clusters."""
    if level in AVERAGED or (level == "global" and clusters is not None):
        return None
    human, metric = scores.vectors(level)
    return point.coefficient.p_value(human, metric)


def _ties(scores: ScorePair, level: Level) -> dict[str, int]:
    """Counts the pairs of outputs in groups, and those tied in the metric, in the human scores, and in both."""
    counts = np.zeros(4)
    for _, groups in scores.groups(level, None, None):
        sums = groups.pair_sums(EQUAL)
        both = sums.total - sums.untied_human - sums.untied_metric + sums.untied
        each = sums.total, sums.total - sums.untied_metric, sums.total - sums.untied_human, both
        counts += [one.sum() for one in each]
    return dict(zip(("pairs", "metric1", "metric2", "both"), counts.astype(int).tolist(), strict=True))


def _values_of_groups(points: Mapping[str, _Point], scores: ScorePair, level: Level) -> dict[str, Floats]:
    """Returns the coefficients of every input or system; a coefficient such as PDP pools the groups."""
    if level not in AVERAGED:
        return {}
    count = scores.count_groups(level)
    return {name: point.found.groups for name, point in points.items() if len(point.found.groups) == count}


@dataclass(frozen=True)
class _Described:
    """What a level rests on.

    Args:
        size: The numbers of correlated points, under their keys in the JSON file.
        details: The groups that were left out, and the sizes of the others.
    """

    size: Mapping[str, int]
    details: Mapping[str, Any]


def _described(matrix: ScoreMatrix, level: Level, request: CorrelateRequest) -> _Described:
    if level == "system":
        return _Described({"num_summarizers": len(matrix.systems), "num_instances": len(matrix.inputs)}, {})
    if level == "global":
        return _Described({"num_summaries": matrix.num_cells}, {})
    axis = GROUP_AXIS[level]
    sizes = (~np.isnan(matrix.x)).sum(axis=axis)
    constant = _is_constant(matrix.x, axis) | _is_constant(matrix.z, axis)
    return _groups(level, sizes, constant, request.min_group)


_GROUP_KEYS: Mapping[Level, tuple[str, str]] = {
    "input": ("num_summary_groups", "num_groups_one_system"),
    "within-system": ("num_summarizer_groups", "num_groups_one_input"),
}
"""Level to the keys of the number of its groups, and of those with a single output."""


def _groups(level: Level, sizes: Indices, constant: Bools, min_group: int) -> _Described:
    key, one = _GROUP_KEYS[level]
    used = (sizes >= min_group) & ~constant
    details: dict[str, Any] = {one: int((sizes == 1).sum())}
    if min_group > 2:
        details["num_groups_too_small"] = int(((sizes > 1) & (sizes < min_group)).sum())
    details["num_groups_constant"] = int((constant & (sizes >= min_group)).sum())
    each, counts = np.unique(sizes[used], return_counts=True)
    details["group_sizes"] = {str(size): int(count) for size, count in zip(each, counts, strict=True)}
    return _Described({key: int(used.sum())}, details)


def _is_constant(scores: Floats, axis: int) -> Bools:
    present = ~np.isnan(scores)
    least = np.where(present, scores, math.inf).min(axis=axis)
    most = np.where(present, scores, -math.inf).max(axis=axis)
    constant: Bools = least >= most
    return constant
