"""The plot of a comparison of systems: scores with intervals, and the p-values of all pairs or their differences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metrics_framework.evaluation.score_comparison import ComparedPair, ComparedSystem, CompareSettings, ScoreComparison
from metrics_framework.reports.charts.forest import MAX_LABEL, Group, Row, forest
from metrics_framework.reports.charts.p_value_matrix import p_value_matrix
from metrics_framework.reports.svg import shortened, stacked


def comparison_plot(comparisons: Sequence[ScoreComparison], settings: CompareSettings) -> str:
    """Returns an SVG file with the scores and intervals of the systems by rank, and the comparisons of pairs.

    For all pairs, that is a matrix of p-values for each score, in the order of ranks; for a baseline, the differences
    from it with their intervals. Colours follow the light or dark setting of the reader. The same comparison always
    yields the same bytes.
    """
    resampling = settings.resampling
    level = f"{100 * resampling.level:g} % intervals ({resampling.described_intervals})"
    drawings = [_scores(comparison, level) for comparison in comparisons]
    if settings.baseline is not None:
        drawings += [_differences(one, settings.baseline, level) for one in comparisons if one.pairs]
    else:
        drawings += [_matrix(comparison, settings) for comparison in comparisons if len(comparison.systems) > 2]
    return stacked(drawings, "Comparison of systems")


def _scores(comparison: ScoreComparison, level: str) -> str:
    score = comparison.score
    rows = [
        Row(
            _label(system),
            system.score,
            system.interval.low,
            system.interval.high,
        )
        for system in comparison.systems
    ]
    better = "higher" if score.higher_is_better else "lower"
    ranked = "rank and system" if any(system.rank for system in comparison.systems) else "system"
    digits = 4 if score.is_ratio else 2
    return forest(f"Scores of systems: {score.name}", level, [Group(ranked, rows)], f"{better} is better", digits)


def _label(system: ComparedSystem) -> str:
    """Returns the rank and the name of a system, and how many inputs have a score, if it is not all."""
    name = system.system if system.rank is None else f"{system.rank.cluster}  {system.system}"
    scored = f" ({system.count})" if system.undefined else ""
    return f"{shortened(name, MAX_LABEL - len(scored))}{scored}" if scored else name


def _differences(comparison: ScoreComparison, baseline: str, level: str) -> str:
    title = f"Differences from {baseline}: {comparison.score.name}"
    group = Group("system", [_difference(pair) for pair in comparison.pairs])
    digits = 4 if comparison.score.is_ratio else 2
    return forest(title, f"{level}; * significant", [group], "score minus that of the baseline", digits)


def _difference(pair: ComparedPair) -> Row:
    mark = "*" if pair.winner is not None else ""
    return Row(f"{pair.first}{mark}", pair.difference, pair.interval.low, pair.interval.high)


def _matrix(comparison: ScoreComparison, settings: CompareSettings) -> str:
    names = [system.system for system in comparison.systems]
    p_values = {frozenset((pair.first, pair.second)): pair.adjusted for pair in comparison.pairs}
    matrix = [[p_values.get(frozenset((row, column)), math.nan) for column in names] for row in names]
    ranks = [system.rank.cluster for system in comparison.systems if system.rank is not None]
    title = f"p-values of differences: {comparison.score.name}"
    corrected = "" if settings.correction == "none" else f", corrected ({settings.correction})"
    subtitle = f"for other {'clusters' if settings.cluster else 'inputs'}, these systems{corrected}"
    alpha = settings.resampling.alpha
    return p_value_matrix(title, subtitle, names, matrix, alpha, ranks if len(ranks) == len(names) else None)
