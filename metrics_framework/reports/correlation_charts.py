"""Charts of a study of metrics: intervals, p-values, ranks, and accuracy against the size of ties."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.correlation.comparisons import Comparison
from metrics_framework.meta_evaluation.correlation.result import Correlation, Estimate
from metrics_framework.meta_evaluation.correlation.study import Study
from metrics_framework.meta_evaluation.names import ACCURACIES, Level
from metrics_framework.reports.charts.curve import step_curve
from metrics_framework.reports.charts.forest import Group, Row, forest
from metrics_framework.reports.charts.p_value_matrix import p_value_matrix
from metrics_framework.reports.charts.ranks import Rank, rank_chart
from metrics_framework.reports.correlation_table import TITLES
from metrics_framework.reports.svg import Panel, document, stacked
from metrics_framework.significance.multiple_testing import is_significant

CALIBRATED = "acc-eq"
MOST_IN_ROW = 3
WIDEST = 1400.0
"""The width up to which charts of several comparisons are placed side by side."""


def forest_chart(study: Study) -> str:
    """Draws all coefficients with their intervals, and the agreement of one rater with the others."""
    kinds = dict.fromkeys(
        (result.metric2, level, name)
        for result in study.correlations
        for level, found in result.levels.items()
        for name in found.estimates
    )
    groups = [_group(study, *kind) for kind in kinds]
    quantity = "accuracy" if all(name in ACCURACIES for _, _, name in kinds) else "coefficient"
    interval = study.correlations[0].interval
    return forest("Coefficients", f"{interval.confidence:g} % intervals, where defined", groups, quantity)


def _group(study: Study, human: str, level: str, name: str) -> Group:
    rows = [
        _row(result.metric1, result.levels[level].estimates[name])
        for result in study.correlations
        if result.metric2 == human and level in result.levels and name in result.levels[level].estimates
    ]
    ceilings = [one.ceilings.get((level, name)) for one in study.ceilings if one.human == human]
    mark = next((one.one_vs_rest for one in ceilings if one is not None), math.nan)
    return Group(f"{TITLES[name]}, {level} level, {human}", rows, mark, "one rater")


def _row(label: str, estimate: Estimate) -> Row:
    ends = (math.nan if end is None else end for end in (estimate.lower, estimate.upper))
    return Row(label, estimate.value, *ends)


def matrix_chart(comparisons: Sequence[Comparison]) -> str:
    """Draws the p-values of all pairs of metrics, in the order of ranks.

    Raises:
        InputError: if no metrics were compared.
    """
    return stacked([_matrix(one) for one in _compared(comparisons)], "p-values of differences", WIDEST)


def _matrix(comparison: Comparison) -> str:
    found = comparison.found
    correction = "" if found.correction == "none" else f", corrected ({found.correction})"
    return p_value_matrix(
        f"p-values: {_where(comparison)}",
        f"{found.population}{correction}; lines separate clusters",
        [comparison.label(name) for name in found.metrics],
        found.adjusted.tolist(),
        found.alpha,
        [found.ranks[name] for name in found.metrics],
    )


def chart_of_ranks(comparisons: Sequence[Comparison]) -> str:
    """Draws the ranks of metrics: between 1 + the significantly better and n − the significantly worse metrics.

    Raises:
        InputError: if no metrics were compared.
    """
    return stacked([_ranks(one) for one in _compared(comparisons)], "Ranks of metrics", WIDEST)


def _ranks(comparison: Comparison) -> str:
    found, size = comparison.found, len(comparison.found.metrics)
    significant = [[is_significant(p, found.alpha) for p in row] for row in found.adjusted.tolist()]
    ranks = [
        Rank(
            comparison.label(name),
            index + 1,
            1 + sum(significant[index][:index]),
            size - sum(significant[index][index + 1 :]),
        )
        for index, name in enumerate(found.metrics)
    ]
    return rank_chart(f"Ranks: {_where(comparison)}", f"{found.population}; p < {found.alpha:g}", ranks)


def _where(comparison: Comparison) -> str:
    return f"{TITLES[comparison.coefficient]}, {comparison.level} level, {comparison.human}"


def _compared(comparisons: Sequence[Comparison]) -> list[Comparison]:
    compared = [one for one in comparisons if len(one.found.metrics) > 1]
    if not compared:
        raise InputError("no metrics were compared; choose a test, for example with --test inputs")
    return compared


def epsilon_chart(results: Sequence[Correlation]) -> str:
    """Draws the accuracy of each metric against ε, the largest difference of its scores that is a tie.

    Raises:
        InputError: if the coefficient acc-eq was not computed.
    """
    panels = [
        panel
        for result in results
        for level in result.levels
        if CALIBRATED in result.levels[level].estimates
        for panel in _curves(result, level)
    ]
    if not panels:
        raise InputError("the curve of accuracy against epsilon needs the coefficient acc-eq (--coefficient acc-eq)")
    subtitle = "mean accuracy of pairs of outputs; the point is the chosen ε"
    return document("Accuracy against ε", subtitle, panels, MOST_IN_ROW)


def _curves(result: Correlation, level: str) -> list[Panel]:
    from metrics_framework.meta_evaluation.coefficients.calibration import accuracy_curve, calibrate

    matrix = result.matrix
    curve = accuracy_curve(matrix.z, matrix.x, level=cast("Level", level))
    points = list(zip(curve.epsilon.tolist(), curve.accuracy.tolist(), strict=True))
    if not points:
        return []
    chosen = calibrate(matrix.z, matrix.x, level=cast("Level", level))
    caption = (
        f"{level} level: {chosen.accuracy:.3f}, {chosen.accuracy_at_zero:.3f} at 0, all tied "
        f"{chosen.accuracy_all_tied:.3f}"
    )
    axes = f"ε of {result.metric1}", "accuracy"
    return [step_curve(result.metric1, caption, axes, points, (chosen.epsilon, chosen.accuracy))]
